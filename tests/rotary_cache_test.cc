// Caches of cosines and sines: bytes outside the layout do not change, whatever the alignment; and the two
// layouts that have each number twice. tools/verify/rotary_rows.cc has the entries of caches.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "guarded_pages.h"
#include "rotary_tensors.h"

namespace posenc {
namespace {

class RotaryCache : public PerTarget {};

TEST_P(RotaryCache, TablesOfAnyAlignment) {
  const posenc_rotary_spec spec = MakeRotarySpec(22, target());
  const AngleTable angles(spec, {0.0, 1.0, 1e-9, -131071.0});
  for (std::size_t shift = 1; shift < 9; ++shift) {
    ForEachEntryType([&](auto entry) { ExpectCaches<decltype(entry)>(spec, angles, 1.25, 2, shift); });
  }
}

// A rotary in transformers that pairs neighbours in the first half of a head reads this layout.
TEST_P(RotaryCache, HalvesTwiceRotatesNeighbours) {
  constexpr std::size_t kHeadDim = 16, kPairs = 4;
  posenc_rotary_spec spec;
  ASSERT_EQ(posenc_rotary_spec_init(&spec, sizeof(spec)), POSENC_OK);
  spec.head_dim = kHeadDim;
  spec.rotary_dim = 2 * kPairs;
  spec.pairing = POSENC_NEIGHBOURS;
  spec.target = target();
  const RotaryPtr rotary = CreateRotary(spec);
  float cos[2 * kPairs], sin[2 * kPairs], x[kHeadDim];
  for (std::size_t i = 0; i < kPairs; ++i) {
    const double angle = 5 * std::pow(10000.0, -static_cast<double>(i) / kPairs);
    cos[i] = cos[kPairs + i] = static_cast<float>(std::cos(angle));
    sin[i] = sin[kPairs + i] = static_cast<float>(std::sin(angle));
  }
  for (std::size_t e = 0; e < kHeadDim; ++e) x[e] = static_cast<float>(e + 1);
  const posenc_cache cache = {POSENC_CACHE_HALVES_TWICE, POSENC_F32, cos, sin, 2 * kPairs};
  const posenc_heads heads = DenseHeads(x, 1, kHeadDim);
  ASSERT_EQ(posenc_rotate_cached(rotary.get(), PointerTo(ConstCache(cache, 1)), 0, 1, &heads, 1), POSENC_OK);
  EXPECT_NEAR(x[2], 0.71505, 1e-5);
  EXPECT_NEAR(x[3], 4.94861, 1e-5);
  for (std::size_t i = 0; i < kPairs; ++i) {
    const double a = static_cast<double>(2 * i + 1), b = a + 1, c = cos[i], s = sin[i];
    EXPECT_NEAR(x[2 * i], a * c - b * s, 1e-5);
    EXPECT_NEAR(x[2 * i + 1], b * c + a * s, 1e-5);
  }
  for (std::size_t e = 2 * kPairs; e < kHeadDim; ++e) EXPECT_EQ(x[e], static_cast<float>(e + 1));

  float written[2][2 * kPairs];
  const posenc_cache own = {POSENC_CACHE_HALVES_TWICE, POSENC_F32, written[0], written[1], 2 * kPairs};
  ASSERT_EQ(posenc_write_cache(rotary.get(), 5, 1, &own), POSENC_OK);
  for (std::size_t k = 0; k < 2 * kPairs; ++k) {
    EXPECT_NEAR(written[0][k], cos[k], 1e-7);
    EXPECT_NEAR(written[1][k], sin[k], 1e-7);
  }
}

// The two layouts that have each number twice rotate to the same bits.
template <class C, class T>
void ExpectTwiceIsDuplicated(const posenc_rotary_spec& spec) {
  constexpr std::size_t kTokens = 5, kHeads = 3;
  const std::size_t size = kTokens * kHeads * spec.head_dim, stride = spec.head_dim + 3;
  const RotaryPtr rotary = CreateRotary(spec);
  PairMaker<T> maker(1);
  std::vector<T> x(size);
  for (T& element : x) element = maker.Normal(-9, 9);
  const auto rotate = [&](posenc_cache_layout layout) {
    std::vector<C> cos(kTokens * stride), sin = cos;
    std::vector<T> rotated = x;
    const posenc_cache cache = {layout, TypeOf<C>(), cos.data(), sin.data(), stride};
    const posenc_heads heads = DenseHeads(rotated.data(), kHeads, spec.head_dim);
    EXPECT_EQ(posenc_write_cache(rotary.get(), 7, kTokens, &cache), POSENC_OK);
    EXPECT_EQ(
        posenc_rotate_cached(rotary.get(), PointerTo(ConstCache(cache, kTokens)), 0, kTokens, &heads, 1),
        POSENC_OK);
    return rotated;
  };
  const std::vector<T> twice = rotate(POSENC_CACHE_HALVES_TWICE);
  EXPECT_TRUE(SameBits(twice, rotate(POSENC_CACHE_DUPLICATED))) << spec.pairing << ", " << TypeOf<C>();
  EXPECT_FALSE(SameBits(twice, x));
}

TEST_P(RotaryCache, HalvesTwiceRotatesAsDuplicated) {
  for (const posenc_pairing pairing : kPairings) {
    for (const std::size_t dim : {2u, 22u, 64u}) {
      posenc_rotary_spec spec = MakeRotarySpec(dim, target());
      spec.pairing = pairing;
      ForEachType([&](auto entry) {
        ForEachType([&](auto element) { ExpectTwiceIsDuplicated<decltype(entry), decltype(element)>(spec); });
      });
    }
  }
}

// A float32 cache has the cosines and sines of POSENC_FAST. Kernels read them in the cache, if they are there
// as kernels need them: so in all layouts, forwards and backwards, and next to memory that nobody may touch.
TEST_P(RotaryCache, OfFloatsRotatesAsFast) {
  constexpr std::size_t kTokens = 3, kHeads = 2;
  for (const posenc_pairing pairing : kPairings) {
    for (const std::size_t dim : {2u, 32u, 48u, 128u, 256u}) {
      posenc_rotary_spec spec = MakeRotarySpec(dim, target());
      spec.pairing = pairing;
      spec.arithmetic = POSENC_FAST;
      spec.amplitude = 1.3465735902799727;
      const RotaryPtr rotary = CreateRotary(spec);
      for (const posenc_cache_layout layout : kCacheLayouts) {
        const bool has_two = layout != POSENC_CACHE_COS_SIN && layout != POSENC_CACHE_PAIRS;
        for (const std::size_t shift : {0u, 1u, 4u}) {
          for (const std::int32_t inverse : {0, 1}) {
            SCOPED_TRACE(testing::Message() << dim << ", layout " << layout << ", inverse " << inverse);
            const std::size_t bytes = kTokens * dim * sizeof(float) + shift;
            GuardedPages cos(bytes), sin(bytes);
            const posenc_cache cache = {layout, POSENC_F32, cos.end() - bytes,
                                        has_two ? sin.end() - bytes : nullptr, dim};
            ASSERT_EQ(posenc_write_cache(rotary.get(), 5, kTokens, &cache), POSENC_OK);
            PairMaker<float> maker(1);
            std::vector<float> x(kTokens * kHeads * dim);
            for (float& element : x) element = maker.Normal(-9, 9);
            std::vector<float> want = x;
            posenc_heads heads = DenseHeads(want.data(), kHeads, dim);
            heads.inverse = inverse;
            ASSERT_EQ(posenc_rotate(rotary.get(), 5, kTokens, &heads, 1), POSENC_OK);
            heads.data = x.data();
            ASSERT_EQ(posenc_rotate_cached(rotary.get(), PointerTo(ConstCache(cache, kTokens)), 0, kTokens,
                                           &heads, 1),
                      POSENC_OK);
            EXPECT_TRUE(SameBits(x, want));
          }
        }
      }
    }
  }
}

// Caches of 16 bits are widened: a float32 cache with the same numbers rotates to the same bits.
TEST_P(RotaryCache, Of16BitsRotatesAsFloats) {
  constexpr std::size_t kTokens = 3, kHeads = 2;
  for (const std::size_t dim : {32u, 128u}) {
    const RotaryPtr rotary = CreateRotary(MakeRotarySpec(dim, target()));
    ForEachType([&](auto entry) {
      for (const posenc_cache_layout layout : {POSENC_CACHE_COS_SIN, POSENC_CACHE_PAIRS}) {
        std::vector<decltype(entry)> table(kTokens * dim);
        const posenc_cache cache = {layout, TypeOf<decltype(entry)>(), table.data(), nullptr, dim};
        ASSERT_EQ(posenc_write_cache(rotary.get(), 5, kTokens, &cache), POSENC_OK);
        std::vector<float> floats;
        for (const auto number : table) floats.push_back(static_cast<float>(Value(number)));
        const posenc_cache wide = {layout, POSENC_F32, floats.data(), nullptr, dim};
        std::vector<float> x(kTokens * kHeads * dim, 0.7f), want = x;
        posenc_heads heads = DenseHeads(want.data(), kHeads, dim);
        ASSERT_EQ(
            posenc_rotate_cached(rotary.get(), PointerTo(ConstCache(wide, kTokens)), 0, kTokens, &heads, 1),
            POSENC_OK);
        heads.data = x.data();
        ASSERT_EQ(
            posenc_rotate_cached(rotary.get(), PointerTo(ConstCache(cache, kTokens)), 0, kTokens, &heads, 1),
            POSENC_OK);
        EXPECT_TRUE(SameBits(x, want)) << dim << ", layout " << layout;
      }
    });
  }
}

// Many rows at consecutive positions are written by the kernels of encoders. The same positions in a list are
// not, and must have the same bits. The tables lie in one buffer, whose other bytes must stay as they are.
template <class C>
void ExpectRunIsList(const posenc_rotary_spec& spec, std::int64_t first, std::size_t rows,
                     std::size_t shift) {
  const RotaryPtr rotary = CreateRotary(spec);
  ASSERT_NE(rotary, nullptr);
  const std::size_t stride = spec.head_dim + 3, table = rows * stride + 1;
  std::vector<std::int64_t> positions(spec.axes * rows);  // the same on each axis
  for (std::size_t k = 0; k < positions.size(); ++k)
    positions[k] = first + static_cast<std::int64_t>(k % rows);
  const posenc_list list = {POSENC_I64, positions.data()};
  for (const posenc_cache_layout layout : kCacheLayouts) {
    const bool has_two = layout != POSENC_CACHE_COS_SIN && layout != POSENC_CACHE_PAIRS;
    for (const bool cosines_first : {true, false}) {
      std::vector<unsigned char> run(2 * table * sizeof(C) + shift + 64, 0xA5), one_by_one = run;
      const auto write = [&](std::vector<unsigned char>& bytes, bool is_list) {
        unsigned char* const a = bytes.data() + shift;
        unsigned char* const b = a + table * sizeof(C);
        const posenc_cache cache = {layout, TypeOf<C>(), cosines_first ? a : b,
                                    has_two ? (cosines_first ? b : a) : nullptr, stride};
        return is_list ? posenc_write_cache_at(rotary.get(), &list, rows, &cache, nullptr)
                       : posenc_write_cache(rotary.get(), first, rows, &cache);
      };
      ASSERT_EQ(write(run, false), POSENC_OK);
      ASSERT_EQ(write(one_by_one, true), POSENC_OK);
      EXPECT_TRUE(SameBits(run, one_by_one))
          << "layout " << layout << ", pairing " << spec.pairing << ", dim " << spec.head_dim << ", first "
          << first << ", shift " << shift << ", type " << TypeOf<C>();
    }
  }
}

TEST_P(RotaryCache, RunsHaveTheBitsOfLists) {
  if (IsReference()) GTEST_SKIP() << "the reference computes each number separately";
  const std::vector<double> unusual = {0.0, -0.001, 3.25, 1e6, 1e-30, 0x1p-120, -2.0, 1.0, 0.5, 0.125, 0.1};
  for (const posenc_pairing pairing : kPairings) {
    ForEachEntryType([&](auto entry) {
      using C = decltype(entry);
      for (const std::size_t dim : {2u, 22u, 128u, 278u}) {
        posenc_rotary_spec spec = MakeRotarySpec(dim, target());
        spec.pairing = pairing;
        ExpectRunIsList<C>(spec, -70, 200, 0);
        ExpectRunIsList<C>(spec, (std::int64_t{1} << 31) - 129, 130, sizeof(C));
        if (dim == 22) ExpectRunIsList<C>(spec, 12, 64, 1);
      }
      for (const posenc_unit unit : {POSENC_RADIANS, POSENC_TURNS}) {
        posenc_rotary_spec spec = ListedSpec(unusual, target());
        spec.pairing = pairing;
        spec.unit = unit;
        ExpectRunIsList<C>(spec, -70, 200, 0);
      }
      posenc_rotary_spec spec = MakeRotarySpec(24, target());
      spec.pairing = pairing;
      spec.amplitude = 1.25;  // an amplitude that encoders do not have
      ExpectRunIsList<C>(spec, -70, 200, 0);
      spec.amplitude = 0.0;
      spec.phase_rounding = POSENC_F32_INV_FREQ;
      ExpectRunIsList<C>(spec, -70, 200, 0);
      spec.phase_rounding = POSENC_NO_PHASE_ROUNDING;
      spec.axes = 3;
      spec.sections[0] = 5;
      spec.sections[1] = 3;
      spec.sections[2] = 4;
      ExpectRunIsList<C>(spec, -70, 200, 0);
    });
  }
}

// The least frequency is so near to 0 that angle addition is not right for it (kMinAddedStep).
TEST_P(RotaryCache, RunsOfStepsBesideHalfTurnsHaveTheBitsOfLists) {
  if (IsReference()) GTEST_SKIP() << "the reference computes each number separately";
  const std::vector<double> frequencies = {0x1.8p-126, 1.0, 0x1p-126};
  ForEachEntryType(
      [&](auto entry) { ExpectRunIsList<decltype(entry)>(ListedSpec(frequencies, target()), 1, 300, 0); });
}

POSENC_INSTANTIATE_PER_TARGET(RotaryCache);

}  // namespace
}  // namespace posenc
