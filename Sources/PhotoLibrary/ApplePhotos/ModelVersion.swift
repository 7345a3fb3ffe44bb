#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The number of the data model with which Photos wrote the database (`PLModelVersion`); for messages and for one rule
/// about paths. Everything else is asked of the schema itself.
struct ModelVersion: Hashable, Sendable {
  let number: Int

  private struct Metadata: Decodable {
    let PLModelVersion: Int
  }

  /// Reads the property list in `Z_METADATA.Z_PLIST`; `nil` when it holds no version.
  init?(propertyList: [UInt8]) {
    guard let metadata = try? PropertyListDecoder().decode(Metadata.self, from: Data(propertyList)) else { return nil }
    number = metadata.PLModelVersion
  }

  init(number: Int) { self.number = number }

  /// Photos 5 (13000) to Photos 11 (19999): the models whose form was seen.
  var isKnown: Bool { (13_000...19_999).contains(number) }

  /// Shared albums moved to `scopes/` with Photos 8.
  var keepsSharedAlbumsInScopes: Bool { number >= 16_000 }
}
