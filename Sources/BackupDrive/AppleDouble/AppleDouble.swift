/// What a sidecar `._x` holds for its file `x`: Finder info, extended attributes and a resource fork, as macOS keeps them on
/// drives that have no attributes.
///
/// A value without identity; reading and writing the file is the caller's. Attribute names here are those of the Mac;
/// those that programs on a mount use are in `AppleDouble+MountedNames.swift`.
public struct AppleDouble: Hashable, Sendable {
  /// One extended attribute.
  public struct Attribute: Hashable, Sendable {
    /// The name as bytes, 1 to 127, in practice UTF-8.
    public let name: [UInt8]
    /// The value.
    public var value: [UInt8]
  }

  /// The largest sidecar that is read or written, in bytes. The format allows more; no photo's comes near, and a hostile
  /// one must not take all memory.
  public static let maximumSize = 64 << 20

  /// The 32 bytes of Finder info; `nil` when there is none, which on the medium is all zero.
  public private(set) var finderInfo: [UInt8]?
  /// The resource fork; empty when there is none.
  public private(set) var resourceFork: [UInt8] = []
  /// The attributes in the order of the file, names distinct.
  public private(set) var attributes: [Attribute] = []
  /// A number that macOS writes at creation and never reads; kept.
  public var debugTag: UInt32 = 0
  /// Whether the file holds what this value does not: an entry of another kind, or bytes behind the Finder info that are no
  /// attributes. It can be read, but is never written again.
  public internal(set) var holdsForeignData = false

  /// A sidecar without content.
  public init() {}

  /// Whether nothing is left that would need a sidecar.
  public var isEmpty: Bool { finderInfo == nil && resourceFork.isEmpty && attributes.isEmpty && !holdsForeignData }

  /// Sets the Finder info: exactly 32 bytes, `nil` or zeros to remove it.
  public mutating func setFinderInfo(_ bytes: [UInt8]?) throws(AppleDoubleError) {
    guard let bytes else { return finderInfo = nil }
    guard bytes.count == AppleDoubleLayout.finderInfoSize else { throw .badFinderInfo }
    finderInfo = bytes.allSatisfy { $0 == 0 } ? nil : bytes
  }

  /// Sets the resource fork; an empty one, also macOS's template of an empty one, removes it.
  public mutating func setResourceFork(_ bytes: [UInt8]) throws(AppleDoubleError) {
    guard bytes.count <= Self.maximumSize else { throw .tooLarge }
    resourceFork = AppleDoubleLayout.isEmptyFork(bytes[...]) ? [] : bytes
  }

  /// The value of an attribute; `nil` when there is none of that name.
  public func value(of name: [UInt8]) -> [UInt8]? { attributes.first { $0.name == name }?.value }

  /// Sets an attribute; a new one goes last.
  public mutating func set(_ name: [UInt8], to value: [UInt8]) throws(AppleDoubleError) {
    guard !name.isEmpty, !name.contains(0) else { throw .badName }
    guard name.count <= AppleDoubleLayout.maximumNameBytes else { throw .nameTooLong }
    guard value.count <= Self.maximumSize else { throw .tooLarge }
    if let index = attributes.firstIndex(where: { $0.name == name }) {
      attributes[index].value = value
      return
    }
    guard attributes.count < AppleDoubleLayout.maximumAttributes else { throw .tooManyAttributes }
    attributes.append(Attribute(name: name, value: value))
  }

  /// Removes an attribute; says whether there was one.
  @discardableResult
  public mutating func remove(_ name: [UInt8]) -> Bool {
    guard let index = attributes.firstIndex(where: { $0.name == name }) else { return false }
    attributes.remove(at: index)
    return true
  }
}
