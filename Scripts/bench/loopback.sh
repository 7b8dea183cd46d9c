#!/usr/bin/env bash
# How swoop compares with curl where the network costs nothing: a file from nginx on loopback, to a tmpfs and to a
# disk, with 1, 2, 8 and 64 connections; aria2c and axel beside it. The runs alternate, one of each in every round.
# The table has the medians; on the disk everyone's time includes the sync, which swoop does by itself.
#
#   Scripts/bench/loopback.sh [--size BYTES] [--rounds N] [--only WORDS]
#
#   --size BYTES   such as 256M (default 1G)
#   --rounds N     (default 5)
#   --only WORDS   places and contenders, with commas: tmpfs,swoop-8,curl (default all; curl is always there)
set -euo pipefail
source "$(dirname "$0")/../common.sh"
source "$(dirname "$0")/shared.sh"

size=1G rounds=5 only=
while [ $# -gt 0 ]; do
  case "$1" in
    --size) size=${2:?} ;;
    --rounds) rounds=${2:?} ;;
    --only) only=${2:?} ;;
    *) usage ;;
  esac
  shift 2
done

contenders=(curl swoop-1 swoop-2 swoop-8 swoop-64 aria2c-16 axel-16)
places=(tmpfs disk)

mapfile -t places < <(chosen "${places[@]}")
mapfile -t contenders < <(chosen "${contenders[@]}" | grep -vx curl)
contenders=(curl "${contenders[@]}")

"$root/Scripts/setup.sh" --bench
echo "bench: building" >&2
build_release swoop

mkdir -p "$root/.build"
make_folder /dev/shm
mkdir "$folder/out"
tmpfs=$folder/out
disk=$(mktemp -d "$root/.build/bench.XXXXXX")
trap 'clean_up; rm -rf "$disk"' EXIT

mkdir "$folder/served"
truncate -s "$size" "$folder/served/file.bin"
size=$(stat -c %s "$folder/served/file.bin")
make_file "$size" "$folder/served/file.bin"

# measure PLACE CONTENDER ROUND: one run, one line of results: place, contender, wall, user, system, KiB.
measure() {
  local place=$1 contender=$2 command then=: begin wall
  set_command "$contender"
  [[ $place != disk || $contender == swoop-* ]] || then="sync -d out"
  cd "${!place}"
  begin=$EPOCHREALTIME
  if ! /usr/bin/time -o time -f '%U %S %M' sh -c "\"\$@\" && $then" sh "${command[@]}" </dev/null >errors 2>&1; then
    echo "bench: $contender failed:" >&2
    cat errors >&2
    return 1
  fi
  wall=$(seconds_between "$begin" "$EPOCHREALTIME")
  echo "$place $contender $wall $(tail -n 1 time)" >>"$folder/results"
  [ "$3" -ne 1 ] || cmp out "$folder/served/file.bin"
  rm -f out*
}

# median PLACE CONTENDER EXPRESSION: of an awk expression over the fields of the results.
median() {
  awk -v p="$1" -v c="$2" "\$1 == p && \$2 == c { print $3 }" "$folder/results" | sort -n |
    awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2 }'
}

table() {
  local place contender wall cpu curl_wall curl_cpu
  printf '%-6s %-10s %8s %7s %8s %7s %9s\n' to with 'wall s' 'x curl' 'CPU s' 'x curl' 'peak MiB'
  for place in "${places[@]}"; do
    curl_wall=$(median "$place" curl '$3')
    curl_cpu=$(median "$place" curl '$4 + $5')
    for contender in "${contenders[@]}"; do
      wall=$(median "$place" "$contender" '$3')
      cpu=$(median "$place" "$contender" '$4 + $5')
      awk -v p="$place" -v n="$contender" -v w="$wall" -v cw="$curl_wall" -v c="$cpu" -v cc="$curl_cpu" \
        -v m="$(median "$place" "$contender" '$6 / 1024')" 'BEGIN {
          printf "%-6s %-10s %8.3f %7.2f %8.2f %7.2f %9.1f\n", p, n, w, cw ? w / cw : 0, c, cc ? c / cc : 0, m }'
    done
  done
}

start_nginx
url=http://127.0.0.1:$port/file.bin
for ((round = 1; round <= rounds; round++)); do
  echo "bench: round $round of $rounds" >&2
  for place in "${places[@]}"; do
    # Each round begins with another one: the first run after a change of place may find a colder machine.
    for index in "${!contenders[@]}"; do
      measure "$place" "${contenders[(index + round) % ${#contenders[@]}]}" "$round"
    done
  done
done

echo "$size bytes from nginx on loopback; medians of $rounds alternating runs; $(nproc) cores"
table
