import DriveScript
import Platform
import Testing

@testable import BackupDrive

/// Random calls on a drive and on a model beside it, compared after each.
struct RandomOperations {
  private struct Opened {
    let handle: DriveHandle
    let file: RandomModel.File
    let writes: Bool
  }

  private let place: TestGround
  private var drive: BackupDrive
  private var model = RandomModel()
  private var opened: [Opened] = []
  private var generator: SeededGenerator
  /// What is written is cut from here.
  private static let pattern: [UInt8] = content(1, 8001)
  private let top = ["", "", "p", "q", "p/r"]
  private let names = ["a", "b", "c", "d", "caf\u{E9}.jpg", "long name with spaces.mov"]
  /// What was done last, for the message of a test that failed.
  private(set) var history: [String] = []

  init(_ place: TestGround, seed: UInt64) throws {
    self.place = place
    drive = try place.open()
    generator = SeededGenerator(seed: seed)
  }

  /// Does `count` operations; returns what differed first.
  mutating func run(_ count: Int) throws -> String? {
    for number in 1...count {
      do {
        if let wrong = try step() { return "operation \(number): \(wrong)\n\(history.joined(separator: "\n"))" }
        if number.isMultiple(of: 500), let wrong = try compareAll() {
          return "after operation \(number): \(wrong)\n\(history.joined(separator: "\n"))"
        }
      } catch { return "operation \(number): \(error)\n\(history.joined(separator: "\n"))" }
    }
    releaseAll()
    if let wrong = try compareAll() { return "at the end: \(wrong)" }
    drive.close()
    model.restart()
    drive = try place.open()
    return try compareAll().map { "after the end: \($0)" }
  }

  private mutating func note(_ text: String) {
    history.append(text)
    if history.count > 40 { history.removeFirst() }
  }

  private mutating func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

  private mutating func path() -> String {
    let folder = top.filter { $0.isEmpty || model.folders.contains($0) }.randomElement(using: &generator) ?? ""
    let name = names.randomElement(using: &generator) ?? "a"
    return folder.isEmpty ? name : folder + "/" + name
  }

  private mutating func anyFile() -> String? { model.files.keys.sorted().randomElement(using: &generator) }

  private mutating func step() throws -> String? {
    switch roll(100) {
    case 0..<10: return try create()
    case 10..<22: return try open()
    case 22..<46: return try write()
    case 46..<54: return try resize()
    case 54..<70: return try read()
    case 70..<74: return try flush()
    case 74..<86: return try release()
    case 86..<91: return try rename()
    case 91..<94: return try remove()
    case 94..<97: return try changeFolder()
    case 97: return try truncateByName()
    case 98: return try setTimes()
    default: return roll(20) == 0 ? try restart() : try compareListing()
    }
  }

  private mutating func create() throws -> String? {
    let path = path()
    let isThere = model.files[path] != nil
    note("create \(path)")
    let (folder, name) = try drive.folder(of: path)
    let (_, handle) = try drive.create(name, in: folder, exclusive: false)
    let file = model.files[path] ?? RandomModel.File(path: path)
    model.files[path] = file
    file.change { $0 = [] }
    file.writers += 1
    opened.append(Opened(handle: handle, file: file, writes: true))
    return isThere == (file.committed != nil || file.writers > 1) ? nil : "\(path) was there: \(isThere)"
  }

  private mutating func open() throws -> String? {
    guard let path = anyFile(), let file = model.files[path] else { return nil }
    let writes = roll(3) > 0
    let truncates = writes && roll(4) == 0
    note("open \(path) writing: \(writes), truncating: \(truncates)")
    let handle = try drive.open(
      try drive.node(path), reading: true, writing: writes, truncate: truncates, append: false)
    if writes { file.writers += 1 } else { file.readers += 1 }
    if truncates { file.change { $0 = [] } }
    opened.append(Opened(handle: handle, file: file, writes: writes))
    return nil
  }

  private mutating func anyHandle(writing: Bool) -> Opened? {
    opened.filter { $0.writes || !writing }.randomElement(using: &generator)
  }

  private mutating func write() throws -> String? {
    guard let one = anyHandle(writing: true) else { return nil }
    let size = one.file.view(forWriter: true)?.count ?? 0
    let offset = [0, size, roll(size + 1), roll(20000)].randomElement(using: &generator) ?? 0
    let start = roll(4000)
    let bytes = Array(Self.pattern[start..<start + 1 + roll(4000)])
    note("write \(one.file.path ?? "removed") \(bytes.count) at \(offset)")
    try one.handle.write(bytes, at: Int64(offset))
    one.file.change { content in
      let end = offset + bytes.count
      if content.count < end { content += repeatElement(0, count: end - content.count) }
      content.replaceSubrange(offset..<end, with: bytes)
    }
    return nil
  }

  private mutating func resize() throws -> String? {
    guard let one = anyHandle(writing: true) else { return nil }
    let size = roll(24000)
    note("truncate \(one.file.path ?? "removed") to \(size)")
    try one.handle.truncate(to: Int64(size))
    one.file.change { $0 = Array($0.prefix(size)) + repeatElement(0, count: max(0, size - $0.count)) }
    return nil
  }

  private mutating func read() throws -> String? {
    guard let one = anyHandle(writing: false), let expected = one.file.view(forWriter: one.writes) else { return nil }
    note("read \(one.file.path ?? "removed") as writer: \(one.writes)")
    return try one.handle.contents() == expected ? nil : "reads something else"
  }

  private mutating func flush() throws -> String? {
    guard let one = anyHandle(writing: true) else { return nil }
    note("fsync \(one.file.path ?? "removed")")
    try one.handle.synchronize()
    model.commit(one.file)
    return nil
  }

  private mutating func release() throws -> String? {
    guard !opened.isEmpty else { return nil }
    let one = opened.remove(at: roll(opened.count))
    note("close \(one.file.path ?? "removed"), writing: \(one.writes)")
    if one.writes {
      try one.handle.flush()
      model.commit(one.file)
    }
    one.handle.release()
    model.release(one.file, writes: one.writes)
    return nil
  }

  private mutating func rename() throws -> String? {
    guard let old = anyFile() else { return nil }
    let new = path()
    let keeps = roll(4) == 0
    note("rename \(old) to \(new), noReplace: \(keeps)")
    let error = drive.failure { (drive) throws(Errno) in try drive.rename(old, new, keeps ? .noReplace : .replace) }
    if let error { return error == .exists && keeps && model.files[new] != nil ? nil : "\(error)" }
    guard !keeps || model.files[new] == nil || old == new else { return "replaced a file" }
    model.rename(old, new)
    return nil
  }

  private mutating func remove() throws -> String? {
    guard let path = anyFile() else { return nil }
    note("remove \(path)")
    try drive.remove(path)
    model.remove(path)
    return nil
  }

  private mutating func changeFolder() throws -> String? {
    let path = ["p", "q", "p/r"].randomElement(using: &generator) ?? "p"
    let parent = RandomModel.parent(path)
    guard parent.isEmpty || model.folders.contains(parent) else { return nil }
    guard model.folders.contains(path) else {
      note("mkdir \(path)")
      try drive.makeDirectory(path)
      model.folders.insert(path)
      return nil
    }
    if roll(2) == 0 {
      let new = path == "p" ? "q" : "p"
      guard path != "p/r", !model.folders.contains(new) else { return nil }
      // "q/r" is no name of ours: only folders without it move.
      guard !model.folders.contains("p/r") || path == "q" else { return nil }
      note("rename folder \(path) to \(new)")
      try drive.rename(path, new)
      model.renameFolder(path, new)
      return nil
    }
    note("rmdir \(path)")
    let (folder, name) = try drive.folder(of: path)
    let error = drive.failure { (drive) throws(Errno) in try drive.removeDirectory(name, in: folder) }
    if let error { return error == .notEmpty && !model.isEmpty(path) ? nil : "\(error)" }
    guard model.isEmpty(path) else { return "removed a folder that is not empty" }
    model.folders.remove(path)
    return nil
  }

  private mutating func truncateByName() throws -> String? {
    guard let path = anyFile(), let file = model.files[path] else { return nil }
    let size = roll(9000)
    note("truncate \(path) by name to \(size)")
    let isShared = file.pending != nil
    try drive.truncate(try drive.node(path), to: Int64(size))
    file.change { $0 = Array($0.prefix(size)) + repeatElement(0, count: max(0, size - $0.count)) }
    if !isShared || file.writers == 0 { model.commit(file) }
    return nil
  }

  private mutating func setTimes() throws -> String? {
    guard let path = anyFile() else { return nil }
    let seconds = Int64(1_000_000_000 + 2 * roll(100_000_000))
    note("utimens \(path)")
    let node = try drive.node(path)
    let time = Timestamp(seconds: seconds, nanoseconds: 0)
    try drive.setTimes(of: node, accessed: .set(time), modified: .set(time))
    return try drive.status(of: node).modified.seconds == seconds ? nil : "another time"
  }

  private mutating func releaseAll() {
    for one in opened {
      one.handle.release()
      model.release(one.file, writes: one.writes)
    }
    opened = []
  }

  /// The drive is closed with files open, as by an unmount, and opened again.
  private mutating func restart() throws -> String? {
    note("restart")
    drive.close()
    opened = []
    model.restart()
    drive = try place.open()
    return try compareAll()
  }

  private mutating func compareListing() throws -> String? {
    let folder = (model.folders.sorted() + [""]).randomElement(using: &generator) ?? ""
    let found = try drive.names(folder)
    return found == model.names(in: folder) ? nil : "\(folder) lists \(found), not \(model.names(in: folder))"
  }

  private func compareAll() throws -> String? {
    for folder in model.folders.sorted() + [""] {
      let found = try drive.names(folder)
      if found != model.names(in: folder) { return "\(folder) lists \(found), not \(model.names(in: folder))" }
    }
    for (path, file) in model.files {
      let handle = try drive.read(path)
      defer { handle.release() }
      if try handle.contents() != file.view(forWriter: false) { return "\(path) holds something else" }
      let size = file.view(forWriter: true)?.count ?? 0
      if try drive.status(of: try drive.node(path)).size != Int64(size) { return "\(path) has another size" }
    }
    return nil
  }
}

extension BackupDrive {
  fileprivate func failure(_ body: (BackupDrive) throws(Errno) -> Void) -> Errno? {
    do throws(Errno) { try body(self) } catch { return error }
    return nil
  }
}

extension DriveHandle {
  /// Everything that this handle sees.
  fileprivate func contents() throws(Errno) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var result: Result<Int, Errno> = .success(0)
    buffer.withUnsafeMutableBytes { raw in
      do throws(Errno) { result = .success(try read(into: raw, at: 0)) } catch { result = .failure(error) }
    }
    return Array(buffer.prefix(try result.get()))
  }
}
