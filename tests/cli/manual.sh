#!/bin/sh
# manual.sh POSENC MAKE_MANUAL WORK: the manual page has each command and option that --help lists. Every build has run its
# examples. Each --help has an example. groff reports nothing.
set -eu
posenc=$1
mkdir -p "$3" && sh "$2" "$posenc" "$3/posenc.1" && cd "$3"

commands=$("$posenc" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
listed=0
for command in $commands; do
  "$posenc" $command --help >help
  grep -q "^Example: posenc $command " help || { echo "posenc $command --help has no example" >&2; exit 1; }
  sed -n "/^\.Ss posenc $command\$/,/^\.S[sh]/p" posenc.1 | sed 's/\\-/-/g' >section
  for option in $(sed -n 's/^  \(--[^ ={]*\).*/\1/p' help); do
    grep -q "^\.It Li \"$option[ ={\"]" section || { echo "posenc.1 lacks $command $option" >&2; exit 1; }
    listed=$((listed + 1))
  done
done
echo "$listed options"
[ $listed -gt 90 ]

PATH=$(dirname "$posenc"):$PATH
grep -E '^posenc (table|identify) ' posenc.1 >examples
[ -s examples ]
sh -eux examples >/dev/null

if command -v groff >/dev/null; then
  groff -mandoc -Tutf8 -ww posenc.1 2>warnings >/dev/null
  cat warnings >&2
  [ ! -s warnings ]
fi
