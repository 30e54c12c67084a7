#!/bin/sh
# check_size.sh LIBRARY: checks that a stripped shared library with all targets of this platform has at most 1,048 KB.
set -eu
library=$1
stripped=$library.stripped
strip -o "$stripped" "$library"
bytes=$(wc -c <"$stripped")
rm "$stripped"
echo "$bytes bytes"
test "$bytes" -le 1048000
