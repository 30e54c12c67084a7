#!/bin/sh
# check_linked.sh COMPILER PREFIX LIBRARY [size | models]: checks that a program takes from the static library only what it
# calls. A program that only lists the targets has no kernels. One that encodes has the kernels of encoders and nothing of
# rotaries, one that rotates has the kernels of rotaries, and none of them has anything of models. With `size`, encoding adds
# at most 292 KB to a stripped program. With `models` it checks other programs: presets and configurations are linked only into
# programs that use them, and they bring no kernels.
set -eu
compiler=$1 prefix=$2 library=$3 mode=${4:-}
program=$prefix/linked.$$
headers='posenc/posenc.h posenc/grid_c.h posenc/rotary_c.h'
[ "$mode" != models ] || headers="$headers posenc/models.h"
link() {  # BODY
  { printf '#include <%s>\n' $headers; echo "int main() { $1; }"; } |
    "$compiler" -std=c++17 -DPOSENC_STATIC -I"$prefix/include" -o "$program" -x c++ - -x none "$library" -lhwy
}
kernels() { nm -C "$program" | sed -n 's/.* posenc::internal::\([A-Za-z]*KernelsOf\).*/\1/p' | sort -u | tr '\n' ' '; }
has() { nm "$program" | grep -q " $1\$"; }
rotaries() { nm -C "$program" | grep -c 'posenc_rotary' || true; }
models() { nm -C "$program" | grep -c 'posenc::internal::models::' || true; }
bytes() { strip "$program" && wc -c <"$program"; }
expect() { [ "$(kernels)" = "$1" ] || { echo "linked: $(kernels)instead of: $1" >&2; exit 1; }; }

if [ "$mode" = models ]; then
  link 'long long id = 0, position; posenc_ids ids = {POSENC_I64, &id, 1, 0}; posenc_rows rows = {POSENC_I64, &position, 1};
    return posenc_positions_from_ids(&ids, 1, 1, 0, &rows)'
  expect ''
  link 'posenc_spec spec; return posenc::SpecPreset(&spec, "fairseq", 8)'
  expect ''
  has posenc_spec_preset || { echo 'not linked: presets' >&2; exit 1; }
  ! has posenc_rotary_spec_from_config || { echo 'linked: configurations, for a preset' >&2; exit 1; }
  link 'posenc_rotary_spec spec; posenc_config config = {};
    return posenc_rotary_spec_from_config(&spec, sizeof(spec), &config, 0)'
  expect ''
  has posenc_rotary_spec_from_config || { echo 'not linked: configurations' >&2; exit 1; }
  ! has posenc_spec_preset || { echo 'linked: presets, for a configuration' >&2; exit 1; }
  rm "$program"
  exit
fi

link 'posenc_target targets[POSENC_MAX_TARGETS]; return posenc::Targets(targets) == 0'
expect ''
link 'posenc::Encoder encoder; return posenc::Encoder::Create({}, &encoder)'
expect 'EncoderKernelsOf '
[ "$(models)" = 0 ] || { echo 'linked: models' >&2; exit 1; }
[ "$(rotaries)" = 0 ] || { echo 'linked: functions of rotaries' >&2; exit 1; }
if [ "$mode" = size ]; then
  encodes=$(bytes)
  link ''
  added=$((encodes - $(bytes)))
  echo "encoding adds $added bytes"
  [ "$added" -le 292000 ]
fi
link 'posenc_rotary_spec spec; posenc_rotary* rotary; 
  return posenc_rotary_spec_init(&spec, sizeof(spec)) + posenc_rotary_create(&spec, &rotary)'
expect 'RotaryKernelsOf '
[ "$(models)" = 0 ] || { echo 'linked: models' >&2; exit 1; }
rm "$program"
