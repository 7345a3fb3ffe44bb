import BackupDrive
import Fuse
import PhotoLibrary
import PhotoMount
import Platform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `foldicfs LIBRARY MOUNTPOINT`.
enum MountCommand {
  static let subtype = "foldicfs"
  /// The type in /proc/mounts.
  static let fullType = "fuse." + subtype

  static func run(_ arguments: [String]) throws(CommandError) -> ExitCode {
    switch try MountRequest.parse(arguments) {
    case .help: try printResult(Usage.text)
    case .version: try printResult("foldicfs \(Foldicfs.version)\n")
    case .mount(let request): try mount(request)
    }
    return .done
  }

  private static func mount(_ request: MountRequest) throws(CommandError) {
    try checkOtherUsers(request.session.mountOptions)
    if request.isForeground { return try serve(request) {} }
    let daemon: Daemon
    do throws(Errno) { daemon = try Daemon.start() } catch {
      throw .failed("cannot go into the background: \(error); try -f")
    }
    let log = Log()
    try serve(request, log) { () throws(CommandError) in
      do throws(FileError) { try log.moveToFile() } catch {
        try? StandardStream.error.write("foldicfs: \(error); there will be no log\n")
      }
      do throws(Errno) { try daemon.becomeReady() } catch {
        throw .failed("cannot go into the background: \(error); try -f")
      }
    }
  }

  /// Mounts and serves to the end.
  /// - Parameter whenMounted: called when the mount can be used.
  private static func serve(
    _ request: MountRequest, _ log: Log = Log(), whenMounted: () throws(CommandError) -> Void
  ) throws(CommandError) {
    let places = try MountPlaces(request) { log($0) }
    let snapshot = try openLibrary(places.library, request.libraryOptions) { log($0) }
    let drive = try places.backup.map { (folder) throws(CommandError) in
      try open(folder, request, log)
    }
    defer { drive?.close() }
    var settings = MountSettings(
      userID: request.userID, groupID: request.groupID, umask: request.umask, log: { log($0) })
    settings.commit = request.commit
    let tree = PhotoTree(snapshot, backup: drive, settings)
    var options = request.session
    if options.source.isEmpty { options.source = places.library }
    let session: Session
    do throws(Errno) { session = try Session(mounting: tree, at: places.mountpoint, options) } catch {
      throw .failed(
        "cannot mount at \(places.mountpoint.escapedForDisplay); is fuse3 installed and /dev/fuse open to this user?")
    }
    try whenMounted()
    if drive != nil, let limit = RequestTimeLimit.seconds {
      log(
        "this kernel ends a mount that takes more than \(limit) s for one answer; a drive slower than that for one file "
          + "needs a larger fs.fuse.default_request_timeout and fs.fuse.max_request_timeout (0: no limit)")
    }
    do throws(Errno) { try session.run() } catch {
      throw .failed("the mount at \(places.mountpoint.escapedForDisplay) ended: \(error)")
    }
  }

  private static func open(
    _ folder: String, _ request: MountRequest, _ log: Log
  ) throws(CommandError) -> BackupDrive {
    do throws(DriveError) {
      return try BackupDrive.open(
        folder: folder, readOnly: request.session.isReadOnly,
        deletion: request.deletesForGood ? .remove : .trash(userID: request.userID), catalog: true,
        showsSidecars: request.showsSidecars
      ) { log($0) }
    } catch { throw .failed("\(error)") }
  }

  /// fusermount3 refuses these to ordinary users unless its configuration allows them; say so before anything happens.
  private static func checkOtherUsers(_ options: [String]) throws(CommandError) {
    guard geteuid() != 0, let option = options.first(where: { ["allow_other", "allow_root"].contains($0) }) else {
      return
    }
    let configuration = try? Descriptor.open("/etc/fuse.conf").read(count: 65536, at: 0)
    let lines = (configuration ?? []).split(separator: UInt8(ascii: "\n"))
    guard
      !lines.contains(where: { String(decoding: $0, as: UTF8.self).split(separator: " ").first == "user_allow_other" })
    else { return }
    throw .failed("-o \(option) needs a line user_allow_other in /etc/fuse.conf; ask the administrator")
  }
}
