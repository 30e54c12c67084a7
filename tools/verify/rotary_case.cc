#include "verify/rotary_case.h"

#include "command/require.h"

namespace posenc {
namespace tools {

std::size_t RotaryCase::pairs() const {
  return (spec.rotary_dim != 0 ? spec.rotary_dim : spec.head_dim - spec.rotary_offset) / 2;
}

std::size_t RotaryCase::columns() const {
  if (call != RotaryCall::kWriteCache) return heads() * spec.head_dim;
  return (layout == POSENC_CACHE_DUPLICATED ? 4 : 2) * pairs();
}

posenc_rotary_spec MakeRotarySpec(std::size_t head_dim) {
  posenc_rotary_spec spec;
  Require(posenc_rotary_spec_init(&spec, sizeof(spec)));
  spec.head_dim = head_dim;
  return spec;
}

}  // namespace tools
}  // namespace posenc
