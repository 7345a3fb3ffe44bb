#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Room on a file system, as statvfs(3) tells it.
public struct VolumeStatistics: Hashable, Sendable {
  /// Bytes of one block, the unit of the counts below (f_frsize).
  public var blockSize: UInt64
  /// Blocks in all.
  public var blocks: UInt64
  /// Free blocks.
  public var freeBlocks: UInt64
  /// Free blocks for ordinary users.
  public var availableBlocks: UInt64
  /// Inodes in all; 0 where they are not counted.
  public var files: UInt64
  /// Free inodes.
  public var freeFiles: UInt64
  /// Longest name (f_namemax).
  public var maximumNameLength: UInt64

  /// Bytes that ordinary users may still write.
  public var availableBytes: Int64 {
    let (bytes, overflow) = availableBlocks.multipliedReportingOverflow(by: blockSize)
    return overflow ? .max : Int64(clamping: bytes)
  }

  /// Describes a volume.
  public init(
    blockSize: UInt64, blocks: UInt64, freeBlocks: UInt64, availableBlocks: UInt64, files: UInt64, freeFiles: UInt64,
    maximumNameLength: UInt64
  ) {
    self.blockSize = blockSize
    self.blocks = blocks
    self.freeBlocks = freeBlocks
    self.availableBlocks = availableBlocks
    self.files = files
    self.freeFiles = freeFiles
    self.maximumNameLength = maximumNameLength
  }

  /// A file system without room.
  public static let none = VolumeStatistics(
    blockSize: 4096, blocks: 0, freeBlocks: 0, availableBlocks: 0, files: 0, freeFiles: 0, maximumNameLength: 255)
}

extension Descriptor {
  /// Room on the file system that holds this file.
  public func volumeStatistics() throws(Errno) -> VolumeStatistics {
    var value = statvfs()
    _ = try checked { fstatvfs(number, &value) }
    return VolumeStatistics(
      blockSize: UInt64(value.f_frsize), blocks: UInt64(value.f_blocks), freeBlocks: UInt64(value.f_bfree),
      availableBlocks: UInt64(value.f_bavail), files: UInt64(value.f_files), freeFiles: UInt64(value.f_ffree),
      maximumNameLength: UInt64(value.f_namemax))
  }
}
