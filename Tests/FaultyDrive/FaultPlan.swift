import Platform

/// What goes wrong, and when. Operations are counted from 1 since the plan was set; only those count that reach the
/// medium: creating, writing, truncating, renaming, removing, synchronising, setting times and attributes.
public enum FaultPlan: Sendable {
  /// Nothing.
  case none
  /// The operation of this number fails once.
  case fail(at: Int, Errno)
  /// The operation of this number fails, and as many after it.
  case failInARow(at: Int, count: Int, Errno)
  /// The process that asked for the operation of this number is killed before it happens.
  case kill(at: Int)
  /// Power is cut before the operation of this number: it and all after it fail with EIO.
  case cut(at: Int)
  /// The drive is pulled out before the operation of this number: everything fails from then on, reading too.
  case vanish(at: Int, Errno)
}
