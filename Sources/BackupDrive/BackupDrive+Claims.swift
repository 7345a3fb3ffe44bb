import Platform

extension BackupDrive {
  /// Runs `body` while nobody else changes these names in several steps.
  func claiming<R>(_ keys: Set<NameKey>, _ body: () throws(Errno) -> R) throws(Errno) -> R {
    try settle(try writable())
    tree.wait { names in names.claims.take(keys) ? () : nil }
    defer { tree.withLock { $0.claims.release(keys) } }
    return try body()
  }

  /// Runs `body` while nobody else changes any name in several steps.
  func claimingAll<R>(_ body: () throws(Errno) -> R) throws(Errno) -> R {
    try settle(try writable())
    tree.withLock { $0.claims.waitForAll() }
    tree.wait { names in names.claims.takeAll() ? () : nil }
    defer { tree.withLock { $0.claims.releaseAll() } }
    return try body()
  }

  /// EEXIST with a line in the log when the folder has another name that some drive cannot tell from `name`.
  func refuseTwin(
    of name: FileName, in folder: UInt64, ignoring ignored: FileName? = nil, _ names: inout Namespace
  ) throws(Errno) {
    guard let twin = try names.twin(of: name, in: folder, ignoring: ignored) else { return }
    let path = (try? names.path(of: folder))?.description ?? ""
    log("refused \(name) in \(path): it differs from \(twin) there only in case, and a drive may take them for one")
    throw .exists
  }

  /// exfat-fuse says ENOENT of names that the drive cannot have, in folders that are there.
  static func nameError(_ error: Errno, _ name: FileName) -> Errno {
    let reserved = name.bytes.contains { $0 < 0x20 || "\"*:<>?\\|".utf8.contains($0) }
    return error == .noSuchFile && reserved ? .invalid : error
  }
}
