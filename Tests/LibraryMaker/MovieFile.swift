/// A QuickTime movie of one frame in the Photo-JPEG codec: ftyp, mdat with a JPEG, moov with one video track. One second.
enum MovieFile {
  private static let timeScale: UInt32 = 600

  /// The whole file.
  static func bytes(comment: String, using generator: inout SeededGenerator) -> [UInt8] {
    let columns = 8
    let rows = 6
    let frame = JPEGFile.bytes(columns: columns, rows: rows, comment: comment, using: &generator)
    var file = box("ftyp") { body in
      body.append(text: "qt  ")
      body.append(big: UInt32(0))
      body.append(text: "qt  ")
    }
    let frameOffset = UInt32(file.count + 8)
    file += box("mdat") { $0 += frame }
    file += box("moov") { body in
      body += movieHeader()
      body += track(width: UInt16(columns * 8), height: UInt16(rows * 8), frame: UInt32(frame.count), at: frameOffset)
    }
    return file
  }

  /// The head of a `free` box that fills `size` bytes, itself included; what follows may be anything.
  /// - Precondition: `size` is at least 16.
  static func fillerHead(size: Int64) -> [UInt8] {
    var head: [UInt8] = []
    head.append(big: UInt32(1))
    head.append(text: "free")
    head.append(big: UInt64(size))
    return head
  }

  private static func movieHeader() -> [UInt8] {
    fullBox("mvhd") { body in
      zeros(8, in: &body)
      body.append(big: timeScale)
      body.append(big: timeScale)
      body.append(big: UInt32(0x0001_0000))
      body.append(big: UInt16(0x0100))
      zeros(10, in: &body)
      matrix(in: &body)
      zeros(24, in: &body)
      body.append(big: UInt32(2))
    }
  }

  private static func track(width: UInt16, height: UInt16, frame: UInt32, at offset: UInt32) -> [UInt8] {
    box("trak") { body in
      body += fullBox("tkhd", flags: 7) { header in
        zeros(8, in: &header)
        header.append(big: UInt32(1))
        zeros(4, in: &header)
        header.append(big: timeScale)
        zeros(16, in: &header)
        matrix(in: &header)
        header.append(big: UInt32(width) << 16)
        header.append(big: UInt32(height) << 16)
      }
      body += box("mdia") { media in
        media += fullBox("mdhd") { header in
          zeros(8, in: &header)
          header.append(big: timeScale)
          header.append(big: timeScale)
          zeros(4, in: &header)
        }
        media += handler("mhlr", "vide")
        media += box("minf") { information in
          information += fullBox("vmhd", flags: 1) { zeros(8, in: &$0) }
          information += handler("dhlr", "alis")
          information += box("dinf") { data in
            data += fullBox("dref") { references in
              references.append(big: UInt32(1))
              references += fullBox("alis", flags: 1) { _ in }
            }
          }
          information += sampleTable(width: width, height: height, frame: frame, at: offset)
        }
      }
    }
  }

  private static func sampleTable(width: UInt16, height: UInt16, frame: UInt32, at offset: UInt32) -> [UInt8] {
    box("stbl") { table in
      table += fullBox("stsd") { body in
        body.append(big: UInt32(1))
        body += box("jpeg") { description in
          zeros(6, in: &description)
          description.append(big: UInt16(1))
          zeros(16, in: &description)
          description.append(big: width)
          description.append(big: height)
          description.append(big: UInt32(72 << 16))
          description.append(big: UInt32(72 << 16))
          zeros(4, in: &description)
          description.append(big: UInt16(1))
          zeros(32, in: &description)
          description.append(big: UInt16(24))
          description.append(big: UInt16(0xFFFF))
        }
      }
      table += numbers("stts", [1, 1, timeScale])
      table += numbers("stsc", [1, 1, 1, 1])
      table += numbers("stsz", [0, 1, frame])
      table += numbers("stco", [1, offset])
    }
  }

  private static func handler(_ type: String, _ subtype: String) -> [UInt8] {
    fullBox("hdlr") { body in
      body.append(text: type)
      body.append(text: subtype)
      zeros(13, in: &body)
    }
  }

  private static func numbers(_ type: String, _ values: [UInt32]) -> [UInt8] {
    fullBox(type) { body in for value in values { body.append(big: value) } }
  }

  private static func matrix(in body: inout [UInt8]) {
    for value: UInt32 in [0x0001_0000, 0, 0, 0, 0x0001_0000, 0, 0, 0, 0x4000_0000] { body.append(big: value) }
  }

  private static func zeros(_ count: Int, in body: inout [UInt8]) {
    body.append(contentsOf: repeatElement(0, count: count))
  }

  private static func box(_ type: String, _ write: (inout [UInt8]) -> Void) -> [UInt8] {
    var body: [UInt8] = []
    write(&body)
    var box: [UInt8] = []
    box.append(big: UInt32(body.count + 8))
    box.append(text: type)
    return box + body
  }

  private static func fullBox(_ type: String, flags: UInt32 = 0, _ write: (inout [UInt8]) -> Void) -> [UInt8] {
    box(type) { body in
      body.append(big: flags)
      write(&body)
    }
  }
}
