#!/usr/bin/env bash
# Runs every command of the README's sh blocks as it stands there, against an example.org of its own, which takes root.
# A command that does not end with 0 is shown with what it said.
set -euo pipefail
source "$(dirname "$0")/common.sh"

# Commands that are run in another place, which has to name them.
declare -A elsewhere=(
  [Scripts/test.sh]=.ci/run
  [Scripts/setup.sh]=Scripts/test.sh
  [Scripts/build-release.sh]=Scripts/check-package.sh
  [apt]=Scripts/check-package.sh
  [Scripts/install.sh]=.ci/run
)

source "$(dirname "$0")/example-site.sh"

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

# prepare COMMAND: what it works on.
prepare() {
  cp "$site/SHA256SUMS" "$folder/nginx/cert.pem" .
  mv cert.pem company.pem
  printf 'Accept-Language: en\n' >headers.txt
  printf 'https://example.org/a.iso\nhttps://example.org/b.iso\n' >urls.txt
  case $1 in
    *debian.iso.part*) leave_part ;;
    *"swoop verify -c"*) cp "$site"/*.iso "$site"/*.tar "$site"/*.gz . ;;
    *"swoop verify"*) cp "$site/debian.iso" . ;;
  esac
  case $1 in *-o\ new.iso*curl*) ;; *" --force"*) printf old >debian.iso ;; esac
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
  [ "$(<status)" = 0 ]
}

failures=0
count=0
# run COMMAND: in a folder of its own.
run() {
  local command output first=${1#sudo }
  first=${first%% *}
  if [ -n "${elsewhere[$first]:-}" ]; then
    grep -q "${first##*/}" "$root/${elsewhere[$first]}" && return 0
    echo "check-readme: ${elsewhere[$first]} does not run $first" >&2
    failures=$((failures + 1))
    return 0
  fi
  count=$((count + 1))
  mkdir -p "$folder/run/home"
  command=$(filled "$1")
  if output=$(
    cd "$folder/run"
    export HOME=$folder/run/home sum url
    sum=$(digest sha256)
    url=https://example.org/debian.iso
    prepare "$command"
    case $command in
      "swoop -u alice"*) type_password "$command" ;;
      Scripts/*) cd "$root" && bash -c "$command" ;;
      *) bash -o pipefail -c "$command" ;;
    esac 2>&1 </dev/null
  ); then :; else
    printf 'check-readme: FAILED: %s\n%s\n' "$1" "$output" >&2
    failures=$((failures + 1))
  fi
  rm -rf "$folder/run"
}

while IFS= read -r line; do run "$line"; done < <(
  awk '
    /^```sh$/ { inside = 1; next }
    /^```/ { inside = 0 }
    !inside || /^ *(#|$)/ { next }
    { sub(/ +# .*/, ""); whole = whole $0 }
    sub(/ *\\$/, " ", whole) { next }
    { print whole; whole = "" }
  ' "$root/README.md"
)
echo "check-readme: $count commands, $failures failed" >&2
[ "$failures" -eq 0 ]
