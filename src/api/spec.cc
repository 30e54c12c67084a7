#include "api/spec.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace posenc {
namespace internal {
namespace {

// The size of posenc_spec in version 0.1, and more than it will ever have.
constexpr std::size_t kFirstSpecSize = sizeof(posenc_spec);
constexpr std::size_t kMaxSpecSize = 4096;

bool IsSpecSize(std::size_t size) { return size >= kFirstSpecSize && size <= kMaxSpecSize; }

posenc_spec DefaultSpec() {
  posenc_spec spec{};
  spec.base = 10000.0;
  spec.position_scale = 1.0;
  return spec;
}

}  // namespace

// A caller who knows fewer members gets the defaults of the others. One who knows more must have left them
// zero, which means that they are not used.
posenc_status CopySpec(const posenc_spec* from, posenc_spec* to) {
  if (from == nullptr) return POSENC_NULL_POINTER;
  if (!IsSpecSize(from->struct_size)) return POSENC_BAD_STRUCT_SIZE;
  const auto* bytes = reinterpret_cast<const unsigned char*>(from);
  for (std::size_t i = sizeof(*from); i < from->struct_size; ++i) {
    if (bytes[i] != 0) return POSENC_BAD_STRUCT_SIZE;
  }
  *to = DefaultSpec();
  std::memcpy(to, bytes, std::min(sizeof(*to), from->struct_size));
  return to->reserved == 0 ? POSENC_OK : POSENC_BAD_STRUCT_SIZE;
}

}  // namespace internal
}  // namespace posenc

posenc_status posenc_spec_init(posenc_spec* spec, size_t struct_size) {
  using namespace posenc::internal;
  if (spec == nullptr) return POSENC_NULL_POINTER;
  if (!IsSpecSize(struct_size)) return POSENC_BAD_STRUCT_SIZE;
  std::memset(spec, 0, struct_size);
  const posenc_spec defaults = DefaultSpec();
  std::memcpy(spec, &defaults, std::min(sizeof(defaults), struct_size));
  spec->struct_size = struct_size;
  return POSENC_OK;
}
