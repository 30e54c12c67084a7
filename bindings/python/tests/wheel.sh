#!/bin/sh
# wheel.sh SOURCE PYTHON VENV: builds the wheel as users do, and installs it into a clean virtual environment, which has only
# the system's NumPy and, if it is installed, torch. To compile faster, the wheel has fewer instruction sets; and warnings are
# errors.
set -eu
source=$1 python=$2 venv=$3

skip() {
  echo "SKIPPED: $1"
  exit 77
}
[ -d "$source/build/python/highway" ] || skip "bindings/python/get-packages has not got nanobind, scikit-build-core and Highway"
for module in numpy pip venv; do
  "$python" -c "import $module" 2>/dev/null || skip "python3-$module is not installed"
done
include=$("$python" -c "import sysconfig; print(sysconfig.get_path('include'))")
[ -e "$include/Python.h" ] || skip "python3-dev is not installed"
# Remove the results of an earlier run, so that they are not mistaken for results of this one.
rm -rf "$venv" "$venv.wheel"
"$python" -m venv --system-site-packages --without-pip "$venv" || skip "python3-venv is not installed"

cd "$source"
CXXFLAGS=-DHWY_DISABLED_TARGETS=HWY_AVX3+HWY_AVX3_DL+HWY_SSSE3 PYTHON=$python bindings/python/pip wheel --no-deps --quiet --wheel-dir "$venv.wheel" \
  --config-settings=cmake.define.POSENC_PYTHON_WERROR=ON .
ls "$venv.wheel"
"$venv/bin/python" -m pip install --no-index --no-deps --quiet --force-reinstall "$venv.wheel"/posenc-*.whl
cd / && "$venv/bin/python" -c "import posenc, sys; print(posenc.__file__); assert posenc.__file__.startswith(sys.prefix)"
