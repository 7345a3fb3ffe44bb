import Platform

/// The steps of the sweeps: everything that a copying program does to a drive, on files that follow each other.
public enum DriveScript {
  /// Some thirty steps.
  public static var steps: [DriveStep] {
    [
      .write(path("a.jpg"), seed: 1, count: 9000), .makeFolder(path("Album")),
      .write(path("Album/b.jpg"), seed: 2, count: 5000),
      .write(path("a.jpg"), seed: 3, count: 7000), .change(path("a.jpg"), offset: 100, seed: 4, count: 300),
      .append(path("a.jpg"), seed: 5, count: 5000), .rename(path("a.jpg"), to: path("Album/a.jpg")),
      .write(path(".c.jpg.Xa81"), seed: 6, count: 6000), .rename(path(".c.jpg.Xa81"), to: path("c.jpg")),
      .write(path(".c.jpg.Yb92"), seed: 7, count: 6500), .rename(path(".c.jpg.Yb92"), to: path("c.jpg")),
      .writeTwice(path("d.jpg"), seed: 8, count: 4000), .truncate(path("d.jpg"), count: 1000),
      .truncate(path("d.jpg"), count: 3000), .makeFolder(path("Album/Deep")),
      .write(path("Album/Deep/e.mov"), seed: 10, count: 20000), .rename(path("Album"), to: path("Trip")),
      .write(path("Trip/Deep/e.mov"), seed: 11, count: 15000), .remove(path("Trip/b.jpg")),
      .write(path("empty"), seed: 0, count: 0), .write(path("empty"), seed: 12, count: 10),
      .renameWhileOpen(path("x.part"), to: path("x.jpg"), seed: 13, count: 8000),
      .renameWhileOpen(path("y.part"), to: path("x.jpg"), seed: 14, count: 8200),
      .rename(path("x.jpg"), to: path("Trip/a.jpg")), .makeFolder(path("Gone")), .removeFolder(path("Gone")),
      .remove(path("Trip/Deep/e.mov")), .removeFolder(path("Trip/Deep")),
      .change(path("c.jpg"), offset: 7000, seed: 15, count: 10),
      .rename(path("c.jpg"), to: path("C.jpg")), .write(path("last"), seed: 16, count: 100),
    ]
  }

  private static func path(_ text: String) -> RelativePath { RelativePath(text) ?? .empty }
}
