#include "verify/rotary_case.h"

#include "command/encoding.h"
#include "command/options.h"
#include "command/rotary_members.h"
#include "posenc/accuracy.h"

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

std::string Describe(const RotaryCase& c) {
  const char* const layouts[] = {"halves", "duplicated", "cos_sin", "pairs"};
  const bool is_cache = c.call == RotaryCall::kWriteCache, is_cached = c.call == RotaryCall::kRotateCached;
  std::string text = is_cache ? "WriteCache" : is_cached ? "RotateCached" : "Rotate";
  if (c.list != 0) text += "At";
  text.append(" ").append(TraitsOf(c.type).name).append(", ").append(Describe(c.spec));
  if (is_cache) return text + ", " + layouts[c.layout];
  if (is_cached) text.append(", a cache of ").append(TraitsOf(c.cache_type).name);
  if (c.scale != 1.0) text += ", scale " + Shortest(c.scale);
  if (c.inverse) text += ", back";
  if (!c.in_place) text += ", from a source";
  return text;
}

}  // namespace tools
}  // namespace posenc
