# What the benchmarks share; they source it after common.sh.
# shellcheck shell=bash

# Loopback is never behind a proxy, and no contender reads the user's own settings.
unset http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
export XDG_CONFIG_HOME=/nonexistent

# usage: the lines of the script's head that begin with an option or the command, and exit 2.
usage() {
  sed -n '/^#   S/,/^set/s/^# *//p' "$0" >&2
  exit 2
}

# is_only WORD: whether `only` (words with commas between) names it.
is_only() {
  [[ ,$only, == *,$1,* ]]
}

# chosen WORDS...: those of the words that `only` names; all if it names none of them.
chosen() {
  local word some=()
  for word in "$@"; do
    ! is_only "$word" || some+=("$word")
  done
  [ ${#some[@]} -gt 0 ] || some=("$@")
  printf '%s\n' "${some[@]}"
}

# program_of CONTENDER: what it runs. A contender is a program, or a program and its number of connections: swoop-16.
program_of() {
  echo "${1%-[0-9]*}"
}

is_installed() {
  [ "$(program_of "$1")" = swoop ] || command -v "$(program_of "$1")" >/dev/null
}

# set_command CONTENDER: `command` is then what fetches $url to ./out.
set_command() {
  local n=${1##*-}
  case "$1" in
    curl) command=(curl -q -s -f -o out "$url") ;;
    wget) command=(wget --no-config -q -O out "$url") ;;
    swoop) command=("$release/swoop" -q -o out "$url") ;;
    swoop-*) command=("$release/swoop" -q -n "$n" -o out "$url") ;;
    aria2c-*) command=(aria2c -q --no-conf -x "$n" -s "$n" -k 1M --file-allocation=falloc -o out "$url") ;;
    axel-*) command=(axel -q -n "$n" -o out "$url") ;;
    lftp-*) command=(lftp --norc -c "pget -n $n '$url' -o out") ;;
  esac
}

# version_of PROGRAM: such as "curl 8.5.0".
version_of() {
  local option=--version
  local program=$1
  case "$1" in
    swoop) program=$release/swoop ;;
    nginx) program=$(nginx_program) option=-v ;;
  esac
  "$program" "$option" 2>&1 | awk -v name="$1" '
    match($0, /[0-9]+[.][0-9][0-9.]*/) && !done { print name, substr($0, RSTART, RLENGTH); done = 1 }'
}
