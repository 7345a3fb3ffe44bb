import Synchronization

/// Connections to one database that does not change, so that a slow query does not hold up the others.
///
/// May be used from any thread. A body must not ask the same pool for another connection.
public final class ConnectionPool: Sendable {
  private final class Slot: Sendable {
    let connection: Mutex<Connection>
    init(_ connection: sending Connection) { self.connection = Mutex(connection) }
  }

  private let slots: [Slot]
  private let next = Atomic<Int>(0)

  /// Opens `count` connections (at least one) to read the file at `path`, which must not change while the pool lives.
  /// All are open and have read the file's header on return, so that its name may go.
  /// - Parameter prepare: runs on each connection first.
  public init(immutable path: String, count: Int) throws(SQLiteError) {
    var slots: [Slot] = []
    for _ in 0..<max(1, count) {
      let connection = try Connection(path: path, mode: .immutable)
      try connection.distrust()
      try connection.execute("PRAGMA schema_version")
      slots.append(Slot(connection))
    }
    self.slots = slots
  }

  /// Runs `body` with a connection that nobody else uses meanwhile; waits when all are in use.
  public func withConnection<R: Sendable, E: Error>(
    _ body: @Sendable (Connection) throws(E) -> R
  ) throws(E) -> R {
    let first = Int(UInt(bitPattern: next.wrappingAdd(1, ordering: .relaxed).newValue) % UInt(slots.count))
    for slot in slots[first...] + slots[..<first] {
      let result = try slot.connection.withLockIfAvailable { (connection) throws(E) in try body(connection) }
      if let result { return result }
    }
    return try slots[first].connection.withLock { (connection) throws(E) in try body(connection) }
  }
}
