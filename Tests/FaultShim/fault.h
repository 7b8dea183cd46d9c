// A library that is loaded before the C library (LD_PRELOAD, ld.so(8)) and makes calls fail as a disk, a file system or
// a machine without memory would. What it is to play stands in the environment:
//
//   FAULT_FOLDER   only files in this folder, an absolute path, are touched
//   FAULT_REPORT   a file that tells, in the layout of `struct report`, what was played; it must be there and be empty
//   FAULT_RULES    rules with `;` between them, each of five words: CALLS NAMES FIRST COUNT EFFECT
//
// CALLS: names with `,` between them, or `*`: all calls of files. NAMES: the end of the path, `*` for all, `.` for the
// folder itself. The rule is played at the FIRST such call, counted from 1, and at those after it: COUNT calls in all,
// or 0, for ever. EFFECT:
//
//   errno=N    the call fails with this number; close(2) has closed all the same
//   one, half  a write writes one byte, or half of what it was given
//   flip       a bit of what was written is another one on the disk
//   storm      three of four calls are interrupted (EINTR)
//   roomy      the file system says that it has more room than there is
//   wait=N     the call is so many seconds late, as on a disk that has much to do
//   clock=N    the clock on the wall jumps by so many seconds; the call itself goes on
#ifndef FAULT_H
#define FAULT_H

#include <stddef.h>
#include <stdint.h>

enum fault_kind {
  FAULT_NONE, FAULT_ERROR, FAULT_ONE, FAULT_HALF, FAULT_FLIP, FAULT_STORM, FAULT_ROOMY, FAULT_CLOCK, FAULT_WAIT
};

// What is to happen to a call; `value` is the errno or the seconds.
struct fault {
  enum fault_kind kind;
  long value;
};

enum { MOST_RULES = 8 };

// How often a rule's calls were made and failed, and which was the first to fail.
struct report {
  uint64_t seen;
  uint64_t played;
  char first[240];
};

// A call about an open file; about a name in a folder (openat(2)); about nothing but the process.
struct fault fault_of_file(const char *call, int file);
struct fault fault_of_name(const char *call, int folder, const char *name);
struct fault fault_of_memory(void);

// By how many seconds the wall clock is off.
extern volatile long fault_clock;

// The function of this name that would have been called.
void *fault_next(const char *name);

#endif
