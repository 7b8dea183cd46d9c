#!/usr/bin/env bash
# Sets up, builds, and runs every test; the end-to-end tests run the release build.
# Further words go to `swift test`: Scripts/test.sh --filter EndToEndTests
set -euo pipefail
source "$(dirname "$0")/common.sh"

"$root/Scripts/setup.sh"
echo "test: building swoop for release" >&2
build_release swoop
export SWOOP_BINARY=$release/swoop
echo "test: building and running the tests" >&2
swift test --package-path "$root" --disable-xctest "$@" </dev/null
