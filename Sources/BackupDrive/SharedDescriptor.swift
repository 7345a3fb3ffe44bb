import Platform

/// An open file or folder with several holders; closed when the last lets go.
final class SharedDescriptor: Sendable {
  let descriptor: Descriptor

  init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
}
