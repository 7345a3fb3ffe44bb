import Platform

/// The folder of a library: the root below which all of its files are opened, never through a symbolic link.
final class LibraryFolder: Sendable {
  /// The path as the user named it, for messages.
  let displayPath: String
  /// The absolute path without links.
  let path: String
  /// The folder.
  let root: Descriptor
  private let caseTwins = CaseTwins()

  init(path: String) throws(LibraryError) {
    displayPath = path
    do throws(Errno) {
      self.path = try AbsolutePath.resolve(path)
      root = try Descriptor.open(self.path, [.read, .directory, .noFollow])
    } catch .notDirectory {
      throw .notALibrary(path: path, reason: "this is a file; a photo library is a folder")
    } catch {
      let advice = error == .noSuchFile ? "check the path and that its drive is connected" : ""
      throw .file(FileError("open the library", path: path, errno: error, advice: advice))
    }
  }

  /// The folder's name without extension.
  var title: String {
    let name = path.split(separator: "/").last.map(String.init) ?? "/"
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// Whether there is a regular file at `path`. What cannot be looked at counts as not there.
  func hasFile(_ path: RelativePath) -> Bool {
    guard let file = try? root.open(beneath: path, .statusOnly), let status = try? file.status() else { return false }
    return status.kind == .file
  }

  /// The first of `candidates` that is a regular file, under the name it has on this disk.
  func firstFile(of candidates: [RelativePath]) -> RelativePath? {
    if let exact = candidates.first(where: hasFile) { return exact }
    return candidates.lazy.compactMap { self.caseTwins.find($0, below: self.root) }.first(where: hasFile)
  }

  /// Opens the first of `candidates` that is a regular file. Names match exactly, or else but for the case of letters:
  /// libraries come from disks where case makes no difference.
  /// - Throws: `notHere` when none of them is there.
  func open(_ candidates: [RelativePath], _ options: Descriptor.Options) throws(LibraryError) -> Descriptor {
    for path in candidates {
      if let file = try open(path, options) { return file }
    }
    for path in candidates {
      guard let twin = caseTwins.find(path, below: root) else { continue }
      if let file = try open(twin, options) { return file }
    }
    throw .notHere
  }

  private func open(_ path: RelativePath, _ options: Descriptor.Options) throws(LibraryError) -> Descriptor? {
    do throws(Errno) { return try root.openFile(beneath: path, options) } catch {
      throw .file(FileError("open", path: "\(displayPath)/\(path)", errno: error))
    }
  }
}

extension Descriptor {
  /// Opens a regular file below this folder; `nil` when there is none that may be opened: absent, something else, or
  /// behind a link.
  func openFile(beneath path: RelativePath, _ options: Descriptor.Options) throws(Errno) -> Descriptor? {
    do throws(Errno) {
      // Not blocking: what looks like a file may be a pipe without a writer. O_PATH opens nothing and takes no other flag.
      let file = try open(beneath: path, options == .statusOnly ? options : options.union(.nonBlocking))
      guard try file.status().kind == .file else { return nil }
      return file
    } catch {
      switch error {
      case .noSuchFile, .notDirectory, .tooManyLinks, .crossDevice, .nameTooLong, .invalid, .noSuchDevice: return nil
      default: throw error
      }
    }
  }
}
