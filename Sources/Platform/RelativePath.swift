/// A path below some folder, as checked components; the empty path is the folder itself. It cannot climb out.
public struct RelativePath: Hashable, Sendable {
  /// The components, outermost first.
  public var components: [FileName]

  /// The folder itself.
  public static let empty = RelativePath([])

  /// Joins components.
  public init(_ components: [FileName]) { self.components = components }

  /// Splits `text` at `/`. `nil` for an absolute path, an empty component, `.`, `..` or a NUL.
  public init?(_ text: String) { self.init(bytes: Array(text.utf8)) }

  /// Splits bytes at `/`. `nil` for an absolute path, an empty component, `.`, `..` or a NUL.
  public init?(bytes: [UInt8]) {
    var components: [FileName] = []
    for part in bytes.split(separator: 0x2F, omittingEmptySubsequences: false) {
      guard let name = FileName(bytes: part) else { return nil }
      components.append(name)
    }
    self.components = components
  }

  /// The last component; `nil` for the empty path.
  public var name: FileName? { components.last }

  /// The path without its last component.
  public var parent: RelativePath { RelativePath(Array(components.dropLast())) }

  /// The path of `name` in this folder.
  public func appending(_ name: FileName) -> RelativePath { RelativePath(components + [name]) }

  /// Whether this is `folder` or lies below it.
  public func isInside(_ folder: RelativePath) -> Bool { components.starts(with: folder.components) }

  /// The bytes for a system call relative to a folder's descriptor; `.` for the empty path.
  public var bytes: [UInt8] {
    components.isEmpty ? [0x2E] : Array(components.map(\.bytes).joined(separator: [0x2F]))
  }
}

extension RelativePath: CustomStringConvertible {
  /// The path for people: bad bytes repaired, control characters escaped.
  public var description: String { String(decoding: bytes, as: UTF8.self).escapedForDisplay }
}
