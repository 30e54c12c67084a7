#!/bin/sh
# identify.sh POSENC WORK [SANITIZED]: the table of each preset, at several dims, in each type, exact and rounded as its source does
# it, is identified as that: in every bit, at its positions. Left out are dims that a preset has not, presets without
# frequencies of their own, and types other than float32 but at one dim.
posenc=$1 work=$2/identify.$$ sanitized=$3
tried=0 failed=0
tab=$(printf '\t')
mkdir -p "$work" && cd "$work" || exit 2

fail() {
  failed=$((failed + 1))
  echo "FAILED: $1"
}

# identify NAME ROUNDING TYPE DIM
identify() {
  options="--preset $1 --dim $4 --rows 40 --dtype $3"
  [ "$2" = exact ] || options="$options --phase-rounding source"
  "$posenc" table $options --out table.npy 2>error || {
    grep -q 'frequency is outside\|--frequencies' error || fail "$options: $(cat error)"
    left_out="$left_out $1/$4"
    return
  }
  tried=$((tried + 1))
  "$posenc" identify table.npy >found || fail "$options: status $?"
  head -n 1 found | grep -q "^# 40 rows of $4, $3\$" || fail "$options: $(head -n 1 found)"
  grep -q "^$1$tab$2${tab}0 \.\. 39${tab}0${tab}0$tab" found || fail "$options: $(cat found)"
}

"$posenc" presets | sed '/^# rotary/,$d; /^#/d' | cut -f 1,4 >presets
[ "$(wc -l <presets)" -gt 40 ] || fail "few presets"
while read -r name rounding; do
  for dim in 64 320 ${sanitized:-1024}; do
    [ "$dim" != "$sanitized" ] || continue
    types=f32
    [ "$dim" != 64 ] || types="f32 bf16 f16 f64"
    for type in $types; do
      identify "$name" exact $type "$dim"
      [ "$rounding" = none ] || identify "$name" "$rounding" $type "$dim"
    done
  done
done <presets

# at POSITIONS FIRST LAST: a table of those positions.
at() {
  tried=$((tried + 1))
  "$posenc" table --preset pytorch_tutorial --dim 24 --positions "$1" --phase-rounding source --out table.npy
  "$posenc" identify table.npy >found
  grep -q "^pytorch_tutorial${tab}f32_exp$tab$2 \.\. $3${tab}0$tab" found || fail "$2 .. $3: $(cat found)"
}
at "$(seq -s , 1 40)" 1 40
at "$(seq -s , 2 41)" 2 41
at "$(seq -s , 39 -1 0)" 39 0
at "$(seq -s , 20 -1 -20)" 20 -20
at 0 0 0

# Changed by half a spacing or more somewhere: no longer every bit, and the nearest are said.
"$posenc" table --preset whisper --dim 8 --rows 20 --out table.npy
printf '\001' | dd of=table.npy bs=1 seek=$((128 + 4 * 8 * 9)) conv=notrunc 2>/dev/null
"$posenc" identify table.npy >found || fail "one entry differs: status $?"
grep -q "^whisper${tab}exact${tab}0 \.\. 19$tab[1-9].*${tab}159 of 160\$" found || fail "one entry differs: $(cat found)"

# Another base is near at few positions, but no rounding of this one.
for options in "--base 500000 --dim 64 --rows 2" "--base 500000 --dim 4 --rows 5" "--base 9900 --dim 64 --rows 50"; do
  "$posenc" table $options --out table.npy
  "$posenc" identify table.npy >found
  [ $? = 1 ] || fail "$options: status"
  grep -q "^none; the nearest" found || fail "$options: $(cat found)"
done
cd / && rm -rf "$work"
echo "left out:$left_out" | tr ' ' '\n' | sort -u | tr '\n' ' '
echo
echo "$tried tables, $failed failures"
[ $failed = 0 ]
