#!/bin/sh
# report.sh SOURCE WORK PYTHON: without matplotlib tools/report writes its tables all the same, and says that pictures are missing.
# --check finds each page with a figure that no recorded run has. In ratios above 1 posenc is faster.
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
  { echo "it says:"; cat "$work/stderr"; exit 1; }
[ -z "$(ls "$work/out")" ] || { echo "there are pictures"; exit 1; }

pages="README.md docs/speed.md docs/speed_rotary.md docs/alternatives.md docs/performance.md docs/ggml.md bindings/python/README.md
  bindings/web/README.md bindings/onnxruntime/README.md"
copy=$work/copy
mkdir -p "$copy/docs"
cp "$1"/docs/speed*.json "$copy/docs"
cp -r "$1/tools" "$copy"
for page in $pages; do
  mkdir -p "$copy/$(dirname "$page")"
  cp "$1/$page" "$copy/$page"
done
"$3" "$copy/tools/report" --check
for page in $pages; do
  # The first cell with a number, in a part that tools/report writes.
  awk '/<!-- tools\/report/ || FILENAME ~ /speed/ { ours = 1 } /<!-- end -->/ && FILENAME !~ /speed/ { ours = 0 }
       ours && !changed && /^\|.*\| [0-9]/ { changed = sub(/\| [0-9]/, "&7") } { print }' "$copy/$page" >"$work/changed"
  cmp -s "$copy/$page" "$work/changed" && { echo "$page has no figure"; exit 1; }
  mv "$work/changed" "$copy/$page"
  if "$3" "$copy/tools/report" --check 2>"$work/stderr"; then echo "it did not find the wrong figure of $page"; exit 1; fi
  [ "$(cat "$work/stderr")" = "report: $page does not have the figures of docs/speed*.json: run tools/report --publish" ] ||
    { echo "of $page it says:"; cat "$work/stderr"; exit 1; }
  cp "$1/$page" "$copy/$page"
done

# Records in which posenc takes half of the time of ggml and of ONNX Runtime.
PYTHONPATH="$1/tools" "$3" - <<'END'
from reporting.bindings import ggml, onnxruntime
from reporting.rows import day

named = {"context": {"cpu": "a CPU", "date": "2026-01-01", "num_cpus": 1}, "versions": "1.0"}
for made, want in (
    (ggml({**named, "errors": {}, "seconds": {"NEOX, float32": {"n = 1": {"ggml": 2e-6, "exact": 1e-6, "fast": 0.1e-6}}}}),
     "| `NEOX`, float32 | 2.0 | 20 |"),
    (onnxruntime({**named, "rows": [{"tokens": 1, "threads": 1, "seconds": {
        "ONNX Runtime": 2e-6, "exact": 1e-6, "fast": 4e-6, "exact target=AVX2": 2e-6, "fast target=AVX2": 1e-6}}]}),
     "1 us (2.00) | 4 us (0.50) |"),
):
    assert want in made, f"there is no {want} in\n{made}"
for busy, want in ((0.0, ""), (0.1, "kept 0.1 of 2 processors busy"), (1.5, "kept 1.5 of 2 processors busy, so the figures are rough")):
    made = day({"date": "2026-01-01", "num_cpus": 2, "busy": busy})
    assert made.endswith(want) and ("busy" in made) == bool(want), f"with {busy} processors in use: {made}"
END
