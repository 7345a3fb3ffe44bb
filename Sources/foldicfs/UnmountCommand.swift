import Platform

/// `foldicfs unmount MOUNTPOINT`.
enum UnmountCommand {
  static func run(_ words: [String]) throws(CommandError) -> ExitCode {
    let arguments = try CommandArguments(words, command: "unmount", operands: ["MOUNTPOINT"])
    guard !arguments.switches.contains("help"), let word = arguments.operands.first else {
      try printResult(Usage.text)
      return .done
    }
    let mountpoint: String
    let mounted: MountedFileSystem?
    do throws(Errno) {
      mountpoint = try AbsolutePath.resolveParent(word)
      mounted = try MountTable.fileSystem(mountedAt: mountpoint)
    } catch {
      throw .failed("\(FileError("find", path: word, errno: error))")
    }
    guard let mounted, mounted.type == MountCommand.fullType else {
      throw .failed("\(mountpoint.escapedForDisplay) is not a mount of foldicfs")
    }
    do throws(Errno) { try Unmounting.unmount(mountpoint) } catch {
      let advice = error == .busy ? "close the programs that use it (fuser -m shows them) and try again" : ""
      throw .failed("\(FileError("unmount", path: mountpoint, errno: error, advice: advice))")
    }
    return .done
  }
}
