#!/bin/sh
# rooms.sh SOURCE: a file of src/ includes its own room and lower ones only, and public headers only what is public.
cd "$1" && awk '
  BEGIN { level["posenc"] = 0; n = split("spec number frequency kernel call api", rooms); for (i = 1; i <= n; ++i) level[rooms[i]] = i }
  match($0, /^#include "[a-z_]+\//) {
    split(FILENAME, from, "/"); split($2, to, /["\/]/)
    if (to[2] == "hwy") next
    if (!(to[2] in level) || level[to[2]] > level[from[2]]) { print FILENAME ": " $0; bad = 1 }
  }
  END { exit bad }' include/*/* src/*/*
