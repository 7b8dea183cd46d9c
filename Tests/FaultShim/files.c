// The calls of files that the command makes (`nm -D` names them), each with its fault before it.
#define _GNU_SOURCE
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

// The C library's function of this name, found once.
#define NEXT(name)                                        \
  ({                                                      \
    static __typeof__(&name) next;                        \
    if (next == NULL) next = fault_next(#name);           \
    next;                                                 \
  })

// A function that does nothing but fail where it is to.
#define FAIL_OR_CALL(found, call)                         \
  do {                                                    \
    struct fault due = (found);                           \
    if (due.kind != FAULT_ERROR) return (call);           \
    errno = (int)due.value;                               \
    return -1;                                            \
  } while (0)

static ssize_t write_flipped(int file, const void *bytes, size_t count, off_t offset) {
  ssize_t written = NEXT(pwrite)(file, bytes, count, offset);
  if (written <= 0) return written;
  unsigned char flipped = *(const unsigned char *)bytes ^ 1;
  return NEXT(pwrite)(file, &flipped, 1, offset) == 1 ? written : -1;
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  struct fault due = fault_of_file(__func__, file);
  switch (due.kind) {
    case FAULT_ERROR: errno = (int)due.value; return -1;
    case FAULT_ONE: return NEXT(pwrite)(file, bytes, count < 1 ? count : 1, offset);
    case FAULT_HALF: return NEXT(pwrite)(file, bytes, (count + 1) / 2, offset);
    case FAULT_FLIP: return write_flipped(file, bytes, count, offset);
    default: return NEXT(pwrite)(file, bytes, count, offset);
  }
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
  struct fault due = fault_of_file(__func__, file);
  switch (due.kind) {
    case FAULT_ERROR: errno = (int)due.value; return -1;
    case FAULT_ONE: return NEXT(pread)(file, bytes, count < 1 ? count : 1, offset);
    case FAULT_HALF: return NEXT(pread)(file, bytes, (count + 1) / 2, offset);
    default: return NEXT(pread)(file, bytes, count, offset);
  }
}

int fallocate(int file, int mode, off_t offset, off_t length) {
  FAIL_OR_CALL(fault_of_file(__func__, file), NEXT(fallocate)(file, mode, offset, length));
}

int ftruncate(int file, off_t length) { FAIL_OR_CALL(fault_of_file(__func__, file), NEXT(ftruncate)(file, length)); }

int fdatasync(int file) { FAIL_OR_CALL(fault_of_file(__func__, file), NEXT(fdatasync)(file)); }

int fsync(int file) { FAIL_OR_CALL(fault_of_file(__func__, file), NEXT(fsync)(file)); }

int fchmod(int file, mode_t mode) { FAIL_OR_CALL(fault_of_file(__func__, file), NEXT(fchmod)(file, mode)); }

int futimens(int file, const struct timespec times[2]) {
  FAIL_OR_CALL(fault_of_file(__func__, file), NEXT(futimens)(file, times));
}

int flock(int file, int operation) { FAIL_OR_CALL(fault_of_file(__func__, file), NEXT(flock)(file, operation)); }

// Of all its commands only the locks.
int fcntl(int file, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  if (command != F_OFD_SETLK && command != F_SETLK) return NEXT(fcntl)(file, command, argument);
  FAIL_OR_CALL(fault_of_file(__func__, file), NEXT(fcntl)(file, command, argument));
}

int fstatvfs(int file, struct statvfs *system) {
  struct fault due = fault_of_file(__func__, file);
  if (due.kind == FAULT_ERROR) {
    errno = (int)due.value;
    return -1;
  }
  int result = NEXT(fstatvfs)(file, system);
  if (result == 0 && due.kind == FAULT_ROOMY) system->f_bavail = system->f_blocks * 1000;
  return result;
}

// Linux has closed the descriptor also where the call fails (close(2)).
int close(int file) {
  struct fault due = fault_of_file(__func__, file);
  int result = NEXT(close)(file);
  if (due.kind != FAULT_ERROR) return result;
  errno = (int)due.value;
  return -1;
}

int openat(int folder, const char *name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  FAIL_OR_CALL(fault_of_name(__func__, folder, name), NEXT(openat)(folder, name, flags, mode));
}

int renameat(int from_folder, const char *from, int folder, const char *name) {
  FAIL_OR_CALL(fault_of_name(__func__, from_folder, from), NEXT(renameat)(from_folder, from, folder, name));
}

int renameat2(int from_folder, const char *from, int folder, const char *name, unsigned int flags) {
  FAIL_OR_CALL(fault_of_name(__func__, from_folder, from), NEXT(renameat2)(from_folder, from, folder, name, flags));
}

int linkat(int from_folder, const char *from, int folder, const char *name, int flags) {
  FAIL_OR_CALL(fault_of_name(__func__, from_folder, from), NEXT(linkat)(from_folder, from, folder, name, flags));
}

int unlinkat(int folder, const char *name, int flags) {
  FAIL_OR_CALL(fault_of_name(__func__, folder, name), NEXT(unlinkat)(folder, name, flags));
}
