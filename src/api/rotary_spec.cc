#include "api/rotary_spec.h"

#include <cstddef>

#include "api/versioned.h"

namespace posenc {
namespace internal {
namespace {

// The size of posenc_rotary_spec in its first version.
constexpr std::size_t kFirstRotarySpecSize = sizeof(posenc_rotary_spec);

}  // namespace

posenc_rotary_spec DefaultRotarySpec() {
  posenc_rotary_spec spec{};
  spec.struct_size = sizeof(spec);
  spec.output_pairing = POSENC_SAME_PAIRING;
  spec.base = 10000.0;
  spec.position_scale = 1.0;
  spec.factor = 1.0;
  spec.beta_fast = 32.0;
  spec.beta_slow = 1.0;
  spec.mscale = 1.0;
  spec.low_freq_factor = 1.0;
  spec.high_freq_factor = 4.0;
  spec.proportion = 1.0;
  spec.truncate = 1;
  spec.axes = 1;
  return spec;
}

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
