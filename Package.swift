// swift-tools-version: 6.1
// No outside packages: C libraries come through system library targets from the distribution's -dev packages.
import PackageDescription

let package = Package(
  name: "foldicfs",
  targets: [
    // No pkgConfig: its flags hold a define that SwiftPM refuses with a warning; the module map links the library.
    .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
    .systemLibrary(name: "CPlatform"),

    // The house, lowest floor first. Arrows run down only.
    .target(name: "Platform", dependencies: ["CPlatform", "CUTF8Proc"]),

    .testTarget(name: "PlatformTests", dependencies: ["Platform"]),
  ],
  swiftLanguageModes: [.v6]
)
