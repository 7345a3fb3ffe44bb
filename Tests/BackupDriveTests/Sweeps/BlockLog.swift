import Foundation
import Platform

/// What `Tests/BlockRecorder` logged: the writes and flushes of a driver, and the marks that a test put between.
struct BlockLog {
  enum Event {
    case write(offset: Int, bytes: [UInt8])
    /// Everything before it is on the medium.
    case flush
    /// The test had a promise by then.
    case mark
  }

  let events: [Event]

  init(contentsOf path: String) throws {
    guard let data = FileManager.default.contents(atPath: path) else { throw CommandFailed(text: "no log at \(path)") }
    let bytes = Array(data)
    func number(_ at: Int) -> Int { (0..<8).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
    var events: [Event] = []
    var position = 0
    while position + 24 <= bytes.count {
      let count = number(position + 16)
      guard position + 24 + count <= bytes.count else { throw CommandFailed(text: "the log is cut") }
      switch number(position) {
      case 1:
        events.append(
          .write(offset: number(position + 8), bytes: Array(bytes[(position + 24)..<(position + 24 + count)])))
      case 2: events.append(.flush)
      default: events.append(.mark)
      }
      position += 24 + count
    }
    self.events = events
  }

  /// Appends a mark to a log that is being written.
  static func mark(_ path: String) throws {
    let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    defer { close(file) }
    let record: [UInt8] = [3] + [UInt8](repeating: 0, count: 23)
    guard write(file, record, record.count) == record.count else { throw CommandFailed(text: "cannot mark \(path)") }
  }

  /// Indices of events before which a cut makes a difference: those of writes, and the end.
  var cuts: [Int] {
    events.indices.filter { if case .write = events[$0] { true } else { false } } + [events.count]
  }

  /// Promises that were given before the event.
  func marks(before index: Int) -> Int {
    events[..<index].count { if case .mark = $0 { true } else { false } }
  }

  /// The medium when power goes before an event. With a generator each sector that was written since the last flush has
  /// arrived or not by chance; without one all have, in order.
  func image(
    from base: [UInt8], cutBefore index: Int, losing generator: inout SeededGenerator?
  ) -> [UInt8] {
    var image = base
    let lastFlush = events[..<index].lastIndex { if case .flush = $0 { true } else { false } } ?? 0
    for (number, event) in events[..<index].enumerated() {
      guard case .write(let offset, let bytes) = event else { continue }
      guard number > lastFlush, var dice = generator else {
        image.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        continue
      }
      for start in stride(from: 0, to: bytes.count, by: 512) where Bool.random(using: &dice) {
        let end = min(start + 512, bytes.count)
        image.replaceSubrange(offset + start..<offset + end, with: bytes[start..<end])
      }
      generator = dice
    }
    return image
  }
}
