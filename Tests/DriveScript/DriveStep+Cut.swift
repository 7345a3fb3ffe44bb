import Platform

extension DriveStep {
  /// The states that a power cut in the middle of this step may leave on a drive without a journal: those of `states(from:)`,
  /// and what one rename risks there, which the documentation tells: what is moved may be under neither name, or under
  /// both. Everything else on the drive is as it was.
  public func statesAfterCut(from model: DriveModel) -> [DriveModel] {
    var result = states(from: model)
    guard case .rename(let old, _) = self, let after = result.last else { return result }
    let kept = model.files.filter { !$0.key.isInside(old) }
    var lost = model
    lost.files = kept
    lost.folders = model.folders.filter { !$0.isInside(old) }
    var both = model
    both.files.merge(after.files) { $1 }
    both.folders.formUnion(after.folders)
    result += [lost, both]
    return result
  }
}
