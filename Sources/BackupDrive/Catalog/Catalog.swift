import Platform
import SQLite

/// `.foldic/catalog.sqlite`: what was committed to the drive, with the hash of each file. A memory, not the truth: whoever
/// finds it lost or damaged gets an empty one, and what lies on the drive fills it again.
///
/// Not thread-safe: one thread at a time. Any number of processes may have it open; each call waits for the others for at
/// most five seconds. Every call may block on the drive. All that is read from it is checked; what no catalog of ours can
/// hold is reported as `CatalogError.damaged`.
///
/// Changes are durable on return. The rollback journal stays where it is between transactions (`journal_mode=PERSIST`):
/// what ends a transaction is then one overwritten sector in a file that is there, where deleting or cutting the journal
/// would change entries of a folder, which exFAT may give back after a power cut with clusters that are others' by then.
/// A write-ahead log needs shared memory, which a drive behind FUSE may not have.
public final class Catalog {
  static let fileName: FileName = FileName("catalog.sqlite")
  static let journalName: FileName = FileName("catalog.sqlite-journal")
  private static let lockName: FileName = FileName("catalog.lock")
  /// Says that rows may be missing or too many.
  private static let behindName: FileName = FileName("catalog.behind")

  /// A random id; another one means that the catalog was lost and made anew.
  public let id: String
  /// The name in `.foldic` under which a catalog that could not be used was kept, when that has happened just now.
  public let setAside: FileName?
  let connection: Connection

  /// Opens the catalog in an open `.foldic`; makes it when there is none. A damaged or foreign one is renamed to
  /// `catalog.sqlite.broken-N` first.
  /// - Parameter thoroughly: reads the whole database to find damage: some seconds on a slow drive.
  static func open(in service: borrowing Descriptor, thoroughly: Bool = false) throws(CatalogError) -> Catalog {
    // One process at a time looks, sets aside and makes: the lock ends with this call.
    let guardFile = try lock(in: service)
    defer { guardFile.unlock() }
    let path: String
    do throws(Errno) { path = try service.path() + "/catalog.sqlite" } catch { throw .failed("\(error)") }
    do throws(CatalogError) {
      let catalog = try Catalog(path: path, thoroughly: thoroughly, setAside: nil)
      if thoroughly { try catalog.checkRows() }
      return catalog
    } catch {
      guard case .damaged = error else { throw error }
    }
    let name: FileName
    do throws(Errno) { name = try moveAside(in: service) } catch { throw .failed("\(error)") }
    return try Catalog(path: path, thoroughly: false, setAside: name)
  }

  private static func lock(in service: borrowing Descriptor) throws(CatalogError) -> Descriptor {
    do throws(Errno) {
      let file = try service.open(lockName, [.readWrite, .create], mode: 0o644)
      try file.lock()
      return file
    } catch { throw .failed("\(error)") }
  }

  private init(path: String, thoroughly: Bool, setAside: FileName?) throws(CatalogError) {
    do throws(SQLiteError) { connection = try Connection(path: path, mode: .create) } catch {
      throw Self.classified(error)
    }
    guard !connection.isReadOnly else { throw .failed("it may not be written") }
    do throws(SQLiteError) {
      try connection.distrust(readOnly: false)
      for pragma in ["busy_timeout=5000", "journal_mode=PERSIST", "synchronous=FULL", "journal_size_limit=1048576"] {
        try connection.execute("PRAGMA \(pragma)")
      }
      // The header can say that the file is one of a future SQLite.
      if connection.isReadOnly { throw Self.damage("it cannot be changed") }
      if try CatalogSchema.isEmpty(connection) { try CatalogSchema.create(in: connection) }
      if let fault = try CatalogSchema.fault(in: connection) { throw Self.damage(fault) }
      if thoroughly {
        var check = try connection.prepare("PRAGMA quick_check(1)")
        guard try check.step(), check.text(0) == "ok" else { throw Self.damage("it contradicts itself") }
      }
      var mark = try connection.prepare("SELECT id FROM mark")
      guard try mark.step(), let id = mark.text(0), id.utf8.count == 32,
        id.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
      else { throw Self.damage("it has no id") }
      self.id = id
      self.setAside = setAside
    } catch { throw Self.classified(error) }
  }

  /// Moves the catalog to a free name, durably: first its journal, which must never be applied to another.
  private static func moveAside(in service: borrowing Descriptor) throws(Errno) -> FileName {
    for number in 1...9999 {
      guard let name = FileName("catalog.sqlite.broken-\(number)"),
        let journal = FileName("catalog.sqlite.broken-\(number)-journal")
      else { continue }
      guard try !isThere(name, service), try !isThere(journal, service) else { continue }
      if try isThere(journalName, service) { try service.rename(journalName, to: journal, in: service) }
      try service.synchronize()
      try service.rename(fileName, to: name, in: service)
      try service.synchronize()
      return name
    }
    throw .exists
  }

  private static func isThere(_ name: FileName, _ service: borrowing Descriptor) throws(Errno) -> Bool {
    do throws(Errno) {
      _ = try service.status(of: name)
      return true
    } catch {
      if error == .noSuchFile { return false }
      throw error
    }
  }

  // MARK: - Errors

  /// A code that SQLite itself uses for damage, so that one error type goes through its transactions.
  static func damage(_ reason: String) -> SQLiteError { SQLiteError(code: damageCode, message: reason) }
  private static let damageCode: Int32 = 11  // SQLITE_CORRUPT

  static func classified(_ error: SQLiteError) -> CatalogError {
    error.isDamage ? .damaged("\(error)") : .failed("\(error)")
  }

  // MARK: - Being behind

  /// Says durably that changes of the drive are not in the catalog.
  static func markBehind(in service: borrowing Descriptor) throws(Errno) {
    _ = try service.open(behindName, [.write, .create], mode: 0o644)
    try service.synchronize()
  }

  /// Whether changes of the drive may be missing: rows without files then mean nothing.
  static func isBehind(in service: borrowing Descriptor) throws(Errno) -> Bool { try isThere(behindName, service) }

  /// The catalog is known to be right again.
  static func clearBehind(in service: borrowing Descriptor) throws(Errno) {
    do throws(Errno) { try service.removeFile(behindName) } catch .noSuchFile { return }
    try service.synchronize()
  }
}
