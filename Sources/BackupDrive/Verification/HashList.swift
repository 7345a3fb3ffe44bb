import Platform

/// The catalog as lines that `xxhsum -c` reads in the backup folder: 32 hex digits, two blanks, the path.
enum HashList {
  private static let page = 1000

  /// Writes the file at `path`, whole or not at all, with a line for every file whose hash is known. Returns how many
  /// files have names that such a line cannot hold; `nil` when it was cancelled.
  static func write(
    _ catalog: Catalog, to path: String, cancellation: Cancellation
  ) throws(DriveError) -> Int? {
    let aside = path + ".new-" + RandomID.hex(8)
    do throws(Errno) {
      let file = try Descriptor.open(aside, [.write, .create, .exclusive], mode: 0o644)
      do throws(Errno) {
        guard let leftOut = try fill(file, catalog, cancellation) else {
          try? FilePath.remove(aside)
          return nil
        }
        try file.synchronize()
        try FilePath.rename(aside, to: path)
        return leftOut
      } catch {
        try? FilePath.remove(aside)
        throw error
      }
    } catch {
      throw DriveError("\(FileError("write the list of hashes", path: path, errno: error))", error)
    }
  }

  private static func fill(
    _ file: borrowing Descriptor, _ catalog: Catalog, _ cancellation: Cancellation
  ) throws(Errno) -> Int? {
    var after: RelativePath?
    var leftOut = 0
    var offset: Int64 = 0
    while true {
      if cancellation.isCancelled { return nil }
      let entries: [CatalogEntry]
      do throws(CatalogError) { entries = try catalog.entries(after: after, limit: page) } catch {
        throw .inputOutput
      }
      guard let last = entries.last else { return leftOut }
      after = last.path
      var text: [UInt8] = []
      for entry in entries {
        guard let hash = entry.hash else { continue }
        let path = entry.path.bytes
        guard !path.contains(where: { $0 == 0x0A || $0 == 0x0D }) else {
          leftOut += 1
          continue
        }
        text += Array(hash.hex.utf8) + [0x20, 0x20] + path + [0x0A]
      }
      try file.write(text, at: offset)
      offset += Int64(text.count)
    }
  }
}
