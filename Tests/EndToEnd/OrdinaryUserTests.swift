import LibraryMaker
import Testing

extension EndToEndTests {
  /// The program needs no rights that an ordinary user does not have.
  @Suite(.enabled(if: Requirement.canMount, Requirement.mountText)) struct OrdinaryUserTests {
    /// Everything happens in a mount namespace of its own. Where the machine's `/dev/fuse` is closed to users (a container
    /// without udev), a node that only this user may open takes its place there, and nowhere else.
    private static let script = """
      set -euo pipefail
      place=$1 binary=$1/foldicfs mountpoint=$1/mount
      user() { setpriv --reuid=65534 --regid=65534 --clear-groups -- env HOME="$place/home" "$@"; }
      if ! user test -w /dev/fuse; then
        mkdir -m 700 "$place/private"
        mknod -m 600 "$place/private/fuse" c 10 229
        chown 65534:65534 "$place/private/fuse"
        mount --bind "$place/private/fuse" /dev/fuse
      fi
      user "$binary" init "$place/drive" > "$place/said"
      user "$binary" "$place/S.photoslibrary" "$mountpoint" -o "backup=$place/drive"
      user cp -r "$mountpoint/Albums/Family" "$mountpoint/Backup/"
      user diff -r "$mountpoint/Albums/Family" "$mountpoint/Backup/Family"
      user stat -c %u:%g "$mountpoint/Albums"
      # Others, root too, are kept out unless they were let in.
      if ls "$mountpoint/Albums" 2>/dev/null; then echo "root came in"; fi
      user "$binary" unmount "$mountpoint"
      """

    @Test(.enabled(if: Requirement.canBecomeAUser, "needs root, setpriv and unshare, to become somebody else"))
    func anOrdinaryUserMountsCopiesAndUnmounts() throws {
      try withTemporaryFolder { folder in
        // The build folder may be closed to others.
        try ToolRun.check("cp", BuiltBinary.path, folder + "/foldicfs")
        let manifest = try LibraryMaker.write(.sample, to: folder + "/S.photoslibrary")
        try ToolRun.check("mkdir", folder + "/mount", folder + "/drive", folder + "/home")
        try ToolRun.check("chown", "65534:65534", folder + "/mount", folder + "/drive", folder + "/home")
        let fixture = MountFixture(library: manifest.path, at: folder + "/mount", options: [])
        defer { fixture.clear() }
        let result = try ToolRun.run(
          "unshare", "--mount", "--propagation", "private", "bash", "-c", Self.script, "bash", folder)
        #expect(result.code == 0 && result.errors.isEmpty && result.output == "65534:65534\n", "\(result)")
        #expect(waitUntil(seconds: 30) { BuiltBinary.daemons(of: fixture.path).isEmpty })
        #expect(try FolderListing.files(below: folder + "/drive/Family").count >= 4)
      }
    }

    @Test func ownersAndModesAreWhatWasAskedFor() throws {
      try MountFixture.with(.sample, options: ["uid=1234", "gid=2345", "umask=027"]) { (mount, _) throws in
        let result = try ToolRun.check(
          "stat", "-c", "%u:%g %a", mount.path + "/Albums", mount.path + "/Albums/Family/IMG_0002.JPG")
        #expect(result.output == "1234:2345 550\n1234:2345 440\n")
      }
    }
  }
}
