#!/bin/sh
# Tests the npm tarball, installed into an empty folder without a network. The programs in its README and in docs/examples print
# what they should, and the line about npm in the top README is right.
cd "$(dirname "$0")/../../.." || exit 1
build="${POSENC_WEB_BUILD:-$PWD/build/web}"
command -v npm >/dev/null || { echo "skipped: there is no npm"; exit 77; }
[ -e "$build/package/posenc.wasm" ] || { echo "skipped: bindings/web/build did not run"; exit 77; }
set -e
tarball=$(echo "$build"/posenc-*.tgz)
types=$PWD/bindings/web/tests/types_test.mts
readme=$PWD/bindings/web/README.md
examples=$PWD/docs/examples
row=$(grep '^| npm |' README.md)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --offline --no-audit --no-fund --silent "$tarball"
[ "$(find node_modules -maxdepth 1 -mindepth 1 -not -name '.*' | wc -l)" = 1 ] || { echo "it has dependencies"; exit 1; }
awk '/^```js$/ { on = 1; next } /^```$/ { if (on) exit } on' "$readme" >program.mjs
awk '/^```text$/ { on = 1; next } /^```$/ { if (on) exit } on' "$readme" >expected
node program.mjs >printed
diff expected printed
case $row in
  *"build/web/${tarball##*/}\`"*) ;;
  *) echo "README.md names another tarball: $row"; exit 1 ;;
esac
{
  echo "$row" | sed 's/.*`\(import [^`]*\)`.*/\1;/'
  echo 'await load(); console.log(table(2, 2).join());'
} >row.mjs
[ "$(node row.mjs)" = 0,1,0.8414709568023682,0.5403022766113281 ] || { echo "README.md: $row"; exit 1; }
sh "$examples/../../tests/example.sh" "$examples/digest.mjs" node --input-type=module <"$examples/digest.mjs"
# Check the types, if a TypeScript compiler is installed.
if command -v tsc >/dev/null; then
  cp program.mjs program.mts
  cp "$types" .
  tsc --noEmit --strict --target es2022 --module nodenext --moduleResolution nodenext program.mts types_test.mts
else
  echo "types not checked: there is no tsc"
fi
# Import the package from CommonJS, too.
node -e "import('posenc').then(async (p) => { await p.load(); console.log(p.version, p.table(1, 2).join()); })"
