import Platform

/// The catalog's rows in the order of their paths, a page at a time.
struct RowCursor {
  private let catalog: Catalog
  private var page: ArraySlice<CatalogEntry> = []
  private var after: RelativePath?
  private var isAtEnd = false

  private static let size = 500

  init(_ catalog: Catalog, after: RelativePath?) {
    self.catalog = catalog
    self.after = after
  }

  /// The next row, which stays the next; `nil` at the end.
  mutating func peek() throws(CatalogError) -> CatalogEntry? {
    if page.isEmpty, !isAtEnd {
      page = try catalog.entries(after: after, limit: Self.size)[...]
      isAtEnd = page.count < Self.size
      after = page.last?.path ?? after
    }
    return page.first
  }

  /// Goes past the next row.
  mutating func advance() { page = page.dropFirst() }
}
