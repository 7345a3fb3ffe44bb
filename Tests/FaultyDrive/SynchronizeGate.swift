import Platform

/// Holds one fsync of a file until the test lets it go: a drive as slow as a test needs, without a clock.
final class SynchronizeGate: Sendable {
  private enum Phase: Sendable {
    case open, armed, holding
  }

  private let phase = Monitor<Phase>(.open)

  /// The next fsync of a file will wait.
  func arm() { phase.withLock { $0 = .armed } }

  /// Lets it go; nothing waits any more.
  func open() { phase.withLock { $0 = .open } }

  /// Returns when an fsync waits.
  func waitUntilHeld() { phase.wait { $0 == .holding ? () : nil } }

  /// Called by every fsync of a file.
  func pass() {
    let isMine = phase.withLock { phase in
      guard phase == .armed else { return false }
      phase = .holding
      return true
    }
    if isMine { phase.wait { $0 == .holding ? nil : () } }
  }
}
