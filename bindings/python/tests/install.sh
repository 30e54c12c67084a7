#!/bin/sh
# install.sh SOURCE PYTHON FOLDER: if the active virtual environment lacks something, bindings/python/install must say so in
# one line, before it does anything else. If nothing is missing, it must say nothing.
set -eu
source=$1 python=$2 venv=$3
rm -rf "$venv"
"$python" -m venv --without-pip "$venv" || { echo "SKIPPED: python3-venv is not installed"; exit 77; }
if said=$(VIRTUAL_ENV=$venv "$source/bindings/python/install" 2>&1); then
  echo "installed into an environment without pip and NumPy: $said"
  exit 1
fi
echo "$said"
[ "$(echo "$said" | wc -l)" = 1 ]
case $said in *"$venv of Python 3."*" lacks pip (python -m ensurepip), NumPy (python -m pip install numpy"*) ;; *) exit 1 ;; esac
packages=$("$venv/bin/python" -c "import sysconfig; print(sysconfig.get_path('purelib'))")
mkdir "$packages/pip" "$packages/numpy"
touch "$packages/pip/__init__.py" "$packages/numpy/__init__.py"
[ -e "$("$python" -c "import sysconfig; print(sysconfig.get_path('include'))")/Python.h" ] || exit 0
[ -z "$("$venv/bin/python" "$source/bindings/python/missing.py" 2>&1)" ]
