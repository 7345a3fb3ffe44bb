import CFuse
import Platform

/// Who asks. Valid only while the operation runs that it was given to.
public struct Request {
  let pointer: fuse_req_t

  /// The caller's user number.
  public var userID: UInt32 { fuse_req_ctx(pointer)?.pointee.uid ?? 0 }
  /// The caller's group number.
  public var groupID: UInt32 { fuse_req_ctx(pointer)?.pointee.gid ?? 0 }
  /// The caller's thread; 0 when it is in another PID namespace, or for pages written back from a mapping.
  public var processID: Int32 { fuse_req_ctx(pointer)?.pointee.pid ?? 0 }
}
