import Platform

/// One revision of a library, unchanging. Loads lazily: the album list is there from the start, members come when asked.
///
/// All methods may be called from any thread and may block on the disk.
public protocol Snapshot: AnyObject, Sendable {
  /// The library's name for people (the bundle's name without extension).
  var title: String { get }

  /// An identity of the library that stays when it is copied or moved; `nil` when it records none.
  var libraryID: String? { get }

  /// All folders and albums, in the sidebar's order (parents may come after children). No members are read for it.
  var albums: [Album] { get }

  /// The members of an album in the library's order; no trashed ones, hidden ones only when asked at opening.
  /// - Throws: when the listing cannot be read whole. A part of it is never returned.
  func members(of album: AlbumID) throws(LibraryError) -> [Asset]

  /// At most `limit` assets of the main view with numbers greater than `number`, ascending. Fewer only at the end.
  func assets(after number: Int64, limit: Int) throws(LibraryError) -> [Asset]

  /// An asset that some listing showed; `nil` when it is not in the library.
  func asset(number: Int64) throws(LibraryError) -> Asset?

  /// Opens a file of an asset for reading.
  /// - Throws: `LibraryError.notHere` when the file is not there or may not be opened.
  func open(_ rendition: Rendition) throws(LibraryError) -> Descriptor

  /// What stat says of the file that `open` would open.
  /// - Throws: `LibraryError.notHere` when the file is not there or may not be opened.
  func status(of rendition: Rendition) throws(LibraryError) -> FileStatus
}
