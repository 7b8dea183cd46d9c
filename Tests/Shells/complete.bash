#!/usr/bin/env bash
# What bash offers for lines, the cursor at the end of each: a word a line, and an empty line behind those of each.
#   complete.bash SCRIPT LINE...
# bash calls a completion with words that it has broken at = and : too; the names of files that it adds itself, where
# the script has none, are added here.
source "$1"
shift

compopt() { options+=" $*"; }

# break_words LINE: sets COMP_WORDS as bash does. Quotes are not understood, backslashes are.
break_words() {
  local rest=$1 word
  COMP_WORDS=()
  while [[ -n $rest ]]; do
    rest=${rest#"${rest%%[! ]*}"}
    if [[ -z $rest ]]; then
      COMP_WORDS+=("")
      break
    fi
    [[ $rest =~ ^[=:]+ ]] || [[ $rest =~ ^(\\.|[^=:\ \\])+ ]]
    word=${BASH_REMATCH[0]}
    COMP_WORDS+=("$word")
    rest=${rest#"$word"}
  done
}

for COMP_LINE; do
  COMP_POINT=${#COMP_LINE}
  options=
  break_words "$COMP_LINE"
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _swoop
  current=${COMP_WORDS[COMP_CWORD]}
  [[ ! $current =~ ^[=:]+$ ]] || current=
  if [ ${#COMPREPLY[@]} -eq 0 ]; then
    [[ $options != *" default"* ]] || mapfile -t COMPREPLY < <(compgen -f -- "$current")
    [[ $options != *" dirnames"* ]] || mapfile -t COMPREPLY < <(compgen -d -- "$current")
  fi
  [ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
  echo
done
