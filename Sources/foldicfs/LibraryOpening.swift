import PhotoLibrary
import Platform

/// Opens a library for a command; what the user should know goes to `warn`.
func openLibrary(
  _ path: String, _ options: LibraryOptions, warn: (String) -> Void
) throws(CommandError) -> any Snapshot {
  do throws(LibraryError) {
    let library = try LibraryOpener.open(path: path, options: options)
    library.warnings.forEach(warn)
    return library.snapshot
  } catch {
    throw .failed("\(error)")
  }
}
