// Factors of tokens: hard products of amplitude, scale, factor and element, elements that do not rotate, and
// the same bits in all calls, alignments and orders of heads. tools/verify/rotary_rows.cc has other rotations
// with factors, and refusals.inc what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "guarded_pages.h"
#include "kernel/heads.h"
#include "oracle/rounding.h"
#include "posenc/rotary_angles_c.h"
#include "posenc/rotary_slots_c.h"
#include "rotary_cases.h"
#include "spec_words.h"

namespace posenc {
namespace {

constexpr float kFactors[] = {1.5f, 0x1.000002p-3f, 1.0f, 0x1.fffffep5f, 0x1.555556p-2f, 0x1p-20f, 3.0f};

std::vector<float> FactorsOf(std::size_t tokens) {
  std::vector<float> factors;
  for (std::size_t t = 0; t < tokens; ++t) factors.push_back(kFactors[t % std::size(kFactors)]);
  return factors;
}

double WideFactor(float factor) { return static_cast<double>(factor); }

// The exact product of all numbers.
template <class... Numbers>
oracle::Number ProductOf(Numbers... numbers) {
  oracle::Number product(53 * sizeof...(numbers));
  mpfr_set_d(product, 1.0, MPFR_RNDN);
  (mpfr_mul_d(product, product, numbers, MPFR_RNDN), ...);
  return product;
}

// Numbers with all digits that their type has.
class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}

  std::uint64_t Below(std::uint64_t end) { return random_() % end; }
  int Exponent(int most) { return static_cast<int>(Below(2 * static_cast<std::uint64_t>(most) + 1)) - most; }
  double LongDouble(int exponent) {
    return std::ldexp(static_cast<double>((std::uint64_t{1} << 52) | random_() >> 12 | 1), exponent - 52);
  }
  float LongFloat(int exponent) {
    return static_cast<float>(
        std::ldexp(static_cast<double>((1u << 23) | Below(1u << 23) | 1), exponent - 23));
  }
  // An odd integer with at most so many digits.
  double Odd(int digits) { return static_cast<double>(Below(std::uint64_t{1} << (digits - 1)) * 2 + 1); }

 private:
  std::mt19937_64 random_;
};

// amplitude * scale * factor * element is next to a midpoint of the type, by some 2^-54 of it; or it is a
// midpoint.
struct HardProduct {
  double amplitude, scale;
  float factor;
  double element;

  // Kinds 0 to 4 are next to a midpoint: with all three, without amplitude, without scale, with an element of
  // 1, and with a factor of one digit. Kind 5 is a midpoint.
  HardProduct(Random& random, int digits, int kind) {
    const double middle =
        std::ldexp(1.0 + (random.Odd(digits) * std::ldexp(1.0, -digits)), random.Exponent(3));
    amplitude = scale = 1.0;
    factor = kind == 4 ? 4.0f : random.LongFloat(random.Exponent(6));
    element = kind == 3 ? 1.0 : random.Odd(std::min(digits, 6));
    const double rest = middle / (WideFactor(factor) * element);
    if (kind == 1) {
      scale = rest;
    } else if (kind == 2) {
      amplitude = rest;
    } else if (kind < 5) {
      scale = random.LongDouble(random.Exponent(6));
      amplitude = rest / scale;
    } else {  // odd integers, 3 * 5 * 3 * element, whose product has one digit more than the type
      amplitude = 3.0;
      scale = std::ldexp(5.0, random.Exponent(6));
      factor = static_cast<float>(std::ldexp(3.0, random.Exponent(6)));
      const std::uint64_t least = (std::uint64_t{1} << digits) / 45 + 1,
                          end = (std::uint64_t{2} << digits) / 45;
      element = static_cast<double>(least + random.Below(end - least));
      if (std::fmod(element, 2.0) == 0.0) element += 1.0;
    }
  }

  // Whether doubles, multiplied in some order, round to another number of the type.
  template <class T>
  bool IsRoundedTwice() const {
    oracle::Rounding rounding;
    oracle::RoundExact(TypeOf<T>(), ProductOf(amplitude, scale, WideFactor(factor), element), &rounding);
    const double f = WideFactor(factor);
    for (const double gain : {amplitude * scale * f, amplitude * (scale * f), amplitude * f * scale}) {
      oracle::Rounding naive;
      oracle::RoundExact(TypeOf<T>(), ProductOf(gain, element), &naive);
      if (naive.bits != rounding.bits) return true;
    }
    return false;
  }
};

class RotaryFactors : public PerTarget {};

// At whole quarter turns results are products. They are rounded once, from the real number.
TEST_P(RotaryFactors, HardProductsAreRoundedOnce) {
  constexpr std::size_t kTokens = 4, kPairs = 19;
  const std::vector<double> frequencies(kPairs, 0.25);
  ForEachType([&](auto element) {
    using T = decltype(element);
    Random random(5);
    int twice = 0;
    for (int k = 0; k < (IsReference() ? 100 : 500); ++k) {
      const HardProduct hard(random, TraitsOf(TypeOf<T>()).digits, k % 6);
      twice += hard.IsRoundedTwice<T>() ? 1 : 0;
      posenc_rotary_spec spec = ListedSpec(frequencies, target());
      spec.unit = POSENC_TURNS;
      spec.amplitude = hard.amplitude;
      spec.pairing = kPairings[k % 2];
      const RotaryPtr rotary = CreateRotary(spec);
      oracle::RotaryOracle oracle(spec);
      const T a = Nearest<T>(hard.element), b = Nearest<T>(k % 3 == 0 ? -hard.element : 1.0);
      std::vector<T> x(kTokens * spec.head_dim);
      for (std::size_t t = 0; t < kTokens; ++t) {
        for (std::size_t i = 0; i < kPairs; ++i) {
          const ElementIndices at = IndicesOf(spec.pairing, i, kPairs);
          x[t * spec.head_dim + at.a] = a;
          x[t * spec.head_dim + at.b] = b;
        }
      }
      const std::vector<float> factors(kTokens, hard.factor);
      posenc_heads heads = DenseHeads(x.data(), 1, spec.head_dim);
      heads.scale = hard.scale;
      heads.token_factors = factors.data();
      ASSERT_EQ(posenc_rotate(rotary.get(), 0, kTokens, &heads, 1), POSENC_OK);
      for (std::size_t t = 0; t < kTokens; ++t) {
        const ScaledAngle angle(&oracle, 0, static_cast<double>(t),
                                {hard.amplitude, hard.scale, false, hard.factor});
        const Rotated<T> want = angle.Rotate(a, b);
        for (std::size_t i = 0; i < kPairs; ++i) {
          const ElementIndices at = IndicesOf(spec.pairing, i, kPairs);
          const T got_x = x[t * spec.head_dim + at.a], got_y = x[t * spec.head_dim + at.b];
          ASSERT_TRUE(SameBits(got_x, want.x) && SameBits(got_y, want.y))
              << std::hexfloat << hard.amplitude << " * " << hard.scale << " * " << hard.factor << " * ("
              << Value(a) << ", " << Value(b) << ") at " << t << ", pair " << i << ": " << Value(got_x)
              << ", " << Value(got_y) << ", not " << Value(want.x) << ", " << Value(want.y);
        }
      }
    }
    EXPECT_GT(twice, IsReference() ? 20 : 100);  // so rounding twice would be noticed
  });
}

// In float arithmetic G cos and G sin are rounded once, and so is the product of a cached number, a scale and
// a factor.
TEST_P(RotaryFactors, HardProductsInFloatArithmetic) {
  Random random(6);
  int twice = 0, cached_twice = 0;
  for (int k = 0; k < 2000; ++k) {
    HardProduct hard(random, 24, 3);
    twice += hard.IsRoundedTwice<float>() ? 1 : 0;
    posenc_rotary_spec spec = MakeRotarySpec(2, target());
    spec.arithmetic = POSENC_FAST;
    spec.amplitude = hard.amplitude;
    const RotaryPtr rotary = CreateRotary(spec);
    oracle::Rounding want;
    const auto expect = [&](float got, const char* call) {
      ASSERT_EQ(got, FromBits<float>(want.bits))
          << std::hexfloat << call << ": " << hard.amplitude << " * " << hard.scale << " * " << hard.factor;
    };
    float x[2] = {1.0f, 0.0f};
    posenc_heads heads = DenseHeads(x, 1, 2);
    heads.scale = hard.scale;
    heads.token_factors = &hard.factor;
    oracle::RoundExact(POSENC_F32, ProductOf(hard.amplitude, hard.scale, WideFactor(hard.factor)), &want);
    ASSERT_EQ(posenc_rotate(rotary.get(), 0, 1, &heads, 1), POSENC_OK);
    expect(x[0], "fast");

    // The rotary's amplitude is in the cache already.
    const float row[2] = {random.LongFloat(0), 0.0f};
    hard.scale *= hard.amplitude / static_cast<double>(row[0]);
    spec.amplitude = 0.0;
    const RotaryPtr plain = CreateRotary(spec);
    const posenc_const_cache cache = {POSENC_CACHE_PAIRS, POSENC_F32, row, nullptr, 2, 1};
    x[0] = 1.0f;
    x[1] = 0.0f;
    heads.scale = hard.scale;
    const auto entry = static_cast<double>(row[0]);
    oracle::RoundExact(POSENC_F32, ProductOf(entry, hard.scale, WideFactor(hard.factor)), &want);
    cached_twice +=
        FromBits<float>(want.bits) != static_cast<float>(entry * (hard.scale * WideFactor(hard.factor)));
    ASSERT_EQ(posenc_rotate_cached(plain.get(), &cache, 0, 1, &heads, 1), POSENC_OK);
    expect(x[0], "cached");
    if (HasFailure()) return;
  }
  EXPECT_GT(twice, 400);
  EXPECT_GT(cached_twice, 100);
}

// Bits of elements that do not rotate, and of products with a factor.
template <class T>
T ScaledRest(T x, float factor) {
  return Nearest<T>(static_cast<double>(Value(x)) * WideFactor(factor));  // the product is exact
}

// Elements that do not rotate are multiplied once, in place as well, whatever rotates beside them.
TEST_P(RotaryFactors, ElementsThatDoNotRotate) {
  for (const char* words : {"head_dim=19 rotary_dim=2 rotary_offset=7", "head_dim=200 rotary_dim=64",
                            "head_dim=1200 rotary_dim=1030 rotary_offset=101 pairing=neighbours",
                            "head_dim=40 rotary_dim=30 rotary_offset=10 output_pairing=neighbours"}) {
    for (const bool is_fast : {false, true}) {
      posenc_rotary_spec spec = RotarySpecOf(words);
      if (IsReference() && spec.head_dim > 200) continue;
      spec.target = target();
      spec.arithmetic = is_fast ? POSENC_FAST : POSENC_EXACT;
      spec.amplitude = 1.3;  // multiplies nothing here, as the scale does
      const RotaryPtr rotary = CreateRotary(spec);
      ForEachType([&](auto element) {
        using T = decltype(element);
        constexpr std::size_t kTokens = 7, kHeads = 3;
        Random random(9);
        std::vector<T> before(kTokens * kHeads * spec.head_dim);
        for (std::size_t k = 0; k < before.size(); ++k) {
          const T specials[] = {Nearest<T>(HUGE_VAL), Nearest<T>(-0.0), OddNan<T>(k), Largest<T>(),
                                FromBits<T>(1 + k % 7)};
          before[k] = k % 6 == 0 ? specials[k / 6 % 5] : FromBits<T>(random.Below(~std::uint64_t{0}));
        }
        const std::vector<float> factors = FactorsOf(kTokens);
        for (const bool in_place : {true, false}) {
          std::vector<T> after = in_place ? before : std::vector<T>(before.size());
          posenc_heads heads = DenseHeads(after.data(), kHeads, spec.head_dim);
          heads.source = in_place ? nullptr : before.data();
          heads.scale = 0.3;
          heads.token_factors = factors.data();
          const posenc_status status = posenc_rotate(rotary.get(), 5, kTokens, &heads, 1);
          ASSERT_EQ(status, POSENC_OK);
          for (std::size_t k = 0; k < before.size(); ++k) {
            const std::size_t e = k % spec.head_dim, t = k / spec.head_dim / kHeads;
            if (e >= spec.rotary_offset && e < spec.rotary_offset + spec.rotary_dim) continue;
            // A factor of 1 keeps the bits of NaNs.
            const T want = factors[t] == 1.0f ? before[k] : ScaledRest(before[k], factors[t]);
            ASSERT_TRUE(SameBits(after[k], want))
                << words << ", token " << t << ", element " << e << (in_place ? ", in place: " : ": ")
                << std::hexfloat << Value(before[k]) << " * " << factors[t] << ": bits " << std::hex
                << BitsOf(after[k]) << ", not " << BitsOf(want);
          }
        }
      });
      if (HasFailure()) return;
    }
  }
}

// Two tensors of random elements, of which the first has factors, as they lie in memory.
template <class T>
class Arranged {
 public:
  enum Order { kTokensFirst, kHeadsFirst, kUnaligned };

  Arranged(const posenc_rotary_spec& spec, std::size_t tokens, const float* factors, Order order)
      : bytes_(2 * tokens * kHeads * spec.head_dim * sizeof(T) + sizeof(T)), factor_bytes_(4 * tokens + 3) {
    PairMaker<T> maker(static_cast<unsigned>(spec.head_dim));
    for (std::size_t k = 0; k < 2; ++k) {
      unsigned char* const data =
          bytes_.data() + (order == kUnaligned ? 1 : 0) + k * tokens * kHeads * spec.head_dim * sizeof(T);
      heads[k].type = TypeOf<T>();
      heads[k].data = data;
      heads[k].heads = kHeads;
      heads[k].token_stride = (order == kHeadsFirst ? 1 : kHeads) * spec.head_dim;
      heads[k].head_stride = (order == kHeadsFirst ? tokens : 1) * spec.head_dim;
      heads[k].scale = k == 0 ? 0.7 : 0.0;
      heads[k].inverse = k == 0 ? 1 : 0;
      for (std::size_t n = 0; n < tokens * kHeads * spec.head_dim; ++n) {
        const T x = n % 5 == 0 ? maker.AnyFinite() : maker.Normal(-4, 4);
        std::memcpy(data + Place(k, n / spec.head_dim, n % spec.head_dim), &x, sizeof(x));
      }
    }
    if (factors == nullptr) return;
    unsigned char* const at = factor_bytes_.data() + (order == kUnaligned ? 3 : 0);
    std::memcpy(at, factors, 4 * tokens);
    heads[0].token_factors = reinterpret_cast<const float*>(at);
  }
  Arranged(const Arranged&) = delete;
  Arranged& operator=(const Arranged&) = delete;

  // The heads of the tokens from `first` on.
  std::vector<posenc_heads> From(std::size_t first) {
    std::vector<posenc_heads> rest = {heads[0], heads[1]};
    for (posenc_heads& each : rest) {
      each.data = static_cast<unsigned char*>(each.data) + first * each.token_stride * sizeof(T);
      if (each.token_factors != nullptr)
        each.token_factors = reinterpret_cast<const float*>(
            reinterpret_cast<const unsigned char*>(each.token_factors) + 4 * first);
    }
    return rest;
  }

  // All elements, token by token.
  std::vector<T> Elements(std::size_t tokens, std::size_t head_dim) const {
    std::vector<T> x(2 * tokens * kHeads * head_dim);
    for (std::size_t n = 0; n < x.size(); ++n) {
      const std::size_t k = n / (x.size() / 2), in_tensor = n % (x.size() / 2);
      std::memcpy(&x[n],
                  static_cast<const unsigned char*>(heads[k].data) +
                      Place(k, in_tensor / head_dim, in_tensor % head_dim),
                  sizeof(T));
    }
    return x;
  }

  posenc_heads heads[2] = {};

 private:
  static constexpr std::size_t kHeads = 3;
  std::size_t Place(std::size_t k, std::size_t head, std::size_t e) const {
    return (head / kHeads * heads[k].token_stride + head % kHeads * heads[k].head_stride + e) * sizeof(T);
  }

  std::vector<unsigned char> bytes_, factor_bytes_;
};

struct AngleMemory {
  std::vector<unsigned char> bytes;
  posenc_angles* angles = nullptr;

  AngleMemory(const posenc_rotary* rotary, std::int64_t first, std::size_t tokens) {
    std::size_t size = 0;
    EXPECT_EQ(posenc_angles_memory_size(rotary, tokens, &size), POSENC_OK);
    bytes.resize(size);
    EXPECT_EQ(posenc_angles_make(rotary, first, tokens, bytes.data(), size, &angles), POSENC_OK);
  }
};

// The bits do not depend on the call, the order of the heads, their alignment, or on which tokens one call
// rotates. Factors of 1 give the bits of no factors.
TEST_P(RotaryFactors, AreTheSameInAllCalls) {
  constexpr std::size_t kTokens = 11;
  constexpr std::int64_t kFirst = 1000;
  const std::vector<float> factors = FactorsOf(kTokens), ones(kTokens, 1.0f);
  const std::vector<std::int64_t> positions = Consecutive(kFirst, kTokens);
  for (const std::string words :
       {"head_dim=66", "head_dim=128 pairing=neighbours amplitude=1.3465",
        "head_dim=48 output_pairing=neighbours", "head_dim=40 rotary_dim=34 rotary_offset=3",
        "head_dim=64 phase_rounding=f32_inv_freq", "head_dim=1040 rotary_dim=1032"}) {
    for (const char* arithmetic : {" arithmetic=exact", " arithmetic=fast"}) {
      SCOPED_TRACE(words + arithmetic);
      posenc_rotary_spec spec = RotarySpecOf(words + arithmetic);
      if (IsReference() && spec.head_dim > 48) continue;
      spec.target = target();
      const RotaryPtr rotary = CreateRotary(spec);
      const AngleMemory angles(rotary.get(), kFirst, kTokens);
      ForEachType([&](auto element) {
        using T = decltype(element);
        using Of = Arranged<T>;
        const auto rotated = [&](const float* by, typename Of::Order order, const auto& rotate) {
          Of tensors(spec, kTokens, by, order);
          EXPECT_EQ(rotate(tensors), POSENC_OK);
          return tensors.Elements(kTokens, spec.head_dim);
        };
        const auto run = [&](Of& x) { return posenc_rotate(rotary.get(), kFirst, kTokens, x.heads, 2); };
        const auto list = [&](Of& x) {
          return posenc_rotate_at(rotary.get(), PointerTo(List(POSENC_I64, positions.data())), kTokens,
                                  x.heads, 2, nullptr);
        };
        const auto by_angles = [&](Of& x) {
          return posenc_rotate_by_angles(rotary.get(), angles.angles, 0, kTokens, x.heads, 2);
        };
        const auto token_by_token = [&](Of& x) {
          posenc_status status = POSENC_OK;
          for (std::size_t t = 0; t < kTokens && status == POSENC_OK; ++t) {
            status = posenc_rotate_by_angles(rotary.get(), angles.angles, static_cast<std::int64_t>(t), 1,
                                             x.From(t).data(), 2);
          }
          return status;
        };
        const std::vector<T> want = rotated(factors.data(), Of::kTokensFirst, run);
        for (const auto order : {Of::kTokensFirst, Of::kHeadsFirst, Of::kUnaligned}) {
          EXPECT_TRUE(SameBits(rotated(factors.data(), order, run), want)) << order;
          EXPECT_TRUE(SameBits(rotated(factors.data(), order, list), want)) << order;
          EXPECT_TRUE(SameBits(rotated(factors.data(), order, by_angles), want)) << order;
          EXPECT_TRUE(SameBits(rotated(factors.data(), order, token_by_token), want)) << order;
        }
        const std::vector<T> plain = rotated(nullptr, Of::kTokensFirst, run);
        EXPECT_FALSE(SameBits(plain, want));
        EXPECT_TRUE(SameBits(rotated(ones.data(), Of::kTokensFirst, run), plain));
        EXPECT_TRUE(SameBits(rotated(ones.data(), Of::kUnaligned, by_angles), plain));
      });
      if (HasFailure()) return;
    }
  }
}

// Tokens that go to slots are multiplied, too, and a slot that occurs twice has the last token with its own
// factor. Results may have another type than the source.
TEST_P(RotaryFactors, OfTokensThatGoToSlots) {
  constexpr std::size_t kTokens = 9, kHeads = 3, kDim = 40, kSlots = 8, kRow = kHeads * kDim;
  const std::int32_t list[kTokens] = {3, -1, 0, 7, 3, 5, 5, -1, 1};
  const std::vector<float> factors = FactorsOf(kTokens);
  for (const char* words : {"head_dim=40 rotary_dim=30 rotary_offset=5", "head_dim=40 pairing=neighbours",
                            "head_dim=40 rotary_dim=36 arithmetic=fast"}) {
    posenc_rotary_spec spec = RotarySpecOf(words);
    spec.target = target();
    const RotaryPtr rotary = CreateRotary(spec);
    ForEachType([&](auto element) {
      using T = decltype(element);
      PairMaker<float> maker(3);
      std::vector<float> source(kTokens * kRow);
      for (float& x : source) x = maker.Normal(-4, 4);
      std::vector<T> plain(kTokens * kRow), cache(kSlots * kRow), want(kSlots * kRow);
      posenc_heads heads = DenseHeads(plain.data(), kHeads, kDim);
      heads.source_type = POSENC_F32;
      heads.source = source.data();
      heads.scale = 0.7;
      heads.token_factors = factors.data();
      ASSERT_EQ(posenc_rotate(rotary.get(), 70, kTokens, &heads, 1), POSENC_OK);
      for (std::size_t t = 0; t < kTokens; ++t) {
        if (list[t] < 0) continue;
        std::copy_n(&plain[t * kRow], kRow, &want[static_cast<std::size_t>(list[t]) * kRow]);
      }
      const posenc_slots slots = {{POSENC_I32, list}, kSlots, 4, 4 * kRow, kRow};
      heads.data = cache.data();
      heads.source_token_stride = kRow;
      heads.slots = &slots;
      ASSERT_EQ(posenc_rotate(rotary.get(), 70, kTokens, &heads, 1), POSENC_OK);
      EXPECT_TRUE(SameBits(cache, want)) << words;
    });
  }
}

// posenc_rotate by -p multiplies by the factor as well. With scale 1 / factor^2, here a power of two, it
// takes back a rotation by whole quarter turns.
TEST_P(RotaryFactors, InverseMultipliesToo) {
  posenc_rotary_spec spec = MakeRotarySpec(8, target());
  const std::vector<double> quarters(4, 0.25);
  spec.frequencies = quarters.data();
  spec.frequency_count = 4;
  spec.unit = POSENC_TURNS;
  const RotaryPtr rotary = CreateRotary(spec);
  const std::vector<float> factors = {0.25f, 4.0f, 2.0f};
  std::vector<float> x(3 * 8), want(3 * 8);
  for (std::size_t k = 0; k < x.size(); ++k) {
    x[k] = static_cast<float>(k + 1);
    want[k] = x[k] * factors[k / 8] * factors[k / 8];
  }
  posenc_heads heads = DenseHeads(x.data(), 1, 8);
  heads.token_factors = factors.data();
  ASSERT_EQ(posenc_rotate(rotary.get(), 5, 3, &heads, 1), POSENC_OK);
  heads.inverse = 1;
  ASSERT_EQ(posenc_rotate(rotary.get(), 5, 3, &heads, 1), POSENC_OK);
  EXPECT_TRUE(SameBits(x, want));
}

POSENC_INSTANTIATE_PER_TARGET(RotaryFactors);

// Calls with many tensors check factors as calls with few. Factors of tensors without heads, and factors of
// no tokens, are not read.
TEST(FactorsOfManyTensors, AreChecked) {
  constexpr std::size_t kTensors = 40, kTokens = 2, kDim = 8;
  const RotaryPtr rotary = CreateRotary(MakeRotarySpec(kDim));
  std::vector<float> x(kTensors * kTokens * kDim, 1.0f);
  GuardedPages pages(kTokens * sizeof(float));
  float* const factors = reinterpret_cast<float*>(pages.end()) - kTokens;
  factors[0] = factors[1] = 2.0f;
  for (const std::size_t count : {std::size_t{2}, std::size_t{8}, std::size_t{9}, kTensors}) {
    std::vector<posenc_heads> tensors;
    for (std::size_t k = 0; k < count; ++k) {
      tensors.push_back(DenseHeads(&x[k * kTokens * kDim], 1, kDim));
      tensors.back().token_factors = factors;
    }
    const auto rotate = [&](std::size_t tokens) {
      return posenc_rotate(rotary.get(), 0, tokens, tensors.data(), count);
    };
    EXPECT_EQ(rotate(kTokens), POSENC_OK);
    const std::vector<float> before = x;
    for (const std::size_t wrong : {std::size_t{0}, count - 1}) {
      const float bad[kTokens] = {1.0f, 0.0f};
      tensors[wrong].token_factors = bad;
      EXPECT_EQ(rotate(kTokens), Refusal(rule::heads_factors)) << wrong << " of " << count;
      tensors[wrong].heads = 0;
      tensors[wrong].token_factors = reinterpret_cast<const float*>(pages.end());
      EXPECT_EQ(rotate(0), POSENC_OK);
      tensors[wrong].heads = 1;
      EXPECT_EQ(rotate(0), POSENC_OK);
      // The last factor is the first element that another tensor writes, or the first one the last element.
      for (const std::size_t other : {std::size_t{0}, count - 1}) {
        auto* const data = static_cast<float*>(tensors[other].data);
        for (float* const inside : {data - (kTokens - 1), data + kTokens * kDim - 1}) {
          if (inside < x.data() || inside + kTokens > x.data() + x.size()) continue;
          tensors[wrong].token_factors = inside;
          EXPECT_EQ(rotate(kTokens), Refusal(rule::overlap_factors)) << wrong << " of " << count;
        }
      }
      tensors[wrong].token_factors = factors;
    }
    EXPECT_TRUE(SameBits(x, before));
    tensors[0].heads = 0;
    tensors[0].token_factors = reinterpret_cast<const float*>(pages.end());
    EXPECT_EQ(rotate(kTokens), POSENC_OK);
  }
}

// Gain is never wrong about its product of three numbers.
TEST(GainOfThree, IsRoundedWellAndKnowsDoubles) {
  constexpr double kUnit = 0x1p-53;
  Random random(7);
  int doubles = 0, worst_of_sum = -1000;
  for (int k = 0; k < 200000; ++k) {
    const int digits = static_cast<int>(random.Below(4));
    const auto shortened = [&](double x, int drop) {
      return std::ldexp(std::floor(std::ldexp(x, drop)) + 0.5, -drop);  // has drop + 2 digits
    };
    internal::Gain gain{random.LongDouble(random.Exponent(20)), random.LongDouble(random.Exponent(20)),
                        random.LongFloat(random.Exponent(20)), false};
    if (digits > 0) gain.amplitude = std::ldexp(shortened(random.LongDouble(0), 8 + digits), 5);
    if (digits > 1) gain.scale = shortened(random.LongDouble(0), 16 + static_cast<int>(random.Below(9)));
    if (k % 7 == 0) gain.amplitude = 1.0;
    if (k % 11 == 0) gain.scale = 0.5;
    if (k % 13 == 0) gain.factor = 4.0f;
    if (k % 17 == 0) gain.factor = 1.0f;
    const oracle::Number exact = ProductOf(gain.amplitude, gain.scale, WideFactor(gain.factor));
    oracle::Number nearest(53), error(200);
    const bool is_double = mpfr_set(nearest, exact, MPFR_RNDN) == 0;
    doubles += is_double ? 1 : 0;
    ASSERT_EQ(gain.IsDouble(), is_double) << k;
    if (is_double) {
      ASSERT_EQ(gain.nearest(), mpfr_get_d(nearest, MPFR_RNDN)) << k;
    }
    mpfr_d_sub(error, gain.nearest(), exact, MPFR_RNDN);
    mpfr_div(error, error, exact, MPFR_RNDN);
    ASSERT_LE(std::fabs(mpfr_get_d(error, MPFR_RNDN)), kUnit * (1.0 + 0x1p-50)) << k;
    const internal::DoubleDouble sum = gain.Sum();
    ASSERT_EQ(sum.high + sum.low, sum.high) << k;
    mpfr_sub_d(error, exact, sum.high, MPFR_RNDN);
    mpfr_sub_d(error, error, sum.low, MPFR_RNDN);
    if (mpfr_zero_p(static_cast<mpfr_srcptr>(error)) != 0) continue;
    mpfr_div(error, error, exact, MPFR_RNDN);
    worst_of_sum = std::max(worst_of_sum, static_cast<int>(mpfr_get_exp(error)));
  }
  EXPECT_GT(doubles, 1000);
  EXPECT_LE(worst_of_sum, -103);
  EXPECT_GT(worst_of_sum, -112);  // so it was measured
}

}  // namespace
}  // namespace posenc
