import CFuse
import CPlatform
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Asks the kernel for shared mappings of files that are read and written past the page cache
/// (FUSE_DIRECT_IO_ALLOW_MMAP, Linux 6.6), which libfuse 3.14 does not know: without it mmap(MAP_SHARED) of such a file is
/// ENODEV. The one message in which both sides settle what they can do, INIT, is read and its answer changed on the way.
///
/// Offsets and bits: <linux/fuse.h>, `fuse_init_in` behind a header of 40 bytes, `fuse_init_out` behind one of 16.
final class InitPatch: Sendable {
  #if os(Linux)
    private static let initOperation: UInt32 = 26
    /// FUSE_INIT_EXT: `flags2` is there.
    private static let extendedFlag: UInt32 = 1 << 30
    /// Bit 36 of both flags together.
    private static let allowMmapFlag: UInt32 = 1 << 4
  #endif

  private enum State: UInt8 {
    case waiting, offered, done
  }
  private let state = Atomic<UInt8>(State.waiting.rawValue)

  #if os(Linux)
    /// Puts itself between libfuse and the kernel. Nothing happens when libfuse refuses.
    static func install(on session: OpaquePointer) {
      var calls = fuse_custom_io()
      calls.read = { descriptor, buffer, count, userdata in
        let result = read(descriptor, buffer, count)
        if result > 0, let patch = Server.from(userdata)?.initPatch, let buffer {
          patch.noteRequest(UnsafeRawBufferPointer(start: buffer, count: result))
        }
        return result
      }
      calls.writev = { descriptor, vectors, count, userdata in
        if let patch = Server.from(userdata)?.initPatch, let vectors {
          patch.change(UnsafeMutableBufferPointer(start: vectors, count: Int(count)))
        }
        return writev(descriptor, vectors, count)
      }
      // Without these libfuse would copy what it can splice.
      calls.splice_receive = { from, fromOffset, to, toOffset, count, flags, _ in
        splice(from, fromOffset, to, toOffset, count, flags)
      }
      calls.splice_send = { from, fromOffset, to, toOffset, count, flags, _ in
        splice(from, fromOffset, to, toOffset, count, flags)
      }
      _ = fuse_session_custom_io(session, &calls, fuse_session_fd(session))
    }

    /// Sees whether the kernel offers it.
    private func noteRequest(_ message: UnsafeRawBufferPointer) {
      guard state.load(ordering: .relaxed) == State.waiting.rawValue, message.count >= 60,
        message.loadUnaligned(fromByteOffset: 4, as: UInt32.self) == Self.initOperation
      else { return }
      let flags = message.loadUnaligned(fromByteOffset: 52, as: UInt32.self)
      let more = message.loadUnaligned(fromByteOffset: 56, as: UInt32.self)
      let isOffered = flags & Self.extendedFlag != 0 && more & Self.allowMmapFlag != 0
      state.store((isOffered ? State.offered : State.done).rawValue, ordering: .relaxed)
    }

    /// Accepts it in the answer, the first message that goes out after the request.
    private func change(_ vectors: UnsafeMutableBufferPointer<iovec>) {
      guard state.load(ordering: .relaxed) == State.offered.rawValue else { return }
      state.store(State.done.rawValue, ordering: .relaxed)
      guard vectors.count == 2, vectors[1].iov_len >= 64, let body = vectors[1].iov_base,
        body.loadUnaligned(as: UInt32.self) == 7
      else { return }
      func add(_ bits: UInt32, at offset: Int) {
        let value = body.loadUnaligned(fromByteOffset: offset, as: UInt32.self) | bits
        body.storeBytes(of: value, toByteOffset: offset, as: UInt32.self)
      }
      add(Self.extendedFlag, at: 12)
      add(Self.allowMmapFlag, at: 32)
    }
  #else
    static func install(on session: OpaquePointer) {}
  #endif
}
