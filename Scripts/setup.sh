#!/usr/bin/env bash
# Installs what building, testing and measuring swoop needs, from Debian's (or Ubuntu's) packages.
#
#   Scripts/setup.sh            what the build and the tests need
#   Scripts/setup.sh --bench    also what the benchmarks compare with: aria2, axel, hyperfine
#
# Does nothing when everything is there. Starts no service: an installed nginx stays stopped.
set -euo pipefail

packages=(pkg-config libcurl4-openssl-dev zlib1g-dev libssl-dev nginx-light openssl curl ca-certificates)
case "${1:-}" in
  "") ;;
  --bench) packages+=(aria2 axel hyperfine time) ;;
  *) echo "usage: Scripts/setup.sh [--bench]" >&2; exit 2 ;;
esac

if ! command -v swift >/dev/null; then
  echo "setup: no swift on the PATH: install Swift 6.2 or later from https://www.swift.org/install/linux/ first" >&2
  exit 1
fi

# nginx comes in several packages; any of them will do.
is_there() {
  case "$1" in
    nginx-light) command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] ;;
    *) [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ] ;;
  esac
}

if ! command -v apt-get >/dev/null; then
  missing=()
  for module in libcurl zlib libcrypto; do
    pkg-config --exists "$module" 2>/dev/null || missing+=("$module")
  done
  for tool in nginx openssl curl; do
    command -v "$tool" >/dev/null || [ -x "/usr/sbin/$tool" ] || missing+=("$tool")
  done
  [ ${#missing[@]} -eq 0 ] && exit 0
  echo "setup: no apt-get here: please install these with their development files: ${missing[*]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  is_there "$package" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: not root and no sudo: run as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "setup: installing ${missing[*]}" >&2

# A package that brings a service would start it; policy-rc.d says no for as long as this takes.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 755 "$policy"
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
fi

"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
