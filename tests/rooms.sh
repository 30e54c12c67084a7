#!/bin/sh
# rooms.sh SOURCE: checks rules for the sources: mostly which files include which.
# - A file in src/ includes only files of its own folder and of lower layers. Public headers include only public headers.
# - src/models calls only public C functions, so it includes only the public headers and its own files. There are four exceptions,
#   and none needs linking: number/exact.h sets the compiler; spec/members.inc and spec/rules.h are data; groups.h, which serves
#   the command and Python, includes spec/text.h.
# - Nothing else in src/ or include/ includes files or public headers of src/models.
# - Each union in src/ has a constructor that begins the life of one member, so that no other member is called.
# - Lines are prefetched by their address (number/compiler.h), because a pointer must stay inside its array.
# - Each source file of the library, and of the tools that judge it, first includes number/exact.h, which keeps arithmetic exact.
cd "$1" && awk '
  BEGIN { level["posenc"] = 0; n = split("spec number frequency kernel call api models", rooms); for (i = 1; i <= n; ++i) level[rooms[i]] = i }
  match($0, /^#include "[a-z_]+\//) {
    split(FILENAME, from, "/"); split($2, to, /["\/]/)
    if (to[2] == "hwy") next
    if (!(to[2] in level) || level[to[2]] > level[from[2]]) { print FILENAME ": " $0; bad = 1 }
  }
  END { exit bad }' include/*/* src/*/* && awk '
  match($0, /^#include "[a-z_]+\//) && FILENAME ~ /^src\/models\// && $2 !~ /^"(posenc|models)\// {
    known = $2 ~ /"(number\/exact.h|spec\/members.inc|spec\/rules.h)"/ || FILENAME $2 == "src/models/groups.h\"spec/text.h\""
    if (!known) { print FILENAME ": includes a header that is not public: " $2; bad = 1 }
  }
  /^#include "(models\/|posenc\/models)/ && FILENAME !~ /^(src\/models\/|include\/posenc\/models\.h)/ {
    print FILENAME ": knows models: " $2; bad = 1
  }
  END { exit bad }' include/*/* src/*/* && awk '
  function end() { if (name != "" && !begins) { print file ": union " name " has no constructor that begins the life of a member"; bad = 1 } name = "" }
  FNR == 1 { end() }
  match($0, /^ *union [A-Za-z]*/) { end(); name = $2; file = FILENAME; begins = 0; constructs = 0 }
  name != "" && index($0, "explicit " name "(") { constructs = 1 }
  name != "" && constructs && /::new \(/ { begins = 1 }
  END { end(); exit bad }' src/*/* && awk '
  /hwy::Prefetch|_prefetch\(|_mm_prefetch/ && FILENAME != "src/number/compiler.h" { print FILENAME ": " $0; bad = 1 }
  END { exit bad }' src/*/* && awk '
  FNR == 1 { seen = 0 }
  /^#include/ && !seen++ && $2 != "\"number/exact.h\"" { print FILENAME ": the first include is not number/exact.h"; bad = 1 }
  END { exit bad }' src/*/*.cc tools/verify/*.cc tools/oracle/*.cc tests/cross/digest.cc && awk '
  match($0, /^#include "[a-z_]+\//) && $2 !~ /"(oracle|posenc)\/|"number\/exact.h"/ { print FILENAME ": the oracle must not include " $2; bad = 1 }
  END { exit bad }' tools/oracle/*
