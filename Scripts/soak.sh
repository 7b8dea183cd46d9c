#!/usr/bin/env bash
# One long download, throttled so that it takes its time over four connections, with a digest. Memory and descriptors
# are sampled from /proc all the while: after the first minute (of short runs: the first half) neither may grow.
# Not in CI.
#
#   Scripts/soak.sh [--minutes N] [--rate SIZE]    (30, 2M a second in all)
set -euo pipefail
source "$(dirname "$0")/common.sh"

minutes=30
rate=2M
while [ $# -gt 0 ]; do
  case "$1" in
    --minutes) minutes=$2 ;;
    --rate) rate=$2 ;;
    *) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
  shift 2
done

# Seconds from one sample to the next.
interval=5
# KiB that may come on top of the first minute's most.
memory_slack=2048
# What one save has open, and a connection that replaces another.
descriptor_slack=3

echo "soak: building" >&2
"$root/Scripts/setup.sh"
build_release swoop scripted-server
make_folder "${TMPDIR:-/tmp}"

bytes=$(awk -v r="$(numfmt --from=iec "$rate")" -v m="$minutes" 'BEGIN { printf "%.0f", r * m * 60 }')
serve --length "$bytes"
sha256=$(curl -sS "$url" | sha256sum | cut -d' ' -f1)
stop_last_child
serve --length "$bytes" --total-rate "$rate"

"$release/swoop" -n 4 --progress plain --sha256 "$sha256" -o "$folder/soak.bin" "$url" 2>"$folder/error" &
pid=$!
children+=("$pid")
begin=$EPOCHREALTIME
ticks=$(getconf CLK_TCK)
calm=$(awk -v m="$minutes" 'BEGIN { print m < 2 ? m * 30 : 60 }')

# sample: appends "SECONDS RSS-KiB DESCRIPTORS CPU-ticks" while the process is there.
sample() {
  local rss descriptors cpu
  rss=$(awk '/^VmRSS:/ { print $2 }' "/proc/$pid/status" 2>/dev/null) || return 1
  # An ended process that nobody has waited for has no memory.
  [ -n "$rss" ] || return 1
  descriptors=$(find "/proc/$pid/fd" -mindepth 1 2>/dev/null | wc -l)
  cpu=$(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | awk '{ print $12 + $13 }') || return 1
  echo "$(seconds_between "$begin" "$EPOCHREALTIME") $rss $descriptors $cpu" >>"$folder/samples"
}

while sample; do sleep "$interval"; done
code=0
wait "$pid" || code=$?
tail -n 1 "$folder/error"

failures=0
fail() {
  echo "soak: FAILED: $*" >&2
  failures=$((failures + 1))
}

[ "$code" -eq 0 ] || fail "exit code $code: $(<"$folder/error")"
[ "$(sha256sum <"$folder/soak.bin" | cut -d' ' -f1)" = "$sha256" ] || fail "the file is not the one that was served"
awk -v calm="$calm" -v memory="$memory_slack" -v descriptors="$descriptor_slack" -v ticks="$ticks" '
  $1 <= calm { if ($2 > rss) rss = $2; if ($3 > fds) fds = $3; next }
  { n++; if ($2 > later) later = $2; if ($3 > more) more = $3; if (!least || $2 < least) least = $2; cpu = $4; end = $1 }
  END {
    printf "soak: %d samples over %d s\n", NR, end
    printf "soak: memory at most %d KiB in the first %d s, then between %d and %d KiB\n", rss, calm, least, later
    printf "soak: descriptors at most %d in the first %d s, then %d\n", fds, calm, more
    printf "soak: %.1f s of CPU time\n", cpu / ticks
    if (!n) { print "soak: FAILED: no samples after the first " calm " s"; exit 1 }
    if (later > rss + memory) { print "soak: FAILED: memory grew"; exit 1 }
    if (more > fds + descriptors) { print "soak: FAILED: descriptors grew"; exit 1 }
  }' "$folder/samples" || failures=$((failures + 1))
[ "$failures" -eq 0 ] || exit 1
echo "soak: all is well"
