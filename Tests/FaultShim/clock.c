// The clock on the wall; the monotonic ones are left alone.
#define _GNU_SOURCE
#include "fault.h"

#include <sys/time.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*next)(clockid_t, struct timespec *);
  if (next == NULL) next = fault_next("clock_gettime");
  int result = next(clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += fault_clock;
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  static int (*next)(struct timeval *, void *);
  if (next == NULL) next = fault_next("gettimeofday");
  int result = next(now, zone);
  if (result == 0) now->tv_sec += fault_clock;
  return result;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != NULL) *result = now.tv_sec;
  return now.tv_sec;
}
