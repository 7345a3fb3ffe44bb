import Platform

/// Which file is a sidecar, and whose.
public enum Sidecar {
  /// The sidecar of a volume's top folder, which has no name of its own.
  public static let ofVolume = FileName("._.")

  /// Whether a name has the form of a sidecar's: `._` and at least one byte more.
  public static func hasForm(_ name: FileName) -> Bool {
    name.bytes.count > 2 && name.bytes.starts(with: [0x2E, 0x5F])
  }

  /// The name of the sidecar of `name`; `nil` for one that has itself the form of a sidecar: those have none.
  public static func name(for name: FileName) -> FileName? {
    hasForm(name) ? nil : FileName(bytes: [0x2E, 0x5F] + name.bytes)
  }

  /// The name of the file that a sidecar belongs to; `nil` when the name has not the form. `._.` is the volume's own: `nil`.
  public static func owner(of name: FileName) -> FileName? {
    guard hasForm(name) else { return nil }
    return FileName(bytes: name.bytes.dropFirst(2))
  }

  /// How many bytes of a file `isSidecar` needs: the header up to the number of entries.
  public static let probeSize = 26

  /// Whether a file is a sidecar: by its name **and** by its first bytes (`probeSize` of them, or more). The name alone is no
  /// proof: rsync's temporary name for `_a.jpg` is `._a.jpg.XXXXXX`. Nor are the bytes: a copy of a sidecar under another
  /// name is a file like any other.
  public static func isSidecar(name: FileName, bytes: some Collection<UInt8>) -> Bool {
    guard hasForm(name), bytes.count >= probeSize else { return false }
    return bytes.starts(with: [0x00, 0x05, 0x16, 0x07, 0x00, 0x02, 0x00, 0x00])
  }

  /// The same for an entry of a folder. `false` for what is no regular file; never waits and never follows a link.
  public static func isSidecar(_ name: FileName, in folder: borrowing Descriptor) throws(Errno) -> Bool {
    guard hasForm(name), try folder.status(of: name).kind == .file else { return false }
    let file = try folder.open(name, [.read, .nonBlocking])
    return isSidecar(name: name, bytes: try file.read(count: probeSize, at: 0))
  }
}

extension AppleDouble {
  /// Reads a sidecar from an open file. An empty file is a sidecar without content: macOS adopts those.
  public init(reading file: borrowing Descriptor) throws(AppleDoubleError) {
    let bytes: [UInt8]
    do throws(Errno) {
      let size = try file.status().size
      guard size <= Int64(Self.maximumSize) else { throw .fileTooLarge }
      bytes = try file.read(count: Int(size), at: 0)
    } catch .fileTooLarge {
      throw .tooLarge
    } catch {
      throw .system(error)
    }
    self = bytes.isEmpty ? AppleDouble() : try .parse(bytes)
  }
}
