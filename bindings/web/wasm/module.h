// What the module exports besides the C functions of posenc, for bindings/web/package/index.js.
#ifndef POSENC_BINDINGS_WEB_WASM_MODULE_H_
#define POSENC_BINDINGS_WEB_WASM_MODULE_H_

#include <cstddef>
#include <cstdint>

#include "spec/rows.h"

// Null if there is no more memory. Aligned to 128 bytes.
extern "C" void* web_allocate(std::size_t bytes);
extern "C" void web_free(void* payload);

// Of a struct: what a member is, where, and of what (src/spec/members.inc). The last has no name.
struct Member {
  const char* name;
  posenc::internal::Kind kind;
  std::size_t offset;
  const char* of;
};
// A value of an enum, with its word: those of src/spec/values.inc, and the kinds of a configuration's keys.
// The last is of none.
struct Word {
  const char* of;
  std::int32_t value;
  const char* word;
};
// Of a struct that calls take or fill (posenc_OF): a member that JavaScript sets or reads, what it is, and
// where. The whole struct has a field without a name, whose offset is the size. The last is of none.
enum class FieldKind : std::int32_t {
  kWord,     // 4 bytes: a size, a pointer, an int32_t or an enum
  kInteger,  // int64_t
  kReal,     // double
  kText,     // characters
};
struct Field {
  const char* of;
  const char* name;
  FieldKind kind;
  std::size_t offset;
};
extern "C" const Field* web_fields();
extern "C" const Member* web_spec_members();
extern "C" const Member* web_rotary_spec_members();
extern "C" const Word* web_words();
// The names of posenc_kind from 0 on, such as "OUT_OF_RANGE"; the last is null.
extern "C" const char* const* web_kinds();
// sizeof(posenc_spec), sizeof(posenc_rotary_spec)
extern "C" std::size_t web_spec_size();
extern "C" std::size_t web_rotary_spec_size();

#endif  // POSENC_BINDINGS_WEB_WASM_MODULE_H_
