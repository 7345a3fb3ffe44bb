import Fuse
import Platform

/// An original, open for reading: served straight from its descriptor.
final class OriginalFile: FileHandle {
  private let descriptor: Descriptor

  init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  func read(count: Int, at offset: Int64, _ request: Request) throws(Errno) -> ReadReply {
    .descriptor(descriptor.number, offset: offset, count: count)
  }
}
