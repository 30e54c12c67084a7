#!/bin/sh
# check_porting.sh SOURCE WORK CXX HIGHWAY: the commands of docs/porting.md that cross-compile print what the page says. Without
# the page's cross compiler they compile for this machine; without an emulator the program is only compiled.
set -eu
source=$1 work=$2 cxx=$3 highway=$4
page=$source/docs/porting.md
block() { awk -v first="$1" '/^```/ { if (on) exit; found = 0; reading = 1; next } reading && $0 ~ first { on = 1; reading = 0 } on' "$page"; }
commands=$(block '^mkdir ')
expected=$(block '^NEON ')
[ "$(printf '%s\n' "$commands" | wc -l)" -le 8 ] || { echo "docs/porting.md: more than eight lines"; exit 1; }

rm -rf "$work"
mkdir -p "$work"
emulator=$(command -v qemu-aarch64 || ls "$source/build/cross/qemu/usr/bin/qemu-aarch64" 2>/dev/null || true)
here="s#/usr/include/hwy#$highway/hwy#; s#-S tests#-S $source/tests#"
if ! command -v aarch64-linux-gnu-g++ >/dev/null; then
  here="$here; s#aarch64-linux-gnu-g++#$cxx#; s#-D CMAKE_SYSTEM_[A-Z]*=[A-Za-z0-9]* *##g; s#^qemu-aarch64 .* \(build/\)#\1#"
elif [ -n "$emulator" ]; then
  here="$here; s#^qemu-aarch64 #$emulator #"
else
  here="$here; s#^qemu-aarch64 .* \(build/.*\)#readelf -h \1 | grep AArch64#"
fi
cd "$work"
printf '%s\n' "$commands" | sed "$here" >commands
printed=$(sh -eu commands) || { printf '%s\n' "$printed"; exit 1; }
printf '%s\n' "$printed"
case $printed in *Machine:*AArch64*) exit 0 ;; esac
# On another machine the targets have other names.
digest=$(printf '%s\n' "$expected" | tail -n 1)
[ "$(printf '%s\n' "$printed" | tail -n 1)" = "$digest" ] || { echo "docs/porting.md says $digest"; exit 1; }
