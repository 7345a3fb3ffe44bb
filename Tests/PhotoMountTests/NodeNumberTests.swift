import Fuse
import PhotoLibrary
import Platform
import Testing

@testable import PhotoMount

@Suite("Inode numbers of the mount")
struct NodeNumberTests {
  @Test("every node is found by its number again, and no two share one")
  func roundTrip() {
    var nodes: [NodeNumber] = FixedFolder.allCases.map { .fixed($0) }
    nodes += [.album(0), .album(1), .album(.max), .year(0), .year(2023), .year(9999)]
    nodes += [.month(year: 2023, month: 1), .month(year: 2023, month: 12), .month(year: 9999, month: 12)]
    for kind in Rendition.Kind.allCases {
      nodes += [.file(asset: 1, kind), .file(asset: NodeNumber.assetLimit - 1, kind)]
    }
    nodes += [.backup(1), .backup(1 << 55)]
    for node in nodes { #expect(NodeNumber(node.inode) == node) }
    #expect(Set(nodes.map(\.inode)).count == nodes.count)
    #expect(NodeNumber.fixed(.root).inode == .root)
  }

  @Test("numbers that stand for nothing are no nodes", arguments: [0, 99, 6 << 56, 4 << 56 | 15] as [UInt64])
  func nothing(raw: UInt64) { #expect(NodeNumber(InodeNumber(rawValue: raw)) == nil) }

  @Test("the day is that of the clock at the place of the photo")
  func days() {
    let newYear = Timestamp(seconds: 1_672_531_200 - 3600)  // 2022-12-31T23:00Z
    #expect(CivilDate(newYear, zoneOffset: 0) == CivilDate(newYear, zoneOffset: -36000))
    #expect(CivilDate(newYear, zoneOffset: 7200).year == 2023)
    #expect(CivilDate(newYear, zoneOffset: 7200).month == 1)
    #expect(CivilDate(Timestamp(seconds: .max), zoneOffset: .max).year == 9999)
    #expect(CivilDate(Timestamp(seconds: .min), zoneOffset: .min).year == 1)
    #expect(CivilDate(Timestamp(seconds: -2_082_844_800), zoneOffset: 0).year == 1904)
  }
}
