// Declares what the module exports besides posenc's C functions, for bindings/web/package/index.js.
#ifndef POSENC_BINDINGS_WEB_WASM_MODULE_H_
#define POSENC_BINDINGS_WEB_WASM_MODULE_H_

#include <cstddef>
#include <cstdint>

#include "spec/rows.h"

// Memory that is aligned to 128 bytes, or null if there is not enough.
extern "C" void* web_allocate(std::size_t bytes);
extern "C" void web_free(void* payload);

// A member of a spec, as in src/spec/members.inc: its name, kind and offset, and the words or the other
// member that it belongs to. The last member of a table has no name.
struct Member {
  const char* name;
  posenc::internal::Kind kind;
  std::size_t offset;
  const char* of;
};
// A value of an enum, and its word: the rows of src/spec/values.inc, and the kinds of keys in configurations.
// In the last entry `of` is null.
struct Word {
  const char* of;
  std::int32_t value;
  const char* word;
};
// A field of the struct posenc_OF, which JavaScript sets or reads: its name, kind and offset. Each struct
// also has a field without a name, whose offset is the size of the struct. In the last entry `of` is null.
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
// The sizes of posenc_spec and of posenc_rotary_spec, in bytes.
extern "C" std::size_t web_spec_size();
extern "C" std::size_t web_rotary_spec_size();

#endif  // POSENC_BINDINGS_WEB_WASM_MODULE_H_
