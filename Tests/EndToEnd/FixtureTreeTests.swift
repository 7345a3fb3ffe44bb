import Platform
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension EndToEndTests {
  /// Real libraries, mounted, against what an independent reader says they hold.
  @Suite(
    .enabled(if: Requirement.canMount, Requirement.mountText),
    .enabled(if: BuiltBinary.hasFixtures, Requirement.fixturesText))
  struct FixtureTreeTests {
    /// Libraries of Photos 5 and later.
    static let libraries = [
      "Test-10.15.7", "Test-13.0.0", "Test-15.4.1", "Test-Cloud-10.15.6", "Test-RAW-10.15.1", "Test-Shared-10.15.1",
    ]

    @Test(arguments: libraries) func theMountedTreeIsWhatTheOracleSays(name: String) throws {
      let oracle = try Oracle.read(BuiltBinary.fixtures + "/\(name).oracle.json")
      try withUnchanged(name) { library in
        try MountFixture.with(library: library) { (mount) throws in
          let assets = Dictionary(uniqueKeysWithValues: oracle.assets.map { ($0.uuid, $0) })
          let main = oracle.assets.filter { $0.isInMainView }
          let all = try MountedFolder(mount.path + "/All Photos")
          #expect(Set(all.uuids) == Set(main.map(\.uuid)))
          for asset in main { try expectFiles(of: asset, in: all, library) }

          let favourites = try MountedFolder(mount.path + "/Favorites")
          #expect(Set(favourites.uuids) == Set(main.filter(\.favorite).map(\.uuid)))
          let years = try MountedFolder.allBelow(mount.path + "/Years")
          #expect(Set(years.flatMap(\.uuids)) == Set(main.map(\.uuid)))

          try expectAlbums(oracle.albums, below: mount.path + "/Albums", assets)
          try expectAlbums(oracle.sharedAlbums, below: mount.path + "/Shared Albums", assets)
          for folder in try MountedFolder.allBelow(mount.path + "/Shared Albums") {
            for uuid in folder.uuids {
              if let asset = assets[uuid] { try expectFiles(of: asset, in: folder, library) }
            }
          }
        }
      }
    }

    @Test(.enabled(if: Requirement.isRoot, Requirement.rootText), arguments: libraries)
    func aReadOnlyDiskShowsTheSame(name: String) throws {
      let oracle = try Oracle.read(BuiltBinary.fixtures + "/\(name).oracle.json")
      try withTemporaryFolder { folder in
        let disk = folder + "/disk"
        try ToolRun.check("cp", "-a", "--no-preserve=ownership", BuiltBinary.fixtures + "/\(name).photoslibrary", disk)
        let before = try TreeDigest(of: disk)
        try ToolRun.check("mount", "--bind", disk, disk)
        defer { _ = try? ToolRun.run("umount", disk) }
        try ToolRun.check("mount", "-o", "remount,bind,ro", disk)
        try MountFixture.with(library: disk) { (mount) throws in
          let all = try MountedFolder(mount.path + "/All Photos")
          #expect(Set(all.uuids) == Set(oracle.assets.filter { $0.isInMainView }.map(\.uuid)))
        }
        #expect(try TreeDigest(of: disk).difference(from: before) == [])
      }
    }

    @Test func theMadeUpLibraryIsReadAsExpected() throws {
      let expected = try EdgeExpectation.read(BuiltBinary.fixtures + "/Edge-13.expected.json")
      try withUnchanged("Edge-13") { library in
        try MountFixture.with(library: library) { (mount) throws in
          let visible = expected.assets.filter { $0.trashed == 0 && $0.hidden == 0 && $0.visibility == 0 }
          let all = try MountedFolder(mount.path + "/All Photos")
          #expect(Set(all.uuids) == Set(visible.map(\.uuid)))
          for asset in visible {
            let files = all.files(of: asset.uuid)
            if asset.openable, let path = asset.path {
              let isThere = try files.contains {
                try FileContents.openError($0) == 0 && FileContents.areEqual($0, library + "/" + path)
              }
              #expect(isThere, "\(asset.odd)")
            } else if let path = asset.path, FileContents.isRegular(library + "/" + path) {
              continue  // A copy of the sample that lost its symbolic link.
            } else {
              #expect(!files.isEmpty && files.allSatisfy { FileContents.openError($0) == ENODATA }, "\(asset.odd)")
            }
          }
          let shown = Set(visible.map(\.uuid))
          // Every album is somewhere, also those whose folder is trashed, missing or its own parent.
          let albums = expected.albums.filter { $0.kind == 2 && $0.trashed == 0 }
          let members = albums.map { $0.memberIDs.filter(shown.contains).sorted() }.filter { !$0.isEmpty }
          let folders = try MountedFolder.allBelow(mount.path + "/Albums").map { $0.uuids.sorted() }
          #expect(sorted(folders.filter { !$0.isEmpty }) == sorted(members))
          let everything = try #require(albums.first { $0.title == "Everything" })
          let order = try MountedFolder(mount.path + "/Albums/Everything").uuids
          #expect(order == everything.memberIDs.filter(shown.contains))
          let titles = try FolderListing.names(mount.path + "/Albums")
          #expect(Set(titles.map(PortableName.collisionKey)).count == titles.count)
          for title in [
            "Everything", "Newest first", "Empty", "Orphan", "In a trashed folder", "Cycle A", "Cycle B", "Dangling",
          ] {
            #expect(titles.contains(title), "\(title) in \(titles)")
          }
        }
      }
    }

    /// The fixture itself is mounted, since reading it must not change it.
    private func withUnchanged(_ name: String, _ body: (String) throws -> Void) throws {
      let library = BuiltBinary.fixtures + "/\(name).photoslibrary"
      let before = try TreeDigest(of: library)
      let result = Result { try body(library) }
      let after = try TreeDigest(of: library)
      #expect(after.difference(from: before) == [])
      try result.get()
    }

    /// Each file that the oracle has is in the folder byte for byte, and nothing else that opens.
    private func expectFiles(of asset: OracleAsset, in folder: MountedFolder, _ library: String) throws {
      let files = folder.files(of: asset.uuid)
      let readable = files.filter { FileContents.openError($0) == 0 }
      #expect(files.allSatisfy { [0, ENODATA].contains(FileContents.openError($0)) }, "\(asset.uuid)")
      // A referenced original is outside the bundle, and no root was allowed.
      let expected = asset.paths.filter { !$0.hasPrefix("/") && FileContents.exists(library + "/" + $0) }
      for path in expected {
        let isThere = try readable.contains { try FileContents.areEqual($0, library + "/" + path) }
        #expect(isThere, "\(path)")
      }
      // The oracle goes by the record of what is local, which lags the disk: files that carry the asset's id are its own.
      let own = try FolderListing.files(below: library).filter { $0.contains(asset.uuid) }
      for file in readable {
        let isKnown = try (expected + own).contains { try FileContents.areEqual(file, library + "/" + $0) }
        #expect(isKnown, "\(file) is no file of the asset")
      }
      #expect(!files.isEmpty, "\(asset.uuid) is not listed")
    }

    /// Same titles, same places, same members in the same order. Albums with one title in one folder may change places.
    private func expectAlbums(_ albums: [OracleAlbum], below top: String, _ assets: [String: OracleAsset]) throws {
      if albums.isEmpty, !FileContents.exists(top) { return }
      let groups = Dictionary(grouping: albums) { $0.folders + [$0.title] }
      for (path, group) in groups {
        let folder = path.dropLast().reduce(top) { $0 + "/" + PortableName.portable($1) }
        let name = PortableName.portable(path[path.count - 1])
        let candidates = try FolderListing.names(folder).filter {
          $0 == name || $0.hasPrefix(PortableName.split(name).stem + "~")
        }
        #expect(candidates.count >= group.count, "\(path)")
        let found = try candidates.map { try MountedFolder("\(folder)/\($0)").uuids }.filter { !$0.isEmpty }
        let expected = group.map { $0.members.filter { assets[$0]?.hidden == false } }.filter { !$0.isEmpty }
        #expect(sorted(found) == sorted(expected), "\(path)")
      }
      let withMembers = albums.filter { $0.members.contains { assets[$0]?.hidden == false } }
      let mounted = try MountedFolder.allBelow(top).filter { !$0.uuids.isEmpty }
      #expect(mounted.count == withMembers.count)
    }

    private func sorted(_ lists: [[String]]) -> [[String]] { lists.sorted { $0.joined() < $1.joined() } }
  }
}
