#!/usr/bin/env bash
# Builds the library that tests load before the command, to make its calls fail: Tests/FaultShim/build.sh OUTPUT
set -euo pipefail
here=$(dirname "$0")
# The toolchain has a compiler; a machine that builds swoop has one.
compiler=$(command -v clang || command -v cc)
"$compiler" -std=gnu17 -O2 -Wall -Wextra -Werror -fPIC -shared -o "$1" "$here"/*.c -ldl
