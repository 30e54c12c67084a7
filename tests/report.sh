#!/bin/sh
# report.sh SOURCE WORK PYTHON: without matplotlib, tools/report still writes its tables, and says that the pictures are
# missing.
set -eu
work=$2/report
rm -rf "$work" && mkdir -p "$work/without/matplotlib" "$work/out"
cat >"$work/without/matplotlib/__init__.py" <<'END'
raise ModuleNotFoundError("No module named 'matplotlib'", name="matplotlib")
END
PYTHONPATH="$work/without" "$3" "$1/tools/report" --out-dir "$work/out" >"$work/tables" 2>"$work/stderr" ||
  { echo "tools/report failed:"; cat "$work/stderr"; exit 1; }
"$3" "$1/tools/report" >"$work/expected"
cmp "$work/tables" "$work/expected"
grep -q '^### Write, f32' "$work/tables"
[ "$(wc -l <"$work/stderr")" = 1 ] && grep -q '^report: the pictures for .* are left out.*matplotlib' "$work/stderr" ||
  { echo "tools/report does not say that pictures are left out, but:"; cat "$work/stderr"; exit 1; }
[ -z "$(ls "$work/out")" ] || { echo "tools/report wrote pictures without matplotlib"; exit 1; }
