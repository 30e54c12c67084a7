// What posenc verify does with a rotary: rotates heads, or writes a cache.
#ifndef POSENC_TOOLS_VERIFY_ROTARY_CASE_H_
#define POSENC_TOOLS_VERIFY_ROTARY_CASE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "posenc/rotary_c.h"
#include "verify/rotary_inputs.h"
#include "verify/subject.h"

namespace posenc {
namespace tools {

enum class RotaryCall { kRotate, kRotateCached, kWriteCache };

// A row per token. Of a rotation its entries are the heads of two tensors, q and k, behind each other.
struct RotaryCase {
  posenc_rotary_spec spec;  // without a target; lists are static
  RotaryCall call = RotaryCall::kRotate;
  posenc_type type = POSENC_F32;  // of the entries

  std::int64_t first = 0;
  std::size_t rows = 0;
  std::vector<double> positions = {};  // [axes, rows]; or empty: first, first + 1, ... on all axes
  posenc_type list = 0;                // I32, I64, F32 or F64: they are passed as a list; 0: as a run

  // Of a rotation. Of k, whose scale is 1, only q's inverse is taken.
  std::size_t q_heads = 3, k_heads = 1;
  double scale = 1.0;  // of q
  bool inverse = false;
  bool in_place = true;
  Inputs inputs = Inputs::kEvery;
  std::uint32_t seed = 1;

  posenc_cache_layout layout = POSENC_CACHE_COS_SIN;  // of a cache
  posenc_type cache_type = POSENC_F32;                // of the one that is rotated by

  std::size_t heads() const { return q_heads + k_heads; }
  std::size_t pairs() const;
  std::size_t columns() const;
  double Position(std::size_t axis, std::size_t row) const {
    return positions.empty() ? static_cast<double>(first + static_cast<std::int64_t>(row))
                             : positions[axis * rows + row];
  }
};

// The defaults, of heads of that size.
posenc_rotary_spec MakeRotarySpec(std::size_t head_dim);

// "Rotate f16, head_dim 128, ..."
std::string Describe(const RotaryCase& c);

// The case in its own type, by the call that users make.
std::shared_ptr<const Subject> SubjectOf(const RotaryCase& c);

// The same elements in each of kSharedTypes, paired as halves and as neighbours; or the same cache in each
// type that it can have. Needs MPFR.
std::shared_ptr<const Subject> AreaOf(const RotaryCase& c);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_ROTARY_CASE_H_
