import CFuse
import Platform

/// A mounted file system, from mount to unmount.
///
/// `run()` serves until SIGINT, SIGTERM, SIGHUP or an unmount from outside; the end of the value's life unmounts.
public struct Session: ~Copyable {
  private let pointer: OpaquePointer
  private let server: Server

  /// Makes the session and mounts it. Returns when the mount can be used: requests wait until `run()`.
  ///
  /// libfuse writes its own line on stderr when it fails.
  /// - Throws: the reason as far as it is known: EIO for one that only libfuse's line tells.
  public init(mounting fileSystem: any FileSystem, at mountpoint: String, _ options: SessionOptions) throws(Errno) {
    let server = Server(fileSystem, options)
    var table = makeOperations()
    let pointer = options.arguments.withCArguments { arguments in
      fuse_session_new(
        &arguments, &table, MemoryLayout<fuse_lowlevel_ops>.size, Unmanaged.passUnretained(server).toOpaque())
    }
    guard let pointer else { throw .invalid }
    server.session.pointer = pointer
    guard fuse_session_mount(pointer, mountpoint) == 0 else {
      server.session.pointer = nil
      fuse_session_destroy(pointer)
      throw .inputOutput
    }
    InitPatch.install(on: pointer)
    self.pointer = pointer
    self.server = server
  }

  /// Serves requests until a signal or an unmount.
  /// - Throws: the error that ended the connection, other than an unmount.
  public func run() throws(Errno) {
    guard fuse_set_signal_handlers(pointer) == 0 else { throw .inputOutput }
    // Whoever started us may have blocked them; this thread is the one that libfuse expects to be interrupted.
    SignalMask.unblockTermination()
    defer { fuse_remove_signal_handlers(pointer) }
    let result: Int32
    if server.options.isSingleThreaded {
      result = fuse_session_loop(pointer)
    } else {
      guard let configuration = fuse_loop_cfg_create() else { throw .outOfMemory }
      defer { fuse_loop_cfg_destroy(configuration) }
      fuse_loop_cfg_set_max_threads(configuration, FuseLimits.threads)
      fuse_loop_cfg_set_idle_threads(configuration, 16)
      result = fuse_session_loop_mt(pointer, configuration)
    }
    // 0 and signals (positive) are ends as wished; ENODEV is an unmount that came first.
    if result < 0, result != -Errno.noSuchDevice.rawValue { throw Errno(rawValue: -result) }
  }

  deinit {
    fuse_session_unmount(pointer)
    server.session.pointer = nil
    fuse_session_destroy(pointer)
  }
}

extension Server {
  /// Settles with the kernel what both can do (the INIT request).
  func negotiate(_ connection: UnsafeMutablePointer<fuse_conn_info>) {
    let capable = connection.pointee.capable
    func want(_ bits: Int32) { connection.pointee.want |= capable & UInt32(bits) }
    want(FUSE_CAP_SPLICE_READ)
    want(FUSE_CAP_SPLICE_WRITE)
    want(FUSE_CAP_SPLICE_MOVE)
    want(FUSE_CAP_PARALLEL_DIROPS)
    want(FUSE_CAP_READDIRPLUS)
    // An O_TRUNC that came as a separate truncation would commit an empty file before the writer has begun.
    want(FUSE_CAP_ATOMIC_O_TRUNC)
    // Always with attributes: programs that list first and stat later pay for "auto" with a round trip a file.
    connection.pointee.want &= ~UInt32(FUSE_CAP_READDIRPLUS_AUTO)
    connection.pointee.max_read = UInt32(options.maximumRead)
    connection.pointee.max_write = UInt32(FuseLimits.write)
    connection.pointee.max_readahead = UInt32(FuseLimits.read)
    connection.pointee.max_background = FuseLimits.background
    connection.pointee.congestion_threshold = FuseLimits.background * 3 / 4
    connection.pointee.time_gran = 1
    fileSystem.started(Connection(session: session))
  }
}

extension [String] {
  /// The strings as libfuse's argument list, freed afterwards.
  func withCArguments<R>(_ body: (inout fuse_args) -> R) -> R {
    var arguments = fuse_args(argc: 0, argv: nil, allocated: 0)
    for argument in self { fuse_opt_add_arg(&arguments, argument) }
    defer { fuse_opt_free_args(&arguments) }
    return body(&arguments)
  }
}
