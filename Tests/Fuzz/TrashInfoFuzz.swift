// Entry point for libFuzzer, see scripts/fuzz. Built with the sources of BackupDrive in one module.

/// Reads arbitrary bytes as a `.trashinfo` file; what is accepted must say the same after a rewrite.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTrashInfo(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let info = try? TrashInfo(parsing: Array(UnsafeBufferPointer(start: start, count: count))) else { return 0 }
  guard let again = try? TrashInfo(parsing: info.serialised), again.path == info.path,
    again.deletionDate == info.deletionDate
  else { preconditionFailure("a rewrite changed the content") }
  return 0
}
