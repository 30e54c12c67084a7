#!/bin/sh
# periods.sh POSENC PAGE WORK: the command under the heading about periods in docs/conventions.md prints what the page says.
# For such a table, identify says that it tries the bases of presets only.
set -eu
posenc=$1 page=$2 work=$3/periods
rm -rf "$work" && mkdir -p "$work"
# The first block of a language after the heading.
block() {
  awk -v kind="\`\`\`$1" '/^## Periods/ { here = 1 } here && $0 == kind { on = 1; next } on && /^```$/ { exit } on' "$page"
}
command=$(block sh)
[ -n "$command" ] || { echo "$page has no command for periods"; exit 1; }
block text >"$work/said"
eval "\"$posenc\" ${command#posenc}" >"$work/printed"
cmp "$work/said" "$work/printed" || { cat "$work/printed"; exit 1; }

"$posenc" table --dim 4 --base 24 --exponent-dim 2 --unit turns --rows 48 --out "$work/t.npy"
status=0
"$posenc" identify "$work/t.npy" >"$work/identified" || status=$?
[ $status = 1 ] && grep -q '^none' "$work/identified" || { cat "$work/identified"; exit 1; }
grep -q '^# Other bases, exponents, scales, periods and lists of frequencies are not tried' "$work/identified" ||
  { cat "$work/identified"; exit 1; }
"$posenc" identify --help | tr '\n' ' ' | grep -q 'other bases, exponents, scales, periods'
