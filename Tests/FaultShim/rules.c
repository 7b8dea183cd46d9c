#define _GNU_SOURCE
#include "fault.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct rule {
  char calls[128];
  char names[64];
  unsigned long first, count;
  struct fault effect;
};

static struct rule rules[MOST_RULES];
static int rule_count;
static char folder[PATH_MAX];
static struct report *reports;
volatile long fault_clock;

// A rule or a report that cannot be used must not pass for a run without faults.
static void give_up(const char *what) {
  dprintf(STDERR_FILENO, "fault shim: %s\n", what);
  _exit(99);
}

static struct fault effect_of(const char *text) {
  static const struct {
    const char *name;
    enum fault_kind kind;
  } plain[] = {
      {"one", FAULT_ONE}, {"half", FAULT_HALF}, {"flip", FAULT_FLIP}, {"storm", FAULT_STORM}, {"roomy", FAULT_ROOMY}};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (strcmp(text, plain[i].name) == 0) return (struct fault){plain[i].kind, 0};
  long value;
  if (sscanf(text, "errno=%ld", &value) == 1) return (struct fault){FAULT_ERROR, value};
  if (sscanf(text, "clock=%ld", &value) == 1) return (struct fault){FAULT_CLOCK, value};
  if (sscanf(text, "wait=%ld", &value) == 1) return (struct fault){FAULT_WAIT, value};
  give_up("no such effect");
  return (struct fault){FAULT_NONE, 0};
}

static void read_rules(char *text) {
  for (char *word, *rest = text; (word = strsep(&rest, ";")) != NULL && rule_count < MOST_RULES; rule_count++) {
    struct rule *rule = &rules[rule_count];
    char effect[64];
    if (sscanf(word, "%127s %63s %lu %lu %63s", rule->calls, rule->names, &rule->first, &rule->count, effect) != 5)
      give_up("a rule that is none");
    rule->effect = effect_of(effect);
  }
}

// The numbers are in a file that is mapped: they outlive the process, however it ends.
static void open_report(const char *path) {
  int file = open(path, O_RDWR | O_CLOEXEC);
  size_t size = MOST_RULES * sizeof *reports;
  if (file < 0 || ftruncate(file, (off_t)size) != 0) give_up("no report");
  reports = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (reports == MAP_FAILED) give_up("no report");
  close(file);
}

__attribute__((constructor)) static void start(void) {
  static char text[2048];
  const char *wanted = getenv("FAULT_RULES"), *where = getenv("FAULT_FOLDER"), *report = getenv("FAULT_REPORT");
  if (wanted == NULL || where == NULL || report == NULL) return;
  if (strlen(wanted) >= sizeof text || realpath(where, folder) == NULL) give_up("no folder, or too many rules");
  strcpy(text, wanted);
  open_report(report);
  int count_before = rule_count;
  read_rules(text);
  if (rule_count == count_before) give_up("no rule");
}

static bool has_call(const struct rule *rule, const char *call, bool is_file) {
  if (strcmp(rule->calls, "*") == 0) return is_file;
  size_t length = strlen(call);
  for (const char *at = rule->calls; (at = strstr(at, call)) != NULL; at += length)
    if ((at == rule->calls || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return true;
  return false;
}

static bool has_name(const struct rule *rule, const char *path) {
  if (strcmp(rule->names, "*") == 0) return true;
  if (strcmp(rule->names, ".") == 0) return strcmp(path, folder) == 0;
  size_t length = strlen(path), wanted = strlen(rule->names);
  return length >= wanted && strcmp(path + length - wanted, rule->names) == 0;
}

// Counts the call, and tells whether the rule is to be played at it.
static bool is_due(int index, const char *call, const char *path) {
  const struct rule *rule = &rules[index];
  struct report *report = &reports[index];
  uint64_t number = __atomic_add_fetch(&report->seen, 1, __ATOMIC_RELAXED);
  if (number < rule->first || (rule->count != 0 && number >= rule->first + rule->count)) return false;
  if (rule->effect.kind == FAULT_STORM && number % 4 == 0) return false;
  if (__atomic_add_fetch(&report->played, 1, __ATOMIC_RELAXED) == 1)
    snprintf(report->first, sizeof report->first, "%s %s", call, path);
  return true;
}

static struct fault as_played(struct fault effect) {
  if (effect.kind == FAULT_STORM) return (struct fault){FAULT_ERROR, EINTR};
  if (effect.kind == FAULT_WAIT) {
    sleep((unsigned)effect.value);
    return (struct fault){FAULT_NONE, 0};
  }
  if (effect.kind != FAULT_CLOCK) return effect;
  fault_clock = effect.value;
  return (struct fault){FAULT_NONE, 0};
}

static struct fault fault_of(const char *call, const char *path, bool is_file) {
  struct fault found = {FAULT_NONE, 0};
  for (int i = 0; i < rule_count; i++) {
    if (!has_call(&rules[i], call, is_file) || (is_file && !has_name(&rules[i], path))) continue;
    if (is_due(i, call, path) && found.kind == FAULT_NONE) found = as_played(rules[i].effect);
  }
  return found;
}

static bool is_in_folder(const char *path) {
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

// The path that a link of /proc leads to; false where there is none.
static bool follow(const char *link, char *path, size_t size) {
  ssize_t length = readlink(link, path, size - 1);
  if (length < 0) return false;
  path[length] = '\0';
  return true;
}

static bool path_of_file(int file, char *path, size_t size) {
  char link[64];
  if (file == AT_FDCWD) return follow("/proc/self/cwd", path, size);
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  return follow(link, path, size);
}

struct fault fault_of_file(const char *call, int file) {
  char path[PATH_MAX];
  if (rule_count == 0 || !path_of_file(file, path, sizeof path) || !is_in_folder(path))
    return (struct fault){FAULT_NONE, 0};
  return fault_of(call, path, true);
}

struct fault fault_of_name(const char *call, int at, const char *name) {
  char path[PATH_MAX + NAME_MAX + 2];
  if (rule_count == 0) return (struct fault){FAULT_NONE, 0};
  if (name[0] == '/') {
    snprintf(path, sizeof path, "%s", name);
  } else {
    if (!path_of_file(at, path, PATH_MAX)) return (struct fault){FAULT_NONE, 0};
    size_t length = strlen(path);
    if (strcmp(name, ".") != 0) snprintf(path + length, sizeof path - length, "/%s", name);
  }
  return is_in_folder(path) ? fault_of(call, path, true) : (struct fault){FAULT_NONE, 0};
}

struct fault fault_of_memory(void) {
  return rule_count == 0 ? (struct fault){FAULT_NONE, 0} : fault_of("malloc", "", false);
}

void *fault_next(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) give_up(name);
  return found;
}
