#!/usr/bin/env bash
# How long swoop takes beside the downloaders that are installed, where connections are slow or the way is long.
# Needs no root: nginx serves on loopback, and a relay between makes the caps and delays. The runs alternate, one of
# each contender in every round, and each file is compared with the served one, byte for byte.
# Exit code 1 if any run failed or brought a wrong file; all else is finished first.
#
#   Scripts/bench/compare.sh [--rounds N] [--size SIZE] [--only WORDS] [--svg FILE] [--markdown]
#
#   --rounds N     (default 3; some three minutes each)
#   --size SIZE    such as 16M, for all scenarios instead of what each has
#   --only WORDS   scenarios and contenders, with commas (default all): plain, capped, uneven, far, small; swoop,
#                  swoop-16, curl, wget, aria2c-16, axel-16, lftp-16
#   --svg FILE     also draw a chart
#   --markdown     the table for the README
set -euo pipefail
source "$(dirname "$0")/../common.sh"
source "$(dirname "$0")/shared.sh"
source "$(dirname "$0")/report.sh"

scenarios=(plain capped uneven far small)
contenders=(swoop swoop-16 curl wget aria2c-16 axel-16 lftp-16)
# A run that takes longer has failed.
patience=120

# set_scenario NAME: its `size`, the `path` (options of the relay; none where there is no relay), and `about` it.
set_scenario() {
  case "$1" in
    plain) size=256M path=() about='no caps, no delay' ;;
    capped) size=64M path=(--rate 4M) about='each connection 4 MiB/s' ;;
    uneven) size=64M path=(--rate 4M --slow 4:128K) about='each 4 MiB/s, but every fourth 0.125 MiB/s' ;;
    far) size=64M path=(--delay-ms 50 --rate 4M --total-rate 40M)
      about='round trip 100 ms, each 4 MiB/s, all together 40 MiB/s' ;;
    small) size=4M path=(--delay-ms 50) about='round trip 100 ms, no caps' ;;
  esac
  size=${own_size:-$size}
}

read_options() {
  words="$*"
  rounds=3 own_size= only= svg= table=text_table
  while [ $# -gt 0 ]; do
    case "$1" in
      --markdown) table=markdown_table; shift; continue ;;
      --rounds) rounds=${2-} ;;
      --size) own_size=${2-} ;;
      --only) only=${2-} ;;
      --svg) svg=${2-} ;;
      *) usage ;;
    esac
    [ -n "${2-}" ] || usage
    shift 2
  done
  [[ $rounds =~ ^[1-9][0-9]*$ && ${own_size:-1M} =~ ^[1-9][0-9]*[KMG]$ ]] || usage
  local word
  for word in ${only//,/ }; do
    [[ " ${scenarios[*]} ${contenders[*]} " == *" $word "* ]] || usage
  done
}

# measure SCENARIO CONTENDER: one run, one line of results: scenario, contender, and seconds or `failed`.
measure() {
  local command url took=failed begin
  [ ${#path[@]} -eq 0 ] || start_service path-relay --to "$port" "${path[@]}"
  url=http://127.0.0.1:$([ ${#path[@]} -eq 0 ] && echo "$port" || echo "$line")/$size
  set_command "$2"
  rm -rf "$folder/out"
  mkdir "$folder/out"
  begin=$EPOCHREALTIME
  # In the background, so that a signal to this script ends it at once.
  (cd "$folder/out" && exec timeout "$patience" "${command[@]}") </dev/null >"$folder/log" 2>&1 &
  children+=($!)
  if wait $! && end=$EPOCHREALTIME && cmp "$folder/out/out" "$folder/served/$size" >>"$folder/log" 2>&1; then
    took=$(seconds_between "$begin" "$end")
  else
    echo "bench: $1: $2 failed:" >&2
    tail -n 5 "$folder/log" >&2
  fi
  unset "children[-1]"
  [ ${#path[@]} -eq 0 ] || stop_last_child
  printf '%s\t%s\t%s\n' "$1" "$2" "$took" >>"$folder/results"
}

run_rounds() {
  local round scenario index
  for ((round = 1; round <= rounds; round++)); do
    echo "bench: round $round of $rounds" >&2
    for scenario in "${scenarios[@]}"; do
      set_scenario "$scenario"
      for index in "${!contenders[@]}"; do
        measure "$scenario" "${contenders[(index + round) % ${#contenders[@]}]}"
      done
    done
  done
}

serve_files() {
  local scenario
  mkdir "$folder/served"
  for scenario in "${scenarios[@]}"; do
    set_scenario "$scenario"
    [ -e "$folder/served/$size" ] || make_file "$(numfmt --from=iec "$size")" "$folder/served/$size"
    printf '%s\t%s, %s\n' "$scenario" "${size%[KMG]} ${size: -1}iB" "$about" >>"$folder/scenarios"
  done
  start_nginx
}

read_options "$@"
mapfile -t scenarios < <(chosen "${scenarios[@]}")
mapfile -t contenders < <(chosen "${contenders[@]}")
for index in "${!contenders[@]}"; do
  is_installed "${contenders[index]}" && continue
  echo "bench: without $(program_of "${contenders[index]}"), which is not installed" >&2
  unset "contenders[index]"
done
contenders=("${contenders[@]}")

"$root/Scripts/setup.sh"
echo "bench: building" >&2
build_release swoop path-relay
make_folder /dev/shm
serve_files
run_rounds
describe_contenders
summarize
[ -z "$svg" ] || chart >"$svg"
"$table"
! grep -q failed "$folder/results"
