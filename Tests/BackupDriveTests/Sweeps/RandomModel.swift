import Platform

/// What `BackupDrive` must show after any sequence of calls: an independent and much simpler telling of the same rules.
struct RandomModel {
  /// A file, with or without a name.
  final class File {
    var committed: [UInt8]?
    var pending: [UInt8]?
    /// Nil once it was removed or replaced.
    var path: String?
    var writers = 0
    var readers = 0

    init(path: String) { self.path = path }

    /// What a handle sees; nil when there is nothing to see any more.
    func view(forWriter: Bool) -> [UInt8]? { forWriter || committed == nil ? pending ?? committed : committed }

    /// The version that writers change.
    func change(_ body: (inout [UInt8]) -> Void) {
      var bytes = pending ?? committed ?? []
      body(&bytes)
      pending = bytes
    }
  }

  var folders: Set<String> = []
  var files: [String: File] = [:]
  /// What a new start would find.
  var durable: [String: [UInt8]] = [:]

  /// close or fsync of a writer.
  mutating func commit(_ file: File) {
    guard let path = file.path, let pending = file.pending else { return }
    file.committed = pending
    file.pending = nil
    durable[path] = pending
  }

  /// The end of a handle.
  mutating func release(_ file: File, writes: Bool) {
    if writes {
      file.writers -= 1
      if file.writers == 0 {
        commit(file)
        file.pending = nil
      }
    } else {
      file.readers -= 1
    }
  }

  mutating func remove(_ path: String) {
    files.removeValue(forKey: path)?.path = nil
    durable[path] = nil
  }

  mutating func rename(_ old: String, _ new: String) {
    guard let file = files[old], old != new else { return }
    if let bytes = file.committed {
      durable[new] = bytes
      durable[old] = nil
    } else {
      // Only where it will be committed changes; a file that it was to replace at its old place goes.
      durable[old] = nil
    }
    files[new]?.path = nil
    files[old] = nil
    files[new] = file
    file.path = new
  }

  mutating func renameFolder(_ old: String, _ new: String) {
    func moved(_ path: String) -> String {
      path == old || path.hasPrefix(old + "/") ? new + path.dropFirst(old.count) : path
    }
    folders = Set(folders.map(moved))
    durable = Dictionary(uniqueKeysWithValues: durable.map { (moved($0.key), $0.value) })
    files = Dictionary(uniqueKeysWithValues: files.map { (moved($0.key), $0.value) })
    for (path, file) in files { file.path = path }
  }

  /// Names directly in a folder.
  func names(in folder: String) -> [String] {
    let all = Array(folders) + Array(files.keys)
    return all.filter { Self.parent($0) == folder }.map { Self.name($0) }.sorted()
  }

  func isEmpty(_ folder: String) -> Bool { names(in: folder).isEmpty }

  /// The drive was closed and opened again.
  mutating func restart() {
    files = [:]
    for (path, bytes) in durable {
      let file = File(path: path)
      file.committed = bytes
      files[path] = file
    }
  }

  static func parent(_ path: String) -> String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "" }
  static func name(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }
}
