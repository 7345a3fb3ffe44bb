import Platform

/// One step of a script, with the whole of what a program does: open, write, close.
public enum DriveStep: Hashable, Sendable {
  /// open(O_CREAT|O_TRUNC), write, close.
  case write(RelativePath, seed: UInt64, count: Int)
  /// open(O_RDWR), pwrite, close.
  case change(RelativePath, offset: Int, seed: UInt64, count: Int)
  /// open(O_APPEND), write, close.
  case append(RelativePath, seed: UInt64, count: Int)
  /// truncate.
  case truncate(RelativePath, count: Int)
  /// open, write, fsync, write, close: two versions. What a cut may leave between is the first.
  case writeTwice(RelativePath, seed: UInt64, count: Int)
  /// rename.
  case rename(RelativePath, to: RelativePath)
  /// unlink.
  case remove(RelativePath)
  /// mkdir.
  case makeFolder(RelativePath)
  /// rmdir.
  case removeFolder(RelativePath)
  /// open(O_CREAT), write, rename while open, close.
  case renameWhileOpen(RelativePath, to: RelativePath, seed: UInt64, count: Int)

  /// The model's states that the step passes through: the last is the one that its success promises, and every one of
  /// them may be found when it did not end.
  public func states(from model: DriveModel) -> [DriveModel] {
    var after = model
    switch self {
    case .write(let path, let seed, let count): after.files[path] = content(seed, count)
    case .change(let path, let offset, let seed, let count):
      var bytes = model.files[path] ?? []
      let end = offset + count
      if bytes.count < end { bytes += repeatElement(0, count: end - bytes.count) }
      bytes.replaceSubrange(offset..<end, with: content(seed, count))
      after.files[path] = bytes
    case .append(let path, let seed, let count): after.files[path, default: []] += content(seed, count)
    case .truncate(let path, let count):
      let bytes = model.files[path] ?? []
      after.files[path] = Array(bytes.prefix(count)) + repeatElement(0, count: max(0, count - bytes.count))
    case .writeTwice(let path, let seed, let count):
      var between = model
      between.files[path] = content(seed, count)
      after.files[path] = content(seed, count) + content(seed + 1, count)
      return [model, between, after]
    case .rename(let old, let new):
      after.files[new] = after.files.removeValue(forKey: old)
      guard model.folders.contains(old) else { break }
      func moved(_ path: RelativePath) -> RelativePath {
        path.isInside(old) ? RelativePath(new.components + path.components.dropFirst(old.components.count)) : path
      }
      after.folders = Set(model.folders.map(moved))
      after.files = Dictionary(uniqueKeysWithValues: model.files.map { (moved($0.key), $0.value) })
    case .remove(let path): after.files[path] = nil
    case .makeFolder(let path): after.folders.insert(path)
    case .removeFolder(let path): after.folders.remove(path)
    case .renameWhileOpen(_, let new, let seed, let count): after.files[new] = content(seed, count)
    }
    return [model, after]
  }
}

/// Bytes that are the same for the same seed on every machine.
public func content(_ seed: UInt64, _ count: Int) -> [UInt8] {
  var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  return (0..<count).map { _ in
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return UInt8(truncatingIfNeeded: state)
  }
}
