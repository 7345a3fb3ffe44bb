import Platform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The command line: the first word is a command, or the library to mount.
@main
enum Foldicfs {
  static let version = "0.1.0"

  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do throws(CommandError) {
      exit(try run(arguments).rawValue)
    } catch {
      // Without a standard error there is nobody left to tell.
      try? StandardStream.error.write("foldicfs: \(error.message)\n")
      exit(error.exitCode.rawValue)
    }
  }

  private static func run(_ arguments: [String]) throws(CommandError) -> ExitCode {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "init": return try InitCommand.run(rest)
    case "unmount", "umount": return try UnmountCommand.run(rest)
    case "albums": return try AlbumsCommand.run(rest)
    case "trash": return try TrashCommand.run(rest)
    case "clean": return try CleanCommand.run(rest)
    case "verify": return try VerifyCommand.run(rest)
    default: return try MountCommand.run(arguments)
    }
  }
}
