import Platform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs a body with a new folder, which is gone afterwards.
func withTemporaryFolder(_ body: (String, borrowing Descriptor) throws -> Void) throws {
  var template = Array("/tmp/foldicfs-test-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw Errno.current }
  let path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  defer { _ = try? Subprocess.run("rm", ["-rf", "--", path]) }
  try body(path, try Descriptor.open(path, [.read, .directory]))
}

/// Makes a symbolic link.
func makeLink(to target: String, at path: String) throws {
  guard symlink(target, path) == 0 else { throw Errno.current }
}
