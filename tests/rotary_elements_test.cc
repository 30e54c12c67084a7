// Unusual elements: whole heads of a kind, or one in a head at each place. The rotation is correct by the
// oracle, and hardly any pair needs wide arithmetic, whatever its elements are.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "api/handle.h"
#include "double_positions.h"
#include "rotary_tensors.h"

namespace posenc {
namespace {

constexpr const char* kKinds[] = {"nan",   "inf",    "subnormal",         "overflow", "wide",
                                  "zeros", "random", "ones_beside_zeros", "ties"};

// A pair of the given kind.
template <class T>
Rotated<T> PairOf(const std::string& kind, PairMaker<T>& maker, std::size_t k) {
  constexpr ElementTraits kTraits = TraitsOf(TypeOf<T>());
  const T one = Nearest<T>(1.0), zero = Nearest<T>(k % 3 == 0 ? -0.0 : 0.0);
  const auto sign = [&](std::size_t bit) { return (k >> bit & 1) != 0 ? -1.0 : 1.0; };
  if (kind == "nan") return {OddNan<T>(k % 5), k % 2 == 0 ? OddNan<T>(k / 2 % 5) : one};
  if (kind == "inf") {
    return {Nearest<T>(sign(0) * HUGE_VAL), k % 4 < 2   ? one
                                            : k % 8 < 4 ? zero
                                                        : Nearest<T>(sign(3) * HUGE_VAL)};
  }
  if (kind == "subnormal") return maker.Make(5, 1.0, 0.0, 1.0);
  if (kind == "overflow") {
    const double most = static_cast<double>(Value(Largest<T>()));
    return {Nearest<T>(sign(0) * most),
            Nearest<T>(sign(1) * most * (1.0 - static_cast<double>(k % 3) / 256.0))};
  }
  if (kind == "wide") {
    const int range = (kTraits.max_exponent - kTraits.min_exponent) / 2 - 2;
    return {maker.Normal(-range, range), maker.Normal(-range, range)};
  }
  if (kind == "zeros") return {zero, k % 2 == 0 ? zero : Nearest<T>(0.0)};
  if (kind == "random") return {FromBits<T>(maker.Bits()), FromBits<T>(maker.Bits())};
  if (kind == "ones_beside_zeros") return k % 2 == 0 ? Rotated<T>{one, zero} : Rotated<T>{zero, one};
  return {FromBits<T>(k % 7), zero};
}

class RotaryElements : public ExactPerTarget {};

// Some tokens are consecutive, so that their angles are added, and some are not.
TEST_P(RotaryElements, WholeHeads) {
  const posenc_rotary_spec spec = Spec(IsReference() ? 10 : 76);
  const AngleTable angles(spec, {0.0, 1.0, 2.0, 1000.0, 1001.0, 1002.0, 0x1p-1000, -0x1p-1074, 0.5});
  for (const RotaryGain& gain :
       {RotaryGain{1.0, 1.0, false}, RotaryGain{1.0, 0.75, false}, RotaryGain{1.3465735902799727, 0.1, false},
        RotaryGain{1.0, 0x1p-20 * 1.25, false}, RotaryGain{0x1.8p40, 1.0, false}}) {
    for (const char* kind : kKinds) {
      SCOPED_TRACE(kind);
      std::size_t k = 0;
      Expect(spec, angles, IsReference() ? 1 : 3, gain,
             [&](auto& maker, const ScaledAngle&, std::size_t, std::size_t) {
               return PairOf(kind, maker, k++);
             });
      if (HasFailure()) return;
    }
  }
}

// One unusual pair in each head, among ordinary ones. It comes to be in each lane of the longest vectors.
TEST_P(RotaryElements, OneInAHead) {
  constexpr std::size_t kPairs = 36;
  const auto expect = [&](const posenc_rotary_spec& spec, const std::vector<double>& positions,
                          const char* kind) {
    SCOPED_TRACE(kind);
    std::size_t k = 0;
    Expect(spec, AngleTable(spec, positions), IsReference() ? 2 : kPairs, {1.0, 1.0, false},
           [&](auto& maker, const ScaledAngle&, std::size_t h, std::size_t i) {
             ++k;
             return i == h % kPairs ? PairOf(kind, maker, k) : maker.Make(0, 1.0, 0.0, 1.0);
           });
  };
  for (const char* kind : kKinds) expect(Spec(2 * kPairs), {17.0, 18.0}, kind);
  // Sines and cosines so small that angle addition may give them the wrong sign.
  std::vector<double> eighths(kPairs);  // nearly, in half turns
  for (std::size_t i = 0; i < kPairs; ++i) eighths[i] = static_cast<double>(2 * i + 1) * kPi / 8.0;
  expect(Listed(eighths), {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}, "inf");
}

// Next to whole quarter turns, a gain with few digits makes midpoints that only the smaller term decides. At
// odd eighths of a turn, elements of the same size cancel. Some cases are chosen so that two doubles decide
// wrongly.
TEST_P(RotaryElements, BesideKnownAngles) {
  const double late =
      0x1p-27 * (1.0 + 0x1p-32) / (2.0 * kPi);  // -8 sin(t) is half an ulp, and cos(t) is less
  const std::vector<double> frequencies = {
      1.0 / 12.0,    5.0 / 12.0, 1.0 / 6.0, 0.25 - 0x1p-54,  0.25 + 0x1p-53, -0.25 + 0x1p-54, 0.5 + 0x1p-53,
      1.0 - 0x1p-53, 0.125,      -0.375,    0.125 + 0x1p-55, 0.25,           0x1p-60,         late};
  posenc_rotary_spec spec = Listed(frequencies);
  spec.unit = POSENC_TURNS;
  const AngleTable angles(spec, {1.0, 2.0, 3.0, 6.0, 9.0, 33.0, 0x1.8p22, -3.0, 0.5});
  ForEachType([&](auto element) {
    using T = decltype(element);
    const auto of = [](double x) { return Nearest<T>(x); };
    std::vector<double> scales = {1.0, 0.75, 0.6875, 0x1.8p20, 0.1};
    const double half_ulp = std::ldexp(1.0, -TraitsOf(TypeOf<T>()).digits);
    for (int k = 1; k < 12; k += 2) {  // times 3, or times 2 sqrt(1/2), they are next to midpoints
      scales.push_back((1.0 + k * half_ulp) / 3.0);
      scales.push_back((1.0 + k * half_ulp) / std::sqrt(2.0));
    }
    for (const double scale : scales) {
      SCOPED_TRACE(scale);
      std::size_t k = 0;
      ExpectOf<T>(spec, angles, IsReference() ? 2 : 22, {1.0, scale, false},
                  [&](PairMaker<T>& maker, const ScaledAngle&, std::size_t, std::size_t) -> Rotated<T> {
                    const T a = maker.Normal(-2, 2), b = maker.Normal(-2, 2);
                    const double value = static_cast<double>(Value(a)), odd = 1.0 + 0x1p-23;
                    const Rotated<T> pairs[] = {{a, b},
                                                {a, a},
                                                {a, of(-value)},
                                                {a, of(0.0)},
                                                {of(0.0), b},
                                                {of(1), of(1)},
                                                {of(3), of(3)},
                                                {of(3), of(-3)},
                                                {of(odd), of(-8)},
                                                {of(odd), of(8)},
                                                {a, maker.Normal(-60, 0)}};
                    return pairs[k++ % 11];
                  });
      if (HasFailure()) return;
    }
  });
}

// With 40 heads for each token, fewer than one pair in a thousand needs wide arithmetic, and fewer than one
// in ten is queued. (Whole vectors are queued: with wide float16 in vectors of 128 bits, one pair in five,
// because one of four lanes is enough.)
TEST_P(RotaryElements, HardlyAnyIsWide) {
  if (IsReference()) GTEST_SKIP() << "the reference computes all pairs in wide arithmetic";
  constexpr std::size_t kHeads = 40, kPairs = 64, kTokens = 16, kAll = kTokens * kHeads * kPairs;
  const std::string target = GetParam().name;
  const bool is_wide_vector = target.find("AVX") == 0;
  for (const posenc_pairing pairing : kPairings) {
    posenc_rotary_spec spec = Spec(2 * kPairs);
    spec.pairing = pairing;
    const RotaryPtr rotary = CreateRotary(spec);
    for (const char* kind : kKinds) {
      for (const bool is_one : {false, true}) {
        ForEachType([&](auto element) {
          using T = decltype(element);
          PairMaker<T> maker(5);
          std::vector<T> x(2 * kAll);
          for (std::size_t k = 0; k < kAll; ++k) {
            const std::size_t head = k / kPairs;
            const bool is_odd = !is_one || k % kPairs == head * 7 % kPairs;
            const Rotated<T> pair = is_odd ? PairOf(kind, maker, k) : maker.Make(0, 1.0, 0.0, 1.0);
            const ElementIndices at = IndicesOf(pairing, k % kPairs, kPairs);
            x[head * 2 * kPairs + at.a] = pair.x;
            x[head * 2 * kPairs + at.b] = pair.y;
          }
          const posenc_heads heads = DenseHeads(x.data(), kHeads, 2 * kPairs);
          const internal::Tally tally =
              internal::WalkTokens(rotary->rotary, {1000, internal::List(), 1, kTokens}, {&heads, 1});
          EXPECT_LE(tally.recomputed, kAll / 1000) << kind << (is_one ? ", one a head" : "");
          EXPECT_LE(tally.wide_sin_cos, kAll / 1000) << kind << (is_one ? ", one a head" : "");
          EXPECT_LE(tally.doubles, is_one ? 4 * kTokens * kHeads : kAll / (is_wide_vector ? 10 : 4))
              << kind << (is_one ? ", one a head" : "");
          if (is_one && target == "AVX2" && std::is_same_v<T, float>) {  // direct angles leave none undecided
            EXPECT_LE(tally.doubles, 4 * kTokens) << kind;
          }
        });
      }
    }
  }
}

// At angle 0 products with a short gain are exact. If they are midpoints, vectors round them.
TEST_P(RotaryElements, TiesAtAngleZeroAreNotQueued) {
  if (IsReference()) GTEST_SKIP() << "the reference computes all pairs in wide arithmetic";
  constexpr std::size_t kHeads = 4, kPairs = 64;
  const RotaryPtr rotary = CreateRotary(Spec(2 * kPairs));
  ForEachType([&](auto element) {
    using T = decltype(element);
    PairMaker<T> maker(5);
    std::vector<T> x(kHeads * 2 * kPairs);
    for (T& e : x) e = maker.Normal(-4, 4);
    posenc_heads heads = DenseHeads(x.data(), kHeads, 2 * kPairs);
    heads.scale = 0.75;
    const internal::Tally tally =
        internal::WalkTokens(rotary->rotary, {0, internal::List(), 1, 1}, {&heads, 1});
    EXPECT_LE(tally.doubles, kHeads * kPairs / 4);  // half of them are midpoints
  });
}

// At eighths of a turn, sums cancel and wide arithmetic is needed. All heads of a token share its wide sines
// and cosines.
TEST_P(RotaryElements, HeadsShareWideSinesAndCosines) {
  if (IsReference()) GTEST_SKIP() << "the reference computes each pair separately";
  constexpr std::size_t kHeads = 40, kPairs = 6;
  const std::vector<double> eighths(kPairs, 0.125);
  posenc_rotary_spec spec = Listed(eighths);
  spec.unit = POSENC_TURNS;
  spec.amplitude = 1.1;
  const RotaryPtr rotary = CreateRotary(spec);
  std::vector<float> x(kHeads * 2 * kPairs, 1.0f);
  posenc_heads heads = DenseHeads(x.data(), kHeads, 2 * kPairs);
  heads.scale = 0.1;  // the gain has too many digits for two doubles
  const internal::Tally tally =
      internal::WalkTokens(rotary->rotary, {1, internal::List(), 1, 1}, {&heads, 1});
  EXPECT_EQ(tally.recomputed, kHeads * kPairs);
  EXPECT_EQ(tally.wide_sin_cos, kPairs);  // in 256 bits, where sine and cosine are known to be equal
}

POSENC_INSTANTIATE_PER_TARGET(RotaryElements);

}  // namespace
}  // namespace posenc
