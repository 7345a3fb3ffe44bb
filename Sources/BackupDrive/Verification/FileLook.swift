import Platform

/// One file read through, and compared with its row.
enum FileLook {
  /// What was seen. The entry is what should be in the catalog from now on; it is the row itself when nothing is to be
  /// written.
  enum Result {
    case intact(CatalogEntry)
    case new(CatalogEntry)
    case changed(CatalogEntry)
    case damaged(CatalogEntry)
    /// Not there any more.
    case gone
    /// Written while it was read.
    case busy
    case unreadable(Errno)
    case cancelled
  }

  /// Reads the file `name` in `folder`. `goOn` is asked before each chunk of 1 MiB and told at the end of the chunk how
  /// many bytes were read.
  static func look(
    _ path: RelativePath, _ name: FileName, in folder: borrowing Descriptor, row: CatalogEntry?,
    chunk: (Int) -> Bool
  ) -> Result {
    do throws(Errno) {
      let file = try folder.open(name, [.read, .nonBlocking])
      let before = try file.status()
      guard before.kind == .file else { return .gone }
      file.dropCache()
      file.expectSequentialReads()
      guard let hash = try hash(of: file, chunk) else { return .cancelled }
      // What was read once is not needed again, and must not push out what others need.
      file.dropCache()
      let after = try file.status()
      guard before.size == after.size, before.modified == after.modified else { return .busy }
      return compare(path, hash, after, row)
    } catch {
      return error == .noSuchFile ? .gone : .unreadable(error)
    }
  }

  private static func hash(of file: borrowing Descriptor, _ chunk: (Int) -> Bool) throws(Errno) -> ContentHash? {
    let hasher = try ContentHasher()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    var count = 0
    repeat {
      guard chunk(count) else { return nil }
      count = try file.read(into: buffer, at: offset)
      hasher.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += Int64(count)
    } while count > 0
    return hasher.value
  }

  private static func compare(
    _ path: RelativePath, _ hash: ContentHash, _ status: FileStatus, _ row: CatalogEntry?
  ) -> Result {
    var entry = CatalogEntry(path: path, asset: row?.asset, size: status.size, modified: status.modified, hash: hash)
    guard let row, let known = row.hash else { return .new(entry) }
    if known == hash {
      entry.recorded = row.recorded
      return .intact(entry)
    }
    // The asset's copy is not what lies here any more.
    if !row.looksLike(status) {
      entry.asset = nil
      return .changed(entry)
    }
    return .damaged(entry)
  }
}
