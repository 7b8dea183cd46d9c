# What install.sh and build-release.sh share; they source it after common.sh.
# shellcheck shell=bash

# What an installation has, below its prefix.
installed=(
  bin/swoop
  share/man/man1/swoop.1.gz
  share/bash-completion/completions/swoop
  share/zsh/site-functions/_swoop
  share/fish/vendor_completions.d/swoop.fish
)

# stage DIR: builds swoop for release and puts all of `installed` below DIR.
stage() {
  build_release swoop
  local path
  for path in "${installed[@]}"; do mkdir -p "$1/${path%/*}"; done
  strip -o "$1/bin/swoop" "$release/swoop"
  "$release/swoop" --generate man | gzip -9n >"$1/share/man/man1/swoop.1.gz"
  "$release/swoop" --generate bash >"$1/share/bash-completion/completions/swoop"
  "$release/swoop" --generate zsh >"$1/share/zsh/site-functions/_swoop"
  "$release/swoop" --generate fish >"$1/share/fish/vendor_completions.d/swoop.fish"
  for path in "${installed[@]}"; do chmod "$(mode_of "$path")" "$1/$path"; done
}

# mode_of PATH: of one of `installed`.
mode_of() {
  case $1 in
    bin/*) echo 755 ;;
    *) echo 644 ;;
  esac
}
