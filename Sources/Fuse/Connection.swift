import CFuse
import Platform
import Synchronization

/// libfuse's session, set once before the loop begins. libfuse itself guards it against its own threads.
final class SessionPointer: @unchecked Sendable {
  private let slot = Mutex<UInt>(0)
  var pointer: OpaquePointer? {
    get { OpaquePointer(bitPattern: slot.withLock { $0 }) }
    set { slot.withLock { $0 = UInt(bitPattern: newValue) } }
  }
}

/// The live connection to the kernel, for messages that no request asked for. Any thread.
public struct Connection: Sendable {
  let session: SessionPointer

  /// The kernel forgets the attributes of an inode. Never waits, so it may be called from within an operation.
  public func invalidateAttributes(of inode: InodeNumber) {
    guard let pointer = session.pointer else { return }
    // A negative offset leaves the pages alone. ENOENT: the kernel does not know the inode, all is well.
    _ = fuse_lowlevel_notify_inval_inode(pointer, inode.rawValue, -1, 0)
  }
}
