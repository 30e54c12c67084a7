// The angles that are closest to multiples of pi/2. Up to 200 bits cancel there, so that 256 bits leave
// entries undecided and 1,024 bits decide. All targets and types are compared with MPFR.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "kernel_calls.h"
#include "oracle_rows.h"
#include "per_target.h"
#include "scalar_formats.h"
#include "verify/worst_cases.h"

namespace posenc {
namespace {

using tools::HardAngle;

// If the frequency is listed, it is the only one. Otherwise it is the frequency of pair 1, made by the base.
Spec SpecOf(const HardAngle& angle, bool listed, const char* target) {
  Spec spec = MakeSpec(listed ? 2 : 4, target);
  spec.position_scale = angle.scale;
  if (listed) {
    spec.frequencies = &angle.frequency;
    spec.frequency_count = 1;
  } else {
    spec.exponent_dim = -2.0;
    spec.base = angle.frequency;
  }
  return spec;
}

class HardAngles : public PerTarget {
 protected:
  std::size_t Step() const { return IsReference() ? 5 : 1; }  // because the oracle takes long
};

// Returns how many pairs needed 1,024 bits.
template <class T>
std::size_t ExpectRows(const Spec& spec, const HardAngle& angle) {
  const Encoder encoder = Create(spec);
  const std::vector<T> want = OracleRow<T>(spec, angle.position);
  std::vector<T> rows(2 * spec.dim);
  const internal::Tally tally = WalkList(encoder, {angle.position, -angle.position}, rows.data());
  EXPECT_TRUE(SameBits(rows.data(), want.data(), spec.dim));
  for (std::size_t k = 0; k < spec.dim; ++k) {  // sines are odd, cosines even
    const auto x = Value(want[k]), mirrored = Value(rows[spec.dim + k]);
    EXPECT_TRUE(SameBits(mirrored, k % 2 == 0 ? -x : x)) << k;
  }
  if (angle.is_integer) {
    const auto first = static_cast<std::int64_t>(angle.position) - 1;
    const std::vector<T> run = Write<T>(encoder, first, 3);
    EXPECT_TRUE(SameBits(&run[spec.dim], want.data(), spec.dim)) << "in a run";
  }
  return tally.widest;
}

TEST_P(HardAngles, AreRight) {
  const std::vector<HardAngle> angles = tools::HardAngles();
  std::size_t widest_of_doubles = 0, count = 0;
  for (const bool listed : {true, false}) {
    for (std::size_t n = 0; n < angles.size(); n += listed ? Step() : 4 * Step()) {
      const HardAngle& angle = angles[n];
      const Spec spec = SpecOf(angle, listed, target());
      SCOPED_TRACE(testing::Message() << "angle " << n << ", " << (listed ? "listed" : "of a base"));
      ForEachType([&](auto element) { ExpectRows<decltype(element)>(spec, angle); });
      const std::size_t widest = ExpectRows<double>(spec, angle);
      widest_of_doubles += widest;
      ++count;
      ASSERT_FALSE(HasFailure());
      if (n < 200) {
        EXPECT_GT(widest, 0u);  // the hardest angles need 1,024 bits
      }
    }
  }
  EXPECT_GT(widest_of_doubles, count);  // each angle is used at two positions
  RecordProperty("count", static_cast<int>(count));
  RecordProperty("widest", static_cast<int>(widest_of_doubles));
}

// A hard angle among easy pairs: in every lane of a vector, and behind the last whole vector.
TEST_P(HardAngles, InEveryLane) {
  const HardAngle angle = tools::HardAngles()[0];
  constexpr std::size_t kPairs = 37;
  for (const posenc_layout layout : kLayouts) {
    for (std::size_t pair = 0; pair < kPairs; ++pair) {
      std::vector<double> frequencies(kPairs, angle.frequency / 3);
      frequencies[pair] = angle.frequency;
      Spec spec = MakeSpec(2 * kPairs, target(), layout);
      spec.position_scale = angle.scale;
      spec.frequencies = frequencies.data();
      spec.frequency_count = kPairs;
      std::vector<double> row(spec.dim);
      const internal::Tally tally = WalkList(Create(spec), {angle.position}, row.data());
      EXPECT_EQ(tally.widest, 1u);
      if (pair % 9 != 0) continue;  // the oracle is slow
      EXPECT_TRUE(SameBits(row, OracleRow<double>(spec, angle.position))) << pair;
    }
  }
}

TEST_P(HardAngles, ReportedOnesNeedManyBits) {
  const std::vector<HardAngle> angles = tools::ReportedAngles();
  ASSERT_EQ(angles.size(), 3u);
  for (std::size_t n = 0; n < angles.size(); ++n) {
    const Spec spec = SpecOf(angles[n], n == 0, target());
    std::vector<double> row(spec.dim);
    EXPECT_EQ(WalkList(Create(spec), {angles[n].position}, row.data()).widest, 1u) << n;
  }
}

// Steps next to whole turns, on both sides: the nearest ones that exponent_dim allows.
TEST_P(HardAngles, BesideKnownAngles) {
  for (const double exponent_dim : {0x1p128, -0x1p128}) {
    Spec spec = MakeSpec(4, target());
    spec.base = 1.0 + 0x1p-52;
    spec.exponent_dim = exponent_dim;
    spec.unit = POSENC_TURNS;
    const Encoder encoder = Create(spec);
    for (const double position : {0.125, 0.25, 0.5, 1.0, 3.0, 1e9, -1.0}) {
      SCOPED_TRACE(testing::Message() << exponent_dim << ", position " << position);
      const auto expect = [&](auto element) {
        std::vector<decltype(element)> row(spec.dim);
        WalkList(encoder, {position}, row.data());
        EXPECT_TRUE(SameBits(row, OracleRow<decltype(element)>(spec, position)));
        return row;
      };
      ForEachType(expect);
      const std::vector<double> row = expect(0.0);
      if (position == 1.0) {
        EXPECT_EQ(row[2], std::copysign(0x1.921fb54442d17p-177, -exponent_dim));
      }
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(HardAngles);

}  // namespace
}  // namespace posenc
