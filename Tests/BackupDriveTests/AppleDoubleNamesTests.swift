import Testing

@testable import BackupDrive

@Suite("AppleDouble: attribute names on a mount")
struct AppleDoubleNamesTests {
  private func names(_ sidecar: AppleDouble, _ convention: AppleDouble.Convention = .linux) -> [String] {
    sidecar.mountedNames(convention).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: ["user.note", "user.xdg.origin.url", "user.foldic.x", "user.com.apple.quarantine", "user.user.a"])
  func whatWasSetIsListedAndReadUnderTheSameName(name: String) throws {
    var sidecar = AppleDouble()
    try sidecar.set(mounted: name.bytes, to: [1, 2])
    #expect(names(sidecar) == [name])
    #expect(sidecar.value(mounted: name.bytes) == [1, 2])
    try sidecar.remove(mounted: name.bytes)
    #expect(sidecar.isEmpty)
  }

  @Test func aMacSeesAppleNamesAsItsOwn() throws {
    var sidecar = AppleDouble()
    try sidecar.set(mounted: "user.com.apple.quarantine".bytes, to: [1])
    try sidecar.set(mounted: "com.apple.provenance".bytes, to: [2])
    #expect(sidecar.value(of: "com.apple.quarantine".bytes) == [1])
    #expect(names(sidecar, .mac) == ["com.apple.quarantine", "com.apple.provenance"])
    #expect(names(sidecar) == ["user.com.apple.quarantine", "user.com.apple.provenance"])
    #expect(sidecar.value(mounted: "com.apple.quarantine".bytes) == [1])
    #expect(sidecar.value(mounted: "user.com.apple.provenance".bytes) == [2])
  }

  @Test func everyListedNameFindsItsOwnValue() throws {
    var sidecar = AppleDouble()
    for (index, name) in ["x", "user.x", "com.macromates.caret", "com.apple.macl", "user.com.apple.macl"].enumerated() {
      try sidecar.set(name.bytes, to: [UInt8(index)])
    }
    let listed = sidecar.mountedNames()
    #expect(Set(listed).count == 5)
    #expect(listed.map { sidecar.value(mounted: $0) } == (0..<5).map { [UInt8($0)] })
    #expect(names(sidecar).contains("user.com.macromates.caret"))
    // A change goes to the attribute that the name was listed for.
    try sidecar.set(mounted: "user.com.macromates.caret".bytes, to: [9])
    #expect(sidecar.value(of: "com.macromates.caret".bytes) == [9])
    #expect(sidecar.attributes.count == 5)
  }

  @Test func finderInfoAndForkHaveTheirMacNames() throws {
    var sidecar = AppleDouble()
    let info = [UInt8](repeating: 3, count: 32)
    try sidecar.set(mounted: "com.apple.FinderInfo".bytes, to: info)
    try sidecar.set(mounted: "com.apple.ResourceFork".bytes, to: [4, 5])
    #expect(sidecar.finderInfo == info)
    #expect(sidecar.resourceFork == [4, 5])
    #expect(sidecar.attributes.isEmpty)
    #expect(names(sidecar) == ["com.apple.FinderInfo", "com.apple.ResourceFork"])
    // The other spelling is an attribute of its own, so that a program that copies both undoes neither.
    try sidecar.set(mounted: "user.com.apple.FinderInfo".bytes, to: [1])
    #expect(sidecar.finderInfo == info)
    #expect(throws: AppleDoubleError.badFinderInfo) { try sidecar.set(mounted: "com.apple.FinderInfo".bytes, to: [1]) }
    try sidecar.remove(mounted: "com.apple.FinderInfo".bytes)
    try sidecar.remove(mounted: "com.apple.ResourceFork".bytes)
    #expect(names(sidecar) == ["user.com.apple.FinderInfo"])
  }

  @Test func privateAndSystemAttributesAreNeitherShownNorSet() throws {
    var sidecar = AppleDouble()
    for name in [ExactTime.attributeName, DriveName.recordName, "com.apple.system.Security".bytes] {
      try sidecar.set(name, to: [1])
      for spelling in [name, "user.".bytes + name] {
        #expect(sidecar.value(mounted: spelling) == nil)
        #expect(throws: AppleDoubleError.badName) { try sidecar.set(mounted: spelling, to: [2]) }
        #expect(throws: AppleDoubleError.noAttribute) { try sidecar.remove(mounted: spelling) }
      }
    }
    #expect(sidecar.mountedNames() == [])
    #expect(sidecar.attributes.count == 3)
  }

  @Test(arguments: ["security.selinux", "system.posix_acl_access", "trusted.x"])
  func otherNamespacesAreNotKept(name: String) {
    var sidecar = AppleDouble()
    #expect(throws: AppleDoubleError.foreignNamespace) { try sidecar.set(mounted: name.bytes, to: []) }
  }

  @Test func theFlagsOfSetxattrAreKept() throws {
    var sidecar = AppleDouble()
    #expect(throws: AppleDoubleError.noAttribute) { try sidecar.set(mounted: "user.a".bytes, to: [1], .replace) }
    try sidecar.set(mounted: "user.a".bytes, to: [1], .create)
    #expect(throws: AppleDoubleError.attributeExists) { try sidecar.set(mounted: "user.a".bytes, to: [2], .create) }
    try sidecar.set(mounted: "user.a".bytes, to: [3], .replace)
    #expect(sidecar.value(mounted: "user.a".bytes) == [3])
  }
}
