#!/bin/sh
# check_abi.sh SOURCE CXX WORK: checks that programs which were linked with the recorded library, libposenc.abi, still work
# with this one (by abidiff from Debian's abigail-tools). New functions are allowed. A struct with a struct_size may get
# members at its end (src/spec/versioned.h); other structs may not. Enums may get new constants, but existing ones keep their
# values.
#
#   sh tests/install/check_abi.sh . g++ build/abi --record
#
# records this library. Do that at a release, so that additions cannot be removed later, or before the first release.
set -eu
mkdir -p "$3"
work=$(cd "$3" && pwd) cxx=$2 mode=${4:-}
cd "$1"
recorded=tests/install/libposenc.abi
skip() { echo "SKIPPED: $1"; exit 77; }

command -v abidiff >/dev/null || skip "there is no abidiff (Debian: abigail-tools)"
case $("$cxx" -dumpmachine) in
  x86_64-*linux-gnu) ;;
  *) skip "the recorded interface is that of x86-64" ;;
esac

# The C functions alone contain everything that is exported. What they call stays undefined.
"$cxx" -std=c++17 -g -O0 -fPIC -shared -fvisibility=hidden -Iinclude -Isrc src/api/*.cc \
  src/models/positions.cc src/models/presets.cc src/models/rotary_presets.cc src/models/rotary_config.cc \
  -Wl,--version-script=cmake/posenc.map -o "$work/libposenc.so"
abidw --headers-dir include/posenc --drop-private-types --exported-interfaces-only --no-corpus-path \
  --no-comp-dir-path --no-elf-needed --no-show-locs --no-parameter-names --out-file "$work/all.abi" "$work/libposenc.so"
if [ "$mode" = --record ]; then
  cp "$work/all.abi" "$recorded"
  exit
fi

# The comparison leaves out members beyond the recorded size.
sed -n "s/.*<class-decl name='\(posenc_[a-z_]*spec\)' size-in-bits='\([0-9]*\)'.*/\1 \2/p" "$recorded" >"$work/sizes"
[ "$(cut -d' ' -f1 "$work/sizes" | sort | tr '\n' ' ')" = "posenc_rotary_spec posenc_spec " ]
awk -v sizes="$work/sizes" -F"'" '
  BEGIN { while ((getline line < sizes) > 0) { split(line, words, " "); size[words[1]] = words[2] } }
  /<class-decl / { limit = size[$2]; if (limit && $4 > limit) sub("size-in-bits=.[0-9]*", "size-in-bits=\047" limit) }
  /<\/class-decl>/ { limit = 0 }
  /<data-member / && limit && $4 >= limit { beyond = 1 }
  !beyond { print }
  /<\/data-member>/ { beyond = 0 }' "$work/all.abi" >"$work/known.abi"
abidiff --no-added-syms "$recorded" "$work/known.abi"
echo "$(grep -c '<elf-symbol ' "$recorded") functions as recorded"
