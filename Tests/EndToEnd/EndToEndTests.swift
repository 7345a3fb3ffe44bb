import Testing

/// Everything that mounts runs inside this suite, one test after the other, so that no two fight for loop devices or time.
@Suite(.serialized) enum EndToEndTests {}
