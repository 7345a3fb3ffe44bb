import Fuse
import Testing

@Suite("The words of a mount command")
struct ArgumentScannerTests {
  @Test("lists of options may be split, repeated and hold escaped commas")
  func lists() {
    let words = ArgumentScanner.scan(["-o", "ro,uid=5", "lib", "-obackup=/a\\,b", "mnt", "-f"])
    #expect(
      words == [
        .option(name: "ro", value: nil), .option(name: "uid", value: "5"), .operand("lib"),
        .option(name: "backup", value: "/a,b"), .operand("mnt"), .flag("-f"),
      ])
  }

  @Test("words behind -- are operands")
  func dashes() {
    #expect(ArgumentScanner.scan(["--", "-f", "-o"]) == [.operand("-f"), .operand("-o")])
  }

  @Test("-o without a list makes no sense")
  func missing() { #expect(ArgumentScanner.scan(["lib", "mnt", "-o"]) == nil) }
}
