import Platform

/// What the drive keeps of a file beside its bytes, found once when it is opened.
struct DriveAbilities: Hashable, Sendable {
  /// It has extended attributes of its own (ext4, btrfs …). Else they go into sidecars.
  var holdsAttributes: Bool
  /// It rounds times (exFAT, FAT): the exact ones go into sidecars. Never so where it has attributes.
  var roundsTimes: Bool

  private static let probeName = Array("user.org.foldicfs.probe".utf8)

  /// Tries both on a file of the session's own; on a drive that is only read, asks what it has.
  static func find(root: SharedDescriptor, session: Session?) throws(Errno) -> DriveAbilities {
    guard let session else {
      let holds = (try? root.descriptor.attribute(probeName)) != nil
      return DriveAbilities(holdsAttributes: holds, roundsTimes: !holds)
    }
    let name = try session.temporaryName()
    defer { try? session.folder.descriptor.removeFile(name) }
    return try probe(name, session)
  }

  /// Returns with the file closed: a FUSE driver would else keep it under another name.
  private static func probe(_ name: FileName, _ session: Session) throws(Errno) -> DriveAbilities {
    let file = try session.folder.descriptor.open(name, [.readWrite, .create, .exclusive], mode: 0o644)
    if (try? file.setAttribute(probeName, to: [1])) != nil {
      return DriveAbilities(holdsAttributes: true, roundsTimes: false)
    }
    let time = Timestamp(seconds: 1_000_000_001, nanoseconds: 123_456_789)
    try file.setTimes(accessed: .set(time), modified: .set(time))
    return DriveAbilities(holdsAttributes: false, roundsTimes: try file.status().modified != time)
  }
}
