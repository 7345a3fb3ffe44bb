import CFuse
import Platform

/// The bytes of a write request: in memory, or still in the pipe through which they come from the kernel. They can be
/// taken once. Valid only during the operation that it was given to.
public struct WriteData: ~Copyable {
  private let buffers: UnsafeMutablePointer<fuse_bufvec>
  /// Number of bytes.
  public let count: Int

  init(_ buffers: UnsafeMutablePointer<fuse_bufvec>) {
    self.buffers = buffers
    count = fuse_buf_size(buffers)
  }

  /// Writes all of them into an open file, without a copy through memory where the kernel can.
  /// - Throws: what the file answered; an unknown part of the bytes is then written.
  public func write(to descriptor: Int32, at offset: Int64) throws(Errno) {
    var done = 0
    while done < count {
      var target = fuse_bufvec()
      target.count = 1
      target.buf.size = count - done
      target.buf.flags = fuse_buf_flags(rawValue: FUSE_BUF_IS_FD.rawValue | FUSE_BUF_FD_SEEK.rawValue)
      target.buf.fd = descriptor
      target.buf.pos = off_t(offset) + off_t(done)
      // What was copied is skipped in the source by libfuse.
      let copied = fuse_buf_copy(&target, buffers, fuse_buf_copy_flags(rawValue: 0))
      if copied < 0 { throw Errno(rawValue: Int32(-copied)) }
      if copied == 0 { throw .noSpace }
      done += copied
    }
  }

  /// Copies them into memory.
  public func bytes() throws(Errno) -> [UInt8] {
    var copied = 0
    let result = [UInt8](unsafeUninitializedCapacity: count) { memory, filled in
      var target = fuse_bufvec()
      target.count = 1
      target.buf.size = count
      target.buf.mem = UnsafeMutableRawPointer(memory.baseAddress)
      copied = fuse_buf_copy(&target, buffers, fuse_buf_copy_flags(rawValue: 0))
      filled = max(copied, 0)
    }
    guard copied == count else { throw copied < 0 ? Errno(rawValue: Int32(-copied)) : .inputOutput }
    return result
  }
}
