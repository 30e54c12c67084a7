// Angles whose sines and cosines are known exactly, multiples of an eighth and of a twelfth of a turn, and
// angles so small that a sum lies at a midpoint but for later terms of its series. As reported, and searched:
// POSENC_SEARCH_CASES says how many cases each search takes (against MPFR at 3,000 bits).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "oracle/number.h"
#include "per_target.h"
#include "rotary_cases.h"

namespace posenc {
namespace {

using oracle::Number;

constexpr int kBits = 3000;

struct PairOfFloats {
  float a, b;
};

std::size_t CasesOf(std::size_t few) {
  const char* asked = std::getenv("POSENC_SEARCH_CASES");
  return asked == nullptr ? few : std::strtoull(asked, nullptr, 10);
}

// A spec of one pair in turns, of that frequency.
struct OnePair {
  posenc_rotary_spec spec;
  double frequency;

  OnePair(const char* target, double of, posenc_unit unit) : spec(MakeRotarySpec(2, target)), frequency(of) {
    spec.unit = unit;
    spec.frequency_count = 1;
  }
  posenc_rotary_spec Listed() const {
    posenc_rotary_spec listed = spec;
    listed.frequencies = &frequency;
    return listed;
  }
};

// Rotates pairs, each a head of its own.
std::vector<PairOfFloats> Rotate(const posenc_rotary_spec& spec, double position, double scale, bool inverse,
                                 std::vector<PairOfFloats> pairs) {
  const RotaryPtr rotary = CreateRotary(spec);
  posenc_heads heads{};
  heads.data = pairs.data();
  heads.heads = pairs.size();
  heads.token_stride = 2 * pairs.size();
  heads.head_stride = 2;
  heads.scale = scale;
  heads.inverse = inverse ? 1 : 0;
  EXPECT_EQ(posenc_rotate_at(rotary.get(), POSENC_F64, &position, 1, POSENC_F32, &heads, 1, nullptr),
            POSENC_OK);
  return pairs;
}

bool AreSame(float a, float b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

// The nearest float; v is exact or no tie.
float NearestOf(mpfr_srcptr v) {
  const float nearest = mpfr_get_flt(v, MPFR_RNDN);
  return nearest == 0.0f && mpfr_zero_p(v) != 0 ? 0.0f : nearest;
}

// gain (u cosine + v sine)
float SumOf(const Number& gain, float u, const Number& cosine, float v, const Number& sine) {
  Number first(kBits + 64), second(kBits + 64), sum(kBits + 400);
  mpfr_mul_d(first, cosine, static_cast<double>(u), MPFR_RNDN);
  mpfr_mul_d(second, sine, static_cast<double>(v), MPFR_RNDN);
  mpfr_add(sum, first, second, MPFR_RNDN);
  mpfr_mul(sum, sum, gain, MPFR_RNDN);
  return NearestOf(sum);
}

class KnownAngles : public PerTarget {
 protected:
  // The reference computes each pair in wide arithmetic.
  std::size_t Cases(std::size_t few) const { return CasesOf(IsReference() ? few / 10 : few); }
};

TEST_P(KnownAngles, TinyAnglesAsReported) {
  OnePair one(target(), 0x1p-126, POSENC_RADIANS);
  const PairOfFloats first =
      Rotate(one.Listed(), 0x1p-124, 1.0 + 0x1p-24, false, {{0x1p102f, -0x1p-149f}})[0];
  EXPECT_TRUE(AreSame(first.a, 0x1p102f)) << std::hexfloat << first.a;
  one.frequency = 3 * 0x1p-126;
  const PairOfFloats second =
      Rotate(one.Listed(), 0x1p-126, 1.0 + 3 * 0x1p-24, false, {{0x1p126f, -0x1p-126f}})[0];
  EXPECT_TRUE(AreSame(second.b, 0x1.000002p-125f)) << std::hexfloat << second.b;
}

TEST_P(KnownAngles, SixthsAsReported) {
  OnePair one(target(), 1.0, POSENC_TURNS);
  one.spec.scaling = POSENC_LINEAR;
  one.spec.factor = 3.0;
  for (const bool is_fast : {false, true}) {
    one.spec.arithmetic = is_fast ? POSENC_FAST : POSENC_EXACT;
    if (!is_fast) {
      EXPECT_TRUE(AreSame(Rotate(one.Listed(), 1.0, 1.0, false, {{0x1.8p-148f, 0.0f}})[0].a, -0x1p-148f));
    }
    EXPECT_TRUE(
        AreSame(Rotate(one.Listed(), 1.0, 1.0 + 3 * 0x1p-24, false, {{1.0f, 0.0f}})[0].a, -0x1.000004p-1f));
  }
  one.spec.amplitude = 1.0 + 3 * 0x1p-24;
  float row[2];
  const posenc_cache cache{POSENC_CACHE_COS_SIN, POSENC_F32, row, nullptr, 2};
  ASSERT_EQ(posenc_rotary_write(CreateRotary(one.Listed()).get(), 1, 1, &cache), POSENC_OK);
  EXPECT_TRUE(AreSame(row[0], -0x1.000004p-1f)) << std::hexfloat << row[0];
}

// A frequency of 1 / d turns by every scaling that makes one.
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
  posenc_rotary_spec& dynamic = add(POSENC_DYNAMIC_NTK, 4, false);
  dynamic.base = 1.0;
  dynamic.factor = d - 1.0;
  if (dynamic.factor == 0.0) specs.pop_back();
  return specs;
}

// What pairs become at n / d turns: cosine and sine are exact, or to kBits.
void SetTurn(int n, int d, Number* cosine, Number* sine) {
  const int twenty_fourths = 24 * n % d == 0 ? ((24 * n / d) % 24 + 24) % 24 : -1;
  mpfr_const_pi(*cosine, MPFR_RNDN);
  mpfr_mul_si(*cosine, *cosine, 2 * n, MPFR_RNDN);
  mpfr_div_si(*cosine, *cosine, d, MPFR_RNDN);
  mpfr_sin_cos(*sine, *cosine, *cosine, MPFR_RNDN);
  if (twenty_fourths < 0) return;
  for (Number* x : {cosine, sine}) {
    Number doubled(20);
    mpfr_mul_si(doubled, *x, 2, MPFR_RNDN);
    if (twenty_fourths % 2 != 0) continue;
    Number whole(20);
    mpfr_rint(whole, doubled, MPFR_RNDN);
    mpfr_sub(doubled, doubled, whole, MPFR_RNDN);
    if (mpfr_zero_p(doubled) == 0 && mpfr_get_exp(doubled) > -15) continue;
    mpfr_div_si(*x, whole, 2, MPFR_RNDN);
    if (mpfr_zero_p(*x) != 0) mpfr_set_zero(*x, 1);
  }
  if (twenty_fourths % 3 == 0 && twenty_fourths % 6 != 0) {
    const bool differ = (mpfr_signbit(*cosine) != 0) != (mpfr_signbit(*sine) != 0);
    mpfr_set(*sine, *cosine, MPFR_RNDN);
    if (differ) mpfr_neg(*sine, *sine, MPFR_RNDN);
  }
}

TEST_P(KnownAngles, AllRationalAnglesAndScalings) {
  const double one = 1.0;
  std::mt19937 random(5);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  const auto any = [&](int low, int high) {
    return static_cast<float>(std::ldexp(1.0 + static_cast<double>(random() >> 9) * 0x1p-23, pick(low, high)) *
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
        Number cosine(kBits), sine(kBits);
        SetTurn(n, d, &cosine, &sine);
        const bool inverse = random() % 2 == 0;
        if (inverse) mpfr_neg(sine, sine, MPFR_RNDN);
        const double gains[] = {1.0, 1.5, 1.25, 1.0 + pick(0, 31) * 0x1p-24, std::ldexp(3.0, -pick(0, 30)), 0.1};
        const double scale = gains[random() % 6];
        Number gain(53);
        mpfr_set_d(gain, scale, MPFR_RNDN);
        // Of head_dim 4 the pairs of the heads are 0 and 1, of which the first turns by whole turns.
        const bool is_second = spec.head_dim == 4;
        std::vector<PairOfFloats> pairs(kPairs);
        for (PairOfFloats& pair : pairs) {
          pair = {any(-149, 126), any(-149, 126)};
          const int kind = pick(0, 7);
          if (kind == 0) pair.a = 0.0f;
          if (kind == 1) pair.b = 0.0f;
          if (kind == 2) pair.b = pair.a;
          if (kind == 3) pair.b = -pair.a;
          if (kind == 4) pair = {any(-3, 3), any(-3, 3)};
          if (kind == 5) pair = {std::ldexp(static_cast<float>(pick(1, 9)), -149), 0.0f};
          if (kind == 6) pair = {0.0f, std::ldexp(static_cast<float>(pick(1, 9)), -149)};
        }
        std::vector<PairOfFloats> given = pairs;
        if (is_second) {  // [a0 a1 | b0 b1], of which a0 and b0 are 0
          given.clear();
          for (const PairOfFloats& pair : pairs) {
            given.push_back({0.0f, pair.a});
            given.push_back({0.0f, pair.b});
          }
        }
        const RotaryPtr rotary = CreateRotary(spec);
        posenc_heads heads{};
        heads.data = given.data();
        heads.heads = kPairs;
        heads.token_stride = spec.head_dim * kPairs;
        heads.head_stride = spec.head_dim;
        heads.scale = scale;
        heads.inverse = inverse ? 1 : 0;
        ASSERT_EQ(posenc_rotate_at(rotary.get(), POSENC_F64, &position, 1, POSENC_F32, &heads, 1, nullptr),
                  POSENC_OK);
        for (std::size_t k = 0; k < kPairs; ++k) {
          const PairOfFloats& pair = pairs[k];
          const float x = SumOf(gain, pair.a, cosine, -pair.b, sine);
          const float y = SumOf(gain, pair.b, cosine, pair.a, sine);
          const PairOfFloats got =
              is_second ? PairOfFloats{given[2 * k].b, given[2 * k + 1].b} : given[k];
          ASSERT_TRUE(AreSame(got.a, x) && AreSame(got.b, y))
              << std::hexfloat << n << "/" << d << " at " << position << ", scaling " << spec.scaling
              << ", gain " << scale << ": " << pair.a << ", " << pair.b << ": " << got.a << ", " << got.b
              << ", not " << x << ", " << y;
        }
        done += kPairs;
      }
    }
  }
}

// Elements whose sums agree with midpoints, or with 0, in the first terms of the series.
TEST_P(KnownAngles, TinyAngles) {
  std::mt19937 random(6);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  constexpr std::size_t kPairs = 16;
  for (std::size_t done = 0, cases = Cases(20000); done < cases; done += kPairs) {
    const int power = pick(80, 300);
    const double digits = random() % 4 == 0 ? 1.0 + static_cast<double>(random()) * 0x1p-32 : pick(1, 15);
    OnePair one(target(), std::ldexp(digits, -power / 2), POSENC_RADIANS);
    const double position = std::ldexp(random() % 2 == 0 ? 1.0 : -1.0, -(power - power / 2));
    if (std::fabs(one.frequency) < 0x1p-126) continue;
    if (random() % 8 == 0) {  // no binary frequency
      one.spec.scaling = POSENC_LINEAR;
      one.spec.factor = 3.0;
      one.frequency *= 3.0;
    }
    const double angle = one.frequency / (one.spec.scaling == POSENC_LINEAR ? 3.0 : 1.0) * position;
    const double scale = random() % 4 == 0 ? 1.0 : 1.0 + pick(0, 15) * 0x1p-24;
    const bool inverse = random() % 2 == 0;
    std::vector<PairOfFloats> pairs(kPairs);
    for (PairOfFloats& pair : pairs) {
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
      if (random() % 2 == 0) std::swap(pair.a, pair.b);
    }
    Number theta(200), cosine(kBits), sine(kBits), gain(53);
    mpfr_set_d(theta, angle, MPFR_RNDN);
    mpfr_set_d(gain, scale, MPFR_RNDN);
    if (inverse) mpfr_neg(theta, theta, MPFR_RNDN);
    mpfr_sin_cos(sine, cosine, theta, MPFR_RNDN);
    const auto got = Rotate(one.Listed(), position, scale, inverse, pairs);
    for (std::size_t k = 0; k < kPairs; ++k) {
      const float x = SumOf(gain, pairs[k].a, cosine, -pairs[k].b, sine);
      const float y = SumOf(gain, pairs[k].b, cosine, pairs[k].a, sine);
      ASSERT_TRUE(AreSame(got[k].a, x) && AreSame(got[k].b, y))
          << std::hexfloat << "angle " << angle << ", gain " << scale << ": " << pairs[k].a << ", "
          << pairs[k].b << ": " << got[k].a << ", " << got[k].b << ", not " << x << ", " << y;
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(KnownAngles);

}  // namespace
}  // namespace posenc
