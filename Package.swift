// swift-tools-version: 6.1
// No outside packages: C libraries come through system library targets from the distribution's -dev packages.
import PackageDescription

let package = Package(
  name: "foldicfs",
  targets: [
    // System libraries: a module map and a shim header each.
    .systemLibrary(name: "CFuse", pkgConfig: "fuse3", providers: [.apt(["libfuse3-dev"])]),
    // No pkgConfig: its flags hold a define that SwiftPM refuses with a warning; the module map links the library.
    .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
    .systemLibrary(name: "CPlatform"),

    // The house, lowest floor first. Arrows run down only.
    .target(name: "Platform", dependencies: ["CPlatform", "CUTF8Proc"]),
    .target(name: "Fuse", dependencies: ["CFuse", "CPlatform", "Platform"]),

    // A mounted volume that fails, kills and forgets as told.
    .target(name: "FaultyDrive", dependencies: ["Fuse", "Platform"], path: "Tests/FaultyDrive"),

    .testTarget(name: "PlatformTests", dependencies: ["Platform"]),
    .testTarget(name: "FuseTests", dependencies: ["Fuse", "FaultyDrive", "Platform"]),
  ],
  swiftLanguageModes: [.v6]
)
