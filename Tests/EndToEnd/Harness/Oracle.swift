import Foundation

/// What an independent reader says a real library holds; the format is described beside the files.
struct Oracle: Decodable {
  let albums: [OracleAlbum]
  let sharedAlbums: [OracleAlbum]
  let assets: [OracleAsset]

  static func read(_ path: String) throws -> Oracle {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Oracle.self, from: Data(try FileContents.read(path)))
  }
}

struct OracleAlbum: Decodable {
  let title: String
  let folders: [String]
  let members: [String]
}

struct OracleAsset: Decodable {
  let uuid: String
  let path: String?
  let pathLive: String?
  let pathLiveEdited: String?
  let pathRaw: String?
  let pathEdited: String?
  let favorite: Bool
  let hidden: Bool
  let trashed: Bool
  let shared: Bool

  /// Every file of it that is on the disk.
  var paths: [String] { [path, pathLive, pathLiveEdited, pathRaw, pathEdited].compactMap { $0 } }

  var isInMainView: Bool { !hidden && !trashed && !shared }
}

/// The truth about the made-up library of awkward rows.
struct EdgeExpectation: Decodable {
  struct Asset: Decodable {
    let uuid: String
    let path: String?
    let hidden: Int
    let trashed: Int
    let visibility: Int
    let odd: String
    let openable: Bool
  }

  struct Album: Decodable {
    /// A member, or the number of a row that points nowhere.
    enum Member: Decodable {
      case asset(String)
      case dangling(Int)

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let uuid = try? container.decode(String.self) {
          self = .asset(uuid)
        } else {
          self = .dangling(try container.decode(Int.self))
        }
      }
    }

    let title: String?
    let kind: Int
    let trashed: Int
    let members: [Member]

    var memberIDs: [String] {
      members.compactMap { if case .asset(let uuid) = $0 { uuid } else { nil } }
    }
  }

  let assets: [Asset]
  let albums: [Album]

  static func read(_ path: String) throws -> EdgeExpectation {
    try JSONDecoder().decode(EdgeExpectation.self, from: Data(try FileContents.read(path)))
  }
}
