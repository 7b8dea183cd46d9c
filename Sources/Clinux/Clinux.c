#define _GNU_SOURCE
#include "Clinux.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

int swoop_openat(int directory, const char *name, int flags, unsigned int mode) {
  return openat(directory, name, flags, (mode_t)mode);
}

int swoop_fallocate(int fd, long long offset, long long length, int keeps_length) {
  return fallocate(fd, keeps_length ? FALLOC_FL_KEEP_SIZE : 0, (off_t)offset, (off_t)length);
}

int swoop_release(int fd, long long offset, long long length) {
  return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)length);
}

int swoop_memory_file(void) { return memfd_create("swoop", MFD_CLOEXEC); }

int swoop_rename_no_replace(int directory, const char *from, const char *to) {
  return renameat2(directory, from, directory, to, RENAME_NOREPLACE);
}

int swoop_sync_file_system(int fd) { return syncfs(fd); }

int swoop_lock_open_file(int fd, long long start, long long length) {
  struct flock lock = {
      .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)start, .l_len = (off_t)length, .l_pid = 0};
  return fcntl(fd, F_OFD_SETLK, &lock);
}

long swoop_copy_range(int from, long long offset, int to, long long place, long count) {
  off_t source = offset, target = place;
  return copy_file_range(from, &source, to, &target, (size_t)count, 0);
}

int swoop_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int swoop_signalfd(const void *signals) { return signalfd(-1, (const sigset_t *)signals, SFD_CLOEXEC | SFD_NONBLOCK); }

int swoop_next_signal(int fd) {
  struct signalfd_siginfo info;
  return read(fd, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

const char *swoop_library_of(const char *symbol) {
  Dl_info info;
  void *address = dlsym(RTLD_DEFAULT, symbol);
  return address && dladdr(address, &info) ? info.dli_fname : 0;
}
