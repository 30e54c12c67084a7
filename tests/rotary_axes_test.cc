// Positions with several axes: each pair rotates by the position on its axis, in every order of axes.
// Compared with the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "rotary_tensors.h"
#include "spec_words.h"

namespace posenc {
namespace {

struct Order {
  posenc_axis_order order;
  std::size_t axes, sections[POSENC_MAX_AXES];
};

// The orders that models use (rotary_c.h names them), and unusual ones.
const Order kOrders[] = {
    {POSENC_CONSECUTIVE_AXES, 3, {16, 24, 24}},
    {POSENC_CONSECUTIVE_AXES, 4, {1, 0, 5, 2}},
    {POSENC_CONSECUTIVE_AXES, 2, {0, 7}},
    {POSENC_INTERLEAVED_AXES, 3, {24, 20, 20}},
    {POSENC_INTERLEAVED_AXES, 2, {8, 8}},
    {POSENC_INTERLEAVED_AXES, 4, {11, 2, 0, 1}},
    {POSENC_ALTERNATING_AXES, 3, {20, 22, 22}},
    {POSENC_ALTERNATING_AXES, 2, {3, 6}},
    {POSENC_SPLIT_AXES, 2, {8, 8}},
    {POSENC_SPLIT_AXES, 3, {4, 4, 4}},
    {POSENC_AXIAL_AXES, 2, {16, 16}},
    {POSENC_AXIAL_AXES, 3, {2, 3, 5}},
    {POSENC_IMROPE_AXES, 4, {22, 20, 20, 2}},
    {POSENC_IMROPE_AXES, 2, {5, 3}},
};

class RotaryAxes : public ExactPerTarget {
 protected:
  posenc_rotary_spec SpecOf(const Order& order) const {
    std::size_t pairs = 0;
    for (const std::size_t section : order.sections) pairs += section;
    posenc_rotary_spec spec = Spec(2 * pairs);
    spec.axes = order.axes;
    spec.axis_order = order.order;
    std::copy(order.sections, order.sections + POSENC_MAX_AXES, spec.sections);
    return spec;
  }

  // Positions [axes, tokens]. First various ones, then consecutive ones, on all axes or only on the first.
  static std::vector<double> Positions(std::size_t axes) {
    std::vector<double> positions;
    for (std::size_t k = 0; k < axes; ++k) {
      for (std::size_t t = 0; t < kTokens; ++t) {
        const double all[] = {0.0, 7.0, -131071.0, 0.5, 0x1p31, 1e-3, -2.0, 1048575.0, 3.0, 0x1p-1000, 100.0};
        const double runs[4][6] = {
            {40, 41, 42, 43, 44, 45}, {5, 6, 7, 7, 8, 9}, {0, 1, 2, 0, 1, 3}, {9, 10, 11, 12, 13, 14}};
        positions.push_back(t < 11 ? all[(t + 3 * k) % 11] : runs[k][t - 11]);
      }
    }
    return positions;
  }

  static constexpr std::size_t kTokens = 17;
};

TEST_P(RotaryAxes, PairsTurnByTheirAxis) {
  for (const Order& order : kOrders) {
    const posenc_rotary_spec spec = SpecOf(order);
    const AngleTable angles(spec, Positions(order.axes));
    ExpectKinds(spec, angles, 3, {1.25, 0.3, false});
    ForEachType([&](auto entry) { ExpectCaches<decltype(entry)>(spec, angles, 1.25, 0, 0); });
    if (HasFailure()) return;
  }
}

// A run of positions is the same on all axes. So if frequencies do not depend on the axis, the result is the
// same as without axes.
TEST_P(RotaryAxes, RunsAreTheSameOnAllAxes) {
  for (const Order& order : kOrders) {
    for (const posenc_arithmetic arithmetic : {POSENC_EXACT, POSENC_FAST}) {
      posenc_rotary_spec spec = SpecOf(order);
      spec.arithmetic = arithmetic;
      PairMaker<float> maker(8);
      std::vector<float> x(kTokens * spec.head_dim);
      for (float& value : x) value = maker.Normal(-3, 3);
      std::vector<float> listed = x, of_one = x;
      const auto rotate = [&](std::vector<float>* data, const std::int32_t* list) {
        const posenc_heads heads = DenseHeads(data->data(), 1, spec.head_dim);
        const RotaryPtr rotary = CreateRotary(spec);
        return list == nullptr ? posenc_rotate(rotary.get(), -4, kTokens, &heads, 1)
                               : posenc_rotate_at(rotary.get(), PointerTo(List(POSENC_I32, list)), kTokens,
                                                  &heads, 1, nullptr);
      };
      std::vector<std::int32_t> positions;
      for (std::size_t k = 0; k < order.axes * kTokens; ++k) {
        positions.push_back(static_cast<std::int32_t>(k % kTokens) - 4);
      }
      ASSERT_EQ(rotate(&x, nullptr), POSENC_OK);
      ASSERT_EQ(rotate(&listed, positions.data()), POSENC_OK);
      EXPECT_TRUE(SameBits(x, listed));
      if (order.order == POSENC_SPLIT_AXES || order.order == POSENC_AXIAL_AXES) continue;
      spec.axes = 1;
      std::fill(spec.sections, spec.sections + POSENC_MAX_AXES, 0);
      ASSERT_EQ(rotate(&of_one, nullptr), POSENC_OK);
      EXPECT_TRUE(SameBits(x, of_one));
    }
  }
}

// For axial axes as in FLUX, each axis is scaled as if it were a rotary alone.
TEST_P(RotaryAxes, ScalingsOfAxialAxesAreTheirOwn) {
  const Order flux = {POSENC_AXIAL_AXES, 3, {8, 28, 28}}, nearly_alike = {POSENC_AXIAL_AXES, 3, {22, 21, 21}};
  const struct {
    Order order;
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
    posenc_rotary_spec spec = SpecOf(c.order);
    spec.scaling = c.scaling;
    spec.factor = c.factor;
    spec.original_length = 64.0;
    spec.proportion = 0.5;
    SCOPED_TRACE(testing::Message() << "scaling " << c.scaling << ", pair " << c.pair);
    const RotaryPtr rotary = CreateRotary(spec);
    ASSERT_NE(rotary, nullptr);
    const double error = c.scaling == POSENC_NTK && c.pair == 1 ? 5e-6 : 1e-15;
    const std::size_t first = c.order.sections[0], second = first + c.order.sections[1];
    EXPECT_NEAR(posenc_rotary_radians(rotary.get(), first + c.pair), c.want, error);
    EXPECT_NEAR(posenc_rotary_radians(rotary.get(), second + c.pair), c.want, error);
    const AngleTable angles(spec, Positions(c.order.axes));
    ExpectCaches<float>(spec, angles, 1.25, 0, 0);
    ExpectOf<float>(spec, angles, 1, {}, [](auto& maker, const ScaledAngle&, std::size_t, std::size_t) {
      return Rotated<float>{maker.Normal(-3, 3), maker.Normal(-3, 3)};
    });
    if (HasFailure()) return;
  }
}

// Axial axes with units, scalings and lists. Frequencies begin again on each axis.
TEST_P(RotaryAxes, AxialAxesOfEveryKind) {
  for (const std::string& words : std::vector<std::string>{
           "unit=turns base=9 scaling=ntk factor=3 position_scale=0.3",
           "frequencies=" + Steps(0.5, 0.25, 10) +
               " unit=half_turns scaling=frequency_factors factors=" + Steps(1.5, 1, 10),
           "phase_rounding=f32_inv_freq scaling=linear factor=2.7 frequencies_f32=" + Steps(0.5, 0.25, 10),
           "phase_rounding=f32_inv_freq base=100"}) {
    SCOPED_TRACE(words);
    posenc_rotary_spec spec = With(SpecOf({POSENC_AXIAL_AXES, 3, {3, 5, 2}}), words);
    const AngleTable angles(spec, Positions(spec.axes));
    ExpectKinds(spec, angles, 3, {1.25, 0.3, false});
    ForEachType([&](auto entry) { ExpectCaches<decltype(entry)>(spec, angles, 1.25, 0, 0); });
    if (HasFailure()) return;
  }
}

POSENC_INSTANTIATE_PER_TARGET(RotaryAxes);

}  // namespace
}  // namespace posenc
