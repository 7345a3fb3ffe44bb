import PhotoMount
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
    let process = servingProcess(of: mountpoint)
    do throws(Errno) { try Unmounting.unmount(mountpoint) } catch {
      let advice = error == .busy ? "close the programs that use it (fuser -m shows them) and try again" : ""
      throw .failed("\(FileError("unmount", path: mountpoint, errno: error, advice: advice))")
    }
    if let process { waitForEnd(of: process) }
    return .done
  }

  /// `nil` when nobody answers: a dead mount, or one of an older version.
  private static func servingProcess(of mountpoint: String) -> Int32? {
    guard let top = try? Descriptor.open(mountpoint, [.read, .directory]),
      let value = try? top.attribute(PhotoTree.processAttribute)
    else { return nil }
    return Int32(String(decoding: value, as: UTF8.self))
  }

  /// What was written may still be on its way to the drive (`commit=fsync`): it is safe to pull it when this returns. A
  /// signal ends the waiting, not the work.
  private static func waitForEnd(of process: Int32) {
    let start = MonotonicTime.now
    var isTold = false
    let pause = Cancellation()
    while ProcessState.isRunning(process) {
      pause.sleep(milliseconds: 20)
      if !isTold, MonotonicTime.now.milliseconds(since: start) > 2000 {
        isTold = true
        try? StandardStream.error.write("foldicfs: waiting until everything is on the drive\n")
      }
    }
  }
}
