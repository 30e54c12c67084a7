#!/bin/sh
# check_plugin.sh COMPILER PREFIX LIBRARY: checks that a plugin which contains the static library exports nothing of posenc.
set -eu
compiler=$1 prefix=$2 library=$3
plugin=$prefix/plugin.so
"$compiler" -std=c++17 -shared -fPIC -fvisibility=hidden -DPOSENC_STATIC -I"$prefix/include" -o "$plugin" \
  -x c++ - -x none "$library" <<'END'
#include <posenc/posenc.h>
extern "C" __attribute__((visibility("default"))) int Plugin(posenc_spec* spec, posenc_encoder** encoder) {
  posenc::Encoder other;
  return posenc_encoder_create(spec, encoder) + posenc::Encoder::Create({}, &other);
}
END
exported=$(nm -DC --defined-only "$plugin")
rm "$plugin"
echo "$exported" | grep -q Plugin
if echo "$exported" | grep posenc; then exit 1; fi
