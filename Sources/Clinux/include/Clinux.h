// What the toolchain's Glibc module leaves out of Linux. Plain types only: a header of the system that is included here
// would give its types a second home, and Swift may find either.
#ifndef SWOOP_CLINUX_H
#define SWOOP_CLINUX_H

// openat(2), which is variadic.
int swoop_openat(int directory, const char *name, int flags, unsigned int mode);

// fallocate(2); unless `keeps_length`, the file gets as long as the room. Never the C library's emulation, which writes
// zeros.
int swoop_fallocate(int fd, long long offset, long long length, int keeps_length);

// fallocate(2) with FALLOC_FL_PUNCH_HOLE: the room goes back to the disk, the bytes read as zeros, the length stays.
int swoop_release(int fd, long long offset, long long length);

// memfd_create(2), closed on exec.
int swoop_memory_file(void);

// renameat2(2) with RENAME_NOREPLACE, within one folder.
int swoop_rename_no_replace(int directory, const char *from, const char *to);

// syncfs(2).
int swoop_sync_file_system(int fd);

// A write lock on `length` bytes of the file, to its end and beyond where that is 0, owned by the open file description
// (fcntl(2), F_OFD_SETLK); -1 where it is held.
int swoop_lock_open_file(int fd, long long start, long long length);

// copy_file_range(2): at most `count` bytes, without a way through this process.
long swoop_copy_range(int from, long long offset, int to, long long place, long count);

// eventfd(2), closed on exec, never blocking.
int swoop_eventfd(void);

// signalfd(2) for a sigset_t, closed on exec, never blocking.
int swoop_signalfd(const void *signals);

// The number of the next signal of a signalfd; 0 where there is none.
int swoop_next_signal(int fd);

// The path of the loaded library that has this symbol (dladdr(3)), as long as it is loaded; NULL where none has it.
const char *swoop_library_of(const char *symbol);

#endif
