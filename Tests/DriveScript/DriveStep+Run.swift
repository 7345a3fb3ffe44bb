import BackupDrive
import Platform

extension DriveStep {
  /// Does the step on a drive. Returns when it is promised to be durable.
  public func run(on drive: BackupDrive) throws(Errno) {
    switch self {
    case .write(let path, let seed, let count):
      try withFile(path, on: drive, truncate: true) { (file) throws(Errno) in
        try file.write(content(seed, count), at: 0)
      }
    case .change(let path, let offset, let seed, let count):
      try withFile(path, on: drive) { (file) throws(Errno) in
        try file.write(content(seed, count), at: Int64(offset))
      }
    case .append(let path, let seed, let count):
      let node = try find(path, on: drive)
      let size = try drive.status(of: node).size
      try withFile(path, on: drive) { (file) throws(Errno) in try file.write(content(seed, count), at: size) }
    case .truncate(let path, let count): try drive.truncate(try find(path, on: drive), to: Int64(count))
    case .writeTwice(let path, let seed, let count):
      try withFile(path, on: drive, truncate: true) { (file) throws(Errno) in
        try file.write(content(seed, count), at: 0)
        try file.synchronize()
        try file.write(content(seed + 1, count), at: Int64(count))
      }
    case .rename(let old, let new): try rename(old, new, on: drive)
    case .remove(let path): try drive.remove(try name(path), in: try find(path.parent, on: drive))
    case .makeFolder(let path): _ = try drive.makeDirectory(try name(path), in: try find(path.parent, on: drive))
    case .removeFolder(let path): try drive.removeDirectory(try name(path), in: try find(path.parent, on: drive))
    case .renameWhileOpen(let old, let new, let seed, let count):
      try withFile(old, on: drive, truncate: true) { (file) throws(Errno) in
        try file.write(content(seed, count), at: 0)
        try rename(old, new, on: drive)
      }
    }
  }

  private func rename(_ old: RelativePath, _ new: RelativePath, on drive: BackupDrive) throws(Errno) {
    try drive.rename(
      try name(old), in: try find(old.parent, on: drive), to: try name(new), in: try find(new.parent, on: drive),
      rule: .replace)
  }

  /// Opens as the kernel does: looks up, then opens or creates; closes with flush and release.
  private func withFile(
    _ path: RelativePath, on drive: BackupDrive, truncate: Bool = false,
    _ body: (DriveHandle) throws(Errno) -> Void
  ) throws(Errno) {
    let folder = try find(path.parent, on: drive)
    let handle: DriveHandle
    do throws(Errno) {
      let node = try drive.lookup(try name(path), in: folder)
      handle = try drive.open(node, reading: true, writing: true, truncate: truncate, append: false)
    } catch .noSuchFile {
      (_, handle) = try drive.create(try name(path), in: folder, exclusive: false)
    }
    defer { handle.release() }
    do throws(Errno) { try body(handle) } catch {
      // A program that got an error still closes its file; what that says cannot be better news.
      try? handle.flush(writerWasKilled: false)
      throw error
    }
    try handle.flush(writerWasKilled: false)
  }

  private func name(_ path: RelativePath) throws(Errno) -> FileName {
    guard let name = path.name else { throw .invalid }
    return name
  }

  private func find(_ path: RelativePath, on drive: BackupDrive) throws(Errno) -> DriveNode {
    var node = drive.root
    for name in path.components { node = try drive.lookup(name, in: node) }
    return node
  }
}

extension DriveHandle {
  fileprivate func write(_ bytes: [UInt8], at offset: Int64) throws(Errno) {
    // In pieces, so that a fault may come between them.
    for start in stride(from: 0, to: bytes.count, by: 4096) {
      let piece = Array(bytes[start..<min(start + 4096, bytes.count)])
      var failure: Errno?
      piece.withUnsafeBytes { raw in
        do throws(Errno) { try write(raw, at: offset + Int64(start)) } catch { failure = error }
      }
      if let failure { throw failure }
    }
  }
}

extension DriveModel {
  /// Reads everything that a drive shows.
  public init(reading drive: BackupDrive) throws(Errno) {
    self.init()
    var waiting: [(RelativePath, DriveNode)] = [(.empty, drive.root)]
    while let (path, folder) = waiting.popLast() {
      for entry in try drive.entries(of: folder) {
        let own = path.appending(entry.name)
        let node = try drive.lookup(entry.name, in: folder)
        guard node.kind == .file else {
          folders.insert(own)
          waiting.append((own, node))
          continue
        }
        let handle = try drive.open(node, reading: true, writing: false, truncate: false, append: false)
        defer { handle.release() }
        files[own] = try handle.readAll()
      }
    }
  }
}

extension DriveHandle {
  fileprivate func readAll() throws(Errno) -> [UInt8] {
    var result: [UInt8] = []
    while true {
      var piece = [UInt8](repeating: 0, count: 65536)
      var outcome: Result<Int, Errno> = .success(0)
      piece.withUnsafeMutableBytes { raw in
        do throws(Errno) { outcome = .success(try read(into: raw, at: Int64(result.count))) } catch {
          outcome = .failure(error)
        }
      }
      let count = try outcome.get()
      if count == 0 { return result }
      result += piece.prefix(count)
    }
  }
}
