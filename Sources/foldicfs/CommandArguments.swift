import CPlatform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The words of a command, split by getopt_long(3): long switches, some with a value, and operands.
struct CommandArguments {
  let switches: Set<String>
  /// The values of switches that have one; the last counts.
  let values: [String: String]
  let operands: [String]

  /// - Parameters:
  ///   - words: behind the command's name.
  ///   - known: long switches without their dashes. `help` is always known.
  ///   - valued: long switches with a value.
  ///   - operands: how many operands there must be, and what they are called.
  ///   - more: what further operands are called, when there may be any.
  init(
    _ words: [String], command: String, known: [String] = [], valued: [String] = [], operands names: [String],
    more: String? = nil
  ) throws(CommandError) {
    let plain = known.count + 1
    let known = known + ["help"] + valued
    var switches: Set<String> = []
    var values: [String: String] = [:]
    var operands: [String] = []
    var unknown: String?
    var storage: [UnsafeMutablePointer<CChar>?] = ([command] + words).map { strdup($0) }
    let labels = known.map { strdup($0) }
    // getopt moves the words about: free what it was given, not what it left.
    let owned = storage
    defer { for word in owned + labels { free(word) } }
    var options = labels.indices.map {
      option(name: labels[$0], has_arg: $0 < plain ? 0 : 1, flag: nil, val: Int32(1000 + $0))
    }
    options.append(option())
    storage.append(nil)
    let count = Int32(words.count + 1)
    foldic_getopt_reset()
    loop: while true {
      let found = getopt_long(count, storage, "h", options, nil)
      switch found {
      case -1: break loop
      case 1000..<Int32(1000 + known.count):
        let name = known[Int(found) - 1000]
        if valued.contains(name) {
          values[name] = foldic_getopt_argument().map { String(cString: $0) }
        } else {
          switches.insert(name)
        }
      case Int32(UInt8(ascii: "h")): switches.insert("help")
      default:
        let position = Int(foldic_getopt_index()) - 1
        unknown = storage.indices.contains(position) ? storage[position].map { String(cString: $0) } : "?"
        break loop
      }
    }
    if let unknown { throw .usage("\(command): unknown option \(unknown.escapedForDisplay), or its value is missing") }
    for index in Int(foldic_getopt_index())..<Int(count) {
      if let word = storage[index] { operands.append(String(cString: word)) }
    }
    let isRight = more == nil ? operands.count == names.count : operands.count >= names.count
    if !switches.contains("help"), !isRight {
      let all = names + (more.map { ["[\($0)…]"] } ?? [])
      throw .usage("\(command) takes \(all.joined(separator: " ")), not \(operands.count) operands")
    }
    self.switches = switches
    self.values = values
    self.operands = operands
  }
}
