import BackupDrive
import Fuse
import Platform
import Synchronization

/// The files of the trash's `info` folder, in which paths are shown as seen from the top of the mount (see
/// `TrashInfo.shown`): file managers restore to there.
///
/// Each is small and handled whole: read when it is opened, written when it is flushed. That goes for every file in the folder,
/// since programs write under another name first.
final class TrashInfoFiles: Sendable {
  private struct Open {
    let content: TrashInfoContent
    var handles: Int
  }

  private struct State {
    var trash: DriveNode?
    var info: DriveNode?
    /// By the node's number.
    var open: [UInt64: Open] = [:]
  }

  private static let folderName: FileName = FileName("info")
  private let drive: BackupDrive
  private let state = Mutex(State())

  init(_ drive: BackupDrive) { self.drive = drive }

  /// The trash, when the kernel comes to know it.
  func noteTrash(_ node: DriveNode) { state.withLock { $0.trash = node } }

  /// Any node, when the kernel comes to know it: it cannot know a file in the folder before the folder.
  func note(_ node: DriveNode, _ name: FileName, in folder: DriveNode) {
    guard name == Self.folderName, node.kind == .directory else { return }
    state.withLock { if folder === $0.trash { $0.info = node } }
  }

  /// Whether a file is directly in the folder.
  func contains(_ node: DriveNode) -> Bool {
    guard node.kind == .file, let folder = state.withLock({ $0.info }) else { return false }
    return drive.isEntry(node, of: folder)
  }

  /// What stat says of a node of the drive, with the size that is shown.
  func status(of node: DriveNode) throws(Errno) -> FileStatus {
    var status = try drive.status(of: node)
    guard contains(node) else { return status }
    if let content = state.withLock({ $0.open[node.number]?.content }) {
      status.size = content.size
    } else if status.size <= Int64(TrashInfo.maximumSize) {
      let handle = try drive.open(node, reading: true, writing: false, truncate: false, append: false)
      defer { handle.release() }
      status.size = Int64(TrashInfo.shown(try handle.wholeInfo(), below: PhotoTree.backupName).count)
    }
    return status
  }

  /// Makes a file of an open handle, which it releases at its end.
  func open(_ handle: DriveHandle, writes: Bool, truncated: Bool) throws(Errno) -> TrashInfoFile {
    let number = handle.node.number
    let known = state.withLock { state in
      state.open[number]?.handles += 1
      return state.open[number]?.content
    }
    let content: TrashInfoContent
    if let known {
      content = known
    } else {
      let shown = TrashInfo.shown(try handle.wholeInfo(), below: PhotoTree.backupName)
      content = state.withLock { state in
        // Another may have opened it meanwhile.
        let open = state.open[number] ?? Open(content: TrashInfoContent(shown), handles: 0)
        state.open[number] = Open(content: open.content, handles: open.handles + 1)
        return open.content
      }
    }
    if truncated { content.truncate(to: 0) }
    return TrashInfoFile(content, handle, writes: writes) { [self] in
      state.withLock { state in
        state.open[number]?.handles -= 1
        if state.open[number]?.handles == 0 { state.open[number] = nil }
      }
    }
  }

  /// truncate(2).
  func truncate(_ node: DriveNode, to size: Int64) throws(Errno) {
    let handle = try drive.open(node, reading: true, writing: true, truncate: false, append: false)
    defer { handle.release() }
    let file = try open(handle, writes: true, truncated: false)
    defer { file.release() }
    try file.truncate(to: size)
    try file.commit()
  }
}

/// What an open info file holds, as the mount shows it; shared by all who have it open.
final class TrashInfoContent: Sendable {
  private struct State {
    var bytes: [UInt8]
    var isDirty = false
  }

  private let state: Mutex<State>

  init(_ bytes: [UInt8]) { state = Mutex(State(bytes: bytes)) }

  var size: Int64 { state.withLock { Int64($0.bytes.count) } }

  func read(count: Int, at offset: Int64) -> [UInt8] {
    state.withLock { state in
      guard offset >= 0, offset < Int64(state.bytes.count) else { return [] }
      return Array(state.bytes[Int(offset)...].prefix(count))
    }
  }

  /// EFBIG beyond what an info file can need.
  func write(_ new: [UInt8], at offset: Int64) throws(Errno) {
    guard offset >= 0, offset <= Int64(TrashInfo.maximumSize - new.count) else { throw .fileTooLarge }
    let range = Int(offset)..<(Int(offset) + new.count)
    state.withLock { state in
      if state.bytes.count < range.upperBound {
        state.bytes += repeatElement(0, count: range.upperBound - state.bytes.count)
      }
      state.bytes.replaceSubrange(range, with: new)
      state.isDirty = true
    }
  }

  /// `size` is at most `TrashInfo.maximumSize`.
  func truncate(to size: Int) {
    state.withLock { state in
      let missing = max(0, size - state.bytes.count)
      state.bytes = Array(state.bytes.prefix(size)) + repeatElement(0, count: missing)
      state.isDirty = true
    }
  }

  /// What has to be written, once; `undo` when that failed.
  func takeChanges() -> [UInt8]? {
    state.withLock { state in
      defer { state.isDirty = false }
      return state.isDirty ? state.bytes : nil
    }
  }

  func undo() { state.withLock { $0.isDirty = true } }
}

/// An open info file.
final class TrashInfoFile: FileHandle {
  private let content: TrashInfoContent
  private let handle: DriveHandle
  private let writes: Bool
  private let end: @Sendable () -> Void

  init(_ content: TrashInfoContent, _ handle: DriveHandle, writes: Bool, end: @escaping @Sendable () -> Void) {
    self.content = content
    self.writes = writes
    self.handle = handle
    self.end = end
  }

  func read(count: Int, at offset: Int64, _ request: Request) throws(Errno) -> ReadReply {
    .bytes(content.read(count: count, at: offset))
  }

  func write(_ data: borrowing WriteData, at offset: Int64, _ request: Request) throws(Errno) {
    guard writes else { throw .badDescriptor }
    try content.write(try data.bytes(), at: offset)
  }

  func truncate(to size: Int64) throws(Errno) {
    guard size >= 0 else { throw .invalid }
    guard size <= Int64(TrashInfo.maximumSize) else { throw .fileTooLarge }
    content.truncate(to: Int(size))
  }

  func flush(_ request: Request) throws(Errno) {
    if ProcessState.wasKilled(request.processID) { return try handle.flush(writerWasKilled: true) }
    try commit()
  }

  func synchronize(_ request: Request) throws(Errno) { try commit() }

  /// Writes what was changed, as the drive holds it, and commits.
  func commit() throws(Errno) {
    guard writes else { return }
    if let shown = content.takeChanges() {
      do throws(Errno) {
        let stored = try TrashInfo.stored(shown, below: PhotoTree.backupName)
        try handle.truncate(to: 0)
        var failure: Errno?
        stored.withUnsafeBytes { raw in
          do throws(Errno) { try handle.write(raw, at: 0) } catch { failure = error }
        }
        if let failure { throw failure }
      } catch {
        content.undo()
        throw error
      }
    }
    try handle.flush()
  }

  func release() {
    handle.release()
    end()
  }
}

extension DriveHandle {
  /// The file's bytes; EFBIG for one that is no info file by its size.
  fileprivate func wholeInfo() throws(Errno) -> [UInt8] {
    let limit = TrashInfo.maximumSize
    var result: Result<Void, Errno> = .success(())
    let bytes = [UInt8](unsafeUninitializedCapacity: limit + 1) { buffer, filled in
      do throws(Errno) {
        while filled <= limit {
          let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
          let count = try read(into: rest, at: Int64(filled))
          if count == 0 { break }
          filled += count
        }
      } catch { result = .failure(error) }
    }
    try result.get()
    guard bytes.count <= limit else { throw .fileTooLarge }
    return bytes
  }
}
