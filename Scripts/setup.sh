#!/usr/bin/env bash
# Installs what building, testing and measuring swoop needs, from Debian's (or Ubuntu's) packages.
#
#   Scripts/setup.sh              what the build and the tests need
#   Scripts/setup.sh --bench      also what the benchmarks and their lab use: other downloaders, tools to measure with
#   Scripts/setup.sh --build      no more than what the build and an installation need
#   Scripts/setup.sh --package    what making a release and trying it needs
#
# Does nothing when everything is there. Starts no service: an installed nginx stays stopped.
set -euo pipefail

build=(pkg-config libcurl4-openssl-dev zlib1g-dev libisal-dev libssl-dev binutils)
tests=(nginx-light vsftpd openssl curl strace ca-certificates iproute2)
# The network that the README's commands are run in.
tests+=(util-linux microsocks tinyproxy-bin tmux)
# File systems to test on.
tests+=(e2fsprogs bindfs)
# What reads the man page and the completions.
tests+=(mandoc man-db zsh fish)
case "$*" in
  "") packages=("${build[@]}" "${tests[@]}") ;;
  --bench)
    packages=("${build[@]}" "${tests[@]}")
    packages+=(aria2 axel lftp wget hyperfine time procps gcc libc6-dev linux-libc-dev python3)
    ;;
  --build) packages=("${build[@]}") ;;
  --package) packages=("${build[@]}" git dpkg-dev debootstrap nginx-light openssl curl) ;;
  *) echo "usage: Scripts/setup.sh [--bench | --build | --package]" >&2; exit 2 ;;
esac

if ! command -v swift >/dev/null; then
  echo "setup: no swift on the PATH: install Swift 6.2 or later from https://www.swift.org/install/linux/ first" >&2
  exit 1
fi

# Whether what a package is wanted for is there, wherever it came from.
is_there() {
  case "$1" in
    libcurl4-openssl-dev) has_module libcurl ;;
    zlib1g-dev) has_module zlib ;;
    libisal-dev) has_module libisal ;;
    libssl-dev) has_module libcrypto ;;
    nginx-light) has_command nginx ;;
    aria2) has_command aria2c ;;
    time) [ -x /usr/bin/time ] ;;
    binutils) has_command strip ;;
    man-db) has_command man ;;
    dpkg-dev) has_command dpkg-shlibdeps ;;
    iproute2) has_command ip && has_command ss ;;
    procps) has_command sysctl ;;
    gcc) has_command cc ;;
    libc6-dev) has_header poll.h ;;
    linux-libc-dev) has_header linux/if_tun.h ;;
    e2fsprogs) has_command mkfs.ext4 ;;
    tinyproxy-bin) has_command tinyproxy ;;
    util-linux) has_command unshare ;;
    ca-certificates) [ -d /etc/ssl/certs ] ;;
    *) has_command "$1" ;;
  esac
}
has_module() { pkg-config --exists "$1" 2>/dev/null; }
has_header() { [ -e "/usr/include/$1" ]; }
has_command() { command -v "$1" >/dev/null || [ -x "/usr/sbin/$1" ]; }

missing=()
for package in "${packages[@]}"; do
  is_there "$package" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "setup: no apt-get here; install what Debian calls: ${missing[*]}" >&2
  exit 1
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: not root and no sudo; as root: apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "setup: installing ${missing[*]}" >&2

# A package that brings a service would start it; policy-rc.d says no for as long as this takes.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 755 "$policy"
fi

"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null

for package in "${missing[@]}"; do
  is_there "$package" && continue
  echo "setup: $package was installed and is still not found" >&2
  exit 1
done
