import BackupDrive
import Platform

extension DriveScript {
  /// The file at the top that every process replaces in `rounds`.
  public static let shared = RelativePath([FileName("shared")])

  /// The script below a folder of its own several times over, with a replacement of `shared` after each.
  public static func rounds(_ count: UInt64, in folder: RelativePath) -> [DriveStep] {
    var result = [DriveStep.makeFolder(folder)]
    for round in 0..<count {
      let own = folder.appending(FileName("\(round)") ?? FileName("round"))
      result.append(.makeFolder(own))
      result += steps.map { $0.inside(own) }
      result.append(.write(shared, seed: round, count: 3000))
    }
    return result
  }
}

extension DriveStep {
  /// Whether it replaces `DriveScript.shared`.
  public var isOnShared: Bool {
    if case .write(DriveScript.shared, _, _) = self { true } else { false }
  }

  /// Does the step and returns why it failed; `nil` when it did not.
  public func failure(on drive: BackupDrive) -> Errno? {
    do throws(Errno) { try run(on: drive) } catch { return error }
    return nil
  }

  /// The same step below a folder.
  func inside(_ folder: RelativePath) -> DriveStep {
    func moved(_ path: RelativePath) -> RelativePath { RelativePath(folder.components + path.components) }
    return switch self {
    case .write(let path, let seed, let count): .write(moved(path), seed: seed, count: count)
    case .change(let path, let offset, let seed, let count):
      .change(moved(path), offset: offset, seed: seed, count: count)
    case .append(let path, let seed, let count): .append(moved(path), seed: seed, count: count)
    case .truncate(let path, let count): .truncate(moved(path), count: count)
    case .writeTwice(let path, let seed, let count): .writeTwice(moved(path), seed: seed, count: count)
    case .rename(let old, let new): .rename(moved(old), to: moved(new))
    case .remove(let path): .remove(moved(path))
    case .makeFolder(let path): .makeFolder(moved(path))
    case .removeFolder(let path): .removeFolder(moved(path))
    case .renameWhileOpen(let old, let new, let seed, let count):
      .renameWhileOpen(moved(old), to: moved(new), seed: seed, count: count)
    }
  }
}
