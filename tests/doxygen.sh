#!/bin/sh
# doxygen.sh SOURCE OUTPUT: checks the pages that doxygen makes from the headers. They have no warnings, so everything public
# is documented. The front page links to every header, and names that users do not need are not shown.
set -eu
command -v doxygen >/dev/null || { echo "SKIPPED: doxygen is not installed"; exit 77; }
cd "$1"
rm -rf "$2"
mkdir -p "$2"
{ cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = $2"; } | doxygen -

failed=0
for header in include/posenc/*.h; do
  page=$(basename "$header" | sed 's/_/__/g; s/\./_8/').html
  grep -q "href=\"$page\"" "$2/html/index.html" || { echo "the front page has no link to ${header##*/}"; failed=1; }
done

# Names after "private:", from the first line of each declaration, and macros that users do not write.
private=$(awk '/^ private:/ { on = 1; next } /^};/ { on = 0 } on && /^  [a-zA-Z]/ && !/^  template/' include/posenc/*.h |
  sed -E 's/ *(\(| = |;| \{).*//; s/.*[ *&]//' | sort -u)
for name in $private POSENC_API internal 'POSENC_[A-Z_]*_H_'; do
  if found=$(grep -rlEw "$name" "$2/html" --include='*.html' --include='*.js'); then
    echo "$name is shown in" $(echo "$found" | xargs -n 1 basename)
    failed=1
  fi
done
exit $failed
