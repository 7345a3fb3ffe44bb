import Platform

/// A library that was opened, and what there is to say about it.
public struct OpenedLibrary: Sendable {
  /// The library as it was when it was opened.
  public let snapshot: any Snapshot
  /// What the user should know, one line each, without a full stop.
  public let warnings: [String]
  /// The latest changes could not be read: what is missing in the snapshot may be in the library all the same, so
  /// nothing may be removed elsewhere because of it.
  public let isOutdated: Bool
  /// The revision that the snapshot shows.
  public let revision: LibraryRevision
  /// Looks at the library again, at the cost of a few stats; another revision than `revision` means that it has
  /// changed and should be opened anew. May be called from any thread.
  public let currentRevision: @Sendable () throws(LibraryError) -> LibraryRevision
}

/// A kind of library that can be read.
protocol LibrarySource: SendableMetatype {
  /// Opens the library in `folder`; `nil` when it is none of this kind.
  static func open(_ folder: LibraryFolder, options: LibraryOptions) throws(LibraryError) -> OpenedLibrary?
}

/// Finds out what kind of library a folder holds and opens it.
public enum LibraryOpener {
  /// In the order in which they are asked.
  private static let sources: [any LibrarySource.Type] = [ApplePhotosSource.self]

  /// Opens the library at `path` to read it; nothing in it is changed. Only the list of albums is read. Blocks on the
  /// disk; a database that is being written to is copied first.
  /// - Parameter path: the library's folder as the user named it.
  /// - Throws: one line for the user.
  public static func open(
    path: String, options: LibraryOptions = LibraryOptions()
  ) throws(LibraryError) -> OpenedLibrary {
    let folder = try LibraryFolder(path: path)
    for source in sources {
      if let library = try source.open(folder, options: options) { return library }
    }
    throw .notALibrary(
      path: path, reason: "this is no photo library; name the library's own folder, such as Photos.photoslibrary")
  }

  /// The library that holds an absolute path or is it; `nil` when none does. By the files that every library has, so that
  /// a damaged one is found as well.
  public static func library(around path: String) -> String? {
    var folder = path[...]
    while !folder.isEmpty {
      for database in ["Photos.sqlite", "photos.db"]
      where (try? Descriptor.open("\(folder)/database/\(database)", .statusOnly)) != nil {
        return String(folder)
      }
      guard let slash = folder.lastIndex(of: "/") else { return nil }
      folder = folder[..<slash]
    }
    return nil
  }
}
