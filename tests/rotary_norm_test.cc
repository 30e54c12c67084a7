// Norms before the rotation: how the code is built. Which tiers decide, the same bits in every kind of call,
// in place and from sources of any alignment, large heads, the order of summation of POSENC_FAST, and the
// stack. tools/verify/rotary_rows.cc compares normalized elements with MPFR, and refusals.inc has what is
// refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "api/handle.h"
#include "call/rotary.h"
#include "kernel/norm_rows.h"
#include "oracle/rounding.h"
#include "posenc/accuracy.h"
#include "posenc/rotary_angles_c.h"
#include "posenc/rotary_norm_c.h"
#include "posenc/rotary_slots_c.h"
#include "rotary_cases.h"
#include "small_stack.h"
#include "spec_words.h"

namespace posenc {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Heads [heads, head_dim] of one or more tokens, with a norm.
struct Case {
  std::size_t heads = 1, head_dim = 0, tokens = 1;
  std::vector<float> x;  // [tokens, heads, head_dim]
  std::vector<float> weights;
  double epsilon = 0.0;
  bool plus_one = false, over_heads = false;

  posenc_norm Norm() const {
    posenc_norm norm{};
    norm.weight = weights.empty() ? nullptr : weights.data();
    norm.weight_type = weights.empty() ? posenc_type{} : POSENC_F32;
    norm.epsilon = epsilon;
    norm.plus_one = plus_one ? 1 : 0;
    norm.over_heads = over_heads ? 1 : 0;
    return norm;
  }
};

Case RandomCase(std::size_t heads, std::size_t head_dim, unsigned seed, std::size_t tokens = 1) {
  Case made;
  made.heads = heads;
  made.head_dim = head_dim;
  made.tokens = tokens;
  PairMaker<float> maker(seed);
  made.over_heads = seed % 2 == 1;
  made.plus_one = seed % 3 == 1;
  made.epsilon = seed % 5 == 0 ? 0.0 : 1e-6;
  for (std::size_t k = 0; k < tokens * heads * head_dim; ++k) made.x.push_back(maker.Normal(-4, 4));
  for (std::size_t k = 0; k < (made.over_heads ? heads : 1) * head_dim; ++k)
    made.weights.push_back(maker.Normal(-2, 1));
  return made;
}

// The exact n of all elements of a token [heads, head_dim], rounded to float by MPFR.
std::vector<float> ExactNormalized(const Case& from) {
  constexpr mpfr_prec_t kBits = 2048;
  const std::size_t dim = from.head_dim, count = (from.over_heads ? from.heads : 1) * dim;
  oracle::Number root(kBits), square(kBits), n(kBits);
  std::vector<float> normalized;
  for (std::size_t h = 0; h < from.heads; ++h) {
    mpfr_set_zero(root, 1);
    for (std::size_t k = 0; k < count; ++k) {
      mpfr_set_d(square, static_cast<double>(from.x[(from.over_heads ? 0 : h * dim) + k]), MPFR_RNDN);
      mpfr_sqr(square, square, MPFR_RNDN);
      mpfr_add(root, root, square, MPFR_RNDN);
    }
    mpfr_div_ui(root, root, count, MPFR_RNDN);
    mpfr_add_d(root, root, from.epsilon, MPFR_RNDN);
    mpfr_sqrt(root, root, MPFR_RNDN);
    for (std::size_t e = 0; e < dim; ++e) {
      const std::size_t k = (from.over_heads ? h * dim : 0) + e;
      mpfr_set_d(n, from.weights.empty() ? 1.0 : static_cast<double>(from.weights[k]), MPFR_RNDN);
      if (from.plus_one) mpfr_add_ui(n, n, 1, MPFR_RNDN);
      mpfr_mul_d(n, n, static_cast<double>(from.x[h * dim + e]), MPFR_RNDN);
      mpfr_div(n, n, root, MPFR_RNDN);
      oracle::Rounding rounding;
      oracle::RoundExact(POSENC_F32, n, &rounding);
      normalized.push_back(FromBits<float>(rounding.bits));
    }
  }
  return normalized;
}

// n of all elements [tokens, heads, head_dim]. Elements that do not rotate show it: two calls rotate the
// first pair and the last one.
std::vector<float> Normalized(const Case& from, const char* target, internal::Tally* tally = nullptr) {
  const posenc_norm norm = from.Norm();
  std::vector<float> n[2];
  for (const bool is_last : {false, true}) {
    posenc_rotary_spec spec = MakeRotarySpec(from.head_dim, target);
    spec.rotary_dim = 2;
    spec.rotary_offset = is_last ? from.head_dim - 2 : 0;
    const RotaryPtr rotary = CreateRotary(spec);
    std::vector<float>& to = n[is_last ? 1 : 0];
    to.assign(from.x.size(), 0.0f);
    posenc_heads heads = DenseHeads(to.data(), from.heads, from.head_dim);
    heads.source = from.x.data();
    heads.norm = &norm;
    const internal::Tally counted =
        internal::WalkTokens(rotary->rotary, {0, internal::List(), 1, from.tokens}, {&heads, 1});
    if (tally != nullptr && is_last) *tally = counted;
  }
  for (std::size_t k = 0; k < from.x.size(); ++k) {
    if (k % from.head_dim < 2) n[0][k] = n[1][k];
  }
  return n[0];
}

void ExpectExact(const Case& from, const std::vector<float>& n) {
  const std::vector<float> exact = ExactNormalized(from);
  for (std::size_t k = 0; k < exact.size(); ++k) ASSERT_EQ(n[k], exact[k]) << "element " << k;
}

class RotaryNorm : public PerTarget {};

// Doubles decide nearly all elements.
TEST_P(RotaryNorm, UsualElementsTakeNoIntegers) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const Case from = RandomCase(6, seed % 2 == 0 ? 128 : 61, seed);
    internal::Tally tally;
    ExpectExact(from, Normalized(from, target(), &tally));
    EXPECT_EQ(tally.normalized, IsReference() ? from.x.size() : 0u) << seed;
  }
}

// Expects the exact results, and that sums of two doubles decide all of them.
void ExpectNoIntegers(const Case& from, const std::string& target) {
  internal::Tally tally;
  ExpectExact(from, Normalized(from, target.c_str(), &tally));
  std::size_t others = 0;
  for (const float x : from.x) others += x != 0.0f ? 1 : 0;
  EXPECT_EQ(tally.normalized, target == kReference ? others : 0u);
}

// If all |x| are equal, each factor half-way between two floats makes a tie. Other factors are beside one.
// With a tiny epsilon, n_i is below the midpoint.
TEST_P(RotaryNorm, TiesOfEqualElementsTakeNoIntegers) {
  for (const double epsilon : {0.0, 0x1p-126, 0x1p-60}) {
    Case from = RandomCase(3, 128, 0);
    from.plus_one = true;
    from.epsilon = epsilon;
    for (std::size_t k = 0; k < from.x.size(); ++k) {
      const std::size_t size = k / 128 + 1;  // each head has another one
      from.x[k] = (k % 3 == 0 ? -0x1.234568p-7f : 0x1.234568p-7f) * static_cast<float>(size);
    }
    for (std::size_t e = 0; e < 128; ++e)  // 1 + weight has 25 digits
      from.weights[e] = static_cast<float>(2 * e * 40961 + 1) * 0x1p-24f;
    ExpectNoIntegers(from, target());
    for (std::size_t e = 0; e < 128; ++e)  // 1 + weight has up to 49 digits
      from.weights[e] = std::nextafter((e % 2 == 0 ? 0x1p-24f : -0x1p-25f), e % 4 < 2 ? 1.0f : -1.0f);
    ExpectNoIntegers(from, target());
    from.over_heads = true;
    for (std::size_t e = 128; e < 3 * 128; ++e) from.weights.push_back(from.weights[e % 128]);
    for (float& x : from.x) x = x > 0.0f ? 3.0f : -3.0f;
    ExpectNoIntegers(from, target());
    for (std::size_t e = 0; e < 3 * 128; ++e)
      from.weights[e] = static_cast<float>(2 * e * 10007 + 1) * 0x1p-24f;
    for (float& x : from.x) x = x > 0.0f ? 0x1p-120f : -0x1p-120f;  // epsilon outweighs their squares
    ExpectNoIntegers(from, target());
  }
}

// The root may be rational, but no float.
TEST_P(RotaryNorm, TiesOfRationalRootsTakeNoIntegers) {
  Case from;
  from.head_dim = 18;
  from.plus_one = true;
  from.x.assign(18, 1.0f);
  from.x[2] = from.x[9] = -2.0f;
  from.x[17] = 3.0f;  // the sum is 32, and the root of 32 / 18 is 4 / 3
  for (std::size_t e = 0; e < 18; ++e) from.weights.push_back(static_cast<float>(e) * 0x1p-23f);
  ExpectNoIntegers(from, target());

  // The root is p / 3, whose inverse has an error. So doubles are on either side of the ties of p.
  for (const auto& [p, threes] : {std::pair<float, std::size_t>{5.0f, 1}, {7.0f, 4}, {11.0f, 13}}) {
    Case rational;
    rational.heads = rational.head_dim = 18;
    rational.plus_one = true;
    rational.weights = from.weights;
    for (std::size_t h = 0; h < 18; ++h) {
      for (std::size_t e = 0; e < 18; ++e)
        rational.x.push_back(e == h ? p : (e + 18 - h) % 18 <= threes ? 3.0f : 1.0f);
    }
    ExpectNoIntegers(rational, target());
  }

  // The root is beside a float, so there are no ties.
  Case beside = from;
  beside.x.assign(18, 1.0f);
  beside.epsilon = 0x1p-126;
  for (std::size_t e = 0; e < 18; ++e) beside.weights[e] = static_cast<float>(2 * e + 1) * 0x1p-24f;
  ExpectNoIntegers(beside, target());

  Case tiny = RandomCase(1, 16, 0);
  tiny.plus_one = true;
  tiny.x.assign(16, 1.0f + 0x1p-23f);
  tiny.weights.assign(16, 0x1p-24f);  // a tie
  for (std::size_t e = 0; e < 8; ++e) tiny.weights[e] = 0x1p-24f + (e % 2 == 0 ? 0x1p-47f : -0x1p-48f);
  tiny.weights[8] = 0x1p-140f;
  ExpectNoIntegers(tiny, target());
}

// Integers decide the elements next to midpoints, and only these, if the sum of squares has many digits, or
// the factor is no double.
TEST_P(RotaryNorm, NearTiesWithManyDigitsTakeIntegers) {
  Case from;
  from.head_dim = 18;
  from.plus_one = true;
  from.x = {5592407, -5592409, 5592411, 6849260, 3246, 31, 20};  // the root is 4/3 of 2^21
  from.x.resize(18, 0.0f);
  from.weights.assign(18, 0.5f);
  from.weights[0] = 0x1p-99f;
  from.weights[1] = -0x1p-120f;
  from.weights[2] = 0.0f;  // a tie
  internal::Tally tally;
  ExpectExact(from, Normalized(from, target(), &tally));
  EXPECT_EQ(tally.normalized, IsReference() ? 7u : 2u);

  // epsilon moves n_i by 2^-60.8 of it, and the weight, which a double loses, by more or by less.
  Case lost = from;
  lost.epsilon = 0x1p-17;
  lost.weights[0] = 0x1p-60f;
  lost.weights[1] = 0x1p-62f;
  lost.weights[2] = -0x1p-100f;
  ExpectNoIntegers(lost, target());

  from.x[17] = 0x1p-149f;
  ExpectExact(from, Normalized(from, target(), &tally));
  EXPECT_EQ(tally.normalized, IsReference() ? 8u : 3u);
}

// Subnormal and huge elements, and results that are subnormal, infinite, or half of the least float.
TEST_P(RotaryNorm, AllSizes) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 40; ++round) {
    Case from = RandomCase(2, 24, static_cast<unsigned>(round));
    for (float& x : from.x) x = FromBits<float>(random());
    for (float& w : from.weights) w = FromBits<float>(random());
    for (std::vector<float>* all : {&from.x, &from.weights}) {
      for (float& each : *all) {
        if (!std::isfinite(each)) each = 0x1.8p-149f;
        if (round % 4 == 0) each = std::ldexp(each, -60);
      }
    }
    from.epsilon = round % 3 == 0 ? 0x1p-126 : from.epsilon;
    ExpectExact(from, Normalized(from, target()));
    if (HasFailure()) return;
  }
}

TEST_P(RotaryNorm, ZerosInfinitiesAndNans) {
  constexpr std::size_t kDim = 20;
  const float weights[] = {1.0f, -2.0f, -1.0f, 0.0f, -0.0f, kInfinite, -kInfinite, kNan};
  for (const bool plus_one : {false, true}) {
    for (const float special : {1.0f, 0.0f, kInfinite, -kInfinite, kNan}) {
      Case from;
      from.heads = 2;
      from.head_dim = kDim;
      from.plus_one = plus_one;
      from.x.assign(2 * kDim, special == 0.0f ? 0.0f : 3.0f);  // the second head is usual, or 0
      from.x[1] = from.x[kDim + 3] = special == 0.0f ? 0.0f : -0.0f;
      from.x[5] = special;
      for (std::size_t e = 0; e < kDim; ++e) from.weights.push_back(weights[e % std::size(weights)]);
      const std::vector<float> n = Normalized(from, target());
      for (std::size_t k = 0; k < n.size(); ++k) {
        const double x = static_cast<double>(from.x[k]), w = static_cast<double>(from.weights[k % kDim]);
        double sum = 0.0;
        for (std::size_t e = 0; e < kDim; ++e) {
          const double each = static_cast<double>(from.x[k / kDim * kDim + e]);
          sum += each * each;
        }
        const double root = std::sqrt(sum / static_cast<double>(kDim));
        const auto want = static_cast<float>(x * (plus_one ? 1.0 + w : w) / root);
        if (std::isnan(want)) {
          EXPECT_EQ(BitsOf(n[k]), 0x7FC00000u) << k;
        } else if (want == 0.0f || std::isinf(want)) {
          EXPECT_EQ(BitsOf(n[k]), BitsOf(want)) << k << ", " << special;
        } else {
          EXPECT_LE(std::fabs(n[k] - want), std::fabs(want) * 0x1p-22f) << k;
        }
      }
    }
  }
}

// The same float arithmetic as the header says, element by element.
std::vector<float> FastNormalized(const Case& from) {
  std::vector<float> n(from.x.size());
  const std::size_t dim = from.head_dim;
  for (std::size_t t = 0; t < from.tokens; ++t) {
    std::vector<float> sums;
    for (std::size_t h = 0; h < from.heads; ++h) {
      std::vector<float> parts(16);
      for (std::size_t e = 0; e < dim; ++e) {
        const float x = from.x[(t * from.heads + h) * dim + e];
        volatile const float square = x * x;
        parts[e % 16] += square;
      }
      for (std::size_t apart = 8; apart > 0; apart /= 2) {
        for (std::size_t k = 0; k < apart; ++k) parts[k] += parts[k + apart];
      }
      sums.push_back(parts[0]);
    }
    float all = sums[0];
    for (std::size_t h = 1; h < from.heads; ++h) all += sums[h];
    for (std::size_t h = 0; h < from.heads; ++h) {
      volatile const float mean =
          (from.over_heads ? all : sums[h]) / static_cast<float>((from.over_heads ? from.heads : 1) * dim);
      const float inverse = 1.0f / std::sqrt(mean + static_cast<float>(from.epsilon));
      for (std::size_t e = 0; e < dim; ++e) {
        const std::size_t k = (t * from.heads + h) * dim + e;
        const float weight = from.weights.empty() ? 1.0f : from.weights[(from.over_heads ? h * dim : 0) + e];
        volatile const float scaled = from.x[k] * inverse;
        n[k] = scaled * (from.plus_one ? 1.0f + weight : weight);
      }
    }
  }
  return n;
}

// How a call reads and writes its heads.
enum class Way { kSource, kInPlace, kUnaligned, kAngles, kSlots };

// Elements as another type has them, so that all types have the same.
template <class T>
std::vector<T> Converted(const std::vector<float>& from) {
  std::vector<T> to;
  for (const float x : from) to.push_back(Nearest<T>(static_cast<double>(x)));
  return to;
}

// Rotates tokens [tokens, heads, head_dim] from position 40 on, with the norm or without one.
template <class From, class To>
std::vector<To> Rotate(const posenc_rotary* rotary, const Case& shape, const std::vector<From>& x,
                       const posenc_norm* norm, Way way) {
  const std::size_t tokens = shape.tokens, row = shape.heads * shape.head_dim;
  const std::size_t shift = way == Way::kUnaligned ? 1 : 0;
  std::vector<unsigned char> source(x.size() * sizeof(From) + 1), data((x.size() + row) * sizeof(To) + 1);
  std::memcpy(source.data() + shift, x.data(), x.size() * sizeof(From));
  posenc_heads heads = DenseHeads(static_cast<To*>(nullptr), shape.heads, shape.head_dim);
  heads.data = data.data() + shift;
  heads.source = source.data() + shift;
  heads.source_type = TypeOf<From>();
  heads.source_token_stride = row;
  heads.norm = norm;
  const std::vector<float> factors = {0.75f, 3.0f, 1.0f, 0x1.fp-3f};
  if (shape.tokens <= factors.size()) heads.token_factors = factors.data();
  if (way == Way::kInPlace) {
    std::memcpy(data.data(), x.data(), x.size() * sizeof(From));
    heads.source = nullptr;
  }
  std::vector<std::int32_t> list;  // a token goes to the slot of the same number
  for (std::size_t t = 0; t < tokens; ++t) list.push_back(static_cast<std::int32_t>(t));
  const posenc_slots slots = {{POSENC_I32, list.data()}, tokens, 1, row, row};
  if (way == Way::kSlots) heads.slots = &slots;
  posenc_status status = POSENC_OK;
  if (way == Way::kAngles) {
    std::size_t bytes = 0;
    EXPECT_EQ(posenc_angles_memory_size(rotary, tokens, &bytes), POSENC_OK);
    std::vector<unsigned char> memory(bytes);
    posenc_angles* angles = nullptr;
    EXPECT_EQ(posenc_angles_make(rotary, 40, tokens, memory.data(), bytes, &angles), POSENC_OK);
    status = posenc_rotate_by_angles(rotary, angles, 0, tokens, &heads, 1);
  } else {
    status = posenc_rotate(rotary, 40, tokens, &heads, 1);
  }
  EXPECT_EQ(status, POSENC_OK) << posenc_status_message(status);
  std::vector<To> rotated(x.size());
  std::memcpy(rotated.data(), data.data() + shift, rotated.size() * sizeof(To));
  return rotated;
}

constexpr const char* kSpecs[] = {
    "head_dim=128",
    "head_dim=128 arithmetic=fast",
    "head_dim=80 pairing=neighbours arithmetic=fast",
    "head_dim=72 rotary_dim=30 rotary_offset=5",
    "head_dim=72 rotary_dim=30 rotary_offset=5 arithmetic=fast",
    "head_dim=66 pairing=neighbours output_pairing=half_split",
    "head_dim=62 output_pairing=neighbours arithmetic=fast",
};
constexpr const char* kLargeSpecs[] = {
    "head_dim=1030 rotary_dim=64 rotary_offset=7",
    "head_dim=1400 rotary_dim=64 rotary_offset=1100 arithmetic=fast",
    "head_dim=2100 rotary_dim=2082 rotary_offset=3",
    "head_dim=2100 rotary_dim=2082 rotary_offset=3 pairing=neighbours",
    "head_dim=2100 rotary_dim=2082 rotary_offset=3 arithmetic=fast",
};

template <class From, class To>
void ExpectTwoSteps(const RotaryPtr& rotary, Case shape, bool is_fast, const char* target) {
  const std::vector<From> x = Converted<From>(shape.x);
  for (std::size_t k = 0; k < x.size(); ++k) shape.x[k] = static_cast<float>(Value(x[k]));
  const posenc_norm norm = shape.Norm();
  const std::vector<float> n = is_fast ? FastNormalized(shape) : Normalized(shape, target);
  const std::vector<To> want = Rotate<float, To>(rotary.get(), shape, n, nullptr, Way::kSource);
  for (const Way way : {Way::kSource, Way::kInPlace, Way::kUnaligned, Way::kAngles, Way::kSlots}) {
    if (way == Way::kInPlace && !std::is_same_v<From, To>) continue;
    const std::vector<To> got = Rotate<From, To>(rotary.get(), shape, x, &norm, way);
    EXPECT_TRUE(SameBits(got, want)) << "way " << static_cast<int>(way);
  }
}

void ExpectTwoStepsOfAllTypes(const char* words, const char* target, std::size_t heads, unsigned seeds) {
  posenc_rotary_spec spec = RotarySpecOf(words);
  spec.target = target;
  const RotaryPtr rotary = CreateRotary(spec);
  const bool is_fast = spec.arithmetic == POSENC_FAST;
  for (unsigned seed = 0; seed <= seeds; ++seed) {
    Case from = RandomCase(heads, spec.head_dim, seed, 2);
    if (seed == seeds) {  // ties
      from.plus_one = true;
      from.epsilon = 0.0;
      for (float& x : from.x) x = x < 0.0f ? -0.75f : 0.75f;
      for (std::size_t e = 0; e < from.weights.size(); ++e)
        from.weights[e] = static_cast<float>(2 * e + 1) * 0x1p-24f;
    }
    SCOPED_TRACE(std::string(words) + ", seed " + std::to_string(seed));
    ExpectTwoSteps<float, float>(rotary, from, is_fast, target);
    ExpectTwoSteps<float, BFloat16>(rotary, from, is_fast, target);
    ExpectTwoSteps<float, Float16>(rotary, from, is_fast, target);
    ExpectTwoSteps<BFloat16, BFloat16>(rotary, from, is_fast, target);
    ExpectTwoSteps<Float16, Float16>(rotary, from, is_fast, target);
  }
}

// A call with a norm has the bits of two steps: n, and then a call that rotates n.
TEST_P(RotaryNorm, HasTheBitsOfTwoSteps) {
  for (const char* const words : kSpecs)
    ExpectTwoStepsOfAllTypes(words, target(), IsReference() ? 2 : 19, IsReference() ? 1 : 3);
}

// Heads that do not fit into the buffer, and heads of several pieces.
TEST_P(RotaryNorm, HasTheBitsOfTwoStepsInLargeHeads) {
  if (IsReference()) {
    ExpectTwoStepsOfAllTypes(kLargeSpecs[1], target(), 2, 1);
  } else {
    for (const char* const words : kLargeSpecs) ExpectTwoStepsOfAllTypes(words, target(), 2, 3);
  }
}

// In place with a mean over all heads: the mean is that of the elements before any head is overwritten, even
// if integers need it for the last head.
TEST_P(RotaryNorm, MeansAreOfWhatTheCallerPassed) {
  for (const char* const words : {"head_dim=128", "head_dim=1400 rotary_dim=64 rotary_offset=600"}) {
    posenc_rotary_spec spec = RotarySpecOf(words);
    spec.target = target();
    const RotaryPtr rotary = CreateRotary(spec);
    Case from = RandomCase(IsReference() ? 2 : 18, spec.head_dim, 1);
    from.plus_one = true;
    from.epsilon = 0.0;
    std::fill(from.x.begin(), from.x.end(), 3.0f);
    std::fill(from.weights.begin(), from.weights.end(), 0.5f);
    // Ties, and factors of too many digits for the second tier.
    for (std::size_t k = from.weights.size() - 9; k < from.weights.size(); ++k)
      from.weights[k] = k % 2 == 0 ? 0x1p-24f : 0x1p-24f + 0x1p-47f;
    from.weights[0] = kInfinite;
    const posenc_norm norm = from.Norm();
    const std::vector<float> n = Normalized(from, target());
    for (std::size_t k = from.weights.size() - 9; k < from.weights.size(); ++k)
      EXPECT_EQ(n[k], k % 2 == 0 ? 1.0f : 1.0f + 0x1p-23f);
    const std::vector<float> want = Rotate<float, float>(rotary.get(), from, n, nullptr, Way::kSource);
    for (const Way way : {Way::kSource, Way::kInPlace, Way::kUnaligned})
      EXPECT_TRUE(SameBits(Rotate<float, float>(rotary.get(), from, from.x, &norm, way), want)) << words;
  }
}

// A call may have tensors with a norm and tensors without one. Each has the bits of a call of its own.
TEST_P(RotaryNorm, TensorsWithAndWithoutANormShareACall) {
  for (const char* const words : {"head_dim=64", "head_dim=64 arithmetic=fast", "head_dim=2052"}) {
    if (IsReference() && std::string(words) == "head_dim=2052") continue;
    posenc_rotary_spec spec = RotarySpecOf(words);
    spec.target = target();
    const RotaryPtr rotary = CreateRotary(spec);
    const std::size_t dim = spec.head_dim;
    const Case from = RandomCase(2, dim, 2, 3);
    const std::vector<BFloat16> x = Converted<BFloat16>(from.x);
    const posenc_norm norm = from.Norm();
    std::vector<BFloat16> apart[3], together[3];
    posenc_heads tensors[3];
    for (std::size_t i = 0; i < 3; ++i) {
      apart[i] = together[i] = x;
      tensors[i] = DenseHeads(apart[i].data(), 2, dim);
      tensors[i].norm = i == 1 ? nullptr : &norm;
      ASSERT_EQ(posenc_rotate(rotary.get(), 9, 3, &tensors[i], 1), POSENC_OK);
      tensors[i].data = together[i].data();
    }
    ASSERT_EQ(posenc_rotate(rotary.get(), 9, 3, tensors, 3), POSENC_OK);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(SameBits(apart[i], together[i])) << words << i;
  }
}

TEST_P(RotaryNorm, OnASmallStack) {
  if (kFramesAreLarger) GTEST_SKIP() << "frames are larger without optimization, and with sanitizers";
  for (const char* const words :
       {kSpecs[0], kSpecs[1], kSpecs[5], kSpecs[6], kLargeSpecs[0], kLargeSpecs[3], kLargeSpecs[4]}) {
    posenc_rotary_spec spec = RotarySpecOf(words);
    spec.target = target();
    if (IsReference() && spec.head_dim > 200) continue;
    const RotaryPtr rotary = CreateRotary(spec);
    for (unsigned seed = 0; seed < 2; ++seed) {
      const Case from = RandomCase(2, spec.head_dim, seed);
      Case hard = from;  // integers decide some elements
      std::fill(hard.x.begin(), hard.x.end(), 1.0f);
      hard.plus_one = true;
      std::fill(hard.weights.begin(), hard.weights.end(), 0x1p-24f + 0x1p-47f);
      for (const Case& one : {from, hard}) {
        const posenc_norm norm = one.Norm();
        std::vector<unsigned char> data(one.x.size() * sizeof(float) + 1);
        for (const std::size_t shift : {0u, 1u}) {
          std::memcpy(data.data() + shift, one.x.data(), data.size() - 1);
          posenc_heads heads = DenseHeads(static_cast<float*>(nullptr), one.heads, one.head_dim);
          heads.data = data.data() + shift;
          heads.norm = &norm;
          posenc_status status = POSENC_OK;
          OnASmallStack([&] { status = posenc_rotate(rotary.get(), 40, 1, &heads, 1); });
          EXPECT_EQ(status, POSENC_OK) << words << ": " << posenc_status_message(status);
        }
      }
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(RotaryNorm);

// The error of the float arithmetic is what accuracy.h says.
TEST(FastNorm, ErrorIsBelowItsBound) {
  for (const std::size_t dim : {2u, 3u, 17u, 64u, 128u, 255u}) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      const Case from = RandomCase(4, dim, seed);
      const std::vector<float> n = FastNormalized(from), exact = ExactNormalized(from);
      const double bound = FastNormError(dim, from.over_heads ? from.heads : 0);
      for (std::size_t k = 0; k < n.size(); ++k) {
        const double want = static_cast<double>(exact[k]);
        EXPECT_LE(std::fabs(static_cast<double>(n[k]) - want), std::fabs(want) * (bound + 0x1p-24)) << k;
      }
    }
  }
}

}  // namespace
}  // namespace posenc
