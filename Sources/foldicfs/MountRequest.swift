import CPlatform
import Fuse
import PhotoLibrary
import PhotoMount
import Platform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the command line of a mount asks for, checked word by word; nothing on disk is looked at.
struct MountRequest {
  var library = ""
  var mountpoint = ""
  var isForeground = false
  var backup: String?
  var showsSidecars = false
  var libraryOptions = LibraryOptions()
  var userID = getuid()
  var groupID = getgid()
  var umask = MountRequest.processMask
  var allowsNonEmpty = false
  /// Removed files do not go to the trash.
  var deletesForGood = false
  var commit = MountSettings.CommitMoment.close
  var session = SessionOptions(source: "", subtype: MountCommand.subtype)

  /// `--help` and `--version` end the matter.
  enum Words {
    case help
    case version
    case mount(MountRequest)
  }

  static func parse(_ arguments: [String]) throws(CommandError) -> Words {
    guard let words = ArgumentScanner.scan(arguments) else { throw .usage("the options make no sense") }
    var request = MountRequest()
    var operands: [String] = []
    for word in words {
      switch word {
      case .operand(let text): operands.append(text)
      case .flag("-h"), .flag("--help"): return .help
      case .flag("-V"), .flag("--version"): return .version
      case .flag("-f"): request.isForeground = true
      case .flag("-s"): request.session.isSingleThreaded = true
      case .flag("-d"), .flag("--debug"): request.startDebugging()
      case .flag(let text): throw .usage("unknown option \(text.escapedForDisplay)")
      case .option(let name, let value): try request.take(name, value)
      }
    }
    guard operands.count == 2 else {
      switch operands.count {
      case 0: throw .usage("usage: foldicfs LIBRARY MOUNTPOINT [-f] [-o OPTION[,OPTION...]]")
      case 1: throw .usage("where to mount \(operands[0].escapedForDisplay)? Name a mountpoint behind it")
      default: throw .usage("one library and one mountpoint; what is \(operands[2].escapedForDisplay)?")
      }
    }
    (request.library, request.mountpoint) = (operands[0], operands[1])
    return .mount(request)
  }

  private mutating func startDebugging() {
    session.isDebugging = true
    isForeground = true
  }

  /// What fstab may hold and mount(8) hands on, and means nothing to a mount that is always nodev and nosuid.
  private static let ignored: Set<String> = [
    "dev", "suid", "exec", "rw", "auto", "noauto", "user", "nouser", "users", "owner", "group", "defaults", "async",
    "atime", "relatime", "norelatime", "strictatime", "nostrictatime", "lazytime", "nolazytime", "nodiratime",
    "diratime", "nofail", "_netdev", "default_permissions", "iversion", "noiversion", "mand", "nomand", "silent",
    "loud",
  ]

  /// What libfuse hands to the kernel or to fusermount3.
  private static let forwarded: Set<String> = [
    "allow_other", "allow_root", "auto_unmount", "nodev", "nosuid", "noexec", "noatime", "sync", "dirsync",
  ]

  private mutating func take(_ name: String, _ value: String?) throws(CommandError) {
    switch (name, value) {
    case ("backup", let value?) where !value.isEmpty: backup = value
    case ("references", let value?) where !value.isEmpty: libraryOptions.referenceRoots.append(value)
    case ("hidden", nil): libraryOptions.includeHidden = true
    case ("delete", "trash"?): deletesForGood = false
    case ("delete", "remove"?): deletesForGood = true
    case ("delete", _): throw .usage("option delete is delete=trash or delete=remove")
    case ("sidecars", let value?):
      guard ["show", "hide"].contains(value) else {
        throw .usage("sidecars=\(value.escapedForDisplay) is neither show nor hide")
      }
      showsSidecars = value == "show"
    case ("nonempty", nil): allowsNonEmpty = true
    case ("commit", let value?):
      guard let moment = MountSettings.CommitMoment(rawValue: value) else {
        throw .usage("commit=\(value.escapedForDisplay) is neither close nor fsync")
      }
      commit = moment
    case ("uid", let value?): userID = try number(name, value)
    case ("gid", let value?): groupID = try number(name, value)
    case ("umask", let value?):
      guard let mask = UInt32(value, radix: 8), mask <= 0o777 else {
        throw .usage("umask=\(value.escapedForDisplay) is no octal number up to 777")
      }
      umask = mask
    case ("ro", nil): session.isReadOnly = true
    case ("debug", nil): startDebugging()
    case ("fsname", let value?): session.source = value
    case ("subtype", let value?): session.subtype = value
    case ("max_read", let value?):
      guard let size = Int(value), size >= 4096 else {
        throw .usage("max_read=\(value.escapedForDisplay) is no number of bytes from 4096 up")
      }
      session.maximumRead = min(size, FuseLimits.read)
    case (let name, nil) where Self.forwarded.contains(name): session.mountOptions.append(name)
    case (let name, nil) where Self.ignored.contains(name): break
    case (let name, _) where name.hasPrefix("x-") || name == "comment": break
    case ("backup", _), ("references", _), ("commit", _), ("uid", _), ("gid", _), ("umask", _), ("fsname", _),
      ("subtype", _),
      ("max_read", _), ("sidecars", _):
      throw .usage("option \(name) needs a value: \(name)=…")
    default: throw .usage("unknown option -o \(name.escapedForDisplay)")
    }
  }

  private func number(_ name: String, _ value: String) throws(CommandError) -> UInt32 {
    guard let number = UInt32(value), number != .max else {
      throw .usage("\(name)=\(value.escapedForDisplay) is no number")
    }
    return number
  }

  /// umask(2) can only be read by setting it; one thread so far.
  private static var processMask: UInt32 {
    let mask = Glibc.umask(0o022)
    _ = Glibc.umask(mask)
    return UInt32(mask)
  }
}
