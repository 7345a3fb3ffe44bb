import Platform
import Synchronization

/// Finds files whose names differ from the recorded ones in the case of ASCII letters.
///
/// Looking through a folder for every missing file would cost the square of its size. So each folder is read once, and
/// only the names are kept that do not follow the usual form (identifier in capitals, extension small); the usual form
/// is tried directly. In a sound library next to nothing is kept.
final class CaseTwins: Sendable {
  private struct FolderKey: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  private struct Index {
    let modified: Timestamp
    let names: [[UInt8]: FileName]
  }

  private let indexes = Mutex<[FolderKey: Index]>([:])

  /// The path as it is on the disk; `nil` when nothing matches or `path` itself is there.
  func find(_ path: RelativePath, below root: borrowing Descriptor) -> RelativePath? {
    guard var folder = try? root.duplicate() else { return nil }
    var found: [FileName] = []
    for (position, component) in path.components.enumerated() {
      guard let name = name(for: component, in: folder) else { return nil }
      found.append(name)
      if position == path.components.count - 1 { break }
      guard let next = try? folder.open(name, [.read, .directory]) else { return nil }
      folder = next
    }
    let result = RelativePath(found)
    return result == path ? nil : result
  }

  private func name(for wanted: FileName, in folder: borrowing Descriptor) -> FileName? {
    if (try? folder.status(of: wanted)) != nil { return wanted }
    if let usual = FileName(bytes: Self.usualForm(wanted.bytes)), (try? folder.status(of: usual)) != nil {
      return usual
    }
    return index(of: folder)?.names[Self.folded(wanted.bytes)]
  }

  private func index(of folder: borrowing Descriptor) -> Index? {
    guard let status = try? folder.status() else { return nil }
    let key = FolderKey(device: status.device, inode: status.inode)
    if let known = indexes.withLock({ $0[key] }), known.modified == status.modified { return known }
    guard let entries = try? folder.entries() else { return nil }
    var names: [[UInt8]: FileName] = [:]
    for entry in entries where Self.usualForm(entry.name.bytes) != entry.name.bytes {
      names[Self.folded(entry.name.bytes)] = entry.name
    }
    let index = Index(modified: status.modified, names: names)
    indexes.withLock { $0[key] = index }
    return index
  }

  /// The 36 characters of an identifier, or a single digit, in capitals, the rest in small letters.
  private static func usualForm(_ bytes: [UInt8]) -> [UInt8] {
    let capitals = bytes.count == 1 ? 1 : bytes.count >= 36 && bytes[8] == UInt8(ascii: "-") ? 36 : 0
    return bytes.enumerated().map { position, byte in position < capitals ? capital(byte) : small(byte) }
  }

  private static func folded(_ bytes: [UInt8]) -> [UInt8] { bytes.map(small) }

  private static func small(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

  private static func capital(_ byte: UInt8) -> UInt8 { (0x61...0x7A).contains(byte) ? byte & ~0x20 : byte }
}
