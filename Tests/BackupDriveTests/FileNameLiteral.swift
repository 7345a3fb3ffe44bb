import Platform

extension FileName: ExpressibleByStringLiteral {
  /// Names in tests are written as literals.
  public init(stringLiteral value: StaticString) { self.init(value) }
}
