#!/bin/sh
# quickstart.sh SOURCE BENCH WORK: the last step of tools/quickstart shows the speed of each target in one thread, as its
# heading says, without warnings about other projects.
set -eu
bench=$2 work=$3/quickstart
mkdir -p "$work"
filter=$(sed -n "s/^.*posenc_bench --benchmark_filter='\\(.*\\)'$/\\1/p" "$1/tools/quickstart")
[ -n "$filter" ] || { echo "tools/quickstart does not run posenc_bench"; exit 1; }
"$bench" --benchmark_list_tests --benchmark_filter="$filter" >"$work/rows"
others=$(grep -vE '^Write/f32/[0-9]+x[0-9]+/[A-Z0-9_]+$' "$work/rows" || true)
[ -z "$others" ] || { printf 'these rows are not the speed of a target in one thread:\n%s\n' "$others"; exit 1; }
[ "$(wc -l <"$work/rows")" -ge 2 ] || { echo "it shows fewer than two rows:"; cat "$work/rows"; exit 1; }
"$bench" --benchmark_filter="$(sed -n 1p "$work/rows")" --benchmark_min_time=0.001 >"$work/stdout" 2>"$work/stderr"
grep -q '^Write/f32/' "$work/stdout"
grep -q '^best_target: ' "$work/stderr"
! grep 'Library was built' "$work/stderr"
