#!/usr/bin/env bash
# Makes Scripts/media/terminal.svg: what a real terminal (tmux) shows while swoop resumes a download that was interrupted.
# As root, in the namespace of example-site.sh; it takes half a minute, python3 and tmux.
set -euo pipefail
source "$(dirname "$0")/../common.sh"
site_size=96M
site_rate=2m
source "$root/Scripts/example-site.sh"

cd "$folder"
cp "$site/SHA256SUMS" .
tmux=(tmux -S "$folder/tmux" -f /dev/null)
show() { "${tmux[@]}" capture-pane -p; }
# await TEXT: until the screen has it.
await() {
  local tries
  for ((tries = 0; tries < 600; tries++)); do
    ! show | grep -q -- "$1" || return 0
    sleep 0.05
  done
  show >&2
  echo "terminal.sh: no '$1' on the screen" >&2
  return 1
}

"${tmux[@]}" new-session -d -x 88 -y 12 "env PS1='$ ' LC_ALL=C.UTF-8 HOME=$folder bash --norc"
children+=("$("${tmux[@]}" display-message -p '#{pid}')")
await '^[$]'
command='swoop -n 4 --checksum-file SHA256SUMS https://example.org/debian.iso'
"${tmux[@]}" send-keys "$command" Enter
await ' 4[0-9]% .*connections'
"${tmux[@]}" send-keys C-c
await 'interrupted'
"${tmux[@]}" send-keys "${command/-n 4/-n 8}" Enter
await ' [78][0-9]% .*connections'
"${tmux[@]}" capture-pane -p -e >"$folder/screen"
await 'sha256 verified'
python3 "$root/Scripts/media/screen-to-svg.py" <"$folder/screen" >"$root/Scripts/media/terminal.svg"
