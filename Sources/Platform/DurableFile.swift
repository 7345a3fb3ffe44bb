#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Small files that are replaced whole or not at all.
extension Descriptor {
  /// Gives `name` in this folder a new content, durably; after a power cut the old or the new one is there (on file systems
  /// with a journal). The file `NAME.new` beside it is used meanwhile: one writer at a time.
  public func replaceFile(_ name: FileName, with bytes: [UInt8], mode: UInt32 = 0o600) throws(Errno) {
    guard let aside = FileName(bytes: name.bytes + Array(".new".utf8)) else { throw .nameTooLong }
    let file = try open(aside, [.write, .create, .truncate], mode: mode)
    do throws(Errno) {
      try file.write(bytes)
      try file.synchronize()
      try rename(aside, to: name, in: self)
    } catch {
      try? removeFile(aside)
      throw error
    }
    try synchronize()
  }

  /// Opens the folder at an absolute path; what is missing of it is made, for this user only.
  public static func openMakingFolders(_ path: String) throws(Errno) -> Descriptor {
    var folder = try open("/", [.read, .directory])
    for part in path.split(separator: "/") {
      guard let name = FileName(String(part)) else { throw .invalid }
      // Links above are the user's own: followed.
      let flags: Descriptor.Options = [.read, .directory]
      do throws(Errno) { folder = try folder.openFollowing(name, flags) } catch {
        guard error == .noSuchFile else { throw error }
        do throws(Errno) { try folder.makeDirectory(name, mode: 0o700) } catch .exists {}
        folder = try folder.openFollowing(name, flags)
      }
    }
    return folder
  }

  private func openFollowing(_ name: FileName, _ options: Options) throws(Errno) -> Descriptor {
    let flags = options.rawValue | O_CLOEXEC
    return Descriptor(owning: try name.withCString { (text) throws(Errno) in try systemOpen(number, text, flags, 0) })
  }
}
