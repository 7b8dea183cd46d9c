#!/usr/bin/env -S fish --no-config
# What fish offers for lines, the cursor at the end of each: a word a line, and an empty line behind those of each.
#   complete.fish SCRIPT LINE...
source $argv[1]
for line in $argv[2..-1]
    complete -C $line | string replace -r '\t.*' ''
    echo
end
