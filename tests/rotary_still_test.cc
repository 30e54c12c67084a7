// Pairs that do not rotate (at position 0, or with frequency 0), and pairs of zeros. They are correct by the
// oracle, among other pairs and alone. If the gain is a double, they need no wide arithmetic.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "api/handle.h"
#include "rotary_tensors.h"

namespace posenc {
namespace {

// Some gains have exact products, or products that are midpoints with few or many digits. Others do not, or
// are not doubles.
const RotaryGain kGains[] = {{1.0, 1.0, false},
                             {1.0, 0.75, false},
                             {1.0 + 0x1p-24, 1.0, false},
                             {1.0, 1.0 - 0x1p-28, false},
                             {1.0, 1.0 - 0x1p-29, false},
                             {1.0, 1.0 + 0x1p-52, false},
                             {1.0, 0.1, false},
                             {1.0 - 0x1p-12, 1.0 + 0x1p-12, false},
                             {0.75, 1.0 + 0x1p-52, false},
                             {0.75 * (1.0 + 0x1p-30), 1.0 - 0x1p-30, false},
                             {0x1.8p-63, 1.0, false},
                             {1.0, 0x1.4p63, false}};

class RotaryStill : public ExactPerTarget {};

// All frequencies are 0, except for the first pairs and one later pair.
TEST_P(RotaryStill, TiesAtFrequencyZero) {
  constexpr std::size_t kPairs = 101, kTurning = 17, kOne = 70;
  std::vector<double> frequencies(kPairs);
  for (std::size_t i = 0; i < kTurning; ++i) frequencies[i] = std::exp2(-static_cast<double>(i) / 2);
  frequencies[kOne] = 0.7;
  const posenc_rotary_spec spec = Listed(frequencies);
  const AngleTable angles(spec, {3.0, 0x1p31, 0.5, 0.0});
  for (const RotaryGain& gain : kGains) {
    for (const std::vector<std::size_t>& kinds :
         {std::vector<std::size_t>{0}, {0, 6, 0, 7, 8}, {4, 5}, {9, 11}, {12}, {0, 16, 17}}) {
      SCOPED_TRACE(testing::Message() << "kinds from " << kinds[0]);
      ExpectKinds(spec, angles, 2, gain, kinds);
      if (HasFailure()) return;
    }
  }
}

// Products of such a gain and an odd number are so close to a midpoint of a type that doubles cannot decide.
TEST_P(RotaryStill, ProductsNextToATie) {
  const std::vector<double> zeros(37);
  const posenc_rotary_spec spec = Listed(zeros);
  const AngleTable angles(spec, {3.0});
  for (const int digits : {24, 11, 8}) {
    for (const double odd : {3.0, 7.0, 11.0, 25.0}) {
      const double middle = 1.0 + std::ldexp(odd, -digits);
      for (const double scale :
           {middle / odd, std::nextafter(middle / odd, 0.0), std::nextafter(middle / odd, 1.0)}) {
        Expect(spec, angles, 1, {1.0, scale, false},
               [&](auto& maker, const ScaledAngle&, std::size_t, std::size_t i) {
                 auto pair = maker.Make(0, 1.0, 0.0, 1.0);
                 pair.x = Nearest<decltype(pair.x)>(
                     std::ldexp(i % 2 == 0 ? odd : -odd, static_cast<int>(i % 9) - 4));
                 return pair;
               });
        if (HasFailure()) return;
      }
    }
  }
}

// A frequency of whole turns still rotates at positions that are fractions.
TEST_P(RotaryStill, WholeTurnsTurn) {
  const std::vector<double> twos(16, 2.0);
  posenc_rotary_spec spec = Listed(twos);
  spec.unit = POSENC_TURNS;
  const AngleTable angles(spec, {1.0, 0.25, 0.125, -1.5, 0.5});
  Expect(spec, angles, 2, kGains[1], [&](auto& maker, const ScaledAngle&, std::size_t, std::size_t i) {
    return maker.Make(i == 3 ? 8 : 0, 1.0, 0.0, 1.0);
  });
}

// Elements include NaNs and infinities.
TEST_P(RotaryStill, SpecialsAtFrequencyZero) {
  const std::vector<double> zeros(64);
  const posenc_rotary_spec spec = Listed(zeros);
  const AngleTable angles(spec, {3.0});
  for (const double special : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    Expect(spec, angles, 3, kGains[1], [&](auto& maker, const ScaledAngle&, std::size_t h, std::size_t i) {
      auto pair = maker.Make(0, 1.0, 0.0, 1.0);
      if (i == 20 * h + 5) (h == 1 ? pair.x : pair.y) = Nearest<decltype(pair.x)>(special);
      return pair;
    });
  }
}

// Heads of zeros with either sign, and heads in which zeros begin or end anywhere.
TEST_P(RotaryStill, RowsOfZeros) {
  for (const std::size_t dim : {64u, 130u}) {
    const posenc_rotary_spec spec = Spec(dim);
    const AngleTable angles(spec, {0.0, 5.0, -1048575.0});
    const std::size_t pairs = dim / 2;
    for (const RotaryGain& gain : {kGains[0], kGains[1], kGains[6]}) {
      Expect(spec, angles, 9, gain, [&](auto& maker, const ScaledAngle&, std::size_t h, std::size_t i) {
        const bool is_zero = h < 3 || h == 5 || (h == 6 && i >= pairs / 2) || (h == 7 && i != 19) ||
                             (h == 8 && i != pairs - 1);
        return maker.Make(is_zero ? 8 : 0, 1.0, 0.0, 1.0);
      });
      if (HasFailure()) return;
    }
  }
}

// The code after the loops handles each pair. None needs wide arithmetic.
TEST_P(RotaryStill, NothingIsWide) {
  const std::vector<double> zeros(67);
  const struct {
    posenc_rotary_spec spec;
    std::int64_t position;
  } cases[] = {{Spec(134), 0}, {Listed(zeros), 1000}};
  for (const auto& one : cases) {
    const RotaryPtr rotary = CreateRotary(one.spec);
    ForEachType([&](auto element) {
      using T = decltype(element);
      for (const double scale : {0.75, 1.0, 1.0 + 0x1p-24, 0.1}) {
        PairMaker<T> maker(3);
        std::vector<T> x(5 * 134);
        for (std::size_t k = 0; k < x.size(); ++k) x[k] = k % 7 == 0 ? T() : maker.Normal(-4, 4);
        posenc_heads heads = DenseHeads(x.data(), 5, 134);
        heads.scale = scale;
        const internal::Tally tally =
            internal::WalkTokens(rotary->rotary, {one.position, internal::List(), 1, 1}, {&heads, 1});
        EXPECT_EQ(tally.recomputed, 0u) << scale;
        EXPECT_EQ(tally.widest, 0u) << scale;
      }
    });
  }
}

POSENC_INSTANTIATE_PER_TARGET(RotaryStill);

}  // namespace
}  // namespace posenc
