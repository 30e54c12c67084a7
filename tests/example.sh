#!/bin/sh
# example.sh FILE COMMAND...: runs a program in docs/examples by the command. It prints what its comments say, and is short.
example=$1
shift
printed=$("$@")
status=$?
if [ $status = 0 ]; then
  said=$(sed -n 's/^.* prints: //p' "$example")
  [ "$printed" = "$said" ] || { printf '%s says\n%s\nbut prints\n' "$example" "$said"; status=1; }
  [ "$(wc -l <"$example")" -lt 30 ] || { echo "$example has 30 lines or more"; status=1; }
fi
printf '%s\n' "$printed"
exit $status
