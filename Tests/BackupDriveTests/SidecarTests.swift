import Platform
import Testing

@testable import BackupDrive

@Suite("Sidecar: which file is one, and whose")
struct SidecarTests {
  private let header: [UInt8] = [0, 5, 0x16, 7, 0, 2, 0, 0] + [UInt8](repeating: 0, count: 18)

  // cryptomator 1487: rsync's temporary name for `_Testfile.txt`.
  @Test func aTemporaryFileOfRsyncIsNone() {
    #expect(!Sidecar.isSidecar(name: "._Testfile.txt.ZRpOGK", bytes: [UInt8](repeating: 0x41, count: 4096)))
    #expect(!Sidecar.isSidecar(name: "._Testfile.txt.ZRpOGK", bytes: []))
  }

  @Test func nameAndMagicTogetherMakeOne() {
    #expect(Sidecar.isSidecar(name: "._a.jpg", bytes: header))
    #expect(!Sidecar.isSidecar(name: "a.jpg", bytes: header))
    #expect(!Sidecar.isSidecar(name: "._", bytes: header))
    #expect(!Sidecar.isSidecar(name: ".._a.jpg.XXXXXX", bytes: header))
    #expect(!Sidecar.isSidecar(name: "._a.jpg", bytes: header.dropLast()))
  }

  @Test func namesAreBoundBothWays() {
    #expect(Sidecar.name(for: "a.jpg") == FileName("._a.jpg"))
    #expect(Sidecar.name(for: ".DS_Store") == FileName("._.DS_Store"))
    #expect(Sidecar.name(for: "__init__.py") == FileName(".___init__.py"))
    #expect(Sidecar.name(for: "._") == FileName("._._"))
    #expect(Sidecar.name(for: "._a.jpg") == nil)
    #expect(Sidecar.owner(of: "._a.jpg") == FileName("a.jpg"))
    #expect(Sidecar.owner(of: "._.") == nil)
    #expect(Sidecar.owner(of: "a.jpg") == nil)
  }

  @Test func aFolderOrALinkOfThatNameIsNone() throws {
    let scratch = try ScratchFolder()
    try scratch.write("target", header)
    let folder = try scratch.open()
    try folder.makeDirectory("._folder")
    try scratch.write("._real", header)
    #expect(try Sidecar.isSidecar("._real", in: folder))
    #expect(try !Sidecar.isSidecar("._folder", in: folder))
    #expect(try !Sidecar.isSidecar("target", in: folder))
  }

  @Test func anEmptyFileIsASidecarWithoutContent() throws {
    let scratch = try ScratchFolder()
    try scratch.write("._a", [])
    try scratch.write("._b", AppleDoubleTests.labelled().serialised())
    try scratch.write("._c", [1, 2, 3])
    let folder = try scratch.open()
    #expect(try AppleDouble(reading: folder.open("._a")).isEmpty)
    #expect(try AppleDouble(reading: folder.open("._b")) == AppleDoubleTests.labelled())
    #expect(throws: AppleDoubleError.notAppleDouble) { try AppleDouble(reading: folder.open("._c")) }
    try folder.open("._c", .write).truncate(to: Int64(AppleDouble.maximumSize) + 1)
    #expect(throws: AppleDoubleError.tooLarge) { try AppleDouble(reading: folder.open("._c")) }
  }
}
