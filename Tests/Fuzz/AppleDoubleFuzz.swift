// Entry point for libFuzzer, see scripts/fuzz. Built with the sources of BackupDrive in one module.

/// Reads arbitrary bytes as a sidecar; what is accepted must say the same after a rewrite.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAppleDouble(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let sidecar = try? AppleDouble.parse(bytes) else { return 0 }
  for name in sidecar.mountedNames() where sidecar.value(mounted: name) == nil {
    preconditionFailure("a listed attribute has no value")
  }
  for attribute in sidecar.attributes { _ = ExactTime(attribute: attribute.value) }
  guard let rewritten = try? sidecar.serialised() else {
    precondition(sidecar.holdsForeignData, "a whole sidecar cannot be written")
    return 0
  }
  guard let again = try? AppleDouble.parse(rewritten), again == sidecar else {
    preconditionFailure("a rewrite changed the content")
  }
  return 0
}
