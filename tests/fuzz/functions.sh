#!/bin/sh
# functions.sh SOURCE: some fuzzer calls each C function.
cd "$1" || exit 2
missing=
while read -r name; do
  grep -qw "$name" tests/fuzz/*.cc tests/fuzz/*.h || missing="$missing $name"
done <tests/install/symbols.txt
[ -z "$missing" ] || echo "no fuzzer calls$missing"
[ -s tests/install/symbols.txt ] && [ -z "$missing" ]
