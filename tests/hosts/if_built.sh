#!/bin/sh
# if_built.sh PACKAGE PROGRAM ARGUMENT...: runs a program that was built if a Debian package was there.
package=$1
shift
[ -x "$1" ] && exec "$@"
echo "SKIPPED: $package is not installed"
exit 77
