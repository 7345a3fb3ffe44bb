import Platform
import Synchronization

/// Files that could not be moved to the trash, collected into one quiet line at most once a minute: the caller of each has
/// had its error, and a full drive must not fill the log.
final class TrashFailures: Sendable {
  private struct State {
    var count = 0
    var first: [String] = []
    var lastLine: ContinuousClock.Instant?
  }

  /// Names in one line at most; the rest is counted.
  private static let namesShown = 20
  private let state = Mutex(State())

  /// Notes a file that stays, and says so unless that was done less than a minute ago.
  func note(_ error: TrashError, now: ContinuousClock.Instant = .now, to log: (String) -> Void) {
    let line = state.withLock { state -> String? in
      state.count += 1
      if state.first.count < Self.namesShown { state.first.append("\(error.path) (\(error.errno))") }
      if let last = state.lastLine, now - last < .seconds(60) { return nil }
      state.lastLine = now
      return Self.line(&state)
    }
    if let line { log(line) }
  }

  /// Says what is collected, for the end of a session.
  func flush(to log: (String) -> Void) {
    if let line = state.withLock({ Self.line(&$0) }) { log(line) }
  }

  private static func line(_ state: inout State) -> String? {
    guard state.count > 0 else { return nil }
    defer {
      state.count = 0
      state.first = []
    }
    let files = state.count == 1 ? "1 file" : "\(state.count) files"
    let more = state.count > state.first.count ? " and \(state.count - state.first.count) more" : ""
    return "\(files) could not be moved to the trash and stayed: \(state.first.joined(separator: ", "))\(more)"
  }
}
