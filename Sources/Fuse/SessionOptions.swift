/// How a session is mounted; the words are those of mount.fuse3(8).
public struct SessionOptions: Sendable {
  /// What /proc/mounts shows as the source (`fsname=`).
  public var source: String
  /// The type behind `fuse.` (`subtype=`).
  public var subtype: String
  /// Mount options for libfuse and the kernel beside those that this type holds, checked by the caller.
  public var mountOptions: [String] = []
  /// Nothing can be written (`ro`).
  public var isReadOnly = false
  /// Bytes of one read at most (`max_read=`).
  public var maximumRead = FuseLimits.read
  /// Every message of the protocol on stderr (`debug`).
  public var isDebugging = false
  /// One thread (`-s`).
  public var isSingleThreaded = false

  /// Names the mount.
  public init(source: String, subtype: String) {
    self.source = source
    self.subtype = subtype
  }

  /// The arguments for libfuse, the program's name first.
  var arguments: [String] {
    var options = ["fsname=\(escape(source))", "subtype=\(escape(subtype))", "default_permissions"]
    options.append("max_read=\(maximumRead)")
    if isReadOnly { options.append("ro") }
    options += mountOptions.map(escape)
    return [subtype, "-o", options.joined(separator: ",")] + (isDebugging ? ["-d"] : [])
  }

  private func escape(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing(",", with: "\\,")
  }
}

extension String {
  fileprivate func replacing(_ character: Character, with text: String) -> String {
    reduce(into: "") { $0 += $1 == character ? text : String($1) }
  }
}
