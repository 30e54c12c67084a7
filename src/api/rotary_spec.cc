#include "api/rotary_spec.h"

#include <cstddef>

#include "api/versioned.h"
#include "spec/rows.h"

namespace posenc {
namespace internal {
namespace {

// The size of posenc_rotary_spec in its first version.
constexpr std::size_t kFirstRotarySpecSize = offsetof(posenc_rotary_spec, target) + sizeof(const char*);

}  // namespace

posenc_status CopyRotarySpec(const posenc_rotary_spec* from, posenc_rotary_spec* to) {
  return CopyVersioned(from, kFirstRotarySpecSize, DefaultRotarySpec(), to);
}

posenc_status WriteRotarySpec(const posenc_rotary_spec& from, std::size_t struct_size,
                              posenc_rotary_spec* to) {
  return WriteVersioned(from, kFirstRotarySpecSize, struct_size, to);
}

}  // namespace internal
}  // namespace posenc

posenc_status posenc_rotary_spec_init(posenc_rotary_spec* spec, size_t struct_size) {
  using namespace posenc::internal;
  return WriteRotarySpec(DefaultRotarySpec(), struct_size, spec);
}
