import Platform

/// How names that users write into `Backup/` lie on the drive, so that each is read back as written.
///
/// - A name is stored in its portable form (`PortableName.portable`, cut to the limits). Names that every drive can hold, which are
///   nearly all, are therefore stored as they are and need nothing else.
/// - Where the stored name differs from the real one, the real one is recorded beside the file: in the attribute
///   `recordName` of its sidecar, or as an extended attribute where the drive has them.
/// - Is the stored form taken in the folder by another real name (`a.` and a real `a．`), `~` and eight hex digits of the hash
///   of the real name go before the extension, and the real name is recorded too.
///
/// Nothing is quoted and nothing is decoded from the stored name alone. So a full-width mark that somebody wrote (titles in
/// Japanese hold them, and `foldicfs sync` writes portable names itself) is shown as it is, with no record; a quoting scheme
/// would change such names or turn them into marks that nobody wrote (rclone 6098, 7456). Should a record be lost, the file
/// is whole under its portable name.
///
/// Names are in NFC on both sides: two spellings of one name are one name (`real` of both is equal).
public struct DriveName: Hashable, Sendable {
  /// The attribute that holds a real name as UTF-8.
  public static let recordName = AppleDouble.privatePrefix + Array("name".utf8)

  /// The name as programs see it, in NFC.
  public let real: FileName
  /// The name on the drive.
  public let stored: FileName

  /// Whether the real name has to be recorded.
  public var needsRecord: Bool { real != stored }

  /// The names under which a file called `name` may lie on the drive, in the order to try them: a lookup takes the first that
  /// is there and whose `real` is the one asked for, a creation the first that is free. Both taken by others (one hash in
  /// four thousand million) is EEXIST.
  ///
  /// `nil` for what is no strictly valid UTF-8: such bytes never reach a drive (EILSEQ).
  public static func candidates(for name: FileName) -> [DriveName]? {
    guard let text = name.string?.nfc, let real = FileName(text),
      let plain = FileName(stored(text, mark: "")), let marked = FileName(stored(text, mark: mark(of: text)))
    else { return nil }
    return [DriveName(real: real, stored: plain), DriveName(real: real, stored: marked)]
  }

  /// Reads a name of the drive with the record found beside it. A record is believed only when it leads to this stored name;
  /// else (none, damaged, or the file was renamed by a program that knows nothing of records) the stored name is the real one.
  public init(stored: FileName, record: [UInt8]?) {
    self.stored = stored
    // The real name is at most as long as Linux lets a name be in any file system (1,024 bytes in FUSE).
    if let record, record.count <= 1024, let name = FileName(bytes: record),
      let match = Self.candidates(for: name)?.first(where: { $0.stored == stored && $0.real == name })
    {
      real = match.real
    } else {
      real = stored
    }
  }

  /// A name that is stored as it is.
  init(plain name: FileName) { self.init(real: name, stored: name) }

  private init(real: FileName, stored: FileName) {
    self.real = real
    self.stored = stored
  }

  private static func stored(_ name: String, mark: String) -> String {
    let (stem, suffix) = PortableName.split(PortableName.portable(name))
    return PortableName.cut(stem, for: [mark + suffix]) + mark + suffix
  }

  private static func mark(of name: String) -> String {
    "~" + ContentHash(of: name.utf8).hex.prefix(8).uppercased()
  }
}
