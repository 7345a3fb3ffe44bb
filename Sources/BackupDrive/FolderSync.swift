import Platform

/// Makes changes of folders durable, many with one fsync: whoever comes while one runs waits for the next, which covers
/// all who came until it began.
final class FolderSync: Sendable {
  private struct Round: Sendable {
    var started: UInt64 = 0
    var finished: UInt64 = 0
    var waiting = 0
    var failures: [UInt64: Errno] = [:]
  }

  private enum Turn {
    case run(UInt64)
    case done(Errno?)
  }

  private let rounds = Monitor<[UInt64: Round]>([:])

  /// Returns when all changes made in the folder before the call are on the medium. `number` is the folder's node.
  func synchronize(_ number: UInt64, _ folder: SharedDescriptor) throws(Errno) {
    let needed = rounds.withLock { table in
      var round = table[number] ?? Round()
      round.waiting += 1
      table[number] = round
      return round.started + 1  // A round that runs already may have begun before our change.
    }
    let turn = rounds.wait { table -> Turn? in
      guard var round = table[number] else { return .done(nil) }
      if round.finished >= needed {
        // The kernel tells an error once: a later round that went well does not make ours good.
        return .done((needed...round.finished).lazy.compactMap { round.failures[$0] }.first)
      }
      guard round.started == round.finished else { return nil }
      round.started += 1
      table[number] = round
      return .run(round.started)
    }
    var failure: Errno?
    switch turn {
    case .done(let error): failure = error
    case .run:
      do throws(Errno) { try folder.descriptor.synchronize() } catch { failure = error }
    }
    rounds.withLock { table in
      guard var round = table[number] else { return }
      if case .run(let own) = turn {
        round.finished = own
        round.failures[own] = failure
      }
      round.waiting -= 1
      table[number] = round.waiting == 0 ? nil : round
    }
    if let failure { throw failure }
  }
}
