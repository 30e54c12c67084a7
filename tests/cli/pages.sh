#!/bin/sh
# pages.sh POSENC SOURCE WORK: each command line of posenc in a block of sh in README.md, docs/*.md and tools/README.md works: in
# order, in one folder for each page, with a config.json and a table.npy. `posenc verify`, which takes long, has tests of its own.
set -eu
posenc=$1 source=$2 work=$3/pages
rm -rf "$work" && mkdir -p "$work"
PATH=$(dirname "$posenc"):$PATH
export PATH
lines=0
for page in "$source"/README.md "$source"/docs/*.md "$source"/tools/README.md; do
  awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on && /^posenc / && !/^posenc verify/' "$page" >"$work/commands"
  [ -s "$work/commands" ] || continue
  folder=$work/$(basename "$(dirname "$page")").$(basename "$page")
  mkdir "$folder"
  cp "$source/tests/cli/config.json" "$folder"
  posenc table --preset fairseq --dim 8 --rows 20 --phase-rounding source --out "$folder/table.npy"
  while IFS= read -r line; do
    status=0
    (cd "$folder" && bash -eo pipefail -c "$line") >"$work/printed" 2>&1 || status=$?
    case $status:$line in
      0:* | 1:"posenc diff "*) ;; # which differ
      *) printf '%s: %s: status %s\n' "$page" "$line" "$status"; cat "$work/printed"; exit 1 ;;
    esac
    [ -s "$work/printed" ] || case $line in *--out*) ;; *) printf '%s: %s prints nothing\n' "$page" "$line"; exit 1 ;; esac
    lines=$((lines + 1))
  done <"$work/commands"
done
echo "$lines command lines"
[ $lines -ge 15 ]
