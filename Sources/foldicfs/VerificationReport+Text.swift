import BackupDrive
import Platform

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A report for people and for programs.
extension VerificationReport {
  /// A line for each finding, then one with the counts.
  func text(list: String?) -> String {
    var text = ""
    for finding in findings {
      let path = finding.path.components.isEmpty ? "the backup folder" : finding.path.description
      text += "\(finding.kind.rawValue): \(path)"
      text += finding.detail.isEmpty ? "\n" : ": \(finding.detail)\n"
    }
    var parts = ["\(counts.intact) ok", "\(counts.new) new"]
    for kind in Finding.Kind.allCases {
      if count(kind) > 0 || kind == .damaged || kind == .missing { parts.append("\(count(kind)) \(kind.rawValue)") }
    }
    if counts.busy > 0 { parts.append("\(counts.busy) being written") }
    if counts.forgotten > 0 { parts.append("\(counts.forgotten) gone while the catalog was behind") }
    if counts.passedOver > 0 { parts.append("\(counts.passedOver) links or devices passed over") }
    text += "\(isComplete ? "verified" : "verified so far"): \(parts.joined(separator: ", "))\n"
    if let list, let leftOutOfList {
      text += "hashes: \(list.escapedForDisplay); check them in the backup folder with xxhsum -c\n"
      if leftOutOfList > 0 { text += "\(leftOutOfList) files with line breaks in their names are not in the list\n" }
    }
    return text
  }

  private struct Whole: Encodable {
    struct Files: Encodable {
      let ok: Int
      let new: Int
      let changed: Int
      let damaged: Int
      let unsteady: Int
      let missing: Int
      let unreadable: Int
      let busy: Int
      let forgotten: Int
      let passedOver: Int
    }
    struct Line: Encodable {
      let kind: String
      let path: String
      let detail: String?
    }
    let drive: String
    let folder: String
    let complete: Bool
    let resumed: Bool
    let accepted: Bool
    let files: Files
    let filesRead: Int
    let bytesRead: Int64
    let findings: [Line]
    let notInExport: Int?
  }

  /// One JSON object, see README.
  func json(folder: String) throws(CommandError) -> String {
    let files = Whole.Files(
      ok: counts.intact, new: counts.new, changed: count(.changed), damaged: count(.damaged),
      unsteady: count(.unsteady), missing: count(.missing), unreadable: count(.unreadable), busy: counts.busy,
      forgotten: counts.forgotten, passedOver: counts.passedOver)
    let whole = Whole(
      drive: identity, folder: folder, complete: isComplete, resumed: isResumed, accepted: isAccepted, files: files,
      filesRead: counts.filesRead, bytesRead: counts.bytesRead,
      findings: findings.map {
        Whole.Line(
          kind: $0.kind.rawValue, path: String(decoding: $0.path.bytes, as: UTF8.self),
          detail: $0.detail.isEmpty ? nil : $0.detail)
      },
      notInExport: leftOutOfList)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(whole) else { throw .failed("cannot write the report as JSON") }
    return String(decoding: data, as: UTF8.self) + "\n"
  }
}
