import Platform
import Synchronization

/// What long work shows on standard error: on a terminal one line that is written over, at most ten times a second; else
/// a line a minute. Any thread.
final class ProgressLine: Sendable {
  private struct State {
    var shownAt = MonotonicTime.now
    var isDrawn = false
  }

  private let state = Mutex(State())
  private let isLive = StandardStream.error.isTerminal
  private let pause: Int

  init() { pause = isLive ? 100 : 60_000 }

  /// Shows how far the work is, when it is time to. The text must be plain ASCII without line breaks.
  func show(_ text: () -> String) {
    state.withLock { state in
      guard MonotonicTime.now.milliseconds(since: state.shownAt) >= pause else { return }
      state.shownAt = .now
      // Nobody is left to tell when this fails, and the work goes on.
      if isLive {
        // No longer than any terminal is wide, else it would stay when it is written over.
        try? StandardStream.error.write("\r" + text().prefix(79) + "\u{1B}[K")
        state.isDrawn = true
      } else {
        try? StandardStream.error.write(text() + "\n")
      }
    }
  }

  /// Writes a line that stays.
  func say(_ text: String) {
    state.withLock { state in
      clear(&state)
      try? StandardStream.error.write(text + "\n")
    }
  }

  /// Takes the live line away.
  func end() { state.withLock { clear(&$0) } }

  private func clear(_ state: inout State) {
    guard state.isDrawn else { return }
    try? StandardStream.error.write("\r\u{1B}[K")
    state.isDrawn = false
  }
}
