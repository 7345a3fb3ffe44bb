/// Writes a flat dictionary as a binary property list (`bplist00`), as Core Data keeps its metadata.
enum BinaryPlist {
  enum Value {
    case integer(Int64)
    case text(String)
  }

  /// The whole list. Texts must be ASCII.
  static func bytes(_ entries: [(key: String, value: Value)]) -> [UInt8] {
    var list = Array("bplist00".utf8)
    var offsets: [Int] = [list.count]
    marker(0xD0, count: entries.count, to: &list)
    list += (1...entries.count).map { UInt8($0) }
    list += (1...entries.count).map { UInt8($0 + entries.count) }
    for entry in entries {
      offsets.append(list.count)
      object(.text(entry.key), to: &list)
    }
    for entry in entries {
      offsets.append(list.count)
      object(entry.value, to: &list)
    }
    let table = list.count
    for offset in offsets { list.append(big: UInt16(offset)) }
    list.append(contentsOf: [0, 0, 0, 0, 0, 0, 2, 1])
    list.append(big: UInt64(offsets.count))
    list.append(big: UInt64(0))
    list.append(big: UInt64(table))
    return list
  }

  private static func object(_ value: Value, to list: inout [UInt8]) {
    switch value {
    case .integer(let number):
      list.append(0x13)
      list.append(big: number)
    case .text(let text):
      marker(0x50, count: text.utf8.count, to: &list)
      list.append(text: text)
    }
  }

  private static func marker(_ kind: UInt8, count: Int, to list: inout [UInt8]) {
    if count < 15 {
      list.append(kind | UInt8(count))
    } else {
      list.append(contentsOf: [kind | 0x0F, 0x11])
      list.append(big: UInt16(count))
    }
  }
}
