/// The sizes that kernel and process agree on.
public enum FuseLimits {
  /// Bytes of one read: 1 MiB less 16 KiB. libfuse splices header and data through one pipe, and a pipe of more than 1 MiB
  /// needs a privilege; at a full MiB it quietly falls back to copying, which is half as fast.
  public static let read = 1008 * 1024
  /// Bytes of one write, for the same reason.
  public static let write = read
  /// st_blksize: what cp and others take as their buffer. Each of their writes is then one request.
  public static let preferredBlock = 512 * 1024
  /// Worker threads, made on demand. Above the number of files that may hang at once, so that these stall nobody else.
  public static let threads: UInt32 = 256
  /// Requests that the kernel keeps in flight in the background (readahead among them); with its default of 12 a dozen
  /// hanging files stall every read.
  public static let background: UInt32 = 256
}
