import Platform

/// Something about one file or folder that a person should hear of.
public struct Finding: Hashable, Sendable {
  /// What is the matter.
  public enum Kind: String, Sendable, CaseIterable {
    /// Another size or time than recorded, and another content: changed by somebody else. The new one is recorded.
    case changed
    /// The recorded size and time, but another content.
    case damaged
    /// Two readings gave different bytes.
    case unsteady
    /// Recorded, and not on the drive.
    case missing
    /// A file or folder that cannot be read; about what is in such a folder nothing is known.
    case unreadable

    /// Whether the backup is not what it should be.
    public var isBad: Bool { self != .changed }
  }

  /// What is the matter.
  public var kind: Kind
  /// Where, below the backup folder; the empty path is that folder.
  public var path: RelativePath
  /// More for people: the system's error; may be empty.
  public var detail: String
}

/// How far a verification is.
public struct VerificationCounts: Hashable, Sendable {
  /// Files whose content is the recorded one.
  public var intact = 0
  /// Files whose hash was not known: recorded now.
  public var new = 0
  /// Files that were written while they were read: nothing is said of them.
  public var busy = 0
  /// Rows of files that are gone, dropped since the catalog was known to be behind.
  public var forgotten = 0
  /// Links and devices, which are passed over.
  public var passedOver = 0
  /// Files read to their end by this process, and bytes.
  public var filesRead = 0
  /// Bytes read by this process.
  public var bytesRead: Int64 = 0
  /// Files read in earlier runs that this one goes on from.
  public var filesBefore = 0
}

/// What a verification found.
public struct VerificationReport: Sendable {
  /// The drive's id.
  public var identity: String
  /// Everything was looked at; `false` when it was cancelled.
  public var isComplete: Bool
  /// It went on where an earlier run had stopped.
  public var isResumed: Bool
  /// How many of what.
  public var counts: VerificationCounts
  /// In the order in which they were found, one for each path.
  public var findings: [Finding]
  /// Findings were taken for right, as asked.
  public var isAccepted: Bool
  /// Files whose names the list of hashes cannot hold; `nil` when none was written.
  public var leftOutOfList: Int?

  /// The findings of a kind.
  public func count(_ kind: Finding.Kind) -> Int { findings.count { $0.kind == kind } }

  /// Whether all files are what they should be, as far as was looked.
  public var isGood: Bool {
    !findings.contains { finding in
      finding.kind.isBad && !(isAccepted && (finding.kind == .damaged || finding.kind == .missing))
    }
  }
}
