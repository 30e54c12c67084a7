// The frequencies of axial axes, by the formulas of the scalings. tools/verify/rotary_rows.cc has rotations
// and caches with every order of axes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "rotary_cases.h"

namespace posenc {
namespace {

class RotaryAxes : public PerTarget {};

// For axial axes as in FLUX, each axis is scaled as if it were a rotary alone.
TEST_P(RotaryAxes, ScalingsOfAxialAxesAreTheirOwn) {
  const std::vector<std::size_t> flux = {8, 28, 28}, nearly_alike = {22, 21, 21};
  const struct {
    std::vector<std::size_t> sections;
    posenc_scaling scaling;
    double factor;
    std::size_t pair;  // within the axis
    double want;       // the frequency on axes 1 and 2
  } cases[] = {
      {flux, POSENC_YARN, 2.0, 0, 1.0},
      {flux, POSENC_YARN, 2.0, 1, std::pow(1e4, -1.0 / 28) * (7.0 / 8 + 1.0 / 8 / 2)},  // the ramp ends at 8
      {flux, POSENC_YARN, 2.0, 2, std::pow(1e4, -2.0 / 28) * (6.0 / 8 + 2.0 / 8 / 2)},
      {flux, POSENC_YARN_LOG, 2.0, 3, std::pow(1e4, -3.0 / 28) * std::pow(2.0, -3.0 / 8)},
      {flux, POSENC_NTK, 3.0, 1, 0.69099},
      {flux, POSENC_NTK, 3.0, 27, std::pow(1e4 * std::pow(3.0, 56.0 / 54), -27.0 / 28)},
      {flux, POSENC_MIXED_NTK, 3.0, 1, std::pow(3e4, -1.0 / 28) * std::pow(3.0, -1.0 / 28)},
      {flux, POSENC_PROPORTIONAL, 3.0, 13, std::pow(1e4, -13.0 / 28) / 3},
      {flux, POSENC_PROPORTIONAL, 3.0, 14, 0.0},
      {nearly_alike, POSENC_NTK, 3.0, 1, 0.61047},
  };
  for (const auto& c : cases) {
    posenc_rotary_spec spec = MakeRotarySpec(128, target());
    spec.axes = c.sections.size();
    spec.axis_order = POSENC_AXIAL_AXES;
    std::copy(c.sections.begin(), c.sections.end(), spec.sections);
    spec.scaling = c.scaling;
    spec.factor = c.factor;
    spec.original_length = 64.0;
    spec.proportion = 0.5;
    SCOPED_TRACE(testing::Message() << "scaling " << c.scaling << ", pair " << c.pair);
    const RotaryPtr rotary = CreateRotary(spec);
    ASSERT_NE(rotary, nullptr);
    const double error = c.scaling == POSENC_NTK && c.pair == 1 ? 5e-6 : 1e-15;
    const std::size_t first = c.sections[0], second = first + c.sections[1];
    EXPECT_NEAR(posenc_rotary_radians(rotary.get(), first + c.pair), c.want, error);
    EXPECT_NEAR(posenc_rotary_radians(rotary.get(), second + c.pair), c.want, error);
  }
}

POSENC_INSTANTIATE_PER_TARGET(RotaryAxes);

}  // namespace
}  // namespace posenc
