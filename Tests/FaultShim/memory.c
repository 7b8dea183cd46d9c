// The functions that give memory, each counted as `malloc`. What they call instead are names that glibc keeps for
// this: to look a function up takes memory itself.
#include "fault.h"

#include <errno.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static int is_denied(void) {
  if (fault_of_memory().kind != FAULT_ERROR) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return is_denied() ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) { return is_denied() ? NULL : __libc_calloc(count, size); }

void *realloc(void *memory, size_t size) { return is_denied() ? NULL : __libc_realloc(memory, size); }

void *memalign(size_t alignment, size_t size) { return is_denied() ? NULL : __libc_memalign(alignment, size); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  void *found = memalign(alignment, size);
  if (found == NULL) return ENOMEM;
  *memory = found;
  return 0;
}
