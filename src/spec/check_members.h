// Checks each member of a spec by itself: the `must` column of members.inc.
#ifndef POSENC_SRC_SPEC_CHECK_MEMBERS_H_
#define POSENC_SRC_SPEC_CHECK_MEMBERS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"
#include "spec/rows.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {

inline bool IsPositive(double x) { return x > 0.0 && std::isfinite(x); }
inline bool IsFinite(double x) { return std::isfinite(x); }
inline bool IsNoNan(double x) { return !std::isnan(x); }

// Whether a number may divide the exponents of the base. Two frequencies of a geometric sequence differ by a
// factor base^(2i / x) with i >= 1. (For an encoder with min_timescale it is base / min_timescale instead of
// the base.) The logarithms of two different doubles differ by more than 2^-53, so up to this limit the
// factor is 1 or differs from 1 by more than 2^-180. With a far larger x, 1,024 bits cannot show the
// difference, and entries would be wrong: in turns from 2^494 on, in radians from 2^930 on
// (proof/wide.md). Models have x near their number of columns, and a float cannot be larger than 2^128.
inline constexpr double kMaxExponentDim = 0x1p128;
inline bool IsExponent(double x) { return std::fabs(x) <= kMaxExponentDim; }

inline bool IsFlag(std::int32_t x) { return x == 0 || x == 1; }
inline bool IsIntegerPosition(std::int64_t x) {
  return x >= -POSENC_MAX_POSITION && x <= POSENC_MAX_POSITION;
}
inline bool IsPairing(posenc_pairing x) { return x == POSENC_HALF_SPLIT || x == POSENC_NEIGHBOURS; }

// Whether a number may multiply elements: it is in a range in which products and sums cannot overflow. A NaN
// is not.
inline constexpr double kLeastGain = 0x1p-64;
inline constexpr double kLargestGain = 0x1p64;
inline bool IsGain(double x) { return x >= kLeastGain && x <= kLargestGain; }
inline bool IsGainOrZero(double x) { return x == 0.0 || IsGain(x); }

template <std::size_t kLeast, std::size_t kMost>
bool IsBetween(std::size_t x) {
  return x >= kLeast && x <= kMost;
}
template <std::size_t kMost>
bool IsEven(std::size_t x) {
  return x % 2 == 0 && x <= kMost;
}

static_assert(POSENC_MAX_POSITION == std::int64_t{1} << 31 && kMaxExponentDim == 0x1p128,
              "the sentences of spec/rules.h");

// CheckMembers returns the first rule that a member breaks by itself.
#define POSENC_TAKE_CHECK(name, check, member) \
  if (!check(member)) return rule::name;
#define POSENC_SKIP_CHECK(name, check, member)
#define POSENC_CHECK(must, name, member) POSENC_CHECK_OF(must, name, member)
#define POSENC_CHECK_OF(use, end, check, name, member) POSENC_##use##_CHECK(name, check, member)

inline posenc_status CheckMembers(const posenc_spec& spec) {
#define POSENC_SPEC(kind, name, initial, of, must, help) \
  POSENC_CHECK(POSENC_MUST_##must, spec_##name, spec.name)
#include "spec/members.inc"
  return rule::ok;
}

inline posenc_status CheckMembers(const posenc_rotary_spec& spec) {
#define POSENC_ROTARY(kind, name, initial, of, must, help) \
  POSENC_CHECK(POSENC_MUST_##must, rotary_##name, spec.name)
#include "spec/members.inc"
  return rule::ok;
}

#undef POSENC_TAKE_CHECK
#undef POSENC_SKIP_CHECK
#undef POSENC_CHECK
#undef POSENC_CHECK_OF

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_SPEC_CHECK_MEMBERS_H_
