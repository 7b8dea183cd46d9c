#!/usr/bin/env bash
# Hours of downloads of the release build against a scripted server with random faults, random options, random signals
# and random damage between two runs. After every run the promises are checked: the first broken one ends it, with the
# case's folder and an account of what happened kept in the current folder. Not in CI.
#
#   Scripts/torture.sh [--minutes N] [--seed S] [--cases N] [--jobs N] [--evidence DIR]    (60 minutes, 4 at a time)
#   Scripts/torture.sh --seed S --cases 1    the case with seed S again
set -euo pipefail
source "$(dirname "$0")/common.sh"

echo "torture: building" >&2
"$root/Scripts/setup.sh"
build_release swoop torture
export SWOOP_BINARY=$release/swoop
exec nice "$release/torture" "$@"
