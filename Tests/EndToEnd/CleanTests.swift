import LibraryMaker
import Testing

extension EndToEndTests {
  /// `foldicfs clean`, and what an ordinary user may do at the top of the mount.
  @Suite(.enabled(if: Requirement.hasDrives, Requirement.driveText)) struct CleanTests {
    /// The first bytes of every sidecar, and no entries.
    private static let sidecar: [UInt8] =
      [0x00, 0x05, 0x16, 0x07, 0x00, 0x02, 0x00, 0x00] + Array("Mac OS X        ".utf8) + [0x00, 0x00]

    @Test(arguments: LoopDrive.FileSystem.allCases)
    func orphansAreListedAndThenMovedToTheTrash(fileSystem: LoopDrive.FileSystem) throws {
      try LoopDrive.with(fileSystem) { drive in
        try ToolRun.check(BuiltBinary.path, "init", drive.path)
        try ToolRun.check("mkdir", drive.path + "/d")
        try FileContents.write("photo", to: drive.path + "/d/kept.jpg")
        for name in ["d/._kept.jpg", "d/._gone.jpg"] {
          try FileContents.write(Self.sidecar, to: drive.path + "/" + name)
        }
        let before = try TreeDigest(of: drive.path)
        let told = try ToolRun.check(BuiltBinary.path, "clean", drive.path)
        #expect(told.output.hasPrefix("d/._gone.jpg\tsidecar without a file\t26\n1 sidecar of 26 bytes"))
        #expect(try TreeDigest(of: drive.path) == before)
        #expect(try ToolRun.check(BuiltBinary.path, "clean", drive.path, "--apply").output.contains("1 sidecar of 26"))
        #expect(try FolderListing.names(drive.path + "/d").sorted() == ["._kept.jpg", "kept.jpg"])
        #expect(try ToolRun.check(BuiltBinary.path, "trash", "list", drive.path).output.hasSuffix("\td/._gone.jpg\n"))
        #expect(try ToolRun.check(BuiltBinary.path, "clean", drive.path).output.hasPrefix("0 sidecars of 0 bytes"))
      }
    }

    /// As somebody to whom a folder is closed, and with a `/dev/fuse` of his own where the machine's is closed to users.
    private static let script = """
      set -uo pipefail
      place=$1 binary=$1/foldicfs mountpoint=$1/mount
      user() { setpriv --reuid=65534 --regid=65534 --clear-groups -- env HOME="$place/home" "$@"; }
      if ! user test -w /dev/fuse; then
        mkdir -m 700 "$place/private"
        mknod -m 600 "$place/private/fuse" c 10 229
        chown 65534:65534 "$place/private/fuse"
        mount --bind "$place/private/fuse" /dev/fuse
      fi
      user "$binary" init "$place/drive" > /dev/null
      user cp "$place/sidecar" "$place/drive/._gone"
      mkdir -m 700 "$place/drive/closed"
      user "$binary" clean "$place/drive"; echo "listed $?"
      user "$binary" clean "$place/drive" --apply; echo "applied $?"
      rmdir "$place/drive/closed"
      user "$binary" "$place/S.photoslibrary" "$mountpoint" -o "backup=$place/drive"
      user mkdir "$mountpoint/.Trash-65534"; echo "made $?"
      user "$binary" unmount "$mountpoint"
      """

    // Promise 4: a listing that failed in part proves nothing.
    @Test(.enabled(if: Requirement.canBecomeAUser, "needs root, setpriv and unshare, to become somebody else"))
    func afterAnIncompleteListingNothingIsMoved() throws {
      try withTemporaryFolder { folder in
        try ToolRun.check("cp", BuiltBinary.path, folder + "/foldicfs")
        let manifest = try LibraryMaker.write(.sample, to: folder + "/S.photoslibrary")
        try FileContents.write(Self.sidecar, to: folder + "/sidecar")
        try ToolRun.check("mkdir", folder + "/mount", folder + "/drive", folder + "/home")
        try ToolRun.check("chown", "65534:65534", folder + "/mount", folder + "/drive", folder + "/home")
        let fixture = MountFixture(library: manifest.path, at: folder + "/mount", options: [])
        defer { fixture.clear() }
        let result = try ToolRun.run(
          "unshare", "--mount", "--propagation", "private", "bash", "-c", Self.script, "bash", folder)
        let lines = result.output.split(separator: "\n")
        #expect(lines.first == "._gone\tsidecar without a file\t26", "\(result)")
        #expect(lines.suffix(3) == ["listed 3", "applied 3", "made 0"], "\(result)")
        #expect(result.errors.contains("cannot read closed: "), "\(result)")
        #expect(FileContents.exists(folder + "/drive/._gone"))
        #expect(FileContents.exists(folder + "/drive/.Trash-65534/info"))
        #expect(waitUntil(seconds: 30) { BuiltBinary.daemons(of: fixture.path).isEmpty })
      }
    }
  }
}
