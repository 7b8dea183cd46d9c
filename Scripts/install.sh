#!/usr/bin/env bash
# Builds swoop for release and installs it: the command with the Swift runtime linked in, man page and completions.
# The packages that building takes are installed before that, where they are missing.
#
#   Scripts/install.sh [--prefix DIR]                below /usr/local, or DIR
#   Scripts/install.sh [--prefix DIR] --uninstall    removes what was installed there
#
# $DESTDIR is put before the prefix. Each file comes whole or not at all.
set -euo pipefail
source "$(dirname "$0")/common.sh"
source "$root/Scripts/stage.sh"
umask 022

usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; }

die() {
  echo "install: $*" >&2
  exit "${code:-1}"
}

prefix=/usr/local
uninstall=
while [ $# -gt 0 ]; do
  case $1 in
    --prefix)
      [ -n "${2:-}" ] || code=2 die "--prefix needs a folder"
      prefix=$2
      shift
      ;;
    --prefix=?*) prefix=${1#*=} ;;
    --uninstall) uninstall=yes ;;
    -h | --help) usage; exit 0 ;;
    *) code=2 die "unknown word '$1'; try Scripts/install.sh --help" ;;
  esac
  shift
done
[[ $prefix == /* ]] || prefix=$PWD/$prefix
target=${DESTDIR:-}${prefix%/}

# can_write FOLDER: there, or where it would have to be made.
can_write() {
  local folder=$1
  while [ ! -e "$folder" ] && [ ! -L "$folder" ]; do folder=$(dirname "$folder"); done
  [ -d "$folder" ] && [ -w "$folder" ] && [ -x "$folder" ]
}

for path in "${installed[@]}"; do
  [ -z "$uninstall" ] || [ -e "$target/$path" ] || continue
  can_write "$target/${path%/*}" ||
    die "cannot write to $target/${path%/*}: run this as root, or give another --prefix, such as ~/.local"
done

if [ -n "$uninstall" ]; then
  for path in "${installed[@]}"; do rm -f "$target/$path"; done
  echo "install: removed swoop from $target" >&2
  exit 0
fi

# What root builds in somebody's clone must not keep them from building there.
give_back() {
  [ "$(id -u)" -ne 0 ] || [ -O "$root" ] || [ ! -d "$root/.build" ] ||
    chown -R --no-dereference --reference="$root" "$root/.build"
}

"$root/Scripts/setup.sh" --build
echo "install: building swoop for release" >&2
make_folder "${TMPDIR:-/tmp}"
copies=()
trap 'rm -f "${copies[@]}"; give_back; clean_up' EXIT
stage "$folder"

# Beside their targets first: what fails until all are there changes nothing, and each then takes its name at once.
for path in "${installed[@]}"; do
  mkdir -p "$target/${path%/*}"
  copies+=("$(mktemp "$target/${path%/*}/.swoop.XXXXXX")")
  cp "$folder/$path" "${copies[-1]}"
  chmod "$(mode_of "$path")" "${copies[-1]}"
done
for index in "${!installed[@]}"; do mv -fT "${copies[index]}" "$target/${installed[index]}"; done
echo "install: installed $target/bin/swoop, its man page and completions for bash, zsh and fish" >&2
