// Angles with exactly known sines and cosines (multiples of an eighth and of a twelfth of a turn), and angles
// so small that a rotated element is a midpoint except for later terms of its series. The cases are reported
// ones, and ones found by searching. POSENC_SEARCH_CASES sets how many cases each search compares with the
// oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include "api/handle.h"
#include "frequency/rational.h"
#include "per_target.h"
#include "rotary_cases.h"

namespace posenc {
namespace {

using Pair = Rotated<float>;

std::size_t CasesOf(std::size_t few) {
  const char* asked = std::getenv("POSENC_SEARCH_CASES");
  return asked == nullptr ? few : static_cast<std::size_t>(std::strtoull(asked, nullptr, 10));
}

// Rotates pairs. Each is the last pair of a head whose other elements are 0.
std::vector<Pair> Rotate(const posenc_rotary_spec& spec, double position, double scale, bool inverse,
                         std::vector<Pair> pairs) {
  const std::size_t dim = spec.head_dim, half = dim / 2;
  std::vector<float> x(pairs.size() * dim);
  const auto element = [&](std::size_t k, std::size_t part) -> float& {
    return x[k * dim + (part + 1) * half - 1];
  };
  for (std::size_t k = 0; k < pairs.size(); ++k) element(k, 0) = pairs[k].x, element(k, 1) = pairs[k].y;
  posenc_heads heads = DenseHeads(x.data(), pairs.size(), dim);
  heads.scale = scale;
  heads.inverse = inverse ? 1 : 0;
  EXPECT_EQ(posenc_rotate_at(CreateRotary(spec).get(), PointerTo(List(POSENC_F64, &position)), 1, &heads, 1,
                             nullptr),
            POSENC_OK);
  for (std::size_t k = 0; k < pairs.size(); ++k) pairs[k] = {element(k, 0), element(k, 1)};
  return pairs;
}

// Expects that the results are the oracle's.
void ExpectOracles(const posenc_rotary_spec& spec, double position, double scale, bool inverse,
                   const std::vector<Pair>& pairs) {
  const std::vector<Pair> got = Rotate(spec, position, scale, inverse, pairs);
  oracle::RotaryOracle oracle(spec);
  const ScaledAngle angle(&oracle, spec.head_dim / 2 - 1, position, {1.0, scale, inverse});
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const Pair want = angle.Rotate(pairs[k].x, pairs[k].y);
    ASSERT_TRUE(SameBits(got[k].x, want.x) && SameBits(got[k].y, want.y))
        << std::hexfloat << "head_dim " << spec.head_dim << ", scaling " << spec.scaling << " by "
        << spec.factor << ", position " << position << ", gain " << scale << ": " << pairs[k].x << ", "
        << pairs[k].y << ": " << got[k].x << ", " << got[k].y << ", not " << want.x << ", " << want.y;
  }
}

class KnownAngles : public PerTarget {
 protected:
  // The reference computes each pair in wide arithmetic, so it gets fewer cases.
  std::size_t Cases(std::size_t few) const { return CasesOf(IsReference() ? few / 10 : few); }
};

TEST_P(KnownAngles, TinyAnglesAsReported) {
  std::vector<double> frequency = {0x1p-126};
  const posenc_rotary_spec spec = ListedSpec(frequency, target());
  EXPECT_EQ(Rotate(spec, 0x1p-124, 1.0 + 0x1p-24, false, {{0x1p102f, -0x1p-149f}})[0].x, 0x1p102f);
  EXPECT_EQ(Rotate(spec, 0x1p-124, 1.0 + 0x1p-24, true, {{0x1p102f, 0x1p-149f}})[0].x, 0x1p102f);
  frequency[0] = 3 * 0x1p-126;
  EXPECT_EQ(Rotate(spec, 0x1p-126, 1.0 + 3 * 0x1p-24, false, {{0x1p126f, -0x1p-126f}})[0].y,
            0x1.000002p-125f);
}

TEST_P(KnownAngles, SixthsAsReported) {
  const std::vector<double> one = {1.0};
  posenc_rotary_spec spec = ListedSpec(one, target());
  spec.unit = POSENC_TURNS;
  spec.scaling = POSENC_LINEAR;
  spec.factor = 3.0;
  EXPECT_EQ(Rotate(spec, 1.0, 1.0, false, {{0x1.8p-148f, 0.0f}})[0].x, -0x1p-148f);
  for (const posenc_arithmetic arithmetic : {POSENC_EXACT, POSENC_FAST}) {
    spec.arithmetic = arithmetic;
    EXPECT_EQ(Rotate(spec, 1.0, 1.0 + 3 * 0x1p-24, false, {{1.0f, 0.0f}})[0].x, -0x1.000004p-1f);
  }
  spec.amplitude = 1.0 + 3 * 0x1p-24;
  float row[2];
  const posenc_cache cache{POSENC_CACHE_COS_SIN, POSENC_F32, row, nullptr, 2};
  ASSERT_EQ(posenc_write_cache(CreateRotary(spec).get(), 1, 1, &cache), POSENC_OK);
  EXPECT_EQ(row[0], -0x1.000004p-1f);
}

// Specs with the frequency 1 / d in turns, one for each scaling that can make it.
std::vector<posenc_rotary_spec> SpecsOf(double d, const double* one, const char* target) {
  std::vector<posenc_rotary_spec> specs;
  const auto add = [&](posenc_scaling scaling, std::size_t head_dim, bool is_listed) -> posenc_rotary_spec& {
    posenc_rotary_spec spec = MakeRotarySpec(head_dim, target);
    spec.unit = POSENC_TURNS;
    spec.scaling = scaling;
    spec.factor = d;
    spec.original_length = 8.0;
    spec.length = 16.0;
    if (is_listed) {
      spec.frequencies = one;
      spec.frequency_count = 1;
    }
    specs.push_back(spec);
    return specs.back();
  };
  add(POSENC_LINEAR, 2, true);
  add(POSENC_MIXED_NTK, 2, false);
  add(POSENC_PROPORTIONAL, 2, true).proportion = 1.0;
  posenc_rotary_spec& llama = add(POSENC_LLAMA3, 2, true);
  llama.low_freq_factor = llama.high_freq_factor = 100.0;
  add(POSENC_NO_SCALING, 4, false).base = d * d;
  add(POSENC_NTK, 4, false).base = 1.0;
  posenc_rotary_spec& yarn = add(POSENC_YARN, 4, false);  // its ramp ends at pair 1
  yarn.base = 4.0;
  yarn.position_scale = 2.0;
  yarn.amplitude = 1.0;
  posenc_rotary_spec& dynamic = add(POSENC_DYNAMIC_NTK, 4, false);
  dynamic.base = 1.0;
  dynamic.factor = d - 1.0;
  if (dynamic.factor == 0.0) specs.pop_back();
  return specs;
}

TEST_P(KnownAngles, AllRationalAnglesAndScalings) {
  const double one = 1.0;
  std::mt19937 random(5);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  const auto any = [&](int low, int high) {
    return static_cast<float>(
        std::ldexp(1.0 + static_cast<double>(random() >> 9) * 0x1p-23, pick(low, high)) *
        (random() % 2 == 0 ? 1 : -1));
  };
  constexpr std::size_t kPairs = 16;
  std::size_t done = 0;
  const std::size_t cases = Cases(60000);
  while (done < cases) {
    for (int d = 1; d <= 48 && done < cases; ++d) {
      for (const posenc_rotary_spec& spec : SpecsOf(d, &one, target())) {
        const int n = pick(0, d - 1);
        const double position = n + d * static_cast<double>(pick(-1000000, 1000000));
        const bool inverse = random() % 2 == 0;
        const double gains[] = {1.0, 1.5, 1.25, 1.0 + pick(0, 31) * 0x1p-24, std::ldexp(3.0, -pick(0, 30)),
                                0.1};
        const double scale = gains[random() % 6];
        std::vector<Pair> pairs(kPairs);
        for (Pair& pair : pairs) {
          pair = {any(-149, 126), any(-149, 126)};
          const int kind = pick(0, 7);
          if (kind == 0) pair.x = 0.0f;
          if (kind == 1) pair.y = 0.0f;
          if (kind == 2) pair.y = pair.x;
          if (kind == 3) pair.y = -pair.x;
          if (kind == 4) pair = {any(-3, 3), any(-3, 3)};
          if (kind == 5) pair = {std::ldexp(static_cast<float>(pick(1, 9)), -149), 0.0f};
          if (kind == 6) pair = {0.0f, std::ldexp(static_cast<float>(pick(1, 9)), -149)};
        }
        ExpectOracles(spec, position, scale, inverse, pairs);
        if (HasFailure()) return;
        done += kPairs;
      }
    }
  }
}

// Elements for which the rotated sum is a midpoint, or 0, in the first terms of the series. Later terms
// decide. In angles below 2^-512, 1,024 bits do not show the term with t^2, so `RoundBySeries` decides.
TEST_P(KnownAngles, TinyAngles) {
  std::mt19937 random(6);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  constexpr std::size_t kPairs = 16;
  for (std::size_t done = 0, cases = Cases(20000); done < cases; done += kPairs) {
    const bool is_below_1024_bits = random() % 2 == 0;
    const int power = is_below_1024_bits ? pick(520, 700) : pick(80, 300);
    const int of_frequency = std::min(power / 2, 120);
    const double digits = random() % 4 == 0 ? 1.0 + static_cast<double>(random()) * 0x1p-32 : pick(1, 15);
    std::vector<double> frequency = {std::ldexp(digits, -of_frequency)};
    posenc_rotary_spec spec = ListedSpec(frequency, target());
    const double position = std::ldexp(random() % 2 == 0 ? 1.0 : -1.0, of_frequency - power);
    const double angle = frequency[0] * position;
    if (random() % 8 == 0) {  // a frequency that is not a binary fraction
      spec.scaling = POSENC_LINEAR;
      spec.factor = 3.0;
      frequency[0] *= 3.0;
    }
    const double scale = random() % 4 == 0 ? 1.0 : 1.0 + pick(0, 15) * 0x1p-24;
    const bool inverse = random() % 2 == 0;
    std::vector<Pair> pairs(kPairs);
    for (Pair& pair : pairs) {
      const double a = std::ldexp(pick(1, 9), pick(-20, 120)), ratio = pick(-12, 12) / 2.0;
      double b = 0.0;
      const int kind = pick(0, 5);
      if (kind == 1) b = a * angle * ratio;
      if (kind == 2) b = a / angle * ratio;
      if (kind == 3) b = a * angle * angle * ratio;
      if (kind == 4) b = std::ldexp(pick(-9, 9), pick(-149, 100));
      if (kind == 5) b = a * pick(-3, 3);
      if (!(std::fabs(b) < 0x1p126)) b = 0.0;
      pair = {static_cast<float>(a), static_cast<float>(b)};
      if (random() % 2 == 0) std::swap(pair.x, pair.y);
    }
    ExpectOracles(spec, position, scale, inverse, pairs);
    if (HasFailure()) return;
  }
}

// Specs in turns whose last frequency is not rational, but as near to a rational number as the limits of
// exponent_dim, factor and low_freq_factor allow. *near is that number, in turns.
struct NearlyRational {
  posenc_rotary_spec spec;
  double near;
};
std::vector<NearlyRational> SpecsBesideKnownAngles(const char* target) {
  std::vector<NearlyRational> found;
  const auto add = [&](posenc_scaling scaling, std::size_t head_dim, double base,
                       double near) -> posenc_rotary_spec& {
    posenc_rotary_spec spec = MakeRotarySpec(head_dim, target);
    spec.unit = POSENC_TURNS;
    spec.scaling = scaling;
    spec.base = base;
    spec.amplitude = 1.0;
    found.push_back({spec, near});
    return found.back().spec;
  };
  for (const double sign : {1.0, -1.0}) {
    add(POSENC_NO_SCALING, 4, 1.0 + 0x1p-52, 1.0).exponent_dim = sign * 0x1p128;
    add(POSENC_NO_SCALING, 4, 1.0 - 0x1p-53, 1.0).exponent_dim = sign * 0x1p128;
  }
  posenc_rotary_spec& yarn = add(POSENC_YARN, 8, 256.0, 0x1p-8);  // its ramp ends at pair 4
  yarn.factor = 0x1p100;
  yarn.original_length = 512.0;
  yarn.beta_fast = 64.0;
  posenc_rotary_spec& llama = add(POSENC_LLAMA3, 8, 256.0, 0x1p-7);
  llama.factor = 2.0;
  llama.original_length = 0x1p-93;  // 2^-99 turns, twice the least number
  llama.low_freq_factor = 0x1p-100;
  llama.high_freq_factor = 1.0;
  posenc_rotary_spec& dynamic = add(POSENC_DYNAMIC_NTK, 8, 1.0, 1.0);
  dynamic.factor = 0x1p-100;
  dynamic.original_length = 8.0;
  dynamic.length = 16.0;
  return found;
}

TEST_P(KnownAngles, BesideKnownAngles) {
  for (const NearlyRational& nearly : SpecsBesideKnownAngles(target())) {
    for (int eighths = -9; eighths <= 16; ++eighths) {
      if (eighths == 0) continue;
      for (const double scale : {1.0, 1.0 + 3 * 0x1p-24}) {
        ExpectOracles(nearly.spec, eighths / 8.0 / nearly.near, scale, eighths % 3 == 0,
                      {{1.0f, 0.0f}, {0.0f, 1.0f}, {1.0f, 1.0f}, {-1.0f, 1.0f}, {0x1.8p-148f, 0.0f}});
        if (HasFailure()) return;
      }
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(KnownAngles);

// What creation finds about a step must be true in 1,024 bits. Returns the denominators.
std::vector<std::uint64_t> ExpectSteps(const posenc_rotary_spec& spec) {
  const RotaryPtr rotary = CreateRotary(spec);
  if (rotary == nullptr) return {};
  const internal::FrequencyTable& table = rotary->rotary.table.frequencies;
  std::vector<std::uint64_t> denominators;
  for (std::size_t i = 0; i < table.count; ++i) {
    const internal::RationalStep& step = table.rational[i];
    denominators.push_back(step.denominator);
    if (step.denominator == 0) continue;
    internal::Wide1024 numerator =
        Multiply(table.exact->QuarterTurns<16>(i),
                 internal::FromInteger<16>(static_cast<std::int64_t>(step.denominator)));
    numerator.exponent -= step.exponent;
    if (numerator.exponent > 60) continue;
    const std::int64_t nearest = NearestInteger(numerator);
    const internal::Wide1024 rest = Subtract(numerator, internal::FromInteger<16>(nearest));
    EXPECT_TRUE(rest.IsZero() || rest.exponent < -600) << i << ", scaling " << spec.scaling;
    EXPECT_EQ((nearest % 24 + 24) % 24, step.numerator) << i << ", scaling " << spec.scaling;
  }
  return denominators;
}

posenc_rotary_spec InTurns(std::size_t head_dim, double base, double exponent_dim, posenc_scaling scaling,
                           double factor) {
  posenc_rotary_spec spec = MakeRotarySpec(head_dim);
  spec.unit = POSENC_TURNS;
  spec.base = base;
  spec.exponent_dim = exponent_dim;
  spec.scaling = scaling;
  spec.factor = factor;
  spec.original_length = 1024.0;
  spec.length = 3072.0;
  return spec;
}

using Denominators = std::vector<std::uint64_t>;

// Scalings that divide frequencies keep them rational. With other scalings, 1,024 bits find the known angles.
TEST(RationalSteps, OfEveryScaling) {
  const struct {
    std::size_t head_dim;
    double base, exponent_dim;
    posenc_scaling scaling;
    double factor;
    Denominators want;
  } cases[] = {
      {8, 9.0, 4.0, POSENC_NO_SCALING, 1.0, {1, 3, 9, 27}},
      {8, 1.0 / 9.0, 4.0, POSENC_NO_SCALING, 1.0, {1, 0, 2001599834386887, 0}},
      {8, 81.0, 8.0, POSENC_NO_SCALING, 1.0, {1, 3, 9, 27}},
      {8, 3.0, -2.0, POSENC_NO_SCALING, 1.0, {1, 1, 1, 1}},
      {8, 2.25, 4.0, POSENC_NO_SCALING, 1.0, {1, 3, 9, 27}},
      {6, 10000.0, 0.0, POSENC_NO_SCALING, 1.0, {1, 0, 0}},
      {8, 9.0, 4.0, POSENC_LINEAR, 5.0, {5, 15, 45, 135}},
      {8, 9.0, 4.0, POSENC_LINEAR, 0.1, {3602879701896397, 3 * 3602879701896397, 0, 0}},
      {8, 9.0, 4.0, POSENC_PROPORTIONAL, 6.0, {3, 9, 27, 81}},
      {8, 1.0 / 9.0, -4.0, POSENC_LINEAR, 7.0, {7, 0, 1, 0}},  // the numerator is a multiple of 7
      {4, 9.0, 0.0, POSENC_NTK, 5.0, {0, 0}},
      {4, 4.0, 0.0, POSENC_DYNAMIC_NTK, 2.0, {0, 0}},
      {4, 4.0, 0.0, POSENC_QWEN_NTK, 1.0, {0, 0}},
      {8, 81.0, 8.0, POSENC_MIXED_NTK, 625.0, {0, 0, 0, 0}},
      {4, 9.0, 0.0, POSENC_YARN, 5.0, {0, 0}},
      {4, 9.0, 0.0, POSENC_YARN_LOG, 5.0, {0, 0}},
      {4, 9.0, 0.0, POSENC_LLAMA3, 5.0, {0, 0}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ExpectSteps(InTurns(c.head_dim, c.base, c.exponent_dim, c.scaling, c.factor)), c.want);
  }
  // Axial axes with two pairs have the frequencies of rotaries with two pairs.
  for (const double factor : {1.0, 5.0}) {
    posenc_rotary_spec spec = InTurns(8, 9.0, 0.0, POSENC_LINEAR, factor);
    spec.axes = 2;
    spec.axis_order = POSENC_AXIAL_AXES;
    spec.sections[0] = spec.sections[1] = 2;
    const auto f = static_cast<std::uint64_t>(factor);
    EXPECT_EQ(ExpectSteps(spec), (Denominators{f, 3 * f, f, 3 * f}));
  }
  // Listed factors and frequencies.
  const double factors[] = {3.0, 1.5, 2.0, 0.75}, frequencies[] = {0.5, 3.0, -9.0, 15.0};
  posenc_rotary_spec spec = InTurns(8, 81.0, 8.0, POSENC_FREQUENCY_FACTORS, 1.0);
  spec.factors = factors;
  spec.factor_count = 4;
  EXPECT_EQ(ExpectSteps(spec), (Denominators{3, 9, 9, 81}));
  spec.frequencies = frequencies;
  spec.frequency_count = 4;
  EXPECT_EQ(ExpectSteps(spec), (Denominators{3, 1, 1, 1}));
}

TEST(RationalSteps, OfEncoders) {
  posenc_spec spec;
  ASSERT_EQ(posenc_spec_init(&spec, sizeof(spec)), POSENC_OK);
  spec.dim = 8;
  spec.base = 49.0;
  spec.position_scale = 3.0;
  spec.exponent_dim = 4.0;
  spec.unit = POSENC_TURNS;
  posenc_encoder* encoder = nullptr;
  ASSERT_EQ(posenc_encoder_create(&spec, &encoder), POSENC_OK);
  // 3 * 49^(-i / 2)
  const internal::RationalStep* steps = encoder->encoder.table.rational;
  const std::uint64_t denominators[] = {1, 7, 49, 343};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(steps[i].denominator, denominators[i]);
    EXPECT_EQ(steps[i].numerator, 3);
    EXPECT_EQ(steps[i].exponent, 2);
  }
  posenc_encoder_destroy(encoder);
}

TEST(RationalSteps, KnownAngles) {
  const internal::RationalStep third{3, 2, 1}, twelfth{3, 0, 1}, ninth{9, 2, 7}, half{1, 1, 5};
  EXPECT_EQ(internal::KnownAngle(third, 1.0), 8);
  EXPECT_EQ(internal::KnownAngle(third, -1.0), 16);
  EXPECT_EQ(internal::KnownAngle(third, 3e9), 0);
  EXPECT_EQ(internal::KnownAngle(twelfth, 1.0), 2);
  EXPECT_EQ(internal::KnownAngle(twelfth, 0.5), -1);  // 15 degrees
  EXPECT_EQ(internal::KnownAngle(twelfth, 1.5), 3);
  EXPECT_EQ(internal::KnownAngle(twelfth, 0.75), -1);
  EXPECT_EQ(internal::KnownAngle(ninth, 1.0), -1);
  EXPECT_EQ(internal::KnownAngle(ninth, 6.0), 16);
  EXPECT_EQ(internal::KnownAngle(half, 0.25), 15);
  EXPECT_EQ(internal::KnownAngle(half, 0x1p-1074), -1);
  EXPECT_EQ(internal::KnownAngle({0, 0, 0}, 1.0), -1);
}

}  // namespace
}  // namespace posenc
