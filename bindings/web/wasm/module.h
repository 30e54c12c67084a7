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
// A value of an enum (src/spec/values.inc). The last is of none.
struct Word {
  const char* of;
  std::int32_t value;
  const char* word;
};
extern "C" const Member* web_spec_members();
extern "C" const Member* web_rotary_spec_members();
extern "C" const Word* web_words();
// sizeof(posenc_spec), sizeof(posenc_rotary_spec)
extern "C" std::size_t web_spec_size();
extern "C" std::size_t web_rotary_spec_size();

#endif  // POSENC_BINDINGS_WEB_WASM_MODULE_H_
