import Platform

/// The folders outside a library below which the user allows originals to be opened.
struct ReferenceRoots: Sendable {
  private struct Root: Sendable {
    let path: String
    let name: String
  }

  private let roots: [Root]

  init(_ paths: [String]) {
    roots = paths.filter { $0.utf8.first == UInt8(ascii: "/") }.map { path in
      let parts = path.split(separator: "/")
      return Root(path: "/" + parts.joined(separator: "/"), name: parts.last.map(String.init) ?? "")
    }
  }

  /// Opens the file that another computer recorded as `recorded`, an absolute path: below a root with the same path, or,
  /// for `/Volumes/NAME/rest`, `rest` below a root called NAME. The root is opened each time, since its drive may come
  /// and go; no link below it is followed.
  /// - Throws: `notHere` when no root has it.
  func open(_ recorded: String, _ options: Descriptor.Options) throws(LibraryError) -> Descriptor {
    for (root, rest) in places(of: recorded) {
      do throws(Errno) {
        let folder = try Descriptor.open(root, [.read, .directory])
        if let file = try folder.openFile(beneath: rest, options) { return file }
      } catch .noSuchFile {
        continue
      } catch .notDirectory {
        continue
      } catch {
        throw .file(FileError("open", path: "\(root)/\(rest)", errno: error))
      }
    }
    throw .notHere
  }

  private func places(of recorded: String) -> [(root: String, rest: RelativePath)] {
    var result: [(root: String, rest: RelativePath)] = []
    // Both spellings of accents: a Mac may record one and a copy of its disk hold the other.
    var spellings: [[UInt8]] = []
    for spelling in [recorded, recorded.nfc, recorded.nfd] where !spellings.contains(Array(spelling.utf8)) {
      spellings.append(Array(spelling.utf8))
    }
    for path in spellings {
      for root in roots {
        let prefix = Array(root.path == "/" ? "/".utf8 : (root.path + "/").utf8)
        if path.starts(with: prefix), let rest = RelativePath(bytes: Array(path.dropFirst(prefix.count))) {
          result.append((root.path, rest))
        }
        if let rest = Self.restOfVolume(path, named: root.name) { result.append((root.path, rest)) }
      }
    }
    return result
  }

  private static func restOfVolume(_ path: [UInt8], named name: String) -> RelativePath? {
    let volumes = Array("/Volumes/".utf8)
    guard !name.isEmpty, path.starts(with: volumes) else { return nil }
    let parts = path.dropFirst(volumes.count).split(separator: 0x2F, maxSplits: 1, omittingEmptySubsequences: false)
    // A String compares by canonical equivalence, which is what is wanted for a volume's name.
    guard parts.count == 2, String(decoding: parts[0], as: UTF8.self) == name else { return nil }
    return RelativePath(bytes: Array(parts[1]))
  }
}
