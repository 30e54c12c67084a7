#!/bin/sh
# identify.sh POSENC WORK DIM...: posenc identify recognizes the tables that posenc makes. The table of each preset, at each
# DIM, exact and with its source's rounding, is recognized in every bit and at its positions. So are other layouts and caches
# of rotaries. Dim 64 must be quick, so there the presets take turns with types and layouts. Dims that a preset does not have
# are left out, and so are presets that need frequencies from the caller.
posenc=$1 work=$2/identify.$$
shift 2
dims=$*
tried=0 failed=0 first=7 turn=0
tab=$(printf '\t')
line='
'
mkdir -p "$work" && cd "$work" || exit 2

fail() {
  failed=$((failed + 1))
  echo "FAILED: $1"
}

# in_turn WORD...: sets the next of these words, in turn.
in_turn() {
  shift $((turn % $#))
  echo "$1"
}

# identify NAME ROUNDING TYPE DIM: makes a table and identifies it.
identify() {
  options="--preset $1 --dim $4 --rows 40 --dtype $3"
  [ "$2" = exact ] || options="$options --phase-rounding source"
  "$posenc" table $options --out table.npy 2>error || {
    grep -q 'each frequency times\|--frequencies' error || fail "$options: $(cat error)"
    left_out="$left_out $1/$4"
    return
  }
  tried=$((tried + 1))
  found=$("$posenc" identify table.npy) || fail "$options: status $?"
  case $found in  # does not start a process each time
    "# 40 rows of $4, $3$line"*"$line$1$tab$2${tab}0 .. 39${tab}0${tab}0$tab"*) ;;
    *) fail "$options: $found" ;;
  esac
}

"$posenc" presets | sed '/^# rotary/,$d; /^#/d' | cut -f 1,4 >presets
[ "$(wc -l <presets)" -gt 40 ] || fail "there are too few presets"
while read -r name rounding; do
  for dim in $dims; do
    types=float32
    [ "$dim" != 64 ] || types="float32 $(in_turn bfloat16 float16 float64)"
    turn=$((turn + 1))
    for type in $types; do
      identify "$name" exact $type "$dim"
      [ "$rounding" = none ] || identify "$name" "$rounding" $type "$dim"
    done
  done
done <presets

# found POSITIONS|...: checks that some line has every bit of table.npy, at one of these position ranges.
found() {
  tried=$((tried + 1))
  found=$("$posenc" identify table.npy) || fail "$options: status $?"
  wanted=$1
  while :; do
    case $found in
      *"$line"*"${tab}exact$tab${wanted%%|*}${tab}0${tab}0$tab"*) return ;;
    esac
    [ "$wanted" != "${wanted#*|}" ] || break
    wanted=${wanted#*|}
  done
  fail "$options: $found"
}
first=1
while read -r name rounding; do
  for dim in $dims; do
    layouts="interleaved sin_cos cos_sin interleaved_cos_sin"
    [ "$dim" != 64 ] || layouts=$(in_turn $layouts)
    turn=$((turn + 1))
    for layout in $layouts; do
      first=$((first * 48271 % 2147483647))
      from=$((first % 2000003 - 1000001))
      options="--preset $name --dim $dim --rows 40 --layout $layout --first $from"
      "$posenc" table $options --out table.npy 2>error || continue
      # Other presets have an offset or a scale.
      found "$((from - 1)) .. $((from + 38))|$from .. $((from + 39))|$((from + 1)) .. $((from + 40))|${from}000 .. $((from + 39))000"
    done
  done
done <presets

"$posenc" presets | sed '1,/^# rotary/d; /^#/d' | cut -f 1 >rotaries
[ "$(wc -l <rotaries)" -gt 80 ] || fail "there are too few rotaries"
while read -r name; do
  for dim in $dims 80; do  # with dim 80, a quarter is 10 pairs and two fifths are 16
    options="--rotary $name --dim $dim --rows 40 --first 30"
    "$posenc" table $options --out table.npy 2>error || { left_out="$left_out $name/$dim"; continue; }
    found "30 .. 69"
    case $found in
      *"$line$name$tab"*"${tab}cache of cosines, sines"*) ;;
      *) fail "$options: $found" ;;
    esac
  done
done <rotaries

# at POSITIONS FIRST LAST: makes a table of these positions.
at() {
  tried=$((tried + 1))
  "$posenc" table --preset pytorch_tutorial --dim 24 --positions "$1" --phase-rounding source --out table.npy
  "$posenc" identify table.npy >found
  grep -q "^pytorch_tutorial${tab}f32_exp$tab$2 \.\. $3${tab}0$tab" found || fail "$2 .. $3: $(cat found)"
}
at "$(seq -s : 1 40)" 1 40
at "$(seq -s : 2 41)" 2 41
at "$(seq -s : 39 -1 0)" 39 0
at "$(seq -s : 20 -1 -20)" 20 -20
at 0 0 0
at "$(seq -s : 3 7 276)" 3 276
at "$(seq -s : 1000000 -1000 961000)" 1000000 961000
at "$(seq -s : 0 .5 19.5)" 0 19.5

# One entry is wrong by half a spacing or more. So not every bit agrees, and posenc prints the nearest presets.
"$posenc" table --preset whisper --dim 8 --rows 20 --out table.npy
printf '\001' | dd of=table.npy bs=1 seek=$((128 + 4 * 8 * 9)) conv=notrunc 2>/dev/null
"$posenc" identify table.npy >found || fail "one entry differs: status $?"
grep -q "^whisper${tab}exact${tab}0 \.\. 19$tab[1-9].*${tab}159 of 160\$" found || fail "one entry differs: $(cat found)"

# says WHAT NAME ROUNDING POSITIONS EQUAL [MORE]: checks that identify prints this line for table.npy, with no difference.
says() {
  tried=$((tried + 1))
  "$posenc" identify table.npy >found || fail "$1: status $?"
  want="$2$tab$3$tab$4${tab}0${tab}0$tab$5${6:+$tab}$6"
  grep -qxF "$want" found || fail "$1: '$want' is not in: $(cat found)"
}

# Makes rows of zeros in float32, for padding.
zeros() {
  for row in "$@"; do
    dd if=/dev/zero of=table.npy bs=1 seek=$((128 + 96 * row)) count=96 conv=notrunc 2>/dev/null
  done
}
for rows in 0 1 7 39 "0 1" "3 17 18 39"; do
  "$posenc" table --preset pytorch_tutorial --dim 24 --rows 40 --phase-rounding source --out table.npy
  zeros $rows
  set -- $rows
  many=s
  [ $# != 1 ] || many=
  says "rows $rows of zeros" pytorch_tutorial f32_exp "0 .. 39" "$((960 - 24 * $#)) of 960" "but for $# row$many of zeros"
done
for padding in 0 2 9 39; do
  "$posenc" table --preset fairseq --dim 24 --rows 40 --phase-rounding source --padding-position $padding --out table.npy
  says "padding $padding" fairseq f32_exp "0 .. 39" "960 of 960" "padding_position $padding"
done
says "padding of another" whisper f32_exp "0 .. 39" "936 of 960" "but for 1 row of zeros"
"$posenc" table --preset fairseq --dim 24 --rows 40 --out table.npy
zeros 30
says "padding, and zeros" fairseq exact "0 .. 39" "936 of 960" "but for 1 row of zeros"

# Without its rows of padding this is not a table with padding.
"$posenc" table --preset whisper --dim 24 --rows 40 --out table.npy
says "no padding" whisper exact "0 .. 39" "960 of 960"
grep "^fairseq" found && fail "no padding: $(cat found)"

# A batch of one, or one head. Columns in another order.
for shape in "(1, 40, 24)" "(40, 1, 24)" "(1, 40, 1, 24)"; do
  "$posenc" table --preset whisper --dim 24 --rows 40 --out table.npy
  spaces=$(printf '%*s' $((${#shape} - 8)) '')
  LC_ALL=C sed "1s/(40, 24), }$spaces/$shape, }/" table.npy >shaped.npy
  cmp -s table.npy shaped.npy && fail "the shape is still (40, 24)"
  mv shaped.npy table.npy
  says "$shape" whisper exact "0 .. 39" "960 of 960"
done
"$posenc" table --preset whisper --dim 2 --rows 3 --out rows.npy
LC_ALL=C sed '1s/False, /True,  /' rows.npy >table.npy
for entry in 0 1 2 3 4 5; do
  to=$((32 + entry % 2 * 3 + entry / 2))
  dd if=rows.npy of=table.npy bs=4 skip=$((32 + entry)) seek=$to count=1 conv=notrunc 2>/dev/null
done
cmp -s rows.npy table.npy && fail "the order of columns did not change"
says "columns first" whisper exact "0 .. 2" "6 of 6"

# cache PRESET OPTION WORDS ENTRIES: checks that caches of cosines and sines, in one file or two, are recognized.
cache() {
  "$posenc" table --rotary $1 --dim 64 --rows 40 --first -63 --cache $2 --out table.npy
  says "$1, $2" $1 exact "-63 .. -24" "$4 of $4" "cache of $3"
}
cache llama3 halves "cosines, sines" 2560
LC_ALL=C sed '1s/(2, 40, 32), }/(40, 32), }   /' table.npy | head -c $((128 + 40 * 32 * 4)) >cosines.npy
{ head -c 128 cosines.npy; tail -c $((40 * 32 * 4)) table.npy; } >sines.npy
for pair in "cosines.npy sines.npy" "sines.npy cosines.npy"; do
  tried=$((tried + 1))
  "$posenc" identify $pair >found || fail "$pair: status $?"
  parts=$(echo "$pair" | sed 's/\.npy//g; s/ /, /')
  grep -qxF "llama3${tab}exact${tab}-63 .. -24${tab}0${tab}0${tab}2560 of 2560${tab}cache of $parts" found ||
    fail "$pair: $(cat found)"
done
"$posenc" identify cosines.npy table.npy >found 2>error
[ $? = 2 ] && grep -q "differ in type or size" error || fail "files of two sizes: $(cat found error)"
cache llama3 duplicated "cosines, sines, in halves twice" 5120
cache rope duplicated "cosines, sines, each twice" 5120
cache llama3 halves_twice "cosines, sines, in halves twice" 5120
cache llama3 cos_sin "cosines, sines" 2560
cache llama3 pairs "pairs of cosine and sine" 2560

# Tables that are wide, long or small must not take long.
if [ -z "$sanitized" ]; then
  "$posenc" table --preset whisper --dim 100000 --rows 1 --first 1 --phase-rounding source --out table.npy
  says "a wide table" whisper f32_exp "1 .. 1" "100000 of 100000"
  "$posenc" table --preset d2l --dim 2 --rows 1000000 --out table.npy
  says "a long table" d2l exact "0 .. 999999" "131072 of 131072"
fi
"$posenc" table --preset d2l --dim 1 --rows 3 --out table.npy
says "three entries" d2l exact "0 .. 2" "3 of 3"

# One pair is enough to find whole positions. A column of positions tells the positions, as far as its type can hold them.
"$posenc" table --preset musicgen --dim 2 --rows 40 --first 1000 --out table.npy
says "one pair" musicgen exact "1000 .. 1039" "80 of 80"
"$posenc" table --preset nerf --dim 33 --rows 40 --first -20000000 --out table.npy
says "a column of positions" nerf exact "-20000000 .. -19999961" "1320 of 1320"

# With another base, a few positions are near, but no rounding of this base agrees.
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
