#!/usr/bin/env bash
# Fuzzes what reads bytes of servers and files, with libFuzzer and the address sanitizer; stops at the first property
# of Tests/DecoderProperties that does not hold, at a crash, a leak, 10 s for one input, or 1 GiB.
#   Scripts/fuzz.sh [--seconds N] [--seed N] [TARGET...]
# Each target, or those named, runs for N seconds (60), two at a time, and goes on from what earlier runs have found,
# which is in .build/fuzz. With --seed a run repeats: it begins with Tests/Fuzz/corpus alone, and keeps nothing.
set -euo pipefail
source "$(dirname "$0")/common.sh"
cd "$root"

built=.build/fuzz
seconds=60
seed=

usage() {
  echo "usage: Scripts/fuzz.sh [--seconds N] [--seed N] [TARGET...]" >&2
  exit 2
}

while [[ ${1:-} == --* ]]; do
  [[ ${2:-} =~ ^[0-9]+$ ]] || usage
  case $1 in
    --seconds) seconds=$2 ;;
    --seed) seed=$2 ;;
    *) usage ;;
  esac
  shift 2
done
targets=("$@")
[ $# -gt 0 ] || mapfile -t targets < <(cd Tests/Fuzz/corpus && printf '%s\n' *)
for target in "${targets[@]}"; do
  [ -d "Tests/Fuzz/corpus/$target" ] || { echo "fuzz: no target $target" >&2; exit 2; }
done
"$root/Scripts/setup.sh"

# The package manager does not link libFuzzer, so these are compiled here. Of the engine only what decodes.
core=(Sources/DownloadCore/*.swift)
engine=(Sources/DownloadEngine/{Curl/{URLParser,CurlLibrary},Digest/{CRC32,CryptoLibrary},File/ManifestJSON,Metalink/{MetalinkParser,Metalink+Use}}.swift)
engine+=(Sources/DownloadEngine/Digest/MessageDigest.swift)
properties=(Tests/DecoderProperties/*.swift)

# Beforehand, because a substitution that fails among a command's words does not stop the script.
libraries=(libcurl libcrypto libisal zlib expat)
compiler_flags=$(pkg-config --cflags "${libraries[@]}")
linker_flags=$(pkg-config --libs "${libraries[@]}")

# compile MODULE FILES...: unless neither they nor what was compiled before them have changed.
compile() {
  local module=$1 flag flags=(-O -wmo -num-threads 2 -parse-as-library -swift-version 6 -package-name swoop)
  shift
  [ -z "$is_current" ] || [ ! -f "$built/$module.stamp" ] ||
    [ -n "$(find "$@" Scripts/fuzz.sh -newer "$built/$module.stamp")" ] || return 0
  [ -z "$is_current" ] || echo "fuzz: building" >&2
  is_current=
  for flag in ExistentialAny InternalImportsByDefault MemberImportVisibility; do
    flags+=(-enable-upcoming-feature "$flag")
  done
  for flag in Ccurl Ccrypto Cisal Czlib Cexpat; do
    flags+=(-Xcc "-fmodule-map-file=$root/Sources/$flag/module.modulemap")
  done
  rm -rf "${built:?}/$module" "$built/$module.stamp"
  mkdir -p "$built/$module"
  (
    cd "$built/$module"
    # shellcheck disable=SC2086
    run_quietly swiftc "${flags[@]}" -sanitize=fuzzer,address -I .. $compiler_flags \
      -module-name "$module" -emit-module -emit-module-path "../$module.swiftmodule" -c "${@/#/$root/}"
  )
  touch "$built/$module.stamp"
}

build() {
  is_current=yes
  compile DownloadCore "${core[@]}"
  compile DownloadEngine "${engine[@]}"
  compile DecoderProperties "${properties[@]}"
  compile Fuzz Tests/Fuzz/*.swift
  [ -z "$is_current" ] || [ ! -x "$built/fuzz" ] || return 0
  # shellcheck disable=SC2086
  run_quietly swiftc -sanitize=fuzzer,address -use-ld=lld -o "$built/fuzz" "$built"/*/*.o $linker_flags -lm
}

# run TARGET: what libFuzzer prints is kept, and shown if it found something.
run() {
  local target=$1 corpus=$built/corpus/$1 log=$built/$1.log options=(-print_final_stats=1 -timeout=10 -rss_limit_mb=1024)
  [ -z "$seed" ] || { corpus=$folder/$target; options+=("-seed=$seed"); }
  mkdir -p "$corpus" "$built/findings"
  [ ! -f "Tests/Fuzz/dictionaries/$target.dict" ] || options+=("-dict=Tests/Fuzz/dictionaries/$target.dict")
  case $target in
    # One byte more than the most of a head, and two that choose what was expected.
    response-head) options+=(-max_len=65539) ;;
    manifest) options+=(-max_len=16384) ;;
    *) options+=(-max_len=4096) ;;
  esac
  ASAN_OPTIONS=quarantine_size_mb=64 FUZZ_TARGET=$target "$built/fuzz" "${options[@]}" "-max_total_time=$seconds" \
    "-artifact_prefix=$built/findings/$target-" "$corpus" "Tests/Fuzz/corpus/$target" >"$log" 2>&1 </dev/null || {
    tail -n 40 "$log" >&2
    echo "fuzz: FAILED: $target; the input is in $built/findings" >&2
    return 1
  }
  awk -v target="$target" '
    / cov: / { cover = $4; if (!first) first = $4 }
    /number_of_executed_units/ { count = $2 }
    /peak_rss_mb/ { memory = $2 }
    END { printf "fuzz: %-20s %9d inputs, coverage %d to %d, %d MiB\n", target, count, first, cover, memory }
  ' "$log" >&2
}

build
make_folder "${TMPDIR:-/tmp}"
failures=0
for ((index = 0; index < ${#targets[@]}; index += 2)); do
  pids=()
  for target in "${targets[@]:index:2}"; do
    run "$target" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || failures=$((failures + 1)); done
done
[ "$failures" -eq 0 ]
