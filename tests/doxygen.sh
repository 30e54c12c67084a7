#!/bin/sh
# doxygen.sh SOURCE OUTPUT: checks the pages that doxygen makes from the headers. They have no warnings, so everything public
# is documented. The front page links to every header, and names that users do not need are not shown.
set -eu
command -v doxygen >/dev/null && command -v python3 >/dev/null || { echo "SKIPPED: doxygen or python3 is not installed"; exit 77; }
cd "$1"
rm -rf "$2"
mkdir -p "$2"
{ cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = $2"; } | doxygen -

failed=0
for header in include/posenc/*.h; do
  page=$(basename "$header" | sed 's/_/__/g; s/\./_8/').html
  grep -q "href=\"$page\"" "$2/html/index.html" || { echo "the front page has no link to ${header##*/}"; failed=1; }
done

# Doxygen leaves out enumerators that have no comment, and does not say so.
sed -nE 's/.*class="fieldname"><a [^>]*><\/a>(POSENC_[A-Z0-9_]+).*/\1/p' "$2"/html/*_8h.html | sort -u >"$2/shown"
hidden=$(sed -nE 's/^  (POSENC_[A-Z0-9_]+) = .*/\1/p' include/posenc/*.h | sort -u | comm -23 - "$2/shown")
[ -z "$hidden" ] || { echo "enumerators have no comment:" $hidden; failed=1; }

# "class name" for each name after "private:", from the first line of each declaration. In other classes the same name may be public,
# or a parameter.
awk '/^(class|struct) / { class = $2 } /^ private:/ { on = 1; next } /^( public:|};)/ { on = 0 }
  on && /^  [a-zA-Z]/ && !/^  (template|friend)/ { sub(/ *(\(| = |;| \{).*/, ""); sub(/.*[ *&]/, ""); print class, $0 }' \
  include/posenc/*.h >"$2/private"
[ -s "$2/private" ] || { echo "the headers have no private names?"; failed=1; }
while read -r class name; do
  pages=$(ls "$2"/html/*posenc_1_1"$class".html "$2"/html/*posenc_1_1"$class"-members.html) || failed=1
  if found=$(grep -lw "$name" $pages); then
    echo "$name of $class is shown in" $(echo "$found" | xargs -n 1 basename)
    failed=1
  fi
done <"$2/private"

# Macros that users do not write.
for name in POSENC_API POSENC_CALL POSENC_CHECKED POSENC_ENUM internal 'POSENC_[A-Z_]*_H_'; do
  if found=$(grep -rlEw "$name" "$2/html" --include='*.html' --include='*.js'); then
    echo "$name is shown in" $(echo "$found" | xargs -n 1 basename)
    failed=1
  fi
done
exit $failed
