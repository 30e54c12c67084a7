// POSENC_EXACT at angles that are chosen so that a sum is next to a midpoint although its terms cancel. Each
// element is the exact result for the given elements, rounded once. tools/verify/rotary_rows.cc has all other
// rotations.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "rotary_cases.h"

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

POSENC_INSTANTIATE_PER_TARGET(RotaryExact);

}  // namespace
}  // namespace posenc
