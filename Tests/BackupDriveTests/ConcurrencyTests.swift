import Foundation
import Platform
import Testing

@testable import BackupDrive

@Suite("Many threads at once")
struct ConcurrencyTests {
  @Test("Creating, replacing, renaming and removing by eight threads ends as a model says", arguments: Ground.available)
  func agreesWithModel(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try drive.makeDirectory("d0")
    try drive.makeDirectory("d1")
    let problems = LogLines()
    let model = Monitor<[String: String]>([:])
    onThreads(8) { thread in
      do {
        for round in 0..<12 {
          let path = "d\(round % 2)/t\(thread)-\(round % 4)"
          try drive.write(path, "\(thread) \(round)")
          model.withLock { $0[path] = "\(thread) \(round)" }
          if round % 3 == 0 {
            let moved = "d\((round + 1) % 2)/m\(thread)"
            try drive.rename(path, moved)
            model.withLock { $0[moved] = $0.removeValue(forKey: path) }
          }
          if round % 5 == 4, round % 3 != 0 {
            try drive.remove(path)
            model.withLock { $0[path] = nil }
          }
          // One name for all: only one of them ends there, whole.
          try drive.write("shared", String(repeating: "\(thread)", count: 100))
          _ = try drive.names("d0")
          try drive.rename("d1", "d1")
        }
      } catch { problems.add("\(thread): \(error)") }
    }
    #expect(problems.all == [])
    for (path, text) in model.withLock({ $0 }) { #expect(place.onDrive(path) == Array(text.utf8)) }
    let count = try drive.names("d0").count + drive.names("d1").count
    #expect(count == model.withLock { $0.count })
    #expect(place.onDrive("shared").map { Set($0).count == 1 && $0.count == 100 } == true)
    #expect(try place.leftovers() == [])
  }

  @Test("A commit that hangs keeps nobody else from committing")
  func hangsAlone() throws {
    let place = try TestGround(.journal)
    let gate = Monitor(false)
    let armed = Monitor(true)
    let drive = try place.open(step: { step in
      guard step == .syncData,
        armed.withLock({ was in
          let now = was; was = false; return now
        })
      else { return }
      gate.wait { $0 ? () : nil }
    })
    let done = Monitor(false)
    Thread.detachNewThread {
      try? drive.write("slow", "slow")
      done.withLock { $0 = true }
    }
    armed.wait { $0 ? nil : () }
    try drive.write("quick", "quick")
    try drive.rename("quick", "moved")
    #expect(try drive.names() == ["moved", "slow"])
    #expect(!done.withLock { $0 })
    gate.withLock { $0 = true }
    done.wait { $0 ? () : nil }
    #expect(place.onDrive("slow") == Array("slow".utf8))
  }

  private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let running = Monitor(count)
    for index in 0..<count {
      Thread.detachNewThread {
        body(index)
        running.withLock { $0 -= 1 }
      }
    }
    running.wait { $0 == 0 ? () : nil }
  }
}
