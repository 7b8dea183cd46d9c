#!/usr/bin/env bash
# Makes the release and tries it on a bare system: this machine's Debian (or Ubuntu) release, made anew by debootstrap
# from where apt has its packages. There apt installs the .deb with what it depends on; it must run, fetch a file from
# nginx and verify it, and leave nothing when it is removed. The tarball's command must run there too. As root. Not in
# CI, for it takes one to two minutes.
#
#   Scripts/check-package.sh
#
# All of the system is in memory, in a mount namespace of its own, so that none of it can stay on the disk.
set -euo pipefail
source "$(dirname "$0")/common.sh"

[ $# -eq 0 ] || { echo "usage: Scripts/check-package.sh" >&2; exit 2; }
[ "$(id -u)" -eq 0 ] || { echo "check-package: making a bare system takes root" >&2; exit 1; }
if [ -z "${SWOOP_OWN_MOUNTS:-}" ]; then
  exec env SWOOP_OWN_MOUNTS=1 unshare --mount --propagation private "$0"
fi
begin=$EPOCHREALTIME

die() {
  echo "check-package: FAILED: $*" >&2
  exit 1
}

say() { echo "check-package: $(seconds_between "$begin" "$EPOCHREALTIME") s: $*" >&2; }

"$root/Scripts/setup.sh" --package
make_folder "${TMPDIR:-/tmp}"
system=$folder/system
mkdir "$system" "$folder/served" "$folder/release"
mount -t tmpfs -o mode=755,size=2g swoop "$system"
trap 'umount -R -l "$system" || true; clean_up' EXIT

# Beside the making of the system, which takes longer.
"$root/Scripts/build-release.sh" --output "$folder/release" &
builder=$!
children+=("$builder")

# The release that runs here, from wherever apt gets it.
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
  awk -v suite="$suite" '$1 == suite && $2 == "main" { print $3; exit }')
[ -n "$mirror" ] || die "apt has no source of $suite main"
run_quietly debootstrap --variant=minbase "$suite" "$system" "$mirror"
mount -t proc proc "$system/proc"
say "made a bare $suite"
wait "$builder" || die "there is no release"
(cd "$folder/release" && sha256sum --quiet -c SHA256SUMS) || die "SHA256SUMS are not those of the files"
say "made the release"

# inside COMMAND...: in the bare system, with a clean environment but for the way to the mirror.
inside() {
  chroot "$system" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive \
    ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} no_proxy=127.0.0.1 "$@"
}

apt_inside() {
  run_quietly inside apt-get -qq -o APT::Sandbox::User=root -o Dpkg::Options::=--force-unsafe-io "$@"
}

cp "$folder"/release/swoop_*.deb "$system/root/swoop.deb"
apt_inside update
apt_inside install -y --no-install-recommends /root/swoop.deb
say "installed the package"

make_file 64M "$folder/served/file.bin"
digest=$(sha256sum <"$folder/served/file.bin" | cut -d' ' -f1)
start_nginx

# try COMMAND: it runs, names its libraries, fetches the right bytes, and sees a wrong digest.
try() {
  local version code=0
  version=$(inside "$1" --version) || die "$1 --version ends with code $?"
  grep -q 'libcurl/[0-9].* OpenSSL/[0-9].* zlib/[0-9].* ISA-L/[0-9].* expat/[0-9]' <<<"$version" || die "$1 --version: $version"
  run_quietly inside "$1" -n 4 --sha256 "$digest" -o /root/file.bin "http://127.0.0.1:$port/file.bin" ||
    die "$1 does not fetch"
  cmp "$system/root/file.bin" "$folder/served/file.bin" || die "$1 fetched other bytes"
  inside "$1" -q --sha256 "${digest//[0-9]/0}" -o /root/wrong.bin "http://127.0.0.1:$port/file.bin" 2>/dev/null ||
    code=$?
  [ "$code" -eq 5 ] || die "$1 ends with code $code where the digest is wrong"
  rm -f "$system"/root/file.bin "$system"/root/wrong.bin*
}

try /usr/bin/swoop
mapfile -t owned < <(inside dpkg-query -L swoop | while read -r path; do
  [ -d "$system$path" ] || echo "$path"
done)
for path in bin/swoop share/man/man1/swoop.1.gz share/bash-completion/completions/swoop \
  share/zsh/vendor-completions/_swoop share/fish/vendor_completions.d/swoop.fish share/doc/swoop/copyright; do
  [[ -s $system/usr/$path && " ${owned[*]} " == *" /usr/$path "* ]] || die "the package lacks /usr/$path"
done
changed=$(inside dpkg --verify swoop) || die "dpkg cannot verify the package"
[ -z "$changed" ] || die "files are not those of the package's md5sums: $changed"
say "the package works"

tar -C "$system/root" -xzf "$folder"/release/swoop-*.tar.gz
unpacked=$(cd "$system/root" && echo swoop-*-linux-*)
try "/root/$unpacked/bin/swoop"
say "the tarball works"

apt_inside remove -y swoop
for path in "${owned[@]}"; do
  [ ! -e "$system$path" ] || die "$path is left when the package is removed"
done
[ ! -e "$system/usr/share/doc/swoop" ] || die "/usr/share/doc/swoop is left when the package is removed"
! inside dpkg-query -W swoop >/dev/null 2>&1 || die "dpkg still knows the package"
say "all is well"
