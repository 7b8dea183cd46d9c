#!/usr/bin/env bash
# Sets up, builds, and runs every test; the end-to-end tests run the release build.
# Further words go to `swift test`: Scripts/test.sh --filter EndToEndTests
# With SWOOP_ALL_FAULTS=1 a row of the catalogue of faults that no test has played is a failure, if all tests are run.
# What failed is said again at the end, before the closing line.
set -euo pipefail
source "$(dirname "$0")/common.sh"

# Passes lines on as they come, and those of failures once more before the closing line.
with_summary() {
  local line failures=()
  while IFS= read -r line || [ -n "$line" ]; do
    case "$line" in
      *"Test run with "*) summary ;;
      *"✘ Suite "*) ;;
      *✘* | *"recorded an issue"* | *"Fatal error: "* | "error: "*) failures+=("$line") ;;
    esac
    printf '%s\n' "$line"
  done
  # The run has crashed.
  summary
}

summary() {
  [ ${#failures[@]} -gt 0 ] || return 0
  printf '\nWhat failed:\n'
  printf '%s\n' "${failures[@]}"
  failures=()
}

for word in "$@"; do
  case $word in
    --filter* | --skip | --skip=* | -s | --specifier*) unset SWOOP_ALL_FAULTS ;;
  esac
done
"$root/Scripts/setup.sh"
echo "test: building swoop for release" >&2
build_release swoop
export SWOOP_BINARY=$release/swoop
export SWOOP_FAULT_SHIM=$root/.build/fault-shim.so
"$root/Tests/FaultShim/build.sh" "$SWOOP_FAULT_SHIM"
echo "test: building and running the tests" >&2
swift test --package-path "$root" --disable-xctest "$@" </dev/null 2>&1 | with_summary
