#include "api/spec.h"

#include <cstddef>

#include "api/versioned.h"

namespace posenc {
namespace internal {
namespace {

// The size of posenc_spec in version 0.1.
constexpr std::size_t kFirstSpecSize = sizeof(posenc_spec);

}  // namespace

posenc_spec DefaultSpec() {
  posenc_spec spec{};
  spec.base = 10000.0;
  spec.position_scale = 1.0;
  spec.min_timescale = 1.0;
  return spec;
}

posenc_status CopySpec(const posenc_spec* from, posenc_spec* to) {
  return CopyVersioned(from, kFirstSpecSize, DefaultSpec(), to);
}

posenc_status WriteSpec(const posenc_spec& from, std::size_t struct_size, posenc_spec* to) {
  return WriteVersioned(from, kFirstSpecSize, struct_size, to);
}

}  // namespace internal
}  // namespace posenc

posenc_status posenc_spec_init(posenc_spec* spec, size_t struct_size) {
  using namespace posenc::internal;
  return WriteSpec(DefaultSpec(), struct_size, spec);
}
