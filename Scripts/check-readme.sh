#!/usr/bin/env bash
# Runs every command of the README's sh blocks as it stands there, and its jobs in each of their tasks, against an
# example.org of its own, which takes root. A command that does not end with 0 is shown with what it said.
set -euo pipefail
source "$(dirname "$0")/common.sh"

# What runs commands with these words, and has to name them.
declare -A elsewhere=(
  [Scripts/test.sh]=.ci/run
  [Scripts/install.sh]=Scripts/check.sh
  [Scripts/build-release.sh]=Scripts/check-package.sh
  [apt install]=Scripts/check-package.sh
  [apt remove]=Scripts/check-package.sh
)

source "$(dirname "$0")/example-site.sh"

# block LANGUAGE: what stands in the README's blocks of a language.
block() {
  awk -v fence="\`\`\`$1" '
    /^```/ { is_open = !is_open; inside = is_open && $0 == fence; next }
    inside
  ' "$root/README.md"
}

# The README's metalink is the one that is served, with the digests of what is served in place of its own.
block xml >"$folder/debian.iso.meta4"
awk -v digests="$(for part in "head -c 12M" "head -c 8M" "tail -c 4M"; do $part "$site/debian.iso" | sha256sum; done |
  cut -d' ' -f1 | tr '\n' ' ')" '
  BEGIN { split(digests, digest, " ") }
  /<hash/ { sub(/>[[:xdigit:]]*</, ">" digest[++count] "<") }
  { print }
' "$folder/debian.iso.meta4" >"$site/debian.iso.meta4"
list_digests

digest() { openssl dgst "-$1" -r "$site/debian.iso" | cut -d' ' -f1; }

# A partial debian.iso, as a killed run leaves it.
leave_part() {
  swoop -q --limit-rate 4M https://example.org/debian.iso &
  local pid=$! tries
  for ((tries = 0; tries < 400; tries++)); do
    # The first save may come before the first byte.
    swoop status debian.iso.part 2>/dev/null | grep -q 'done  *[1-9]' && break
    sleep 0.05
  done
  kill -9 "$pid"
  wait "$pid" 2>/dev/null || true
  swoop status debian.iso.part >/dev/null
}

# A debian.iso in four parts, into files of their own or with `--output-offset` into shared.iso.
leave_parts() {
  local part range
  for part in 0 1 2 3; do
    range=$(swoop plan https://example.org/debian.iso --parts 4 --part "$part")
    case $1 in
      *shared*) swoop -q --range "$range" --output-offset "${range%-*}" -o shared.iso https://example.org/debian.iso ;;
      *) swoop -q --range "$range" --keep-manifest -o "debian.$part" https://example.org/debian.iso ;;
    esac
  done
}

# A debian.iso with a damaged block, and its manifest.
leave_damage() {
  swoop -q --keep-manifest https://example.org/debian.iso
  printf 'damaged' | dd of=debian.iso bs=1 seek=5000000 conv=notrunc status=none
}

# prepare COMMAND: what it works on.
prepare() {
  cp "$site/SHA256SUMS" "$folder/nginx/cert.pem" .
  mv cert.pem company.pem
  printf 'Accept-Language: en\n' >headers.txt
  case $1 in
    *debian.iso.part*) leave_part ;;
    *"swoop join"*) leave_parts "$1" ;;
    *--repair*) leave_damage ;;
    "swoop debian.iso.meta4") cp "$site/debian.iso.meta4" . ;;
    "swoop --dry-run debian.iso.meta4") cp "$folder/debian.iso.meta4" . ;;
    *list.txt*) printf 'https://example.org/%s.iso\n' a b >list.txt ;;
    *--netrc*) (umask 077 && printf 'machine example.org login alice password secret\n' >home/.netrc) ;;
    sha256sum*) cp "$site"/*.iso . ;;
    *"swoop verify -c"*) cp "$site"/*.iso "$site"/*.tar "$site"/*.gz "$site"/*.meta4 . ;;
    *"swoop verify"*) cp "$site/debian.iso" . ;;
  esac
}

# filled COMMAND: with real digests in place of HEX, and nothing for who is root already.
filled() {
  local command=${1#sudo } pattern='(md5|sha1|sha256|sha512|sha3-256)([ :=])HEX'
  while [[ $command =~ $pattern ]]; do
    command=${command/"${BASH_REMATCH[0]}"/"${BASH_REMATCH[1]}${BASH_REMATCH[2]}$(digest "${BASH_REMATCH[1]}")"}
  done
  printf '%s\n' "$command"
}

# Types the password when it is asked for, on a terminal.
type_password() {
  local tmux=(tmux -S "$folder/tmux" -f /dev/null) tries
  "${tmux[@]}" new-session -d -x 80 -y 24 "bash -c $(printf %q "$1; echo \$? >status")"
  for ((tries = 0; tries < 200; tries++)); do
    "${tmux[@]}" capture-pane -p | grep -qi 'password' && break
    sleep 0.05
  done
  "${tmux[@]}" send-keys secret Enter
  for ((tries = 0; tries < 400; tries++)); do
    [ ! -s status ] || break
    sleep 0.05
  done
  "${tmux[@]}" kill-server 2>/dev/null || true
  [ "$(<status)" = 0 ]
}

failures=0
count=0
demo=
# attempt WHAT COMMAND...: counts it, and shows what it said if it fails.
attempt() {
  local output
  count=$((count + 1))
  output=$("${@:2}" 2>&1 </dev/null) && return 0
  printf 'check-readme: FAILED: %s\n%s\n' "$1" "$output" >&2
  failures=$((failures + 1))
}

# run_here COMMAND: in a folder made for it, with what it works on.
run_here() {
  cd "$folder/run"
  export HOME=$folder/run/home sum url
  sum=$(digest sha256)
  url=https://example.org/debian.iso
  prepare "$1"
  case $1 in
    "swoop -u alice"*) type_password "$1" ;;
    *) bash -o pipefail -c "$1" ;;
  esac
}

# run COMMAND: in a folder of its own.
run() {
  local words
  for words in "${!elsewhere[@]}"; do
    [[ $1 == *"$words"* ]] || continue
    grep -q "${words##*[/ ]}" "$root/${elsewhere[$words]}" && return 0
    echo "check-readme: ${elsewhere[$words]} does not run $words" >&2
    failures=$((failures + 1))
    return 0
  done
  if [ "$1" = Scripts/demo.sh ]; then
    # It mostly waits.
    count=$((count + 1))
    "$root/$1" >"$folder/demo" 2>&1 </dev/null &
    demo=$!
    children+=("$demo")
    return 0
  fi
  mkdir -p "$folder/run/home"
  attempt "$1" run_here "$(filled "$1")"
  rm -rf "$folder/run"
}

# run_tasks VARIABLE JOIN COMMAND...: a job in each of its 32 tasks, whose number the variable has, and the command that
# the README names for the end.
run_tasks() {
  local task
  grep -qF "\`$2\`" "$root/README.md" || { echo "the README does not name $2"; return 1; }
  rm -f /mnt/shared/*
  for task in {0..31}; do env "$1=$task" "${@:3}" || return; done
  bash -c "$(filled "$2")" && cmp "$site/debian.iso" /mnt/shared/debian.iso
}

while IFS= read -r line; do run "$line"; done < <(
  block sh | awk '
    /^ *(#|$)/ { next }
    { sub(/ +# .*/, ""); whole = whole $0 }
    sub(/ *\\$/, " ", whole) { next }
    { print whole; whole = "" }
  '
)
block bash >"$folder/array.sh"
attempt "the job of Slurm" run_tasks SLURM_ARRAY_TASK_ID 'swoop join --sha256 HEX /mnt/shared/debian.iso' \
  bash "$folder/array.sh"
block yaml | awk '/^ *- [|]$/ { inside = 1; next } /volumeMounts/ { inside = 0 } inside' >"$folder/pod.sh"
attempt "the job of Kubernetes" run_tasks JOB_COMPLETION_INDEX \
  'swoop join -o /mnt/shared/debian.iso /mnt/shared/debian.*[0-9]' sh -e "$folder/pod.sh"

# A command in a block of no language would never run.
is_no_command() { ! block "" | grep -E '^(sudo |Scripts/|swoop )|[|] swoop '; }
if ! stray=$(is_no_command); then
  printf 'check-readme: FAILED: these stand in no sh block\n%s\n' "$stray" >&2
  failures=$((failures + 1))
fi
if [ -n "$demo" ] && ! wait "$demo"; then
  printf 'check-readme: FAILED: Scripts/demo.sh\n%s\n' "$(<"$folder/demo")" >&2
  failures=$((failures + 1))
fi
echo "check-readme: $count commands, $failures failed" >&2
[ "$failures" -eq 0 ]
