import Platform
import Testing

@testable import BackupDrive

@Suite("Extended attributes and exact times")
struct AttributeTests {
  @Test("What was set is listed and read back, also by the next session", arguments: Ground.available)
  func keepsAttributes(_ ground: Ground) throws {
    let place = try TestGround(ground)
    do {
      let drive = try place.open()
      try drive.write("a", "text")
      try drive.makeDirectory("d")
      for path in ["a", "d"] {
        try drive.set("user.note", "x", path)
        try drive.set("com.apple.quarantine", "q", path)
      }
      #expect(throws: Errno.exists) { try drive.set("user.note", "y", "a", .create) }
      #expect(throws: Errno.noAttribute) { try drive.set("user.none", "y", "a", .replace) }
      for name in ["security.selinux", "trusted.x", "system.posix_acl_access", "user.org.foldicfs.mtime"] {
        #expect(throws: Errno.notSupported) { try drive.set(name, "y", "a") }
        #expect(try drive.get(name, "a") == nil)
      }
      drive.close()
    }
    let drive = try place.open()
    for path in ["a", "d"] {
      #expect(try drive.list(path) == ["user.com.apple.quarantine", "user.note"])
      #expect(try drive.get("user.note", path) == "x")
      #expect(try drive.get("com.apple.quarantine", path) == "q")
      try drive.removeAttribute("user.note".bytes, of: try drive.node(path))
      #expect(throws: Errno.noAttribute) {
        try drive.removeAttribute("user.note".bytes, of: try drive.node(path))
      }
      try drive.removeAttribute("com.apple.quarantine".bytes, of: try drive.node(path))
    }
    // A sidecar that holds nothing goes.
    #expect(try place.names() == [".foldic", "a", "d"])
    #expect(try drive.names() == ["a", "d"])
    #expect(try place.leftovers() == [])
  }

  @Test("Attributes of a new file come with its commit; later versions keep them", arguments: Ground.available)
  func carriesAttributes(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    let (node, handle) = try drive.create(name("a"), in: drive.root, exclusive: true)
    try handle.write("one")
    try drive.setAttribute("user.k".bytes, of: node, to: "v".bytes)
    #expect(try place.names() == [".foldic"])
    #expect(try drive.list("a") == ["user.k"])
    try handle.close()
    #expect(try drive.get("user.k", "a") == "v")
    try drive.write("a", "overwritten")
    let edit = try drive.edit("a")
    try edit.write("X")
    try edit.close()
    #expect(try drive.get("user.k", "a") == "v")
    #expect(try drive.names() == ["a"])
    // A file that never comes to the drive leaves none behind.
    let (dead, killed) = try drive.create(name("b"), in: drive.root, exclusive: true)
    try killed.write("half")
    try drive.setAttribute("user.k".bytes, of: dead, to: "v".bytes)
    try killed.flush(writerWasKilled: true)
    killed.release()
    #expect(try place.names().filter { $0.hasSuffix("b") } == [])
    #expect(try place.leftovers() == [])
  }

  static let exact = Timestamp(seconds: 1_234_567_890, nanoseconds: 123_456_789)

  // marfs 174
  @Test("Times set before and after close are exact, also for the next session", arguments: Ground.available)
  func keepsTimes(_ ground: Ground) throws {
    let place = try TestGround(ground)
    do {
      let drive = try place.open()
      let (before, handle) = try drive.create(name("before"), in: drive.root, exclusive: true)
      try handle.write("x")
      try drive.setTimes(of: before, accessed: .now, modified: .set(Self.exact))
      #expect(try drive.status(of: before).modified == Self.exact)
      try handle.close()
      #expect(try drive.time("before") == Self.exact)
      try drive.write(".after.X1", "x")
      try drive.setTime(".after.X1", Self.exact)
      try drive.rename(".after.X1", "after")
      try drive.makeDirectory("d")
      try drive.setTime("d", Self.exact)
      drive.close()
    }
    let drive = try place.open()
    for path in ["before", "after", "d"] { #expect(try drive.time(path) == Self.exact, "\(path)") }
    #expect(try drive.names() == ["after", "before", "d"])
    // Overwritten, the time is another.
    try drive.write("before", "y")
    #expect(try drive.time("before") > Self.exact)
    #expect(!place.exists("._before"))
    #expect(try place.leftovers() == [])
  }

  // netatalk-client 159
  @Test("Each time is handled by itself", arguments: Ground.available)
  func keepsOmitted(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try drive.write("a", "x")
    try drive.setTime("a", Self.exact)
    try drive.setTimes(of: try drive.node("a"), accessed: .now, modified: .keep)
    #expect(try drive.time("a") == Self.exact)
    let whole = Timestamp(seconds: 1_300_000_000)
    try drive.setTimes(of: try drive.node("a"), accessed: .keep, modified: .set(whole))
    #expect(try drive.time("a") == whole)
    // The drive holds that itself.
    #expect(!place.exists("._a"))
    try drive.setTime("a", Self.exact)
    try drive.setTimes(of: try drive.node("a"), accessed: .keep, modified: .now)
    #expect(try drive.time("a") > Self.exact)
    #expect(!place.exists("._a"))
  }

  @Test("A time that another program changed since is the drive's", arguments: [Ground.intents])
  func believesTheDrive(_ ground: Ground) throws {
    let place = try TestGround(ground)
    let drive = try place.open()
    try drive.write("a", "x")
    var sidecar = AppleDouble()
    let recorded = ExactTime(time: Self.exact, size: 1)
    try sidecar.set(ExactTime.attributeName, to: recorded.attributeValue)
    try Descriptor.open(place.path + "/._a", [.write, .create]).write(try sidecar.serialised())
    #expect(try drive.names() == ["a"])
    #expect(try drive.time("a") != Self.exact)
    // relan/exfat 200: the same moment under another zone, rounded.
    let shifted = Timestamp(seconds: Self.exact.seconds + 3600)
    try Descriptor.open(place.path + "/a", .write).setTimes(accessed: .keep, modified: .set(shifted))
    #expect(try drive.time("a") == Self.exact)
  }
}

extension BackupDrive {
  func set(_ name: String, _ value: String, _ path: String, _ rule: AppleDouble.SetRule = .either) throws(Errno) {
    try setAttribute(name.bytes, of: try node(path), to: value.bytes, rule: rule)
  }

  /// An attribute as text; `nil` when there is none.
  func get(_ name: String, _ path: String) throws(Errno) -> String? {
    do throws(Errno) {
      return String(decoding: try attribute(name.bytes, of: try node(path)), as: UTF8.self)
    } catch .noAttribute {
      return nil
    }
  }

  func list(_ path: String) throws(Errno) -> [String] {
    try attributeNames(of: try node(path)).map { String(decoding: $0, as: UTF8.self) }.sorted()
  }

  func time(_ path: String) throws(Errno) -> Timestamp { try status(of: try node(path)).modified }

  func setTime(_ path: String, _ time: Timestamp) throws(Errno) {
    try setTimes(of: try node(path), accessed: .keep, modified: .set(time))
  }
}
