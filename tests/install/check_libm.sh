#!/bin/sh
# check_libm.sh COMPILER LIBRARY: checks that no object in the static library calls a function of libm, so nobody needs -lm.
set -eu
compiler=$1 library=$2
libm=$("$compiler" -print-file-name=libm.so.6)
[ -f "$libm" ] || { echo "$compiler has no libm.so.6 to compare with" >&2; exit 1; }
needed=$(mktemp) exported=$(mktemp)
trap 'rm -f "$needed" "$exported"' EXIT

nm "$library" | sed -n 's/^[0-9a-f]* *[TWVDBRGS] //p' | LC_ALL=C sort -u >"$exported"  # one object may export what another needs
nm -u "$library" | sed -n 's/^ *[Uw] //p' | LC_ALL=C sort -u | LC_ALL=C comm -23 - "$exported" >"$needed"
nm -D --defined-only "$libm" | sed -n 's/^[0-9a-f]* *[TWViuDBR] //p' | sed 's/@.*//' | LC_ALL=C sort -u >"$exported"
grep -qx sin "$exported" || { echo "$libm: nm found no sin there, so this check cannot work" >&2; exit 1; }
[ -s "$needed" ] || { echo "$library: nm found no undefined symbols there, so this check cannot work" >&2; exit 1; }
echo "needs:" $(cat "$needed")
of_libm=$(LC_ALL=C comm -12 "$needed" "$exported")
[ -z "$of_libm" ] || { echo "calls libm:" $of_libm >&2; exit 1; }
