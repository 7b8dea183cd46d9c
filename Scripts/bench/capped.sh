#!/usr/bin/env bash
# What several connections gain where each is capped: 128 MiB at 4 MiB/s a connection, by a token bucket over all the
# requests of a connection. Then what a start costs beside curl's.
#
#   Scripts/bench/capped.sh [--rounds N]     (default 1)
set -euo pipefail
source "$(dirname "$0")/../common.sh"

rounds=1
case $# in
  0) ;;
  *) [[ $# -eq 2 && $1 == --rounds ]] || { echo "usage: Scripts/bench/capped.sh [--rounds N]" >&2; exit 2; }
    rounds=$2 ;;
esac

"$root/Scripts/setup.sh" --bench
echo "bench: building" >&2
build_release swoop scripted-server
make_folder /dev/shm
serve --length 128M --rate 4M
cd "$folder"

# fetch N: with N connections; leaves its seconds in `took`.
fetch() {
  local begin=$EPOCHREALTIME
  "$release/swoop" -q -n "$1" -o out "$url" </dev/null
  took=$(seconds_between "$begin" "$EPOCHREALTIME")
  rm out
}

echo "128 MiB at 4 MiB/s a connection"
for ((round = 1; round <= rounds; round++)); do
  fetch 1
  alone=$took
  fetch 8
  awk -v a="$alone" -v b="$took" 'BEGIN { printf "-n 1: %.2f s   -n 8: %.2f s   ratio %.2f\n", a, b, a / b }'
done

echo
echo "start-up: the median of 200 runs"
hyperfine --shell none --warmup 20 --runs 200 --export-csv times.csv --style none \
  "'$release/swoop' --version" 'curl --version' >/dev/null 2>&1
awk -F, 'NR == 2 { s = $4 } NR == 3 { c = $4 }
  END { printf "swoop --version: %.1f ms   curl --version: %.1f ms   ratio %.2f\n", s * 1000, c * 1000, s / c }' times.csv
