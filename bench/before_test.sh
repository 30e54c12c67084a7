#!/bin/sh
# before_test.sh BENCH PLUGIN FAULTY_PLUGIN WORK: tests posenc_bench --before. It measures each kind of row, lists the rows
# that became slower, and refuses what it cannot compare.
set -eu
bench=$1 plugin=$2 faulty=$3 work=$4/before
mkdir -p "$work"

# run STATUS ROWS OPTION...: runs the rows ROWS, a pattern without targets, and expects the exit status STATUS.
run() {
  wanted=$1 filter="^Before/($2)/$target\$" status=0
  shift 2
  "$bench" --benchmark_filter="$filter" --benchmark_min_time=0.001 "$@" >"$work/stdout" 2>"$work/stderr" || status=$?
  [ "$status" = "$wanted" ] || { echo "exit status $status instead of $wanted"; cat "$work/stdout" "$work/stderr"; exit 1; }
}
says() { grep -q -- "$1" "$work/stdout" "$work/stderr" || { echo "nothing says: $1"; cat "$work/stdout" "$work/stderr"; exit 1; }; }

target=$("$bench" --benchmark_list_tests --benchmark_filter='^Write/f32/1x1024/' | sed -n '1s:.*/::p')
[ -n "$target" ] || { echo "no target"; exit 1; }

kinds='Create/f32/128|Create/llama3/128|Write/f64/1x1024|WriteAt/f32/1x1024/fractions|Add/f16/16x512|AddAt/bf16/1x1024'
kinds="$kinds|AddBatch/f32/32x1x1024|Embed/f32/nan/512x512|EmbedAt/bf16/inf/512x512|WriteGrid/f32/14x14x768"
kinds="$kinds|AddGrid/bf16/14x14x768|Timesteps/f32/1x320/f32_log_div|Rotate/exact/bf16/interleaved/1x40x128"
kinds="$kinds|Rotate/exact/f32/half_split/wide/48x40x128|Rotate/fast/f16/half_split/48x40x128/heads_first"
kinds="$kinds|RotateAt/exact/f32/half_split/1x40x128|RotateCached/f16/interleaved/1x40x128|RotaryCache/f32/4096x128/duplicated"
run 0 "$kinds" --before="$plugin"
says '^before_ratio of 18 rows: '

run 0 'Write/f32/16x512|Add/f32/16x512' --before="$plugin" --now="$faulty"
says '^before_ratio of 2 rows: .*; below 0.980: [12]$'
says "^0\.[3-7].*  Before/Write/f32/16x512/$target\$"

run 1 'WriteAt/f32/1x1024' --before="$plugin" --now="$faulty"
says 'the two builds write different bytes'

run 2 'Write/f32/16x512' --before="$work/nothing.so"
says 'nothing.so cannot be loaded'
for options in --before= --now="$faulty"; do
  run 2 'Write/f32/16x512' "$options"
  says '--before=PLUGIN names no plugin'
done
run 2 'Write/f32/16x512' --before=libm.so.6
says 'libm.so.6 is no plugin of posenc_bench; tools/before COMMIT makes'
