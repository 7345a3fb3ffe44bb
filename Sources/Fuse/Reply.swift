import CFuse
import Platform

/// The answer to a request: each operation returns one, `send` is the only place that gives it to the kernel.
enum Reply {
  case done
  case entry(Entry)
  case attributes(FileAttributes, timeout: Double)
  case link([UInt8])
  case opened(OpenedFile)
  case created(Entry, OpenedFile)
  case openedDirectory(OpenedDirectory)
  case read(ReadReply)
  case written(Int)
  case statistics(VolumeStatistics)
  /// An attribute's value or the list of names; `room` 0 asks only for the length.
  case sized([UInt8], room: Int)
  case bytes([UInt8])

  /// Answers the request. The kernel no longer knowing it (interrupted, connection gone) is no error, but what was
  /// opened for it is given back.
  func send(to request: fuse_req_t, _ fileSystem: any FileSystem) {
    switch self {
    case .done: fuse_reply_err(request, 0)
    case .entry(let entry):
      var value = entry.cValue
      if fuse_reply_entry(request, &value) != 0 { fileSystem.forget(entry.attributes.inode, count: 1) }
    case .attributes(let attributes, let timeout):
      var value = attributes.cValue
      fuse_reply_attr(request, &value, timeout)
    case .link(let target):
      var text = target
      text.append(0)
      text.withUnsafeBytes { raw in
        _ = fuse_reply_readlink(request, raw.assumingMemoryBound(to: CChar.self).baseAddress)
      }
    case .opened(let opened):
      var info = opened.info
      if fuse_reply_open(request, &info) != 0 { HandleBox<any FileHandle>.take(info.fh)?.release() }
    case .created(let entry, let opened):
      var info = opened.info
      var value = entry.cValue
      if fuse_reply_create(request, &value, &info) != 0 {
        HandleBox<any FileHandle>.take(info.fh)?.release()
        fileSystem.forget(entry.attributes.inode, count: 1)
      }
    case .openedDirectory(let opened):
      var info = fuse_file_info()
      info.fh = HandleBox<any DirectoryHandle>.number(owning: opened.directory)
      info.cache_readdir = opened.isCached ? 1 : 0
      info.keep_cache = opened.isCached ? 1 : 0
      if fuse_reply_open(request, &info) != 0 { HandleBox<any DirectoryHandle>.take(info.fh)?.release() }
    case .read(.descriptor(let number, let offset, let count)):
      var buffers = fuse_bufvec()
      buffers.count = 1
      buffers.buf.size = count
      buffers.buf.flags = fuse_buf_flags(rawValue: FUSE_BUF_IS_FD.rawValue | FUSE_BUF_FD_SEEK.rawValue)
      buffers.buf.fd = number
      buffers.buf.pos = off_t(offset)
      fuse_reply_data(request, &buffers, FUSE_BUF_SPLICE_MOVE)
    case .written(let count): fuse_reply_write(request, count)
    case .statistics(let statistics):
      var value = statistics.cValue
      fuse_reply_statfs(request, &value)
    case .sized(let bytes, let room):
      if room == 0 {
        fuse_reply_xattr(request, bytes.count)
      } else if bytes.count > room {
        fuse_reply_err(request, Errno.range.rawValue)
      } else {
        Reply.bytes(bytes).send(to: request, fileSystem)
      }
    case .read(.bytes(let bytes)), .bytes(let bytes):
      bytes.withUnsafeBytes { raw in
        _ = fuse_reply_buf(request, raw.assumingMemoryBound(to: CChar.self).baseAddress, raw.count)
      }
    }
  }
}

extension OpenedFile {
  fileprivate var info: fuse_file_info {
    var info = fuse_file_info()
    info.fh = HandleBox<any FileHandle>.number(owning: file)
    info.direct_io = isDirect ? 1 : 0
    info.keep_cache = keepsCache ? 1 : 0
    return info
  }
}

extension VolumeStatistics {
  fileprivate var cValue: statvfs {
    var value = statvfs()
    value.f_bsize = UInt(blockSize)
    value.f_frsize = UInt(blockSize)
    value.f_blocks = fsblkcnt_t(blocks)
    value.f_bfree = fsblkcnt_t(freeBlocks)
    value.f_bavail = fsblkcnt_t(availableBlocks)
    value.f_files = fsfilcnt_t(files)
    value.f_ffree = fsfilcnt_t(freeFiles)
    value.f_favail = fsfilcnt_t(freeFiles)
    value.f_namemax = UInt(maximumNameLength)
    return value
  }
}
