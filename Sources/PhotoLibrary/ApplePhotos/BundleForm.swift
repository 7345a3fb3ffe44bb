import Platform

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What kind of Apple's photo libraries a folder is, told by its files; the folder's name proves nothing.
enum BundleForm: Hashable {
  /// Photos 5 and later: `database/Photos.sqlite`.
  case photos5
  /// Photos 2 to 4: only `database/photos.db`. The name is for people.
  case older(String)
  /// iPhoto, Aperture or Photos 1.
  case iPhoto
  /// Looks like a library of Photos 5 or later, but its database is not there.
  case withoutDatabase
  /// Nothing of Apple's.
  case unknown

  /// Looks at the names in the folder; opens one small property list at most.
  static func recognise(_ folder: LibraryFolder) -> BundleForm {
    func has(_ path: String) -> Bool {
      guard let path = RelativePath(path) else { return false }
      return (try? folder.root.open(beneath: path, .statusOnly)) != nil
    }
    if has("database/Photos.sqlite") { return .photos5 }
    if has("AlbumData.xml") || has("Database/apdb/Library.apdb") || has("database/apdb/Library.apdb")
      || has("Library6.iPhoto") || has("ApertureData.xml")
    {
      return .iPhoto
    }
    let schema = librarySchemaVersion(of: folder)
    if has("database/photos.db"), schema ?? 0 < 5000 { return .older(olderName(schema)) }
    // An old bundle of Photos holds `database` and `originals`; an empty folder of that name is nothing.
    if schema != nil || (has("database") && (has("originals") || has("resources"))) { return .withoutDatabase }
    return .unknown
  }

  private struct DataModel: Decodable {
    let LibrarySchemaVersion: Int
  }

  private static func librarySchemaVersion(of folder: LibraryFolder) -> Int? {
    guard let path = RelativePath("database/DataModelVersion.plist"), folder.hasFile(path),
      let file = try? folder.root.open(beneath: path, [.read, .nonBlocking]),
      let bytes = try? file.read(count: 64 << 10, at: 0)
    else { return nil }
    return (try? PropertyListDecoder().decode(DataModel.self, from: Data(bytes)))?.LibrarySchemaVersion
  }

  /// `LibrarySchemaVersion` 2622 is Photos 2, 3301 Photos 3, 4016 and 4025 Photos 4.
  private static func olderName(_ schema: Int?) -> String {
    switch schema {
    case .some(2000..<3000): "Photos 2 (macOS 10.12)"
    case .some(3000..<4000): "Photos 3 (macOS 10.13)"
    case .some(4000..<5000): "Photos 4 (macOS 10.14)"
    default: "Photos 2, 3 or 4 (macOS 10.12 to 10.14)"
    }
  }
}
