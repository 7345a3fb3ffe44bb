import Platform
import Testing

@Suite("Portable names")
struct PortableNameTests {
  @Test(
    "what exFAT and Windows refuse becomes its twin",
    arguments: [
      ("a/b:c*?\"<>|\\.jpg", "a／b：c＊？＂＜＞｜＼.jpg"), ("line\nbreak\t.jpg", "line␊break␉.jpg"), ("\u{7F}", "␡"),
      ("IMG_1.JPG", "IMG_1.JPG"), ("..", "．．"), (".", "．"), ("x. ", "x．␠"), ("a. .", "a．␠．"), (".hidden", ".hidden"),
    ])
  func twins(name: String, expected: String) { #expect(PortableName.portable(name) == expected) }

  @Test("a name that would make a sidecar does not (cryptomator 1487)")
  func sidecar() {
    #expect(PortableName.portable("._IMG_1.JPG") == "．_IMG_1.JPG")
    #expect(PortableName.portable("._") == "．_")
  }

  @Test(
    "names of Windows devices can be opened there", arguments: ["CON", "con.jpg", "NUL.tar.gz", "lpt¹", "Com7.jpeg"])
  func devices(name: String) {
    let portable = PortableName.portable(name)
    #expect(portable != name)
    #expect(portable.dropFirst() == name.dropFirst())
    #expect(PortableName.portable(portable) == portable)
  }

  @Test("names that only begin like devices stay", arguments: ["CONTACT.jpg", "COM.jpg", "COM77.jpg", "aux-photo.jpg"])
  func notDevices(name: String) { #expect(PortableName.portable(name) == name) }

  @Test("nothing, or only blanks, becomes the fallback", arguments: ["", " ", "   "])
  func blank(name: String) { #expect(PortableName.portable(name, fallback: "Untitled Album") == "Untitled Album") }

  @Test("NFD comes out as NFC, byte for byte")
  func composed() {
    #expect(Array(PortableName.portable("cafe\u{301}.jpg").utf8) == Array("caf\u{E9}.jpg".utf8))
  }

  @Test(
    "is stable: the portable form of a portable form is itself", arguments: ["a/b.", "..", "x ", "e\u{301}", "._x"])
  func stable(name: String) {
    let once = PortableName.portable(name)
    #expect(Array(PortableName.portable(once).utf8) == Array(once.utf8))
  }

  @Test(
    "what a case-insensitive drive cannot tell apart has one key",
    arguments: [
      ("IMG.JPG", "img.jpg"), ("Ä", "ä"), ("Я", "я"), ("ς", "Σ"), ("e\u{301}", "\u{C9}"), ("ａ", "Ａ"), ("ǆ", "Ǆ"),
    ])
  func keys(left: String, right: String) {
    #expect(PortableName.collisionKey(left) == PortableName.collisionKey(right))
  }

  @Test("different names have different keys")
  func differentKeys() { #expect(PortableName.collisionKey("a") != PortableName.collisionKey("b")) }

  @Test("is cut on a character boundary within 255 units and 255 bytes, the extension kept")
  func cut() {
    let family = "👨‍👩‍👧‍👦"
    for stem in [
      String(repeating: "写", count: 255), String(repeating: family, count: 25), String(repeating: "a", count: 300),
    ] {
      let cut = PortableName.cut(stem, for: [".jpg", "~1A2B3C4D.jpg"])
      #expect((cut + "~1A2B3C4D.jpg").utf8.count <= 255)
      #expect((cut + "~1A2B3C4D.jpg").utf16.count <= 255)
      #expect(stem.hasPrefix(cut))
      #expect(cut.allSatisfy { stem.contains($0) })
      #expect(cut.utf8.count > 255 - 14 - 26)
    }
    #expect(PortableName.cut("short", for: [".jpg"]) == "short")
  }

  @Test("the extension is what stands behind the last dot")
  func split() {
    #expect(PortableName.split("a.b.JPG") == ("a.b", ".JPG"))
    #expect(PortableName.split(".hidden") == (".hidden", ""))
    #expect(PortableName.split("St. Moritz at night") == ("St. Moritz at night", ""))
    #expect(PortableName.split("x.") == ("x.", ""))
  }
}
