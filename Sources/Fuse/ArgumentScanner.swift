import CFuse

/// One word of a command line in the style of mount programs.
public enum MountArgument: Hashable, Sendable {
  /// A word that is no option: source, then mountpoint.
  case operand(String)
  /// One element of an `-o` list: `name` or `name=value`.
  case option(name: String, value: String?)
  /// A switch outside of `-o`, with its dashes: `-f`, `--help`.
  case flag(String)
}

/// Splits command lines with libfuse's own parser, so that `-o` lists (repeated, escaped commas, `--`) are read as
/// users of FUSE programs know them.
public enum ArgumentScanner {
  /// The words in order; `nil` when there is no sense in them (`-o` without a list).
  /// - Parameter arguments: without the program's name.
  public static func scan(_ arguments: [String]) -> [MountArgument]? {
    // libfuse would write a line of its own about it.
    guard arguments.last != "-o" || arguments.contains("--") else { return nil }
    let result = Collected()
    let status = (["foldicfs"] + arguments).withCArguments { list in
      // One template that matches nothing: every word then reaches the callback.
      var templates = [fuse_opt(templ: nil, offset: 0, value: 0)]
      return fuse_opt_parse(&list, Unmanaged.passUnretained(result).toOpaque(), &templates) { data, text, key, _ in
        guard let data, let text else { return -1 }
        let collected = Unmanaged<Collected>.fromOpaque(data).takeUnretainedValue()
        let word = String(decoding: bytes(text), as: UTF8.self)
        if key == FUSE_OPT_KEY_NONOPT {
          collected.words.append(.operand(word))
        } else if word.hasPrefix("-") {
          collected.words.append(.flag(word))
        } else if let equals = word.firstIndex(of: "=") {
          let value = String(word[word.index(after: equals)...])
          collected.words.append(.option(name: String(word[..<equals]), value: value))
        } else {
          collected.words.append(.option(name: word, value: nil))
        }
        return 0
      }
    }
    return status == 0 ? result.words : nil
  }

  private final class Collected { var words: [MountArgument] = [] }
}
