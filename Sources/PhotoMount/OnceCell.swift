import Synchronization

/// A value made when it is first asked for. Who asks meanwhile waits for that one; a failure is not kept.
final class OnceCell<Value: Sendable>: Sendable {
  private let slot = Mutex<Value?>(nil)

  func value<E: Error>(_ make: () throws(E) -> Value) throws(E) -> Value {
    let result: Result<Value, E> = slot.withLock { stored in
      if let stored { return .success(stored) }
      do throws(E) {
        let value = try make()
        stored = value
        return .success(value)
      } catch { return .failure(error) }
    }
    return try result.get()
  }
}
