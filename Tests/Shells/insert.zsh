#!/usr/bin/env -S zsh -f
# What bash makes of lines when the key that completes is pressed at the end of each: the words behind the command's
# name, a line each, and an empty line behind those of each line.
#   insert.zsh SCRIPT LINE...
# The line is typed into an interactive bash, where swoop is a function that shows its words.
zmodload zsh/zpty || exit
zpty shell "TERM=dumb PS1= INPUTRC=/dev/null bash --norc --noprofile -i"
trap 'zpty -d shell' EXIT
zpty -w shell "bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; source ${(q)1}"
zpty -w shell "swoop() { printf 'WORD:%s\n' \"\$@\"; echo '<'END'>'; }; echo REA''DY"
zpty -r shell seen '*READY*'
shift
for line; do
  zpty -w -n shell "$line"$'\t\n'
  zpty -r shell seen '*<END>*'
  print -r -- "$seen" | tr -d '\r' | sed -n 's/^WORD://p'
  print
done
