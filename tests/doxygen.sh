#!/bin/sh
# doxygen.sh SOURCE OUTPUT: the API's pages without a warning, which also means that everything public is documented.
set -eu
command -v doxygen >/dev/null || { echo "SKIPPED: doxygen is not installed"; exit 77; }
cd "$1"
mkdir -p "$2"
{ cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = $2"; } | doxygen -
