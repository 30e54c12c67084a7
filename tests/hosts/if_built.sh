#!/bin/sh
# if_built.sh PACKAGE PROGRAM ARGUMENT...: runs a program that is built only if a Debian package is installed; skips otherwise.
package=$1
shift
[ -x "$1" ] && exec "$@"
echo "SKIPPED: $package is not installed"
exit 77
