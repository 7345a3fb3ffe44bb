import CFuse
import Platform

/// What libfuse carries from the session to each callback.
final class Server: Sendable {
  let fileSystem: any FileSystem
  let options: SessionOptions
  let session: SessionPointer
  let initPatch = InitPatch()

  init(_ fileSystem: any FileSystem, _ options: SessionOptions) {
    self.fileSystem = fileSystem
    self.options = options
    session = SessionPointer()
  }

  static func from(_ userdata: UnsafeMutableRawPointer?) -> Server? {
    userdata.map { Unmanaged<Server>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// Runs an operation and answers its request exactly once: with what the operation returned, or with the errno it threw.
func answer(
  _ pointer: fuse_req_t?, _ operation: (any FileSystem, Request) throws(Errno) -> Reply
) {
  guard let pointer else { return }
  guard let server = Server.from(fuse_req_userdata(pointer)) else {
    fuse_reply_err(pointer, Errno.inputOutput.rawValue)
    return
  }
  do throws(Errno) {
    try operation(server.fileSystem, Request(pointer: pointer)).send(to: pointer, server.fileSystem)
  } catch {
    // 0 would mean success, and the kernel takes nothing beyond 511.
    fuse_reply_err(pointer, (1...511).contains(error.rawValue) ? error.rawValue : Errno.inputOutput.rawValue)
  }
}

/// A name from the kernel: never `.` or `..` since the session does not ask to be exported by NFS.
func fileName(_ text: UnsafePointer<CChar>?) throws(Errno) -> FileName {
  guard let text else { throw .invalid }
  guard let name = FileName(bytes: bytes(text)) else { throw .invalid }
  return name
}

/// The bytes of a C string, without its NUL.
func bytes(_ text: UnsafePointer<CChar>?) -> [UInt8] {
  guard let text else { return [] }
  var count = 0
  while text[count] != 0 { count += 1 }
  return Array(UnsafeRawBufferPointer(start: text, count: count))
}

/// The handle that an open returned.
func openFile(_ info: UnsafeMutablePointer<fuse_file_info>?) throws(Errno) -> any FileHandle {
  guard let info, let file = HandleBox<any FileHandle>.value(info.pointee.fh) else { throw .badDescriptor }
  return file
}

/// The handle that an opendir returned.
func openDirectory(_ info: UnsafeMutablePointer<fuse_file_info>?) throws(Errno) -> any DirectoryHandle {
  guard let info, let directory = HandleBox<any DirectoryHandle>.value(info.pointee.fh) else { throw .badDescriptor }
  return directory
}
