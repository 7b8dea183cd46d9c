#!/usr/bin/env bash
# Shows what swoop does, on this machine alone; takes a minute.
#
#   Scripts/demo.sh        serves a file at 4 MiB/s a connection, fetches it with curl and with swoop, kills swoop
#                          half-way, resumes and verifies; leaves nothing behind
#   Scripts/demo.sh URL    fetches that instead, into this folder; options of swoop may stand before and after it
set -euo pipefail
source "$(dirname "$0")/common.sh"

say() { printf '\n# %s\n' "$*"; }
prompt() { printf '$ %s\n' "$*"; }

# run COMMAND...: shows a command, runs it, and leaves its seconds in `took`.
run() {
  local begin=$EPOCHREALTIME
  prompt "$@"
  "$@"
  took=$(seconds_between "$begin" "$EPOCHREALTIME")
}

# As it would be on the PATH.
swoop() { "$release/swoop" "$@"; }

"$root/Scripts/setup.sh"
if [ $# -gt 0 ]; then
  echo "demo: building" >&2
  build_release swoop
  exec "$release/swoop" "$@"
fi
echo "demo: building" >&2
build_release swoop scripted-server

make_folder "${TMPDIR:-/tmp}"
# The file of options that its user may have would make another session of it.
export XDG_CONFIG_HOME=$folder
serve --length 128M --rate 4M
cd "$folder"
curl_options=(-sS)
[ ! -t 2 ] || curl_options=(-#)

say "A server gives 4 MiB/s to each connection. curl has one:"
run curl "${curl_options[@]}" -o curl.bin "$url"
curl_took=$took
printf '%.1f s\n' "$took"

say "swoop has eight:"
run swoop -n 8 -o swoop.bin "$url"
awk -v c="$curl_took" -v s="$took" 'BEGIN { printf "%.1f s: %.1f times as fast\n", s, c / s }'
cmp curl.bin swoop.bin

say "Killed half-way, with no chance to save anything:"
md5=$(md5sum curl.bin | cut -d' ' -f1)
command=(swoop -n 4 --md5 "$md5" -o again.bin "$url")
prompt "${command[@]} &"
"$release/swoop" "${command[@]:1}" &
children+=($!)
sleep 4.5
# Of a job that it does not know bash does not say that it was killed.
disown $!
kill -9 $!
while kill -0 $! 2>/dev/null; do sleep 0.01; done
prompt "kill -9 $!"
run swoop status again.bin.part

say "The same command again fetches only what is missing, and verifies the whole:"
run "${command[@]}"
cmp curl.bin again.bin
