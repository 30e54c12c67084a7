// POSENC_FAST, and rotation by a caller's cache: the bits of plain float arithmetic with correctly rounded
// cosines and sines. The error is within the bounds in rotary_c.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "oracle/rounding.h"
#include "rotary_tensors.h"
#include "verify/lists.h"

namespace posenc {
namespace {

const RotaryGain kGains[] = {{1.0, 1.0, false},
                             {1.3465735902799727, 1.0, false},
                             {1.0, 0x1p-64, false},
                             {0x1p64, 1.0, false},
                             {1.3465735902799727, 0.1, false}};

// Two products and a sum, each rounded to float. The sum is then rounded to the type.
template <class T>
Rotated<T> RotateInFloats(float cosine, float sine, T a, T b) {
  const float wide_a = Value(a), wide_b = Value(b);
  const float ac = wide_a * cosine, bs = wide_b * sine, bc = wide_b * cosine, as = wide_a * sine;
  const float x = ac - bs, y = bc + as;
  return {Nearest<T>(static_cast<double>(x)), Nearest<T>(static_cast<double>(y))};
}

class RotaryFast : public PerTarget {
 protected:
  posenc_rotary_spec Spec(std::size_t head_dim) const {
    posenc_rotary_spec spec = MakeRotarySpec(head_dim, target());
    spec.arithmetic = POSENC_FAST;
    return spec;
  }
};

// Any numbers. One pair in nine has special ones.
template <class T>
Rotated<T> AnyPair(PairMaker<T>& maker, std::size_t k, const ScaledAngle& angle, double gain) {
  if (k % 9 != 0) return maker.Make(k, angle.Cosine(), angle.Sine(), gain);
  const T specials[] = {Nearest<T>(HUGE_VAL), Nearest<T>(-HUGE_VAL), OddNan<T>(k),
                        Nearest<T>(-0.0),     Largest<T>(),          FromBits<T>(1)};
  return {k % 2 == 0 ? specials[k / 9 % 6] : maker.AnyFinite(),
          k % 4 < 2 ? specials[k / 54 % 6] : maker.AnyFinite()};
}

TEST_P(RotaryFast, IsPlainFloatArithmetic) {
  for (const std::size_t dim : {2u, 6u, 64u, 80u, 130u, 1024u, 2070u}) {
    if (IsReference() && dim > 130) continue;
    const posenc_rotary_spec spec = Spec(dim);
    std::vector<double> positions = tools::ListNamed("rotary")->doubles;
    const std::vector<double>& runs = tools::ListNamed("nearly_runs")->doubles;
    if (dim < 1024) positions.insert(positions.end(), runs.begin(), runs.end());
    const AngleTable angles(spec, positions);
    const std::size_t heads = std::max<std::size_t>(IsReference() ? 2 : 3, (IsReference() ? 36 : 288) / dim);
    for (const RotaryGain& given : kGains) {
      ForEachType([&](auto element) {
        using T = decltype(element);
        PairMaker<T> maker(7);
        std::size_t k = 0;
        const RotaryGain back{given.amplitude, given.scale, true};
        ExpectRotated<T>(
            spec, angles, heads, {given, back, back},
            AllPairings(),  // the last two tensors share their angles
            [&](const ScaledAngle& angle, const RotaryGain& gain, std::size_t, std::size_t) {
              return AnyPair(maker, k++, angle, gain.amplitude * gain.scale);
            },
            [](const ScaledAngle& angle, T a, T b) {
              const auto [cosine, sine] = angle.Entries<float>();
              return RotateInFloats(cosine, sine, a, b);
            },
            true);
      });
      if (HasFailure()) return;
    }
  }
}

// Cosines and sines of any size next to midpoints of two floats, each at one token of a run. They show as the
// rotated pair (1, 0).
TEST_P(RotaryFast, TurnsNextToMidpointsInARun) {
  constexpr std::size_t kPairs = 256, kTokens = 16, kFirst = 3;
  for (unsigned round = 0; round < (IsReference() ? 1 : 20); ++round) {
    std::mt19937 random(round);
    std::vector<double> frequencies;
    for (std::size_t i = 0; i < kPairs; ++i) {
      const double middle = 1.0 + std::ldexp(static_cast<double>(random() % (1u << 23) * 2 + 1), -24);
      const double v = std::ldexp(middle + std::ldexp(static_cast<double>(random() % 17) - 8.0, -52),
                                  -1 - static_cast<int>(random() % 20));
      frequencies.push_back((i / kTokens % 2 == 0 ? std::asin(v) : std::acos(v)) /
                            static_cast<double>(kFirst + i % kTokens));
    }
    posenc_rotary_spec spec = ListedSpec(frequencies, target());
    spec.arithmetic = POSENC_FAST;
    oracle::RotaryOracle oracle(spec);
    std::vector<float> x(kTokens * spec.head_dim);
    for (std::size_t t = 0; t < kTokens; ++t) std::fill_n(&x[t * spec.head_dim], kPairs, 1.0f);
    const posenc_heads heads = DenseHeads(x.data(), 1, spec.head_dim);
    ASSERT_EQ(posenc_rotate(CreateRotary(spec).get(), kFirst, kTokens, &heads, 1), POSENC_OK);
    for (std::size_t i = 0; i < kPairs; ++i) {
      const std::size_t t = i % kTokens;
      const auto position = static_cast<double>(kFirst + t);
      const ScaledAngle angle(&oracle, i, position, {});
      ASSERT_EQ(x[t * spec.head_dim + i], angle.Entries<float>().x) << position << " by " << frequencies[i];
      ASSERT_EQ(x[t * spec.head_dim + i + kPairs], angle.Entries<float>().y)
          << position << " by " << frequencies[i];
    }
  }
}

// Neither products nor sums overflow here.
TEST_P(RotaryFast, IsOffByTwoUlpsAtMost) {
  const std::size_t dim = IsReference() ? 32 : 128, heads = IsReference() ? 6 : 36;
  const posenc_rotary_spec plain = Spec(dim);
  const AngleTable angles(plain, {1.0, 131071.0, -7.0, 0.5, 0x1p31});
  for (const RotaryGain& gain : kGains) {
    posenc_rotary_spec spec = plain;
    spec.amplitude = gain.amplitude;
    const RotaryPtr rotary = CreateRotary(spec);
    ForEachType([&](auto element) {
      using T = decltype(element);
      PairMaker<T> maker(9);
      std::size_t k = 0;
      const RotaryTensor<T> tensor = MakeTensor<T>(
          spec, angles, heads, gain,
          [&](const ScaledAngle& angle, std::size_t, std::size_t) {
            return maker.Make(k++, angle.Cosine(), angle.Sine(), gain.amplitude * gain.scale);
          },
          [](const ScaledAngle&, T a, T b) {
            return Rotated<T>{a, b};
          });
      const std::vector<T> before = tensor.Before(POSENC_HALF_SPLIT);
      std::vector<T> after = before;
      const posenc_heads call = tensor.Heads(after.data(), nullptr, gain);
      ASSERT_EQ(posenc_rotate_at(rotary.get(), PointerTo(List(POSENC_F64, angles.positions().data())),
                                 angles.tokens(), &call, 1, nullptr),
                POSENC_OK);
      double worst = 0.0;
      for (std::size_t t = 0; t < angles.tokens(); ++t) {
        for (std::size_t i = 0; i < angles.pairs(); ++i) {
          const ScaledAngle angle = angles.Scaled(t, i, gain);
          for (std::size_t h = 0; h < heads; ++h) {
            const std::size_t at = (t * heads + h) * dim + i;
            const auto a = static_cast<double>(Value(before[at])),
                       b = static_cast<double>(Value(before[at + dim / 2]));
            const double length = std::hypot(a, b) * (gain.amplitude * gain.scale);
            if (!(length < static_cast<double>(Value(Largest<T>())) / 2)) continue;
            const double ulp = std::ldexp(1.0, SpacingExponent(TypeOf<T>(), length));
            worst = std::max(
                {worst,
                 std::fabs(static_cast<double>(Value(after[at])) - (a * angle.Cosine() - b * angle.Sine())) /
                     ulp,
                 std::fabs(static_cast<double>(Value(after[at + dim / 2])) -
                           (b * angle.Cosine() + a * angle.Sine())) /
                     ulp});
          }
        }
      }
      EXPECT_LT(worst, gain.amplitude * gain.scale == 1.0 ? kMaxFastUlp : kMaxScaledFastUlp);
      // Shows that something was compared. In float16 the largest and the smallest gain make only infinities
      // and zeros.
      EXPECT_TRUE(worst > 0.4 ||
                  (TypeOf<T>() == POSENC_F16 && std::fabs(std::log2(gain.amplitude * gain.scale)) > 60));
    });
  }
}

// The product, rounded once to float. With doubles it would be rounded twice.
float RoundedProduct(double scale, double x) {
  oracle::Number product(53 + 53);
  mpfr_set_d(product, scale, MPFR_RNDN);
  mpfr_mul_d(product, product, x, MPFR_RNDN);
  if (mpfr_zero_p(product) != 0) return static_cast<float>(scale * x);  // keeps the sign of zero
  oracle::Rounding rounding;
  oracle::RoundExact(POSENC_F32, product, &rounding);
  return FromBits<float>(rounding.bits);
}

// Tokens rotate by rows of a cache with any numbers. The rotary's own frequencies do not matter.
class RotaryCached : public PerTarget {
 protected:
  static constexpr std::size_t kRows = 9, kHeads = 3;

  template <class C, class T>
  void Expect(posenc_rotary_spec spec, posenc_cache_layout layout, const RotaryGain& gain, int list) const {
    const std::size_t pairs = (spec.rotary_dim != 0 ? spec.rotary_dim : spec.head_dim) / 2;
    OwnCache<C> cache(layout, spec.pairing, pairs, kRows, 3, CanonicalNan<C>());
    PairMaker<C> entry_maker(3);
    PairMaker<T> maker(4);
    std::vector<Rotated<C>> entries;
    for (std::size_t k = 0; k < kRows * pairs; ++k) {
      Rotated<C> entry = {entry_maker.Normal(-9, -1), entry_maker.Normal(-9, -1)};
      if (k % 7 == 0) entry = {Nearest<C>(1.0), Nearest<C>(k % 2 == 0 ? 0.0 : -0.0)};
      if (k % 11 == 0) entry = {entry_maker.AnyFinite(), entry_maker.AnyFinite()};
      entries.push_back(entry);
      cache.Put(k / pairs, k % pairs, entry.x, entry.y);
    }
    const std::vector<std::size_t> rows = {3, 4, 5, 6};
    const std::vector<std::size_t> listed = {8, 0, 5, 5};
    const std::vector<std::int32_t> narrow(listed.begin(), listed.end());
    const std::vector<std::int64_t> wide(listed.begin(), listed.end());
    const std::size_t tokens = rows.size();
    std::vector<Rotated<T>> before, after;
    for (std::size_t k = 0; k < tokens * kHeads * pairs; ++k) {
      const std::size_t t = k / (kHeads * pairs), i = k % pairs;
      const Rotated<C>& entry = entries[(list == 0 ? rows : listed)[t] * pairs + i];
      const Rotated<T> pair =
          maker.Make(k, static_cast<double>(Value(entry.x)), static_cast<double>(Value(entry.y)), 1.0);
      const double sign = gain.inverse ? -1.0 : 1.0;
      before.push_back(pair);
      after.push_back(RotateInFloats(RoundedProduct(gain.scale, static_cast<double>(Value(entry.x))),
                                     RoundedProduct(sign * gain.scale, static_cast<double>(Value(entry.y))),
                                     pair.x, pair.y));
    }
    const RotaryTensor<T> tensor(spec, tokens, kHeads, pairs, before, after);
    const RotaryPtr rotary = CreateRotary(spec);
    ASSERT_NE(rotary, nullptr);
    const posenc_pairing to = spec.output_pairing == POSENC_SAME_PAIRING ? spec.pairing : spec.output_pairing;
    for (const bool in_place : {true, false}) {
      const std::vector<T> source = tensor.Before(spec.pairing);
      std::vector<T> result = in_place ? source : std::vector<T>(source.size());
      const posenc_heads heads = tensor.Heads(result.data(), in_place ? nullptr : source.data(), gain);
      const posenc_cache from = cache.Get();
      const std::vector<C> cos = cache.cos, sin = cache.sin;
      const void* indices = list == 0   ? nullptr
                            : list == 1 ? static_cast<const void*>(narrow.data())
                                        : static_cast<const void*>(wide.data());
      const ConstCache read(from, kRows);
      const List passed(list == 1 ? POSENC_I32 : POSENC_I64, indices);
      ASSERT_EQ(list == 0 ? posenc_rotate_cached(rotary.get(), &read, 3, tokens, &heads, 1)
                          : posenc_rotate_cached_at(rotary.get(), &read, &passed, tokens, &heads, 1, nullptr),
                POSENC_OK);
      ASSERT_TRUE(tensor.IsAfter(result, to, true))
          << "layout " << layout << ", cache type " << from.type << ", list " << list << ", scale "
          << gain.scale << ", pairings " << spec.pairing << " to " << to << (gain.inverse ? ", back" : "")
          << (in_place ? ", in place" : "");
      EXPECT_TRUE(SameBits(cache.cos, cos) && SameBits(cache.sin, sin));
    }
  }
};

TEST_P(RotaryCached, IsPlainFloatArithmeticInEveryLayout) {
  int k = 0;
  for (const posenc_cache_layout layout : kCacheLayouts) {
    for (const auto& [from, to] : AllPairings()) {
      for (const RotaryGain& gain :
           {RotaryGain{1.0, 1.0, false}, {1.0, 1.0, true}, {1.0, 0.1, false}, {1.0, 0x1p-64, true}}) {
        const bool is_large = from == to && gain.scale == 0.1;
        posenc_rotary_spec spec = MakeRotarySpec(is_large ? 1030 : k % 3 == 0 ? 6 : 44, target());
        spec.pairing = from;
        spec.output_pairing = to;
        spec.arithmetic = k % 2 == 0 ? POSENC_EXACT : POSENC_FAST;
        spec.amplitude = 1.25;  // the cache includes it
        if (k % 3 == 1) {
          spec.rotary_dim = 38;
          spec.rotary_offset = 5;
        }
        ForEachType([&](auto entry) {
          ForEachType(
              [&](auto element) { Expect<decltype(entry), decltype(element)>(spec, layout, gain, k++ % 3); });
        });
        if (HasFailure()) return;
      }
    }
  }
}

// The product of a scale and an entry is next to a midpoint of two floats, so rounding twice would be wrong.
TEST_P(RotaryCached, ScalesAreRoundedOnce) {
  std::mt19937 random(1);
  const RotaryPtr rotary = CreateRotary(MakeRotarySpec(2, target()));
  int twice = 0;
  for (int k = 0; k < 20000; ++k) {
    float row[2] = {1.0f + static_cast<float>(random() % (1u << 23)) * 0x1p-23f, 0.0f};
    const double middle = 1.0 + static_cast<double>(2 * (random() % (1u << 23)) + 1) * 0x1p-24;
    const double scale = middle / static_cast<double>(row[0]);
    const float want = RoundedProduct(scale, static_cast<double>(row[0]));
    twice += want != static_cast<float>(scale * static_cast<double>(row[0])) ? 1 : 0;
    float x[2] = {1.0f, 0.0f};
    posenc_heads heads = DenseHeads(x, 1, 2);
    heads.scale = scale;
    const posenc_cache cache = {POSENC_CACHE_PAIRS, POSENC_F32, row, nullptr, 2};
    ASSERT_EQ(posenc_rotate_cached(rotary.get(), PointerTo(ConstCache(cache, 1)), 0, 1, &heads, 1),
              POSENC_OK);
    ASSERT_EQ(x[0], want) << std::hexfloat << row[0] << " * " << scale;
  }
  EXPECT_GT(twice, 1000);  // so rounding twice would be noticed
}

// Each tensor in a call has its own scale and direction, with whole vectors. NaNs in a cache stay NaNs,
// whatever their bits.
TEST_P(RotaryCached, TensorsOfTheirOwnScalesAndNans) {
  constexpr std::size_t kPairs = 128;
  const RotaryPtr rotary = CreateRotary(MakeRotarySpec(2 * kPairs, target()));
  std::vector<float> row(2 * kPairs, 0.5f);
  const posenc_cache cache = {POSENC_CACHE_COS_SIN, POSENC_F32, row.data(), nullptr, 2 * kPairs};
  std::vector<BFloat16> q(2 * kPairs, Nearest<BFloat16>(1.0)), k = q;
  posenc_heads tensors[2] = {DenseHeads(q.data(), 1, 2 * kPairs), DenseHeads(k.data(), 1, 2 * kPairs)};
  tensors[1].scale = 4.0;
  tensors[1].inverse = 1;
  const auto rotate = [&] {
    return posenc_rotate_cached(rotary.get(), PointerTo(ConstCache(cache, 1)), 0, 1, tensors, 2);
  };
  ASSERT_EQ(rotate(), POSENC_OK);
  for (std::size_t i = 0; i < kPairs; ++i) {
    ASSERT_EQ(Value(q[i]), 0.0f) << i;
    ASSERT_EQ(Value(q[kPairs + i]), 1.0f) << i;
    ASSERT_EQ(Value(k[i]), 4.0f) << i;
    ASSERT_EQ(Value(k[kPairs + i]), 0.0f) << i;
  }
  for (float& entry : row) entry = FromBits<float>(0x7FFFFFFF);
  ASSERT_EQ(rotate(), POSENC_OK);
  for (const BFloat16 x : q) ASSERT_TRUE(std::isnan(Value(x)));
}

// A cache that the library wrote rotates like the rotary itself in POSENC_FAST.
TEST_P(RotaryCached, WrittenCachesTurnLikePositions) {
  for (const posenc_cache_layout layout : kCacheLayouts) {
    for (const posenc_pairing pairing : kPairings) {
      posenc_rotary_spec spec = MakeRotarySpec(70, target());
      spec.arithmetic = POSENC_FAST;
      spec.pairing = pairing;
      spec.amplitude = 1.3465735902799727;
      const RotaryPtr rotary = CreateRotary(spec);
      OwnCache<float> cache(layout, pairing, 35, 12, 3, CanonicalNan<float>());
      posenc_cache to = cache.Get();
      ASSERT_EQ(posenc_write_cache(rotary.get(), -5, 12, &to), POSENC_OK);
      PairMaker<BFloat16> maker(5);
      std::vector<BFloat16> x(12 * 2 * 70);
      for (BFloat16& value : x) value = maker.Normal(-3, 3);
      std::vector<BFloat16> y = x;
      posenc_heads heads = DenseHeads(x.data(), 2, 70);
      ASSERT_EQ(posenc_rotate(rotary.get(), -5, 12, &heads, 1), POSENC_OK);
      heads.data = y.data();
      ASSERT_EQ(posenc_rotate_cached(rotary.get(), PointerTo(ConstCache(to, 12)), 0, 12, &heads, 1),
                POSENC_OK);
      EXPECT_TRUE(SameBits(x, y));
    }
  }
}

// Large calls process heads in another order, and prefetch. The number of heads is odd, and tokens or heads
// come first.
TEST_P(RotaryFast, OfLargeCallsIsThatOfSmallOnes) {
  if (IsReference()) GTEST_SKIP() << "the reference has only one order, and takes a minute";
  constexpr std::size_t kDim = 128, kHeads = 9, kPart = 16;
  ForEachType([&](auto element) {
    using T = decltype(element);
    for (const std::size_t bytes : {std::size_t{2} << 20, std::size_t{17} << 20}) {
      const std::size_t tokens = bytes / (kHeads * kDim * sizeof(T));
      PairMaker<T> maker(11);
      std::vector<T> source(tokens * kHeads * kDim);
      for (std::size_t i = 0; i < source.size(); ++i) {
        source[i] = i < 65521 ? maker.Normal(-4, 4) : source[i - 65521];
      }
      for (const posenc_pairing pairing : kPairings) {
        posenc_rotary_spec spec = Spec(kDim);
        spec.pairing = pairing;
        const RotaryPtr rotary = CreateRotary(spec);
        for (const bool heads_first : {false, true}) {
          const auto rotate = [&](std::vector<T>* x, std::size_t first, std::size_t count) {
            posenc_heads heads = DenseHeads(x->data(), kHeads, kDim);
            if (heads_first) heads.token_stride = kDim, heads.head_stride = tokens * kDim;
            heads.data = x->data() + first * heads.token_stride;
            return posenc_rotate(rotary.get(), static_cast<std::int64_t>(first), count, &heads, 1);
          };
          std::vector<T> large = source, small = source;
          ASSERT_EQ(rotate(&large, 0, tokens), POSENC_OK);
          for (std::size_t t = 0; t < tokens; t += kPart) {
            ASSERT_EQ(rotate(&small, t, std::min(kPart, tokens - t)), POSENC_OK);
          }
          EXPECT_TRUE(SameBits(large, small)) << bytes << ", heads first: " << heads_first;
        }
      }
    }
  });
}

// A cos(w) and A sin(w) are just above 1, and both have a rounding error of half an ulp. The element has an
// error of 2.25 ulp of A hypot(a, b).
TEST_P(RotaryFast, NearlyAsFarOffAsIsPromised) {
  const std::vector<double> frequency = {0x1.9223950f9fe47p-1};
  const double exact = 0x1.fff5e87db67d6p+0;  // the second element
  posenc_rotary_spec spec = ListedSpec(frequency, target());
  spec.arithmetic = POSENC_FAST;
  spec.amplitude = 0x1.6a1d707c8a6dcp+0;
  const RotaryPtr rotary = CreateRotary(spec);
  float x[2] = {0x1.00104p+0f, 0x1.ff941p-1f};
  const posenc_heads heads = DenseHeads(x, 1, 2);
  ASSERT_EQ(posenc_rotate(rotary.get(), 1, 1, &heads, 1), POSENC_OK);
  EXPECT_EQ(x[1], 0x1.fff5e4p+0f);
  EXPECT_NEAR((exact - static_cast<double>(x[1])) * 0x1p23, 2.2455, 0.0001);
}

POSENC_INSTANTIATE_PER_TARGET(RotaryFast);
POSENC_INSTANTIATE_PER_TARGET(RotaryCached);

}  // namespace
}  // namespace posenc
