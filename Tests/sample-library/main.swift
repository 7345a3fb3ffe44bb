import LibraryMaker

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Writes a made-up Apple Photos library, for the demo, for benchmarks and for trying things out.

let usage = """
  usage: sample-library BUNDLE [--assets N --albums M] [--seed S] [--size BYTES] [--sparse] [--wal absent|empty|pending]

  Without --assets: a small library with one of everything that is awkward. With it: N photos in M albums.

  """

func fail(_ message: String, code: Int32) -> Never {
  let bytes = Array(message.utf8)
  _ = write(STDERR_FILENO, bytes, bytes.count)
  exit(code)
}

var path: String?
var assets: Int?
var albums = 10
var seed: UInt64 = 1
var size: Int64 = 0
var isSparse = false
var log = LibraryPlan.WriteAheadLog.absent

var arguments = CommandLine.arguments.dropFirst()
func number<Number: FixedWidthInteger>(_ arguments: inout ArraySlice<String>, for option: String) -> Number {
  guard let text = arguments.popFirst(), let value = Number(text), value >= 0 else {
    fail("sample-library: \(option) wants a number\n", code: 2)
  }
  return value
}
while let argument = arguments.popFirst() {
  switch argument {
  case "--assets": assets = number(&arguments, for: argument)
  case "--albums": albums = number(&arguments, for: argument)
  case "--seed": seed = number(&arguments, for: argument)
  case "--size": size = number(&arguments, for: argument)
  case "--sparse": isSparse = true
  case "--wal":
    switch arguments.popFirst() {
    case "absent": log = .absent
    case "empty": log = .empty
    case "pending": log = .pending
    default: fail(usage, code: 2)
    }
  case "-h", "--help":
    print(usage, terminator: "")
    exit(0)
  case _ where argument.hasPrefix("-") || path != nil: fail(usage, code: 2)
  default: path = argument
  }
}
guard let path else { fail(usage, code: 2) }
var plan =
  assets.map { LibraryPlan.generated(assets: $0, albums: albums, seed: seed, size: size, isSparse: isSparse) }
  ?? .sample
plan.writeAheadLog = log
do {
  let manifest = try LibraryMaker.write(plan, to: path)
  print("\(manifest.assets.count) assets in \(manifest.albums.count) albums: \(path)")
} catch {
  fail("sample-library: \(error)\n", code: 1)
}
