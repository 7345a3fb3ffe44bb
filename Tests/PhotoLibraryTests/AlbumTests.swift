import Platform
import Testing

@testable import PhotoLibrary

@Suite("Albums")
struct AlbumTests {
  private let folder: TemporaryFolder
  private let library: SmallLibrary

  init() throws {
    folder = try TemporaryFolder()
    library = try SmallLibrary(in: folder)
  }

  private func numbers(_ title: String) throws -> [Int64] {
    let snapshot = try library.open().snapshot
    return try snapshot.members(of: #require(snapshot.album(titled: title)).id).map(\.number)
  }

  @Test("are read without a look at the members")
  func withoutMembers() throws {
    try library.addAlbum(2, "Japan")
    // The tables of members and assets hold nothing that could be read as such: any query on them fails.
    try library.run(
      "DROP TABLE Z_30ASSETS", "DROP TABLE ZINTERNALRESOURCE", "DROP TABLE ZADDITIONALASSETATTRIBUTES")
    let opened = try library.open()
    #expect(opened.snapshot.albums.map(\.title) == ["Japan"])
    #expect(opened.warnings.count == 1)
    // osxphotos 2165: an album whose members cannot be found is no empty album.
    #expect(throws: LibraryError.self) { try opened.snapshot.members(of: AlbumID("ALBUM-2")) }
  }

  @Test("keep the manual order, members without a place first")
  func manualOrder() throws {
    try library.addAlbum(2, "A")
    for (asset, order) in [(1, 3072), (2, 1024), (3, nil), (4, 2048), (5, 2048)] as [(Int, Int?)] {
      try library.addAsset(asset)
      try library.addMember(asset, to: 2, order: order)
    }
    #expect(try numbers("A") == [3, 2, 4, 5, 1])
  }

  @Test("are sorted by date in both directions, ties by the manual order")
  func dateOrder() throws {
    try library.addAlbum(2, "Up", sort: (1, 1))
    try library.addAlbum(3, "Down", sort: (1, 0))
    for (asset, date) in [(1, "30"), (2, "10"), (3, "10"), (4, "20.5")] {
      try library.addAsset(asset, columns: "ZDATECREATED", values: date)
      for album in [2, 3] { try library.addMember(asset, to: album, order: 10 - asset) }
    }
    #expect(try numbers("Up") == [3, 2, 4, 1])
    #expect(try numbers("Down") == [1, 4, 3, 2])
  }

  @Test("are sorted by title")
  func titleOrder() throws {
    try library.addAlbum(2, "A", sort: (5, 1))
    for (asset, title) in [(1, "'b'"), (2, "NULL"), (3, "'a'")] {
      try library.addAsset(asset)
      try library.run("UPDATE ZADDITIONALASSETATTRIBUTES SET ZTITLE = \(title) WHERE ZASSET = \(asset)")
      try library.addMember(asset, to: 2, order: asset)
    }
    #expect(try numbers("A") == [2, 3, 1])
  }

  @Test("leave out trashed members, rows that point nowhere and unpicked frames of a burst")
  func leftOut() throws {
    try library.addAlbum(2, "A")
    for asset in 1...4 {
      try library.addAsset(asset)
      try library.addMember(asset, to: 2, order: asset)
    }
    try library.addMember(99, to: 2, order: 5)
    try library.run(
      "UPDATE ZASSET SET ZTRASHEDSTATE = 1 WHERE Z_PK = 1", "UPDATE ZASSET SET ZHIDDEN = 1 WHERE Z_PK = 2",
      // osxphotos 401 and 407.
      "UPDATE ZASSET SET ZVISIBILITYSTATE = 2 WHERE Z_PK = 3")
    #expect(try numbers("A") == [4])
    let all = try library.open(LibraryOptions(includeHidden: true)).snapshot
    #expect(try all.members(of: AlbumID("ALBUM-2")).map(\.number) == [2, 4])
    #expect(try all.mainView().map(\.number) == [2, 4])
    #expect(try library.open().snapshot.mainView().map(\.number) == [4])
    #expect(try all.asset(number: 1) == nil)
    #expect(try library.open().snapshot.asset(number: 2) == nil)
  }

  @Test("come to the top when their folders are lost, trashed or in a circle")
  func parents() throws {
    try library.addAlbum(2, "Ring A", kind: 4000, parent: 4)
    try library.addAlbum(3, "Ring B", kind: 4000, parent: 2)
    try library.addAlbum(4, "Ring C", kind: 4000, parent: 3)
    try library.addAlbum(5, "Self", kind: 4000, parent: 5)
    try library.addAlbum(6, "In the ring", parent: 3)
    try library.addAlbum(7, "Below an album", parent: 6)
    try library.addAlbum(8, "Nowhere", parent: 99)
    try library.addAlbum(9, "Trash", kind: 4000)
    try library.addAlbum(10, "In the trash", parent: 9)
    try library.addAlbum(11, "Leads to the ring", kind: 4000, parent: 4)
    try library.run("UPDATE ZGENERICALBUM SET ZTRASHEDSTATE = 1 WHERE Z_PK = 9")
    let albums = try library.open().snapshot.albums
    let parents = Dictionary(uniqueKeysWithValues: albums.map { ($0.title ?? "", $0.parent?.text) })
    #expect(
      parents == [
        "Ring A": nil, "Ring B": nil, "Ring C": nil, "Self": nil, "In the ring": "ALBUM-3", "Below an album": nil,
        "Nowhere": nil, "In the trash": nil, "Leads to the ring": "ALBUM-4",
      ])
  }

  @Test("have identities of their own where the recorded ones are missing or repeated")
  func identities() throws {
    for key in 2...5 {
      try library.addAlbum(key, "Album \(key)")
      try library.addAsset(key)
      try library.addMember(key, to: key, order: 1)
    }
    try library.run(
      "UPDATE ZGENERICALBUM SET ZUUID = 'ALBUM-2' WHERE Z_PK = 3",
      "UPDATE ZGENERICALBUM SET ZUUID = NULL WHERE Z_PK > 3")
    for key in 2...5 { #expect(try numbers("Album \(key)") == [Int64(key)]) }
  }

  @Test("of which nothing is known are refused")
  func unknown() throws {
    let snapshot = try library.open().snapshot
    let error = try #require(throws: LibraryError.self) { try snapshot.members(of: AlbumID("NO")) }
    #expect(error.errno == .noSuchFile)
  }

  @Test("that are shared show members which the main view does not, in both forms that Photos has had")
  func shared() throws {
    try library.addAlbum(2, "Family", kind: 1505, parent: nil)
    try library.run(
      "CREATE TABLE ZSHARE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZUUID VARCHAR, ZTITLE VARCHAR, ZTRASHEDSTATE INTEGER)",
      "INSERT INTO Z_PRIMARYKEY VALUES (62, 'CollectionShare')",
      "INSERT INTO ZSHARE VALUES (1, 62, 'SHARE-1', 'Friends', 0), (2, 61, 'OTHER', 'A link', 0), "
        + "(3, 62, 'ALBUM-2', 'Family', 0), (4, 62, 'GONE', 'Trashed', 1)")
    for asset in 1...4 {
      try library.addAsset(asset, columns: "ZCLOUDBATCHPUBLISHDATE, ZSAVEDASSETTYPE", values: "\(10 - asset), 4")
    }
    try library.addMember(1, to: 2, order: 1)
    try library.run(
      "UPDATE ZASSET SET ZVISIBILITYSTATE = 2", "UPDATE ZASSET SET ZCOLLECTIONSHARE = 1 WHERE Z_PK IN (2, 3)",
      "UPDATE ZASSET SET ZCOLLECTIONSHARE = 3 WHERE Z_PK IN (1, 4)")
    let snapshot = try library.open().snapshot
    #expect(snapshot.albums.map(\.title) == ["Family", "Friends"])
    #expect(snapshot.albums.allSatisfy { $0.kind == .sharedAlbum && $0.parent == nil })
    #expect(try numbers("Family") == [1, 4])
    #expect(try numbers("Friends") == [3, 2])
    #expect(try snapshot.mainView() == [])
  }

  @Test("list thousands of members whole and each once")
  func many() throws {
    try library.addAlbum(2, "Big")
    try library.run(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2345)
      INSERT INTO ZASSET (Z_PK, ZUUID, ZKIND, ZTRASHEDSTATE, ZHIDDEN, ZVISIBILITYSTATE) SELECT i, 'U' || i, 0, 0, 0, 0 FROM n
      """, "INSERT INTO Z_30ASSETS SELECT 2, Z_PK, 9999 - Z_PK FROM ZASSET",
      "INSERT INTO ZINTERNALRESOURCE SELECT NULL, Z_PK, 0, 1, 0, Z_PK * 10, -1, 1 FROM ZASSET")
    let snapshot = try library.open().snapshot
    let members = try snapshot.members(of: AlbumID("ALBUM-2"))
    #expect(members.map(\.number) == (1...2345).reversed().map(Int64.init))
    #expect(members.allSatisfy { $0.renditions.first?.recordedSize == $0.number * 10 })
    #expect(members.allSatisfy { $0.renditions.first?.availability == .cloudOnly })
    #expect(try snapshot.mainView(page: 100).map(\.number) == (1...2345).map(Int64.init))
  }
}
