// swift-tools-version: 6.1
// No outside packages: C libraries come through system library targets from the distribution's -dev packages.
import PackageDescription

let package = Package(
  name: "foldicfs",
  products: [
    .executable(name: "foldicfs", targets: ["foldicfs"])
  ],
  targets: [
    // System libraries: a module map and a shim header each.
    .systemLibrary(name: "CFuse", pkgConfig: "fuse3", providers: [.apt(["libfuse3-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    // No pkgConfig: its flags hold a define that SwiftPM refuses with a warning; the module map links the library.
    .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
    // No pkgConfig: distributions ship libxxhash.pc in different packages; the module map links the library.
    .systemLibrary(name: "CXXHash", providers: [.apt(["libxxhash-dev"])]),
    .systemLibrary(name: "CPlatform"),

    // The house, lowest floor first. Arrows run down only.
    .target(name: "Platform", dependencies: ["CPlatform", "CUTF8Proc"]),
    .target(name: "SQLite", dependencies: ["CSQLite", "Platform"]),
    .target(name: "Fuse", dependencies: ["CFuse", "CPlatform", "Platform"]),
    .target(name: "PhotoLibrary", dependencies: ["SQLite", "Platform"]),
    .target(name: "BackupDrive", dependencies: ["CXXHash", "SQLite", "Platform"]),
    .target(name: "PhotoMount", dependencies: ["Fuse", "PhotoLibrary", "BackupDrive", "Platform"]),
    .executableTarget(
      name: "foldicfs", dependencies: ["PhotoMount", "PhotoLibrary", "BackupDrive", "Fuse", "Platform"]),

    // The library maker: for tests and the demo, in no product.
    .target(name: "LibraryMaker", dependencies: ["CSQLite"], path: "Tests/LibraryMaker"),
    .executableTarget(
      name: "sample-library", dependencies: ["LibraryMaker"], path: "Tests/sample-library"),

    // A mounted volume that fails, kills and forgets as told.
    .target(name: "FaultyDrive", dependencies: ["Fuse", "Platform"], path: "Tests/FaultyDrive"),

    // What is done to a drive in the sweeps, and a program that does it and may be killed.
    .target(name: "DriveScript", dependencies: ["BackupDrive", "Platform"], path: "Tests/DriveScript"),
    .executableTarget(
      name: "run-drive-script", dependencies: ["DriveScript", "BackupDrive", "Platform"],
      path: "Tests/run-drive-script"),

    .testTarget(name: "PlatformTests", dependencies: ["Platform"]),
    .testTarget(name: "SQLiteTests", dependencies: ["SQLite", "Platform"]),
    .testTarget(name: "FuseTests", dependencies: ["Fuse", "FaultyDrive", "Platform"]),
    .testTarget(name: "PhotoLibraryTests", dependencies: ["PhotoLibrary", "LibraryMaker", "SQLite", "Platform"]),
    .testTarget(
      name: "BackupDriveTests",
      dependencies: ["BackupDrive", "FaultyDrive", "DriveScript", "run-drive-script", "SQLite", "Platform"]),
    .testTarget(name: "PhotoMountTests", dependencies: ["PhotoMount", "LibraryMaker", "PhotoLibrary"]),
    .testTarget(name: "EndToEnd", dependencies: ["foldicfs", "LibraryMaker", "CSQLite", "CPlatform", "Platform"]),
  ],
  swiftLanguageModes: [.v6]
)
