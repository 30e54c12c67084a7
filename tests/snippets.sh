#!/bin/sh
# snippets.sh SOURCE CC CXX: the program in README, and the pieces of C and C++ in the headers and in docs/conventions.md that no
# program contains, compile without a warning.
set -eu
cd "$1"
cc=$2 cxx=$3
warnings="-Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iinclude"

# The indented lines of a header's comment, from a given line on.
in_comment() { awk -v first="//   $2" '$0 == first { on = 1 } on && !/^\/\/   / { exit } on { print substr($0, 6) }' "$1"; }
# in_document FILE LANGUAGE N: the Nth block of a language in a document.
in_document() {
  awk -v first="\`\`\`$2" -v n="$3" '$0 == first && ++k == n { on = 1; next } on && /^```$/ { exit } on' "$1"
}

# check COMPILER LANGUAGE HEADER PARAMETERS: compiles the standard input as the body of a function.
check() {
  piece=$(cat)
  [ -n "$piece" ] || { echo "$3 has no code in $2"; exit 1; }
  printf '#include <stdio.h>\n#include "posenc/%s"\nvoid piece(%s);\nvoid piece(%s) {\n%s\n}\n' "$3" "$4" "$4" "$piece" |
    $1 -x $2 $warnings -
}

heads="float* q, float* k, int64_t n_past, size_t tokens"
program=$(in_document README.md c 1)
[ -n "$program" ] || { echo "README.md has no program in C"; exit 1; }
printf '%s\n' "$program" | $cc -std=c99 -x c $warnings -
in_comment include/posenc/rotary_c.h "posenc_heads tensors[2] = {" | check "$cc -std=c99" c rotary_c.h "$heads"
for heads in "$heads" "float q[][32][128], float k[][8][128], int64_t n_past, size_t tokens"; do
  in_comment include/posenc/rotary.h "posenc::RotarySpec spec;" | check "$cxx -std=c++17" c++ rotary.h "$heads"
done
for table in "float* table" "float table[][512]"; do
  in_comment include/posenc/posenc.h "posenc::Spec spec;" | check "$cxx -std=c++17" c++ posenc.h "$table, size_t rows"
  in_comment include/posenc/posenc_c.h "posenc_spec spec;" | check "$cc -std=c99" c posenc_c.h "$table, size_t rows"
done
in_comment include/posenc/models_c.h "posenc_config_entry entries[] = {" |
  check "$cc -std=c99" c models_c.h void
in_comment include/posenc/models.h "posenc::RotarySpec spec;" | check "$cxx -std=c++17" c++ models.h void
in_comment include/posenc/models.h "const posenc::ConfigEntry entries[] = {{\"model_type\", \"llama\"}, {\"hidden_size\", 4096}," |
  check "$cxx -std=c++17" c++ models.h "posenc::RotarySpec spec, posenc::Status status"
in_comment include/posenc/grid_c.h "posenc_grid_axis axes[2] = {{.encoder = encoder, .column = row_dim / 2, .count = 14},   // h" |
  check "$cc -std=c99" c grid_c.h "const posenc_encoder* encoder, float* out, size_t row_dim"
in_comment include/posenc/grid.h "const posenc::GridAxis axes[] = {{encoder, /*column=*/dim / 2, /*count=*/14},   // h" |
  check "$cxx -std=c++17" c++ grid.h "const posenc::Encoder& encoder, float* out, size_t dim"
in_comment include/posenc/rotary_cache_c.h "posenc_cache cache = {POSENC_CACHE_HALVES, POSENC_F32, cosines, sines, 64};  // float [tokens][64] each" |
  check "$cc -std=c99" c rotary_cache_c.h "const posenc_rotary* rotary, float* cosines, float* sines, size_t tokens"
in_comment include/posenc/rotary_angles_c.h "posenc_angles* angles = NULL;  // memory [bytes] may be the same in each step" |
  check "$cc -std=c99" c rotary_angles_c.h "const posenc_rotary* rotary, int64_t n_past, size_t tokens, void* memory, size_t bytes,
    const posenc_heads (*tensors)[2], int layers"
in_comment include/posenc/rotary_slots_c.h "posenc_slots slots = {.list = {POSENC_I64, slot_mapping}, .count = blocks * 16, .block_size = 16," |
  { cat; echo "(void)k;"; } | check "$cc -std=c99" c rotary_slots_c.h "const int64_t* slot_mapping, size_t blocks, void* key_cache, const float* keys"
in_comment include/posenc/rotary_norm_c.h "posenc_norm norm = {.weight = q_norm, .weight_type = POSENC_F32, .epsilon = 1e-6};" |
  { cat; echo "(void)q;"; } | check "$cc -std=c99" c rotary_norm_c.h "const float* q_norm, float* queries"
page=docs/conventions.md
{ in_document $page c 1; in_document $page c 2; } | check "$cc -std=c99" c models_c.h void
{ in_document $page cpp 1; in_document $page c 2; } | check "$cxx -std=c++17" c++ models.h void
