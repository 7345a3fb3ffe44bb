import PhotoLibrary
import Platform

/// The three places of a mount, as absolute paths, after they were found fit for one.
struct MountPlaces {
  let library: String
  let mountpoint: String
  let backup: String?

  /// Resolves and checks. Nothing is changed but one thing: a dead mount of ours on the mountpoint is taken away.
  init(_ request: MountRequest, log: (String) -> Void) throws(CommandError) {
    library = try Self.naming(
      "open the library", request.library, advice: "name the library's folder, such as Photos.photoslibrary"
    ) { () throws(Errno) in try AbsolutePath.resolve(request.library) }
    mountpoint = try Self.freeMountpoint(request.mountpoint, log)
    backup = try request.backup.map { (folder) throws(CommandError) in
      try Self.naming("open the backup folder", folder, advice: "is the drive there?") { () throws(Errno) in
        try AbsolutePath.resolve(folder)
      }
    }
    try checkNesting()
    if !request.allowsNonEmpty { try checkEmpty() }
  }

  private static func freeMountpoint(_ word: String, _ log: (String) -> Void) throws(CommandError) -> String {
    let (path, mounted) = try naming("mount at", word, advice: "make the folder first") { () throws(Errno) in
      let path = try AbsolutePath.resolveParent(word)
      return (path, try MountTable.fileSystem(mountedAt: path))
    }
    if let mounted, mounted.type == MountCommand.fullType {
      guard isDead(path) else {
        let source = String(decoding: mounted.source, as: UTF8.self).escapedForDisplay
        throw .failed(
          "\(path.escapedForDisplay) is in use: \(source) is mounted there; end that with foldicfs unmount, or take "
            + "another folder")
      }
      try naming("take away the dead mount at", path) { () throws(Errno) in
        try Unmounting.unmount(path, lazily: true)
      }
      log("took away the dead mount at \(path)")
    }
    return try naming("mount at", word, advice: "make the folder first") { () throws(Errno) in
      try AbsolutePath.resolve(path)
    }
  }

  private func checkEmpty() throws(CommandError) {
    let entries = try Self.naming("mount at", mountpoint) { () throws(Errno) in
      try Descriptor.open(mountpoint, [.read, .directory]).entries()
    }
    guard entries.isEmpty else {
      throw .failed(
        "the mountpoint \(mountpoint.escapedForDisplay) is not empty; take an empty folder, or -o nonempty to hide what "
          + "is in it")
    }
  }

  /// The process behind a mount is gone: the kernel answers for it.
  private static func isDead(_ mountpoint: String) -> Bool {
    do throws(Errno) {
      _ = try Descriptor.open(mountpoint, [.read, .directory])
      return false
    } catch { return error == .notConnected }
  }

  /// A place inside of another would show a library for writing, or the mount in itself.
  private func checkNesting() throws(CommandError) {
    let places = [("library", library), ("mountpoint", mountpoint)] + (backup.map { [("backup folder", $0)] } ?? [])
    if let backup, let library = LibraryOpener.library(around: backup) {
      throw .failed(
        "the backup folder \(backup.escapedForDisplay) lies inside the photo library \(library.escapedForDisplay), which is "
          + "never written; take another folder")
    }
    for (inner, innerPath) in places {
      for (outer, outerPath) in places where inner != outer && AbsolutePath.isInside(innerPath, outerPath) {
        throw .failed(
          "the \(inner) \(innerPath.escapedForDisplay) lies inside the \(outer) \(outerPath.escapedForDisplay); "
            + "take folders that are apart")
      }
    }
  }

  private static func naming<R>(
    _ action: String, _ path: String, advice: String = "", _ body: () throws(Errno) -> R
  ) throws(CommandError) -> R {
    do throws(Errno) { return try body() } catch {
      let advice = error == .noSuchFile ? advice : ""
      throw .failed("\(FileError(action, path: path, errno: error, advice: advice))")
    }
  }
}
