// What the toolchain's Glibc module leaves out of the Linux headers.
#ifndef SWOOP_CLINUX_SHIM_H
#define SWOOP_CLINUX_SHIM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SWOOP_RENAME_NOREPLACE 1u

int fallocate(int fd, int mode, off_t offset, off_t length);

static inline int swoop_openat(int directory, const char *name, int flags, mode_t mode) {
  return openat(directory, name, flags, mode);
}
extern int renameat2(int olddirfd, const char *oldpath, int newdirfd, const char *newpath, unsigned int flags);
static inline int swoop_rename_no_replace(int directory, const char *from, const char *to) {
  return renameat2(directory, from, directory, to, SWOOP_RENAME_NOREPLACE);
}
// A write lock on the whole file, owned by the open file description (fcntl(2), F_OFD_SETLK).
static inline int swoop_lock_open_file(int fd) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0};
#ifdef F_OFD_SETLK
  return fcntl(fd, F_OFD_SETLK, &lock);
#else
  return fcntl(fd, 37, &lock);
#endif
}

#endif
