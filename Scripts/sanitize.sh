#!/usr/bin/env bash
# The tests under a sanitizer, and the command that they run as well; a report of it is a failure.
#   Scripts/sanitize.sh [address|thread] [WORDS...]
# Both, or the one named; further words go to `swift test`. Tens of minutes, so no part of CI.
set -euo pipefail
source "$(dirname "$0")/common.sh"

case ${1:-} in
  address | thread)
    sanitizers=("$1")
    shift
    ;;
  *) sanitizers=(address thread) ;;
esac

# The end-to-end tests run what is built beside them.
unset SWOOP_BINARY
"$root/Scripts/setup.sh"

# test_under SANITIZER WORDS...: the command's own messages must stay what the tests expect, so reports go to files.
test_under() {
  local sanitizer=$1 scratch=$root/.build/$1 outcome=0
  shift
  rm -rf "$scratch/reports"
  mkdir -p "$scratch/reports"
  local options=log_path=$scratch/reports/report
  SWOOP_SANITIZER=$sanitizer ASAN_OPTIONS=$options \
    TSAN_OPTIONS=$options:suppressions=$root/Tests/thread-sanitizer.txt:print_suppressions=0 \
    swift test --package-path "$root" --scratch-path "$scratch" --sanitize "$sanitizer" --disable-xctest "$@" \
    </dev/null || outcome=1
  local report
  for report in "$scratch"/reports/*; do
    [ -e "$report" ] || continue
    outcome=1
    printf '\n%s\n' "$report" >&2
    head -n 60 "$report" >&2
  done
  [ $outcome -eq 0 ] && echo "sanitize: $sanitizer: clean" >&2 || echo "sanitize: FAILED: $sanitizer" >&2
  return $outcome
}

failures=0
for sanitizer in "${sanitizers[@]}"; do
  test_under "$sanitizer" "$@" || failures=$((failures + 1))
done
[ "$failures" -eq 0 ]
