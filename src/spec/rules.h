// The statuses of the library by name, such as rule::null_spec. A status consists of the kind and the number
// of a row of rules.inc.
#ifndef POSENC_SRC_SPEC_RULES_H_
#define POSENC_SRC_SPEC_RULES_H_

#include "posenc/grid_c.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"

// What the words of the `must` column in members.inc mean: whether the member has a rule (TAKE or SKIP), how
// the rule's sentence ends ("NAME must be ..."), and which check of spec/check_members.h decides.
#define POSENC_TEXT(x) POSENC_TEXT_OF(x)
#define POSENC_TEXT_OF(x) #x
#define POSENC_MUST_any SKIP, "", IsAny
#define POSENC_MUST_positive TAKE, "positive and finite", IsPositive
#define POSENC_MUST_finite TAKE, "finite", IsFinite
#define POSENC_MUST_exponent TAKE, "-2^128 .. 2^128", IsExponent
#define POSENC_MUST_not_nan TAKE, "a number and not NaN, even if the scaling does not use it", IsNoNan
#define POSENC_MUST_position TAKE, "-2^31 .. 2^31", IsIntegerPosition
#define POSENC_MUST_flag TAKE, "0 or 1", IsFlag
#define POSENC_MUST_gain TAKE, "2^-64 .. 2^64, or 0, which means what the scaling says", IsGainOrZero
#define POSENC_MUST_range(least, most) \
  TAKE, POSENC_TEXT(least) " .. " POSENC_TEXT(most), (IsBetween<least, most>)
#define POSENC_MUST_even(most) TAKE, "even and at most " POSENC_TEXT(most), (IsEven<most>)
#define POSENC_MUST_value(of) TAKE, "one of the constants of posenc_" #of, IsValue<Of::of>
#define POSENC_MUST_pairing TAKE, "POSENC_HALF_SPLIT or POSENC_NEIGHBOURS", IsPairing

namespace posenc {
namespace internal {

// The number of each row, from 1 on.
enum class
    RuleNumber : posenc_status {  // NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses)
      none,
#define POSENC_RULE(name, kind, sentence) name,
#include "spec/rules.inc"
    };

inline constexpr int kKindBits = 8;

namespace rule {

inline constexpr posenc_status ok = POSENC_OK;
#define POSENC_RULE(name, kind, sentence) \
  inline constexpr posenc_status name = static_cast<posenc_status>(RuleNumber::name) << kKindBits | kind;
#include "spec/rules.inc"

}  // namespace rule
// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_SPEC_RULES_H_
