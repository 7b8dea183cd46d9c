internal import Cprocess
internal import Glibc

/// What a new process does with its descriptors before it becomes the command.
struct SpawnActions {
  var actions = posix_spawn_file_actions_t()

  init() {
    posix_spawn_file_actions_init(&actions)
  }

  mutating func destroy() {
    posix_spawn_file_actions_destroy(&actions)
  }

  mutating func open(_ path: String, _ flags: Int32, as stream: Int32, unless isDone: Bool = false) {
    guard !isDone else { return }
    posix_spawn_file_actions_addopen(&actions, stream, path, flags, 0o666)
  }

  mutating func duplicate(_ descriptor: Int32, as stream: Int32) {
    posix_spawn_file_actions_adddup2(&actions, descriptor, stream)
  }

  mutating func close(_ stream: Int32) {
    posix_spawn_file_actions_addclose(&actions, stream)
  }

  mutating func changeFolder(to path: String) {
    posix_spawn_file_actions_addchdir_np(&actions, path)
  }
}

/// Strings as C wants them: an array of pointers with a null pointer at its end.
final class CStringArray {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ strings: [String]) {
    count = strings.count
    pointers = .allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() { pointers[index] = strdup(string) }
    pointers[count] = nil
  }

  deinit {
    for index in 0..<count { free(pointers[index]) }
    pointers.deallocate()
  }
}
