// What the tests need to run commands and to serve connections, and the toolchain's Glibc module leaves out
// (it reads the headers without _GNU_SOURCE).
#ifndef SWOOP_CPROCESS_SHIM_H
#define SWOOP_CPROCESS_SHIM_H

#include <spawn.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

// Descriptors that are born close-on-exec: tests spawn commands from several threads at once.
extern int pipe2(int pipe[2], int flags);
static inline int swoop_accept(int listener) {
  return (int)syscall(SYS_accept4, listener, NULL, NULL, 02000000 /* SOCK_CLOEXEC */);
}
static inline int swoop_memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 1u); }

// unshare(2) with CLONE_NEWNET: for the calling thread alone, and for what it makes from then on.
static inline int swoop_make_network(void) { return (int)syscall(SYS_unshare, 0x40000000); }

// posix_spawn(3), glibc's extensions.
#define SWOOP_SPAWN_SETSID 0x80
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

// pts(4)
extern int posix_openpt(int flags);
extern int grantpt(int fd);
extern int unlockpt(int fd);
extern int ptsname_r(int fd, char *buffer, size_t length);

// poll(2): the peer has closed its side.
#define SWOOP_POLLRDHUP 0x2000

#endif
