import Platform

/// The formats of camera RAW files, by extension. The RAW of a RAW+JPEG pair is `UUID_4.EXT`, and only its type is
/// recorded, in one of two forms.
enum RawFormat {
  /// The extensions that are looked for, the frequent ones first.
  static let extensions = [
    "cr2", "cr3", "nef", "arw", "dng", "raf", "orf", "rw2", "nrw", "crw", "pef", "srw", "sr2", "srf", "rwl", "raw",
    "3fr", "fff", "iiq", "dcr", "kdc", "mos", "mrw", "erf", "x3f", "gpr", "tif",
  ]

  /// The extension that goes with a recorded type: a uniform type identifier (Photos 5 and 6, and as text later), or
  /// Photos 7's small code, of which one was seen. `nil` when it is not known.
  static func fileExtension(typeIdentifier: String?, compactType: String?) -> String? {
    if compactType == "11" { return "cr2" }
    guard let type = typeIdentifier ?? compactType, type.hasSuffix("-raw-image") || type.hasSuffix(".raw-image") else {
      return nil
    }
    switch type {
    case "com.adobe.raw-image": return "dng"
    case "com.nikon.raw-image": return "nef"
    case "com.sony.raw-image": return "arw"
    case "com.fuji.raw-image": return "raf"
    case "com.olympus.raw-image": return "orf"
    case "com.panasonic.raw-image": return "raw"
    case "com.pentax.raw-image": return "pef"
    case "com.samsung.raw-image": return "srw"
    default:
      // com.canon.cr2-raw-image, com.sony.arw-raw-image and the like carry their extension.
      let format = type.split(separator: ".").last.map { String($0.dropLast("-raw-image".count)) } ?? ""
      return extensions.contains(format) ? format : nil
    }
  }
}
