/// Random identifiers.
public enum RandomID {
  /// `count` lower-case hex digits from the system's generator.
  public static func hex(_ count: Int) -> String {
    var generator = SystemRandomNumberGenerator()
    return String((0..<count).map { _ in "0123456789abcdef".randomElement(using: &generator) ?? "0" })
  }
}
