#!/usr/bin/env bash
# Checks what the compiler alone does not: format, sizes of files, who imports what, warnings, what is linked, and
# that README, helps, man page and completions agree. A line for each check that fails, and then exit 1.
set -euo pipefail
source "$(dirname "$0")/common.sh"
cd "$root"

Scripts/setup.sh
failures=0

# check WHAT COMMAND...: says what is wrong if the command fails; its output is the evidence.
check() {
  local what=$1 evidence
  shift
  evidence=$("$@" 2>&1 </dev/null) && return 0
  [ -z "$evidence" ] || printf '%s\n' "$evidence" >&2
  echo "check: FAILED: $what" >&2
  failures=$((failures + 1))
}

is_formatted() {
  swift format lint --strict --parallel --recursive Package.swift Sources Tests
}

# sources FOLDER PATTERN...: the files below a folder with such names; all of ours are in four folders.
sources() {
  local folder=$1 pattern names=()
  shift
  for pattern in "$@"; do names+=(-o -name "$pattern"); done
  find "$folder" -type f \( "${names[@]:1}" \) | sort
}

is_short() {
  local file lines long=0
  while read -r file; do
    lines=$(wc -l <"$file")
    [ "$lines" -le 400 ] || { echo "$file: $lines lines"; long=1; }
  done < <(for folder in Sources Tests Scripts .ci; do sources "$folder" '*.swift' '*.h' '*.c' '*.sh' '*.py' run; done)
  return $long
}

parses() {
  local file wrong=0
  while read -r file; do
    bash -n "$file" || wrong=1
  done < <(for folder in Scripts Tests .ci; do sources "$folder" '*.sh' '*.bash' run; done)
  return $wrong
}

# imports MODULES FILES...: where a module (a regular expression) is imported in these files.
imports() {
  local modules=$1
  shift
  grep -nE "^[[:space:]]*(@[[:alnum:]_()]+[[:space:]]+)*((public|package|internal|fileprivate|private)[[:space:]]+)?import[[:space:]]+((struct|class|enum|protocol|func|var|let|typealias)[[:space:]]+)?($modules)\b" "$@"
}

# is_imported_only MODULE FOLDERS: nowhere but below these folders (a regular expression).
is_imported_only() {
  local files
  mapfile -t files < <({ sources Sources '*.swift'; sources Tests '*.swift'; } | grep -vE "^($2)")
  ! imports "$1" "${files[@]}"
}

is_pure() {
  local files
  mapfile -t files < <(sources Sources/DownloadCore '*.swift')
  ! imports '[[:alnum:]_]+' "${files[@]}"
}

is_silent() {
  local files
  mapfile -t files < <(sources Sources/DownloadEngine '*.swift')
  ! grep -nE '(^|[^.[:alnum:]_])(print|debugPrint|dump|exit|_exit|fputs|puts|fprintf|perror)\(|FileHandle|std(out|err)\b' \
    "${files[@]}" | grep -vE '^[^:]+:[0-9]+:[[:space:]]*//'
}

# The engine's calls about files have one home, so that tests can put another file system there.
uses_one_file_system() {
  local files calls='(pread|pwrite)v?|ftruncate|fallocate|fdatasync|fsync|f?l?stat(at|vfs)?|(open|unlink|rename|link)at2?|mkdir|rmdir|f?chmod|futimens|flock|faccessat'
  mapfile -t files < <(sources Sources/DownloadEngine '*.swift' | grep -v '/LinuxFileSystem\.swift$')
  ! grep -nE "(Glibc\.|[^.[:alnum:]_])(swoop_)?($calls)\(|Glibc\.(open|close|read|write)\(" "${files[@]}" |
    grep -vE '^[^:]+:[0-9]+:[[:space:]]*//'
}

# Of a build that fails only the errors, each once: the whole of it can be thousands of lines.
builds_strictly() {
  local output
  output=$(swift build --build-tests --explicit-target-dependency-import-check error -Xswiftc -warnings-as-errors 2>&1) &&
    return 0
  grep -E '(error|warning):' <<<"$output" | grep -v '|' | sort -u | grep . || printf '%s\n' "$output"
  return 1
}

# FoundationEssentials alone is wanted: the whole of Foundation brings ICU (its data are named icudt) and slows each
# start. Neither beside the binary nor linked into it.
is_free_of_foundation() {
  local found
  found=$(
    ldd "$release/swoop" | grep -E 'libFoundation[A-Z]*[.]|lib_?Foundation(Internationalization|ICU|XML|Networking)' || true
    grep -a -o -m 1 -E 'icudt[0-9]+|FoundationInternationalization' "$release/swoop" || true
  )
  [ -z "$found" ] || { echo "$found"; return 1; }
}

# A path of its own to libraries would let it take those of any folder that it is put in.
looks_for_libraries_as_usual() {
  ! readelf -d "$release/swoop" | grep -E 'R(UN)?PATH'
}

# has_files LINES: whether the folder that Scripts/install.sh is tried in has just these files, with their modes.
has_files() {
  diff <(printf '%s\n' "$@" | sort) <(cd "$folder/installed" && find . -type f -printf '%m %P\n' | sort)
}

install() {
  DESTDIR=$folder/installed run_quietly Scripts/install.sh --prefix /usr "$@"
}

# Twice is as once, the rest of the folders is left alone, and where a folder cannot be made nothing is.
installs_and_uninstalls() {
  local all=('755 usr/bin/swoop' '644 usr/share/bash-completion/completions/swoop'
    '644 usr/share/fish/vendor_completions.d/swoop.fish' '644 usr/share/man/man1/swoop.1.gz'
    '644 usr/share/zsh/site-functions/_swoop' '644 other')
  mkdir "$folder/installed" && : >"$folder/installed/other" || return
  install && has_files "${all[@]}" || return
  install && has_files "${all[@]}" || return
  "$folder/installed/usr/bin/swoop" --version || return
  install --uninstall && has_files '644 other' || return
  rm -r "$folder/installed/usr/share/man" && : >"$folder/installed/usr/share/man" || return
  ! install && has_files '644 other' '644 usr/share/man'
}

# Each place's list of options is read from what it says, so that one of them cannot lack what the others have.

has_the_options() {
  diff <("$release/swoop" -h | grep -E '^ +-') <(sed -n '/^## Options/,/^## /p' README.md | grep -E '^ +-')
}

# names FILE: of the options of a help, sorted; a help has them at the beginning of lines.
names() {
  sed -nE 's/^ {2,6}(-.*)/\1/p' "$1" | sed -E 's/ {2,}.*//' | grep -oE '(^|[ ,])--?[[:alnum:]][-[:alnum:]]*' |
    tr -d ' ,' | sort -u
}

# The man page has the habits as well, which are those of the full help.
man_has_the_options() {
  diff <("$release/swoop" --help >"$folder/help" && names "$folder/help") \
    <("$release/swoop" --generate man | grep -A 1 '^\.TP$' | grep -oE '\\fB(\\-)+[^\\]+(\\-[^\\]+)*' |
      sed 's/^\\fB//; s/\\-/-/g' | sort -u)
}

help_has_the_options() {
  "$release/swoop" -h >"$folder/short"
  "$release/swoop" --help >"$folder/help"
  # Up to the habits, which -h leaves out.
  sed -i '/^Habits/,$d' "$folder/help"
  diff <(names "$folder/short") <(names "$folder/help")
}

# completes SHELL: what the shell offers of all verbs, put together, is what -h has; only verify has -c.
completes() {
  "$release/swoop" --generate "$1" >"$folder/_swoop"
  "$release/swoop" -h >"$folder/short"
  diff <({ names "$folder/short"; echo -c; } | sort -u) \
    <(cd "$folder" && "$root/Tests/Shells/complete.$1" "$folder/_swoop" "swoop -" "swoop resume -" "swoop verify -" \
      "swoop status -" "swoop plan -" "swoop join -" | grep . | sort -u)
}

check "the format: Scripts/format.sh" is_formatted
check "no file over 400 lines" is_short
check "the shell scripts parse" parses
check "Ccurl only in Sources/DownloadEngine/Curl" is_imported_only Ccurl Sources/DownloadEngine/Curl/
check "Czlib, Cisal and Ccrypto only in Sources/DownloadEngine/Digest" \
  is_imported_only 'Czlib|Cisal|Ccrypto' Sources/DownloadEngine/Digest/
check "Cexpat only in Sources/DownloadEngine/Metalink" is_imported_only Cexpat Sources/DownloadEngine/Metalink/
check "Clinux only in Sources/DownloadEngine/File and System" \
  is_imported_only Clinux 'Sources/DownloadEngine/(File|System)/'
check "Cprocess only in Tests/TestSupport" is_imported_only Cprocess Tests/TestSupport/
check "FoundationEssentials only in Sources/DownloadEngine/File/ManifestJSON.swift and in tests" \
  is_imported_only FoundationEssentials 'Sources/DownloadEngine/File/ManifestJSON\.swift|Tests/'
check "no Foundation" is_imported_only 'Foundation(Networking|XML)?' '$'
check "DownloadCore imports nothing" is_pure
check "DownloadEngine neither prints nor exits" is_silent
check "calls about files only in Sources/DownloadEngine/File/LinuxFileSystem.swift" uses_one_file_system
check "a debug build with tests, without warnings, with every dependency declared" builds_strictly
check "a release build" build_release swoop
check "no Foundation in the binary" is_free_of_foundation
check "no path to libraries in the binary" looks_for_libraries_as_usual
make_folder "${TMPDIR:-/tmp}"
check "Scripts/install.sh installs and uninstalls" installs_and_uninstalls
check "the README has the options of swoop -h, line for line" has_the_options
check "swoop --help has the options of swoop -h" help_has_the_options
check "the man page has the options of swoop --help" man_has_the_options
for shell in bash zsh fish; do check "the completion for $shell has the options of swoop -h" completes "$shell"; done

[ "$failures" -eq 0 ] || { echo "check: $failures failed" >&2; exit 1; }
echo "check: all is well" >&2
