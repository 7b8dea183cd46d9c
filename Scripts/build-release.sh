#!/usr/bin/env bash
# Makes what a release consists of: swoop-VERSION-linux-ARCH.tar.gz, swoop_VERSION_ARCH.deb for the Debian or Ubuntu
# that this runs on, and SHA256SUMS of both. The same commit, compiler and packages give the same bytes: all times are
# the last commit's ($SOURCE_DATE_EPOCH counts before it).
#
#   Scripts/build-release.sh [--output DIR]    (.build/release-packages)
set -euo pipefail
source "$(dirname "$0")/common.sh"
source "$root/Scripts/stage.sh"
umask 022
export LC_ALL=C

output=$root/.build/release-packages
if [[ ${1:-} == --output && $# -eq 2 && -n $2 ]]; then
  output=$2
elif [ $# -ne 0 ]; then
  echo "usage: Scripts/build-release.sh [--output DIR]" >&2
  exit 2
fi

# Nobody in particular: mail to this address is delivered nowhere (RFC 2606).
maintainer='The swoop project <swoop@localhost.invalid>'

if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
  SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null) ||
    { echo "build-release: no commit to take the time from: set SOURCE_DATE_EPOCH" >&2; exit 1; }
fi
export SOURCE_DATE_EPOCH

"$root/Scripts/setup.sh" --package
echo "build-release: building swoop for release" >&2
make_folder "${TMPDIR:-/tmp}"
stage "$folder/stage"
version=$("$folder/stage/bin/swoop" --version | sed -n '1s/^swoop //p')
architecture=$(dpkg --print-architecture)
made=("swoop-$version-linux-$(uname -m).tar.gz" "swoop_${version}_$architecture.deb")

make_tarball() {
  local name=${made[0]%.tar.gz}
  mkdir "$folder/$name"
  cp -r "$folder/stage/." "$root/README.md" "$root/LICENSE" "$folder/$name/"
  # The README's pictures are where it looks for them.
  mkdir -p "$folder/$name/Scripts"
  cp -r "$root/Scripts/media" "$folder/$name/Scripts/"
  chmod -R u=rwX,go=rX "$folder/$name"
  tar -C "$folder" --create --format=ustar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
    --numeric-owner "$name" | gzip -9n >"$folder/${made[0]}"
}

# The libraries that the command is linked with, as packages and with the versions that have what it uses.
dependencies() {
  local binary=debian/swoop/usr/bin/swoop
  mkdir -p "$folder/source/debian/swoop/DEBIAN" "$folder/source/${binary%/*}"
  cp "$folder/stage/bin/swoop" "$folder/source/$binary"
  printf 'Source: swoop\nMaintainer: %s\n\nPackage: swoop\nArchitecture: any\nDescription: swoop\n' "$maintainer" \
    >"$folder/source/debian/control"
  (cd "$folder/source" && dpkg-shlibdeps -O -e"$binary") | sed -n 's/^shlibs:Depends=//p'
}

make_documents() {
  local doc=$1/usr/share/doc/swoop
  mkdir -p "$doc"
  {
    printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: swoop\n\n'
    printf 'Files: *\nCopyright: %s\nLicense: Expat\n' "$(sed -n 's/^Copyright (c) //p' "$root/LICENSE")"
    sed '1,/^Copyright/d' "$root/LICENSE" | sed '/./,$!d; s/^$/./; s/^/ /'
  } >"$doc/copyright"
  printf 'swoop (%s) unstable; urgency=medium\n\n  * Release of version %s.\n\n -- %s  %s\n' "$version" "$version" \
    "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
}

make_control() {
  local tree=$1 depends
  depends=$(dependencies)
  mkdir "$tree/DEBIAN"
  (cd "$tree" && find usr -type f | sort | xargs md5sum) >"$tree/DEBIAN/md5sums"
  cat >"$tree/DEBIAN/control" <<END
Package: swoop
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -k -s --apparent-size "$tree/usr" | cut -f1)
Depends: $depends
Recommends: ca-certificates
Section: net
Priority: optional
Description: downloader with several connections, resumption and verification
 swoop fetches a file over several HTTP or HTTPS connections at once, resumes
 what was cut off, and proves the result by its digest.
 .
 A file gets its name when it is complete and verified, and not before.
END
}

make_package() {
  local tree=$folder/package
  mkdir -p "$tree"
  cp -r "$folder/stage" "$tree/usr"
  # Packages have another folder for zsh than what an administrator installs.
  mv "$tree/usr/share/zsh/site-functions" "$tree/usr/share/zsh/vendor-completions"
  make_documents "$tree"
  make_control "$tree"
  chmod -R u=rwX,go=rX "$tree"
  run_quietly dpkg-deb --root-owner-group -Zxz --build "$tree" "$folder/${made[1]}"
}

make_tarball
make_package
(cd "$folder" && sha256sum "${made[@]}") >"$folder/SHA256SUMS"
mkdir -p "$output"
for name in "${made[@]}" SHA256SUMS; do
  cp "$folder/$name" "$output/.$name.new"
  mv -fT "$output/.$name.new" "$output/$name"
  echo "build-release: $output/$name" >&2
done
