// What the module exports besides the C functions of posenc, for bindings/web/package/index.js.
#ifndef POSENC_BINDINGS_WEB_WASM_MODULE_H_
#define POSENC_BINDINGS_WEB_WASM_MODULE_H_

#include <cstddef>
#include <cstdint>

// Null if there is no more memory. Aligned to 128 bytes.
extern "C" void* web_allocate(std::size_t bytes);
extern "C" void web_free(void* payload);

// Of a struct: where a member is, and what. The last has no name.
enum class Kind : std::int32_t { kSize, kDouble, kInt32, kInt64, kPointer, kSizes4 };
struct Member {
  const char* name;
  Kind kind;
  std::size_t offset;
};
extern "C" const Member* web_spec_members();
extern "C" const Member* web_rotary_spec_members();
// sizeof(posenc_spec), sizeof(posenc_rotary_spec)
extern "C" std::size_t web_spec_size();
extern "C" std::size_t web_rotary_spec_size();

#endif  // POSENC_BINDINGS_WEB_WASM_MODULE_H_
