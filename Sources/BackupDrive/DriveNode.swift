import Platform

/// A file or folder of the drive, wherever it is moved to: handles and the kernel hold nodes, not paths.
///
/// There is one object for each as long as anybody holds it.
public final class DriveNode: Sendable {
  /// A number that no other node of this drive has while this one lives; the root's is 1.
  public let number: UInt64
  /// File, folder, link or special; only files can be opened.
  public let kind: FileStatus.Kind

  /// Only of files.
  let versions: FileVersions?
  private let departures: Departures

  init(number: UInt64, kind: FileStatus.Kind, isNew: Bool, departures: Departures) {
    self.number = number
    self.kind = kind
    self.departures = departures
    versions = kind == .file ? FileVersions(isNew: isNew) : nil
  }

  deinit { departures.note(number) }
}

/// The numbers of nodes that nobody holds any more, until the table of names is tidied.
///
/// A list of its own since the last reference may go while the table's lock is held.
final class Departures: Sendable {
  private let numbers = Monitor<[UInt64]>([])

  func note(_ number: UInt64) { numbers.withLock { $0.append(number) } }

  func take() -> [UInt64] {
    numbers.withLock { list in
      defer { list = [] }
      return list
    }
  }
}
