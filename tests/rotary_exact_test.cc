// POSENC_EXACT at angles that are chosen so that a sum is next to a midpoint although its terms cancel. Each
// element is the exact result for the given elements, rounded once. tools/verify/rotary_rows.cc has all other
// rotations.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

#include "rotary_cases.h"
#include "verify/inputs.h"

namespace posenc {
namespace {

class RotaryExact : public PerTarget {};

// A pair and an angle. One of the rotated sums is next to a midpoint, and may be much smaller than its terms.
template <class T>
struct Cancelling {
  T a, b;
  double angle;

  Cancelling(PairMaker<T>& maker, std::mt19937& random, int k)
      : a(maker.Normal(kExponent, kExponent)), b(maker.Normal(kExponent - 7, kExponent)) {
    const int digits = TraitsOf(TypeOf<T>()).digits;
    const auto wide_a = static_cast<double>(Value(a)), wide_b = static_cast<double>(Value(b));
    const double part = std::ldexp(0.5, kExponent - k % 24), half = std::ldexp(1.0, -digits);
    const double ulp = sizeof(T) == 4 ? std::ldexp(0x1p-52, kExponent) : part * 0x1p-23;
    const auto middle = static_cast<double>(random() % (1u << (digits - 1)) * 2 + 1);
    const double sum = part * (1.0 + middle * half) + ulp * (k / 24 % 13 - 6);
    const double cosine = sum / std::hypot(wide_a, wide_b);  // of angle + atan2(b, a), or the sine
    angle = (k % 2 == 0 ? std::acos(cosine) : std::asin(cosine)) - std::atan2(wide_b, wide_a);
  }

  static constexpr int kExponent = 10;  // so that the sum is a normal float16
};

// A hard pair at one token, among easy ones.
template <class T>
struct HardPair {
  std::size_t token, pair;
  Rotated<T> before;
};

// Rotates all hard pairs by rotate(rotary, heads) in both pairings, and compares them with the oracle.
template <class T, class Rotate>
void ExpectHardPairs(posenc_rotary_spec spec, const std::vector<double>& positions,
                     const std::vector<HardPair<T>>& hard, const Rotate& rotate) {
  PairMaker<T> maker(13);
  oracle::RotaryOracle oracle(spec);
  const std::size_t dim = spec.head_dim;
  for (const posenc_pairing pairing : kPairings) {
    spec.pairing = pairing;
    std::vector<T> x(positions.size() * dim);
    for (T& value : x) value = maker.Normal(-6, -6);
    const auto place = [&](const HardPair<T>& h) {
      const ElementIndices at = IndicesOf(pairing, h.pair, oracle.pairs());
      return std::pair<T*, T*>(&x[h.token * dim + at.a], &x[h.token * dim + at.b]);
    };
    for (const HardPair<T>& h : hard) {
      *place(h).first = h.before.x;
      *place(h).second = h.before.y;
    }
    const posenc_heads heads = DenseHeads(x.data(), 1, dim);
    ASSERT_EQ(rotate(CreateRotary(spec).get(), heads), POSENC_OK);
    for (const HardPair<T>& h : hard) {
      const ScaledAngle angle(&oracle, h.pair, positions[h.token], {});
      const Rotated<T> want = angle.Rotate(h.before.x, h.before.y);
      const auto [got_x, got_y] = place(h);
      ASSERT_TRUE(SameBits(*got_x, want.x) && SameBits(*got_y, want.y))
          << std::hexfloat << Value(h.before.x) << ", " << Value(h.before.y) << " at " << positions[h.token]
          << ": " << Value(*got_x) << ", " << Value(*got_y) << ", not " << Value(want.x) << ", "
          << Value(want.y) << ", pair " << h.pair << ", pairing " << pairing;
    }
  }
}

TEST_P(RotaryExact, MidpointsOfSumsThatCancel) {
  const std::vector<double> ones(32, 1.0);
  ForEachType([&](auto element) {
    using T = decltype(element);
    PairMaker<T> maker(11);
    std::mt19937 random(12);
    std::vector<double> positions;
    std::vector<HardPair<T>> hard;
    for (int k = 0; k < (IsReference() ? 100 : 6000); ++k) {
      const Cancelling<T> pair(maker, random, k);
      hard.push_back({positions.size(), 5, {pair.a, pair.b}});
      positions.push_back(pair.angle);
    }
    ExpectHardPairs<T>(ListedSpec(ones, target()), positions, hard,
                       [&](posenc_rotary* rotary, const posenc_heads& heads) {
                         return posenc_rotate_at(rotary, PointerTo(List(POSENC_F64, positions.data())),
                                                 positions.size(), &heads, 1, nullptr);
                       });
  });
}

// The same for consecutive tokens. Each fourth pair has a frequency that puts its sums next to midpoints at
// one of the tokens. So a vector has one such pair or a few.
TEST_P(RotaryExact, MidpointsOfSumsThatCancelInARun) {
  constexpr std::size_t kPairs = 256, kTokens = 16;
  constexpr int kFirst = 3;
  for (std::size_t round = 0; round < (IsReference() ? 1 : 24); ++round) {
    ForEachType([&](auto element) {
      using T = decltype(element);
      PairMaker<T> maker(21);
      std::mt19937 random(static_cast<unsigned>(22 + round));
      std::vector<double> frequencies(kPairs, 0.5);
      std::vector<HardPair<T>> hard;
      for (std::size_t i = 0; i < kPairs; i += 4) {
        const Cancelling<T> pair(maker, random, static_cast<int>(i / 4 + 64 * round));
        hard.push_back({i / 4 % kTokens, i, {pair.a, pair.b}});
        frequencies[i] = pair.angle / static_cast<double>(kFirst + i / 4 % kTokens);
      }
      ExpectHardPairs<T>(ListedSpec(frequencies, target()), Consecutive<double>(kFirst, kTokens), hard,
                         [&](posenc_rotary* rotary, const posenc_heads& heads) {
                           return posenc_rotate(rotary, kFirst, kTokens, &heads, 1);
                         });
    });
  }
}

// The last pairs of a head may fill no vector. They are rotated in a buffer, beside pairs of ones that no
// head has. The scales are midpoints: so the pairs of ones are undecided. Some heads have elements that slow
// tiers rotate. There are more heads than the buffer has room for.
TEST_P(RotaryExact, LastPairsHaveTheBitsOfTheReference) {
  if (IsReference()) GTEST_SKIP() << "it would be compared with itself";
  constexpr std::size_t kTokens = 2;
  constexpr tools::Inputs kKinds[] = {tools::Inputs::kNormal, tools::Inputs::kSpecial, tools::Inputs::kTiny,
                                      tools::Inputs::kMiddle, tools::Inputs::kNormal,  tools::Inputs::kZeros,
                                      tools::Inputs::kLargest};
  for (const std::size_t pairs : {1u, 2u, 3u, 5u, 6u, 7u, 9u, 14u, 15u, 17u, 24u, 31u, 40u, 62u}) {
    for (const posenc_pairing pairing : kPairings) {
      RotaryPtr rotaries[] = {{nullptr, nullptr}, {nullptr, nullptr}};
      for (const bool is_reference : {false, true}) {
        posenc_rotary_spec spec = MakeRotarySpec(2 * pairs, is_reference ? kReference : target());
        spec.pairing = pairing;
        rotaries[is_reference ? 1 : 0] = CreateRotary(spec);
      }
      ForEachType([&](auto element) {
        using T = decltype(element);
        const std::size_t heads = pairs == 5 ? 70 : 9;
        std::vector<T> x(kTokens * heads * 2 * pairs);
        for (std::size_t k = 0; k < x.size() / 2; ++k) {
          const std::size_t head = k / pairs;
          const tools::InputPair pair = tools::MakeInput(kKinds[head % std::size(kKinds)], TypeOf<T>(),
                                                         TypeOf<T>(), tools::HashOf(6, head, 0, k), 1.0, 0.0);
          const ElementIndices at = IndicesOf(pairing, k % pairs, pairs);
          x[head * 2 * pairs + at.a] = FromBits<T>(pair.a);
          x[head * 2 * pairs + at.b] = FromBits<T>(pair.b);
        }
        for (const double scale : {1.0, 1.0 + std::ldexp(1.0, -TraitsOf(TypeOf<T>()).digits)}) {
          std::vector<T> results[] = {x, x};
          for (std::size_t k = 0; k < 2; ++k) {
            posenc_heads of_token = DenseHeads(results[k].data(), heads, 2 * pairs);
            of_token.scale = scale;
            ASSERT_EQ(posenc_rotate(rotaries[k].get(), 1000, kTokens, &of_token, 1), POSENC_OK);
          }
          EXPECT_TRUE(SameBits(results[0], results[1]))
              << pairs << " pairs, pairing " << pairing << ", scale " << scale;
        }
      });
    }
  }
}

// At odd eighths of a turn one sum of a pair with |a| = |b| is 0, and the other one may be an infinity. In
// double the first sum is not 0, but far smaller than the other one.
TEST_P(RotaryExact, EighthsOfATurnHaveTheBitsOfTheReference) {
  if (IsReference()) GTEST_SKIP() << "it would be compared with itself";
  constexpr std::size_t kPairs = 64, kHeads = 6, kTokens = 4;
  std::vector<double> turns(kPairs, 0.125);
  for (std::size_t i = 0; i < kPairs; i += 3) turns[i] = 0.375;
  for (const posenc_pairing pairing : kPairings) {
    ForEachType([&](auto element) {
      using T = decltype(element);
      constexpr std::uint64_t kSign = std::uint64_t{1} << (8 * sizeof(T) - 1);
      const std::uint64_t sizes[] = {BitsOf(Largest<T>()), 3, oracle::Pack(TypeOf<T>(), 1.0), 0};
      std::mt19937 random(31);
      std::vector<T> x(kTokens * kHeads * 2 * kPairs);
      for (std::size_t k = 0; k < x.size() / 2; ++k) {
        const std::size_t head = k / kPairs;
        const std::uint64_t size = sizes[head % kHeads < 4 ? head % kHeads : random() % 4];
        const ElementIndices at = IndicesOf(pairing, k % kPairs, kPairs);
        x[head * 2 * kPairs + at.a] = FromBits<T>(size | (random() % 2 == 0 ? kSign : 0));
        x[head * 2 * kPairs + at.b] = FromBits<T>(size | (random() % 2 == 0 ? kSign : 0));
      }
      for (const double scale : {1.0, 0x1p-40, 0x1.8p7, 0x1p8, 0x1.08p8, 0x1p64}) {
        std::vector<T> results[] = {x, x};
        for (const bool is_reference : {false, true}) {
          posenc_rotary_spec spec = ListedSpec(turns, is_reference ? kReference : target());
          spec.unit = POSENC_TURNS;
          spec.pairing = pairing;
          posenc_heads heads = DenseHeads(results[is_reference ? 1 : 0].data(), kHeads, 2 * kPairs);
          heads.scale = scale;
          ASSERT_EQ(posenc_rotate(CreateRotary(spec).get(), 1, kTokens, &heads, 1), POSENC_OK);
        }
        EXPECT_TRUE(SameBits(results[0], results[1])) << "pairing " << pairing << ", scale " << scale;
      }
    });
  }
}

// Beside quarter turns angle addition may give a tiny cosine or sine the wrong sign, and so a sum with an
// infinity, too. Here vectors have infinities and NaNs beside numbers.
TEST_P(RotaryExact, InfinitiesBesideNumbersHaveTheBitsOfTheReference) {
  if (IsReference()) GTEST_SKIP() << "it would be compared with itself";
  constexpr std::size_t kPairs = 64, kHeads = 4, kTokens = 8;
  std::vector<double> frequencies(kPairs);  // positions 4 and 8 are next to quarter turns
  for (std::size_t i = 0; i < kPairs; ++i)
    frequencies[i] = static_cast<double>(2 * i + 1) * 0x1.921fb54442d18p-2;
  for (const posenc_pairing pairing : kPairings) {
    ForEachType([&](auto element) {
      using T = decltype(element);
      constexpr std::uint64_t kSign = std::uint64_t{1} << (8 * sizeof(T) - 1);
      const std::uint64_t infinity = oracle::Pack(TypeOf<T>(), HUGE_VAL),
                          one = oracle::Pack(TypeOf<T>(), 1.0);
      std::mt19937 random(32);
      std::vector<T> x(kTokens * kHeads * 2 * kPairs);
      for (std::size_t k = 0; k < x.size(); ++k) {
        const std::uint64_t sizes[] = {infinity, one, one, k / 64 % 3 == 0 ? infinity + 1 : one};
        x[k] = FromBits<T>(sizes[random() % 4] | (random() % 2 == 0 ? kSign : 0));
      }
      std::vector<T> results[] = {x, x};
      for (const bool is_reference : {false, true}) {
        posenc_rotary_spec spec = ListedSpec(frequencies, is_reference ? kReference : target());
        spec.pairing = pairing;
        const posenc_heads heads = DenseHeads(results[is_reference ? 1 : 0].data(), kHeads, 2 * kPairs);
        ASSERT_EQ(posenc_rotate(CreateRotary(spec).get(), 1, kTokens, &heads, 1), POSENC_OK);
      }
      EXPECT_TRUE(SameBits(results[0], results[1])) << "pairing " << pairing;
    });
  }
}

POSENC_INSTANTIATE_PER_TARGET(RotaryExact);

}  // namespace
}  // namespace posenc
