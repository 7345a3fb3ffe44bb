/// How a library is read.
public struct LibraryOptions: Sendable {
  /// Show what the user hid.
  public var includeHidden: Bool
  /// Folders outside the bundle below which referenced originals may be opened, as absolute paths.
  public var referenceRoots: [String]

  /// The defaults: nothing hidden, no referenced originals.
  public init(includeHidden: Bool = false, referenceRoots: [String] = []) {
    self.includeHidden = includeHidden
    self.referenceRoots = referenceRoots
  }
}
