#!/bin/sh
# check_abi.sh SOURCE CXX WORK: programs that were linked with the library of libposenc.abi go on working with this one
# (abidiff, of Debian's abigail-tools). Functions may come; structs with a struct_size may get members beyond their
# recorded size (src/spec/versioned.h), no others. Enums may get constants; those that there are keep their values.
#
#   sh tests/install/check_abi.sh . g++ build/abi --record
#
# records anew: at a release, so that what has grown stays, or before the first.
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

# The C functions alone have all that is exported; what they call stays open.
"$cxx" -std=c++17 -g -O0 -fPIC -shared -fvisibility=hidden -Iinclude -Isrc src/api/*.cc \
  src/models/positions.cc src/models/presets.cc src/models/rotary_presets.cc src/models/rotary_config.cc \
  -Wl,--version-script=cmake/posenc.map -o "$work/libposenc.so"
abidw --headers-dir include/posenc --drop-private-types --exported-interfaces-only --no-corpus-path \
  --no-comp-dir-path --no-elf-needed --no-show-locs --no-parameter-names --out-file "$work/all.abi" "$work/libposenc.so"
if [ "$mode" = --record ]; then
  cp "$work/all.abi" "$recorded"
  exit
fi

# Without those members.
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
