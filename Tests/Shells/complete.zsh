#!/usr/bin/env -S zsh -f
# What zsh offers for lines, the cursor at the end of each: a word a line, and an empty line behind those of each.
#   complete.zsh SCRIPT LINE...
# The line is typed into an interactive zsh, in which the key that completes tells what was found instead.
zmodload zsh/zpty || exit
zpty shell 'TERM=dumb zsh -f -i'

set_up='
  PS1= PS2=
  unsetopt beep prompt_cr prompt_sp
  unset zle_bracketed_paste
  fpath=('${(q)1:h}' $fpath)
  autoload -Uz compinit
  compinit -u -D
  autoload -Uz '${(q)1:t}'
  compdef '${(q)1:t}' swoop
  compadd() {
    # With -O, -A or -D it only counts, for other functions.
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
      builtin compadd "$@"
      return
    fi
    local -a matches
    builtin compadd -O matches "$@"
    found+=("$matches[@]")
    builtin compadd "$@"
  }
  tell() {
    typeset -ga found=()
    _main_complete
    print
    for word in "$found[@]"; do print -r -- "FOUND:$word"; done
    print -r -- "<END>"
    compstate[insert]= compstate[list]=
  }
  tell-and-clear() {
    zle tell
    BUFFER=
  }
  zle -C tell complete-word tell
  zle -N tell-and-clear
  bindkey "^I" tell-and-clear
  print -r -- REA""DY
'
file=$(mktemp)
trap 'rm -f $file; zpty -d shell' EXIT
print -r -- $set_up >$file
zpty -w shell "source ${(q)file}"
zpty -r shell seen '*READY*'
shift
for line; do
  zpty -w -n shell "$line"$'\t'
  zpty -r shell seen '*<END>*'
  print -r -- "$seen" | tr -d '\r' | sed -n 's/^FOUND://p'
  print
done
