import CFuse
import Platform

/// Pages of a listing for the kernel. Offsets count names, `.` and `..` first.
extension DirectoryHandle {
  /// Names, numbers and kinds (readdir).
  func page(size: Int, from offset: Int, _ request: Request) -> [UInt8] {
    var page = Page(size: size)
    var index = max(offset, 0)
    while index < count + 2 {
      let item = line(at: index)
      var attributes = stat()
      attributes.st_ino = ino_t(item.inode.rawValue)
      attributes.st_mode = mode_t(item.kind.modeBits)
      let added = page.add { buffer, room in
        item.withName { fuse_add_direntry(request.pointer, buffer, room, $0, &attributes, off_t(index + 1)) }
      }
      guard added else { break }
      index += 1
    }
    return page.bytes
  }

  /// The same with all attributes, so that no stat has to follow (readdirplus).
  func pageWithAttributes(size: Int, from offset: Int, _ request: Request) -> [UInt8] {
    var page = Page(size: size)
    var index = max(offset, 0)
    while index < count + 2 {
      let item = line(at: index)
      // An entry counts as a reference from the moment it is made: ask for room first.
      let need = item.withName { fuse_add_direntry_plus(request.pointer, nil, 0, $0, nil, 0) }
      guard page.hasRoom(for: need) else { break }
      // Inode 0: a name without attributes, the kernel looks it up when it needs them. So are `.` and `..` given.
      var value = fuse_entry_param()
      value.attr.st_ino = ino_t(item.inode.rawValue)
      value.attr.st_mode = mode_t(item.kind.modeBits)
      if index >= 2, let entry = entry(at: index - 2, request) { value = entry.cValue }
      _ = page.add { buffer, room in
        item.withName { fuse_add_direntry_plus(request.pointer, buffer, room, $0, &value, off_t(index + 1)) }
      }
      index += 1
    }
    return page.bytes
  }

  private func line(at index: Int) -> Line {
    switch index {
    case 0: return Line(name: nil, dots: ".", inode: ownInodes.own, kind: .directory)
    case 1: return Line(name: nil, dots: "..", inode: ownInodes.parent, kind: .directory)
    default:
      let item = item(at: index - 2)
      return Line(name: item.name, dots: "", inode: item.inode, kind: item.kind)
    }
  }
}

private struct Line {
  let name: FileName?
  let dots: String
  let inode: InodeNumber
  let kind: FileStatus.Kind

  func withName(_ body: (UnsafePointer<CChar>) -> Int) -> Int {
    if let name { return name.withCString(body) }
    return dots.withCString(body)
  }
}

private struct Page {
  private(set) var bytes: [UInt8] = []
  private let size: Int

  init(size: Int) {
    self.size = size
    bytes.reserveCapacity(size)
  }

  func hasRoom(for need: Int) -> Bool { need <= size - bytes.count }

  /// Appends what `write` puts into the rest of the page; it returns the bytes needed, and wrote nothing when that is more
  /// than there is room.
  mutating func add(_ write: (UnsafeMutablePointer<CChar>?, Int) -> Int) -> Bool {
    let start = bytes.count
    let room = size - start
    var need = 0
    bytes.append(contentsOf: repeatElement(0, count: min(room, 1024)))
    bytes.withUnsafeMutableBytes { raw in
      let rest = UnsafeMutableRawBufferPointer(rebasing: raw[start...])
      need = write(rest.assumingMemoryBound(to: CChar.self).baseAddress, rest.count)
    }
    let fits = need <= min(room, 1024)
    bytes.removeLast(bytes.count - (fits ? start + need : start))
    return fits
  }
}
