import CFuse
import Platform

/// libfuse's table of callbacks. None captures anything: the server comes back out of the request.
///
/// See `struct fuse_lowlevel_ops` in <fuse_lowlevel.h>.
func makeOperations() -> fuse_lowlevel_ops {
  var table = fuse_lowlevel_ops()
  table.`init` = { userdata, connection in
    guard let server = Server.from(userdata), let connection else { return }
    server.negotiate(connection)
  }
  addNames(&table)
  addFiles(&table)
  addDirectories(&table)
  addAttributes(&table)
  return table
}

private func addNames(_ table: inout fuse_lowlevel_ops) {
  table.lookup = { request, parent, name in
    answer(request) { (fs, request) throws(Errno) in
      .entry(try fs.lookup(try fileName(name), in: InodeNumber(rawValue: parent), request))
    }
  }
  table.forget = { request, inode, count in
    guard let request else { return }
    Server.from(fuse_req_userdata(request))?.fileSystem.forget(InodeNumber(rawValue: inode), count: count)
    fuse_reply_none(request)
  }
  table.forget_multi = { request, count, list in
    guard let request else { return }
    if let server = Server.from(fuse_req_userdata(request)), let list {
      for item in UnsafeBufferPointer(start: list, count: count) {
        server.fileSystem.forget(InodeNumber(rawValue: item.ino), count: item.nlookup)
      }
    }
    fuse_reply_none(request)
  }
  table.readlink = { request, inode in
    answer(request) { (fs, request) throws(Errno) in
      .link(try fs.readLink(InodeNumber(rawValue: inode), request))
    }
  }
  table.mknod = { request, parent, name, mode, _ in
    answer(request) { (fs, request) throws(Errno) in
      // Pipes, sockets and devices mean nothing on a photo drive; some drivers even leave an entry behind.
      guard mode & mode_t(S_IFMT) == mode_t(S_IFREG) || mode & mode_t(S_IFMT) == 0 else { throw .notPermitted }
      return .entry(try fs.makeFile(try fileName(name), in: InodeNumber(rawValue: parent), request))
    }
  }
  table.symlink = { request, _, _, _ in answer(request) { (_, _) throws(Errno) in throw .notPermitted } }
  table.link = { request, _, _, _ in answer(request) { (_, _) throws(Errno) in throw .notPermitted } }
  table.mkdir = { request, parent, name, _ in
    answer(request) { (fs, request) throws(Errno) in
      .entry(try fs.makeDirectory(try fileName(name), in: InodeNumber(rawValue: parent), request))
    }
  }
  table.unlink = { request, parent, name in
    answer(request) { (fs, request) throws(Errno) in
      try fs.removeFile(try fileName(name), in: InodeNumber(rawValue: parent), request)
      return .done
    }
  }
  table.rmdir = { request, parent, name in
    answer(request) { (fs, request) throws(Errno) in
      try fs.removeDirectory(try fileName(name), in: InodeNumber(rawValue: parent), request)
      return .done
    }
  }
  table.rename = { request, oldParent, old, newParent, new, flags in
    answer(request) { (fs, request) throws(Errno) in
      try fs.rename(
        try fileName(old), in: InodeNumber(rawValue: oldParent), to: try fileName(new),
        in: InodeNumber(rawValue: newParent), flags: RenameFlags(rawValue: flags), request)
      return .done
    }
  }
}

private func addFiles(_ table: inout fuse_lowlevel_ops) {
  table.open = { request, inode, info in
    answer(request) { (fs, request) throws(Errno) in
      .opened(try fs.open(InodeNumber(rawValue: inode), OpenMode(flags: info?.pointee.flags ?? 0), request))
    }
  }
  table.create = { request, parent, name, _, info in
    answer(request) { (fs, request) throws(Errno) in
      let mode = OpenMode(flags: info?.pointee.flags ?? 0)
      let (entry, file) = try fs.create(try fileName(name), in: InodeNumber(rawValue: parent), mode, request)
      return .created(entry, file)
    }
  }
  table.read = { request, _, size, offset, info in
    answer(request) { (_, request) throws(Errno) in
      .read(try openFile(info).read(count: size, at: Int64(offset), request))
    }
  }
  table.write_buf = { request, _, buffers, offset, info in
    answer(request) { (_, request) throws(Errno) in
      guard let buffers else { throw .invalid }
      let data = WriteData(buffers)
      try openFile(info).write(data, at: Int64(offset), request)
      return .written(data.count)
    }
  }
  table.flush = { request, _, info in
    answer(request) { (_, request) throws(Errno) in
      try openFile(info).flush(request)
      return .done
    }
  }
  table.fsync = { request, _, _, info in
    answer(request) { (_, request) throws(Errno) in
      try openFile(info).synchronize(request)
      return .done
    }
  }
  table.fallocate = { request, _, mode, offset, length, info in
    answer(request) { (_, request) throws(Errno) in
      try openFile(info).allocate(mode: mode, offset: Int64(offset), count: Int64(length), request)
      return .done
    }
  }
  table.release = { request, _, info in
    answer(request) { (_, _) throws(Errno) in
      if let info { HandleBox<any FileHandle>.take(info.pointee.fh)?.release() }
      return .done
    }
  }
}

private func addDirectories(_ table: inout fuse_lowlevel_ops) {
  table.opendir = { request, inode, _ in
    answer(request) { (fs, request) throws(Errno) in
      .openedDirectory(try fs.openDirectory(InodeNumber(rawValue: inode), request))
    }
  }
  table.readdir = { request, _, size, offset, info in
    answer(request) { (_, request) throws(Errno) in
      .bytes(try openDirectory(info).page(size: size, from: Int(offset), request))
    }
  }
  table.readdirplus = { request, _, size, offset, info in
    answer(request) { (_, request) throws(Errno) in
      .bytes(try openDirectory(info).pageWithAttributes(size: size, from: Int(offset), request))
    }
  }
  table.releasedir = { request, _, info in
    answer(request) { (_, _) throws(Errno) in
      if let info { HandleBox<any DirectoryHandle>.take(info.pointee.fh)?.release() }
      return .done
    }
  }
  table.fsyncdir = { request, inode, _, _ in
    answer(request) { (fs, request) throws(Errno) in
      try fs.synchronizeDirectory(InodeNumber(rawValue: inode), request)
      return .done
    }
  }
}

private func addAttributes(_ table: inout fuse_lowlevel_ops) {
  table.getattr = { request, inode, _ in
    answer(request) { (fs, request) throws(Errno) in
      let (attributes, timeout) = try fs.attributes(of: InodeNumber(rawValue: inode), request)
      return .attributes(attributes, timeout: timeout)
    }
  }
  table.setattr = { request, inode, attributes, changed, info in
    answer(request) { (fs, request) throws(Errno) in
      guard let attributes else { throw .invalid }
      let change = AttributeChange(attributes.pointee, changed: changed)
      let file = info == nil ? nil : try openFile(info)
      let (result, timeout) = try fs.setAttributes(of: InodeNumber(rawValue: inode), change, file: file, request)
      return .attributes(result, timeout: timeout)
    }
  }
  table.statfs = { request, inode in
    answer(request) { (fs, request) throws(Errno) in
      .statistics(try fs.statistics(of: InodeNumber(rawValue: inode), request))
    }
  }
  table.getxattr = { request, inode, name, size in
    answer(request) { (fs, request) throws(Errno) in
      .sized(try fs.attribute(bytes(name), of: InodeNumber(rawValue: inode), request), room: size)
    }
  }
  table.listxattr = { request, inode, size in
    answer(request) { (fs, request) throws(Errno) in
      let names = try fs.attributeNames(of: InodeNumber(rawValue: inode), request)
      return .sized(names.flatMap { $0 + [0] }, room: size)
    }
  }
  table.setxattr = { request, inode, name, value, size, flags in
    answer(request) { (fs, request) throws(Errno) in
      // XATTR_CREATE 1, XATTR_REPLACE 2 of <sys/xattr.h> on Linux.
      let rule: AttributeRule = flags & 1 != 0 ? .create : flags & 2 != 0 ? .replace : .set
      let content = Array(UnsafeRawBufferPointer(start: value, count: size))
      try fs.setAttribute(bytes(name), of: InodeNumber(rawValue: inode), to: content, rule: rule, request)
      return .done
    }
  }
  table.removexattr = { request, inode, name in
    answer(request) { (fs, request) throws(Errno) in
      try fs.removeAttribute(bytes(name), of: InodeNumber(rawValue: inode), request)
      return .done
    }
  }
}
