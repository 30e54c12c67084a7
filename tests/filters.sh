#!/bin/sh
# filters.sh SOURCE BENCH: each --benchmark_filter on a page matches rows of posenc_bench. (Rows Before/ need another commit.)
set -eu
cd "$1"
filters=$(grep -ho "benchmark_filter='[^']*'" README.md docs/*.md bench/README.md | sed "s/^benchmark_filter='//; s/'\$//" | sort -u | grep -v '^^Before/')
[ -n "$filters" ] || { echo "no page has a filter"; exit 1; }
printf '%s\n' "$filters" | while read -r filter; do
  rows=$("$2" --benchmark_list_tests --benchmark_filter="$filter" 2>/dev/null | grep -c "^[A-Z].*/") || { echo "$filter matches no row"; exit 1; }
  echo "$rows rows: $filter"
done
