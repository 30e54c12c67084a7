#!/bin/sh
# manual.sh POSENC SOURCE WORK: the manual page names the commands and options that --help lists, and no others; its
# examples of what every build has run; each --help has one; groff has nothing to say.
set -eu
posenc=$1 page=$(cd "$2" && pwd)/tools/command/posenc.1
mkdir -p "$3" && cd "$3"

commands=$("$posenc" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
{
  printf '%s\n' $commands
  for command in "" $commands; do "$posenc" $command --help; done |
    sed -n 's/^  \(-[^ ={]*\).*/\1/p' | tr ',' '\n'
} | LC_ALL=C sort -u >listed
# Of mdoc: arguments of Fl, which puts a dash before each; of "It Cm" alone, a command.
{
  sed -n 's/^\.It Cm \([a-z]*\)$/\1/p' "$page"
  awk '/^\./ {
    flags = 0
    for (i = 1; i <= NF; ++i) {
      if ($i ~ /^\.?[A-Z][a-z]$/) flags = $i ~ /Fl$/
      else if (flags && $i ~ /^-?[a-z]/) print "-" $i
    }
  }' "$page"
} | LC_ALL=C sort -u >described
diff listed described || { echo "posenc --help lists other commands and options (<) than $page (>)" >&2; exit 1; }
echo "$(wc -l <listed) commands and options"

# verify's are in the manual.
for command in $commands; do
  [ "$command" = verify ] || "$posenc" $command --help | grep -q "^Example: posenc $command " || {
    echo "posenc $command --help has no example" >&2
    exit 1
  }
done

PATH=$(dirname "$posenc"):$PATH
grep -E '^posenc (table|identify) ' "$page" >examples
sh -eux examples >/dev/null

if command -v groff >/dev/null; then
  groff -mandoc -Tutf8 -ww "$page" 2>warnings >/dev/null
  cat warnings >&2
  [ ! -s warnings ]
fi
