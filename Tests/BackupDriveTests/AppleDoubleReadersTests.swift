import Foundation
import Platform
import Testing

@testable import BackupDrive

@Suite("AppleDouble: independent readers agree")
struct AppleDoubleReadersTests {
  private func sample() throws -> AppleDouble {
    var sidecar = try AppleDoubleTests.labelled()
    try sidecar.set("com.apple.quarantine".bytes, to: "0083;5f;Safari;".bytes)
    try sidecar.set("big".bytes, to: (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    try sidecar.set("empty".bytes, to: [])
    return sidecar
  }

  @Test(
    .enabled(
      if: ExternalTool.isInstalled("lsar") && ExternalTool.isInstalled("zip"), "lsar (unar) and zip are not installed"),
    arguments: [AppleDouble.Form.kernel, .compact])
  func lsarReadsTheSame(form: AppleDouble.Form) throws {
    let folder = try ScratchFolder()
    var sidecar = try sample()
    let fork = (0..<500).map { UInt8(truncatingIfNeeded: $0) }
    try sidecar.setResourceFork(fork)
    let bytes = try sidecar.serialised(form)
    try folder.write("a.jpg", "picture".bytes)
    try folder.write("__MACOSX/._a.jpg", bytes)
    _ = try ExternalTool.run("zip", ["-0", "-q", "-X", "a.zip", "a.jpg", "__MACOSX/._a.jpg"], in: folder.path)
    let output = try ExternalTool.run("lsar", ["-j", "a.zip"], in: folder.path)

    struct Listing: Decodable {
      struct Entry: Decodable {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let XADExtendedAttributes: [String: String]?
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let XADFinderFlags: Int?
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let XADFileSize: Int?
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let XADIsResourceFork: Int?
      }
      let lsarContents: [Entry]
    }
    let listing = try JSONDecoder().decode(Listing.self, from: Data(output))
    let attributes = try #require(listing.lsarContents.compactMap(\.XADExtendedAttributes).first)
    // Each byte is one code unit of the JSON string.
    let found = attributes.mapValues { $0.utf16.map { UInt8(truncatingIfNeeded: $0) } }
    var expected: [String: [UInt8]] = [:]
    for attribute in sidecar.attributes { expected[String(decoding: attribute.name, as: UTF8.self)] = attribute.value }
    expected["com.apple.FinderInfo"] = sidecar.finderInfo
    #expect(found == expected)
    #expect(listing.lsarContents.compactMap(\.XADFinderFlags).contains(0x000C))
    let forks = listing.lsarContents.filter { $0.XADIsResourceFork == 1 }
    #expect(forks.map(\.XADFileSize) == [fork.count])
  }

  @Test(.enabled(if: ExternalTool.isInstalled("exiftool"), "exiftool is not installed"))
  func exiftoolFindsEachAttribute() throws {
    let folder = try ScratchFolder()
    let sidecar = try sample()
    try folder.write("._a.jpg", sidecar.serialised())
    let text = String(
      decoding: try ExternalTool.run("exiftool", ["-v3", "._a.jpg"], in: folder.path), as: UTF8.self)
    for attribute in sidecar.attributes where !attribute.value.isEmpty {
      let name = String(decoding: attribute.name, as: UTF8.self).replacing("com.apple.metadata:", with: "")
      let line = text.split(separator: "\n").first { $0.contains("'") && $0.contains(name) }
      #expect(line?.contains("(\(attribute.value.count) bytes)") == true, "\(name): \(line ?? "not found")")
    }
  }
}
