// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// The tests simulate thousands of networks and disks, and serve and compare many megabytes: that takes minutes where
/// nothing is optimised.
let quick = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

let package = Package(
  name: "swoop",
  products: [
    .executable(name: "swoop", targets: ["swoop"])
  ],
  targets: [
    // The C libraries, each behind a module map and a header of inline shims.
    .systemLibrary(name: "Ccurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev", "libssl-dev"])]),
    .systemLibrary(name: "Czlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "Cisal", pkgConfig: "libisal", providers: [.apt(["libisal-dev"])]),
    .systemLibrary(name: "Cexpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "Ccrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    // What the toolchain's Glibc module lacks of Linux.
    .target(name: "Clinux"),

    // Every decision, as values: no C, no clock, no I/O.
    .target(name: "DownloadCore", swiftSettings: quick, linkerSettings: [.linkedLibrary("m")]),
    // Every effect: libcurl, files, digests, and the loop that joins them.
    .target(
      name: "DownloadEngine",
      dependencies: ["DownloadCore", "Ccurl", "Czlib", "Cisal", "Ccrypto", "Cexpat", "Clinux"],
      swiftSettings: quick),
    // The command: options, help, progress, messages, exit codes.
    // The release build carries the Swift runtime: it starts in two thirds of the time, and runs without a toolchain.
    // A static link finds FoundationEssentials' own libraries only by name, and the toolchain's lld is used because
    // the older linker warns about code in them that is never called.
    .executableTarget(
      name: "swoop",
      dependencies: ["DownloadCore", "DownloadEngine"],
      swiftSettings: strict,
      linkerSettings: [
        .unsafeFlags(
          ["-static-stdlib", "-use-ld=lld", "-l_FoundationCShims", "-l_FoundationCollections"],
          .when(configuration: .release))
      ]),

    // The scripted HTTP server, the relay that makes a long path of loopback, and what else the tests share.
    .systemLibrary(name: "Cprocess", path: "Tests/Cprocess"),
    .target(name: "TestSupport", dependencies: ["Cprocess"], path: "Tests/TestSupport", swiftSettings: quick),
    .executableTarget(
      name: "scripted-server", dependencies: ["TestSupport"], path: "Tests/ScriptedServer", swiftSettings: strict),
    .executableTarget(
      name: "path-relay", dependencies: ["TestSupport"], path: "Tests/PathRelay", swiftSettings: strict),
    // Hours of downloads with random faults and random kills (Scripts/torture.sh).
    .executableTarget(name: "torture", dependencies: ["TestSupport"], path: "Tests/Torture", swiftSettings: strict),
    // The rows of faults that tests claim, and the table of them.
    .target(name: "FaultCatalogue", path: "Tests/FaultCatalogue", swiftSettings: strict),
    // What holds of every decoder whatever it reads: for the tests and for Scripts/fuzz.sh.
    .target(
      name: "DecoderProperties", dependencies: ["DownloadCore", "DownloadEngine"], path: "Tests/DecoderProperties",
      swiftSettings: strict),
    .testTarget(
      name: "DownloadCoreTests", dependencies: ["DownloadCore", "FaultCatalogue", "TestSupport"], swiftSettings: quick
    ),
    .testTarget(
      name: "DownloadEngineTests",
      dependencies: ["DecoderProperties", "DownloadCore", "DownloadEngine", "FaultCatalogue", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SwoopTests", dependencies: ["swoop", "DownloadCore", "DownloadEngine", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests", dependencies: ["swoop", "scripted-server", "FaultCatalogue", "TestSupport"],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
