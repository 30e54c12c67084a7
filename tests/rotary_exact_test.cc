// POSENC_EXACT: each element is the exact result for the given elements, rounded once. Compared with the
// oracle in every type and pairing, in place or not, at many positions, amplitudes and dims.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "rotary_tensors.h"

namespace posenc {
namespace {

// Amplitudes and scales. Their product need not be a double.
const RotaryGain kGains[] = {{1.0, 1.0, false},     {1.3465735902799727, 1.0, false},
                             {1.0, 0x1p-64, false}, {0x1.fffffffcp63, 1.0, false},
                             {0.1, 1.0, false},     {1.3465735902799727, 0.1, false}};

class RotaryExact : public ExactPerTarget {};

TEST_P(RotaryExact, ElementsOfEveryKind) {
  for (const std::size_t dim : {2u, 4u, 6u, 64u, 80u, 128u, 130u, 256u, 1024u}) {
    if (IsReference() && dim > 130) continue;
    const posenc_rotary_spec spec = Spec(dim);
    const AngleTable angles(spec, RotaryPositions());
    const std::size_t heads = std::max<std::size_t>(1, (IsReference() ? 36 : 128) / dim);
    for (const RotaryGain& gain : kGains) {
      ExpectKinds(spec, angles, heads, gain);
      if (HasFailure()) return;
    }
  }
}

// Some tokens are consecutive, and some are not.
TEST_P(RotaryExact, Runs) {
  const std::vector<double> large = {1e9, 3e8, 7e6};
  for (const std::size_t dim : {6u, 64u, 202u}) {
    if (IsReference() && dim > 6) continue;
    // Positions that differ a little give very different phases.
    const posenc_rotary_spec spec = dim == 6 ? Listed(large) : Spec(dim);
    const AngleTable angles(spec, RotaryRuns());
    for (const RotaryGain& gain : kGains) {
      ExpectKinds(spec, angles, 2, gain);
      if (HasFailure()) return;
    }
  }
}

// One hard pair in each vector, however long, among pairs that stay in the loop.
TEST_P(RotaryExact, KindsAmongOrdinaryPairs) {
  std::vector<std::size_t> kinds;
  for (std::size_t kind = 2; kind < PairMaker<float>::kKinds; ++kind) {
    kinds.resize(kinds.size() + 29);
    kinds.push_back(kind);
  }
  for (const std::size_t dim : {64u, 120u, 202u}) {
    if (IsReference() && dim > 64) continue;
    const posenc_rotary_spec spec = Spec(dim);
    const AngleTable angles(spec, {0.0, 1.0, -131071.0, 0.5, 0x1p31});
    for (const RotaryGain& gain : kGains) {
      ExpectKinds(spec, angles, IsReference() ? 2 : 8, gain, kinds);
      if (HasFailure()) return;
    }
  }
}

// Many hard pairs in a row: more than one vector leaves the loop.
TEST_P(RotaryExact, NothingButHardPairs) {
  const std::size_t heads = IsReference() ? 2 : 12;
  for (const std::size_t dim : {6u, 202u}) {
    const posenc_rotary_spec spec = Spec(dim);
    const AngleTable angles(spec, {1.0, 0x1p31, 1e-3});
    for (const RotaryGain& gain : {kGains[0], kGains[5]}) {
      ExpectKinds(spec, angles, heads, gain, {13, 14});
      ExpectKinds(spec, angles, heads, gain, {2, 3, 12});
      ExpectKinds(spec, angles, heads, gain, {6, 7, 8});
      ExpectKinds(spec, angles, heads, gain, {13, 0, 0, 0, 0, 0, 0});
      if (HasFailure()) return;
    }
  }
}

// All pairs of bfloat16 around 1. For float16 every first element, with some second elements.
TEST_P(RotaryExact, SixteenBitGridsAroundOne) {
  constexpr std::size_t kDim = 64;
  const posenc_rotary_spec spec = Spec(kDim);
  for (const double position : {1.0, 131071.0, -7.0, 0.5}) {
    const AngleTable angles(spec, {position});
    const std::size_t share = IsReference() ? 32 : 1;
    const auto expect = [&](auto element, std::uint16_t half, std::size_t firsts, std::size_t seconds) {
      using T = decltype(element);
      std::size_t k = 0;
      ExpectOf<T>(spec, angles, firsts * seconds / (kDim / 2) / share, kGains[position == 0.5 ? 1 : 0],
                  [&](PairMaker<T>& maker, const ScaledAngle&, std::size_t, std::size_t) {
                    const std::size_t at = k;
                    k += share;
                    const T a = FromBits<T>(half + at % firsts);
                    if (seconds == 64) return Rotated<T>{a, maker.Normal(-8, 1)};
                    const std::size_t b = at / firsts % seconds;
                    return Rotated<T>{a, FromBits<T>(half + b / 2 + 0x8000 * (b % 2))};
                  });
    };
    expect(BFloat16(), 0x3F00, 256, 512);  // from 1/2 to 2; the second element also negative
    if (HasFailure()) return;
    expect(Float16(), 0x3800, 2048, 64);
    if (HasFailure()) return;
  }
}

// Sums that are midpoints of two numbers, or 0: at angle 0, at quarter turns, and at eighths of a turn.
TEST_P(RotaryExact, TiesAndZeros) {
  std::vector<double> positions = {0.0, -0.0};
  for (int k = -5; k <= 9; ++k) positions.push_back(k * 0.125);
  positions.push_back(0x1p31);
  positions.push_back(0x1p31 - 0.125);
  posenc_rotary_spec in_turns = Spec(8);
  in_turns.unit = POSENC_TURNS;
  in_turns.base = 16.0;  // 1, 1/2, 1/4, 1/8
  const AngleTable angles(in_turns, positions);
  const posenc_rotary_spec spec = Spec(20);
  const AngleTable at_zero(spec, {0.0, -0.0});
  for (const double amplitude :
       {1.0, 1.5, 0.5, 0.25, 1.25, 1.0 + 0x1p-24, 1.0 + 0x1p-8, 1.0 - 0x1p-12, 0x1.000001p-64}) {
    for (const double scale : {1.0, 1.0 - 0x1p-52}) {
      ExpectKinds(in_turns, angles, IsReference() ? 2 : 5, {std::max(amplitude, 0x1p-63), scale, false});
      ExpectKinds(spec, at_zero, IsReference() ? 4 : 18, {std::max(amplitude, 0x1p-63), scale, false});
      if (HasFailure()) return;
    }
  }
}

// The same with rational frequencies that are not binary fractions: 1, 1/3, 1/9 and 1/27 of a turn. Elements
// only change places or signs, so infinities meet zeros.
TEST_P(RotaryExact, WholeQuarterTurnsByThirds) {
  posenc_rotary_spec spec = Spec(8);
  spec.unit = POSENC_TURNS;
  spec.base = 81.0;
  std::vector<double> positions;
  for (int quarters = -12; quarters <= 12; ++quarters) positions.push_back(6.75 * quarters);
  const AngleTable angles(spec, positions);
  std::size_t k = 0;
  Expect(spec, angles, 1, kGains[0], [&](auto& maker, const ScaledAngle&, std::size_t, std::size_t) {
    auto pair = maker.Make(17, 1.0, 0.0, 1.0);
    if (++k % 5 == 0) pair.x = Nearest<decltype(pair.x)>(HUGE_VAL);
    if (k % 7 == 0) pair.y = Nearest<decltype(pair.y)>(-HUGE_VAL);
    return pair;
  });
}

// Sums of nearly half the smallest number, where 256 bits may not decide. Either element of the pair may be
// the larger.
TEST_P(RotaryExact, HalfOfTheLeastNumber) {
  const posenc_rotary_spec spec = Spec(2);  // 1 radian for each position
  const std::vector<double> positions = {0x1p-130, -0x1p-130, 0x1p-125, -0x1p-140, 0x1p-140};
  const AngleTable angles(spec, positions);
  ForEachType([&](auto element) {
    using T = decltype(element);
    if (TypeOf<T>() == POSENC_F16) return;  // its smallest number is too large for such angles
    const double least = std::ldexp(1.0, LeastExponent<T>());
    ExpectOf<T>(spec, angles, 48, kGains[0],
                [&](PairMaker<T>&, const ScaledAngle& angle, std::size_t h, std::size_t) {
                  // One element is n times the smallest number. With the other one the sum is n + 1/2 or n -
                  // 1/2 times it.
                  const double n = static_cast<double>(h % 6 + 1) * (h % 2 == 0 ? 1.0 : -1.0);
                  const double other =
                      (n + (h / 6 % 2 == 0 ? 0.5 : -0.5)) * least / angle.Sine() * (h / 24 == 0 ? -1.0 : 1.0);
                  const Rotated<T> pair = {Nearest<T>(other), Nearest<T>(n * least)};
                  return h / 12 % 2 == 0 ? pair : Rotated<T>{pair.y, pair.x};
                });
  });
}

// Sums next to midpoints, at angles so small that only thousands of bits show that they are not 0.
TEST_P(RotaryExact, TiesThatTinyAnglesBreak) {
  const posenc_rotary_spec spec = Spec(12);
  const AngleTable angles(spec, {0x1p-1000, -0x1p-1000, 0x1p-70, -0x1p-130, 0x1p-260, 0x1p-511, 0x1p-600,
                                 -0x1p-800, -0x1p-1074, 0x1.8p-513});
  for (const double amplitude : {1.0, 1.5, 0.75, 1.0 + 0x1p-24}) {
    ExpectKinds(spec, angles, IsReference() ? 4 : 18, {amplitude, 1.0, false});
    if (HasFailure()) return;
  }
}

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
    ExpectHardPairs<T>(Listed(ones), positions, hard, [&](posenc_rotary* rotary, const posenc_heads& heads) {
      return posenc_rotate_at(rotary, PointerTo(List(POSENC_F64, positions.data())), positions.size(), &heads,
                              1, nullptr);
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
      ExpectHardPairs<T>(Listed(frequencies), Consecutive<double>(kFirst, kTokens), hard,
                         [&](posenc_rotary* rotary, const posenc_heads& heads) {
                           return posenc_rotate(rotary, kFirst, kTokens, &heads, 1);
                         });
    });
  }
}

// Every NaN becomes the canonical NaN. Infinities follow IEEE arithmetic.
TEST_P(RotaryExact, NansAndInfinities) {
  posenc_rotary_spec in_turns = Spec(8);
  in_turns.unit = POSENC_TURNS;
  in_turns.base = 16.0;
  const std::vector<double> positions = {-0.0, 1.0, -0.75, 0.125, 3.1, 0x1p-1000};
  for (const posenc_rotary_spec& spec : {in_turns, Spec(10), Spec(64)}) {
    const AngleTable angles(spec, positions);
    const bool are_rare = spec.head_dim == 64;  // one in each vector
    ForEachType([&](auto element) {
      using T = decltype(element);
      std::vector<T> numbers = {Nearest<T>(HUGE_VAL), Nearest<T>(-HUGE_VAL), Nearest<T>(0.0),
                                Nearest<T>(-0.0),     Largest<T>(),          Nearest<T>(1.0),
                                Nearest<T>(-2.5),     FromBits<T>(1)};
      for (std::size_t k = 0; k < 5; ++k) numbers.push_back(OddNan<T>(k));
      const std::size_t count = numbers.size();
      for (const RotaryGain& gain : {kGains[0], kGains[3]}) {
        ExpectOf<T>(spec, angles, are_rare ? 3 * count : count * count, gain,
                    [&](PairMaker<T>& maker, const ScaledAngle&, std::size_t h, std::size_t i) {
                      if (are_rare && i % 16 != h % 16)
                        return Rotated<T>{maker.Normal(-4, 4), maker.Normal(-4, 4)};
                      const std::size_t k = ((are_rare ? 29 : 1) * h + i) % (count * count);
                      return Rotated<T>{numbers[k % count], numbers[k / count]};
                    });
      }
    });
    if (HasFailure()) return;
  }
}

// A part of the head rotates. The other elements stay, or are copied.
TEST_P(RotaryExact, PartsOfHeads) {
  const struct {
    std::size_t head_dim, rotary_dim, offset;
  } parts[] = {{3, 2, 0},   {3, 2, 1},   {80, 32, 0},    {80, 32, 48},
               {80, 32, 5}, {96, 0, 64}, {576, 64, 512}, {65536, 34, 65501}};
  for (const auto& part : parts) {
    posenc_rotary_spec spec = Spec(part.head_dim);
    spec.rotary_dim = part.rotary_dim;
    spec.rotary_offset = part.offset;
    const AngleTable angles(spec, {0.0, 7.0, -1048575.0, 0.5});
    ExpectKinds(spec, angles, part.head_dim > 1000 ? 1 : 5, kGains[1]);
    if (HasFailure()) return;
  }
}

// Heads with more pairs than the buffers hold are rotated in pieces: with parts that end inside a piece, with
// axes, whole turns and rounded phases.
TEST_P(RotaryExact, LargeHeads) {
  const RotaryGain gain = {1.25, 1.0, false};
  const std::vector<double> positions = {0.0, 7.0, -1048575.0, 0.5};
  const auto expect = [&](const posenc_rotary_spec& spec, const std::vector<double>& at) {
    ExpectKinds(spec, AngleTable(spec, at), 1, gain);
  };
  posenc_rotary_spec spec = Spec(1100);
  spec.rotary_dim = 1054;
  spec.rotary_offset = 3;
  expect(spec, positions);
  if (IsReference()) return;
  spec.unit = POSENC_TURNS;
  expect(spec, positions);
  spec.unit = POSENC_RADIANS;
  for (const posenc_phase_rounding rounding : {POSENC_F32_INV_FREQ, POSENC_F32_ITERATED}) {
    spec.phase_rounding = rounding;
    expect(spec, positions);
    if (HasFailure()) return;
  }
  spec.axes = 2;
  spec.sections[0] = 520;
  spec.sections[1] = 7;
  expect(spec, positions);
  spec.phase_rounding = POSENC_NO_PHASE_ROUNDING;
  expect(spec, positions);
  expect(Spec(POSENC_MAX_ROTARY_DIM), {-3.0});
}

// Other values of position_scale and of exponent_dim.
TEST_P(RotaryExact, OtherSchedules) {
  posenc_rotary_spec spec = Spec(64);
  spec.base = 1e6;
  spec.position_scale = 0.3;
  spec.exponent_dim = 77.5;
  ExpectKinds(spec, AngleTable(spec, RotaryPositions()), 2, kGains[1]);
  const std::vector<double> list = {1.0, 0.1, 0.0, -0.25, 1e-6};
  ExpectKinds(Listed(list), AngleTable(Listed(list), RotaryPositions()), 18, kGains[1]);
}

POSENC_INSTANTIATE_PER_TARGET(RotaryExact);

}  // namespace
}  // namespace posenc
