// Positions of several axes: each pair turns by that of its axis, in every order of the axes, by the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "rotary_tensors.h"

namespace posenc {
namespace {

struct Order {
  posenc_axis_order order;
  std::size_t axes, sections[POSENC_MAX_AXES];
};

// Those of the models in the header, and odd ones.
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

class RotaryAxes : public PerTarget {
 protected:
  posenc_rotary_spec Spec(const Order& order) const {
    std::size_t pairs = 0;
    for (const std::size_t section : order.sections) pairs += section;
    posenc_rotary_spec spec = MakeRotarySpec(2 * pairs, target());
    spec.axes = order.axes;
    spec.axis_order = order.order;
    std::copy(order.sections, order.sections + POSENC_MAX_AXES, spec.sections);
    return spec;
  }

  // Positions [axes, tokens]: of any kind, then some that all axes move on from, or only the first ones.
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

  static constexpr std::size_t kTokens = 17, kHeads = 3;
};

TEST_P(RotaryAxes, PairsTurnByTheirAxis) {
  for (const Order& order : kOrders) {
    const posenc_rotary_spec plain = Spec(order);
    oracle::RotaryOracle oracle(plain);
    const std::vector<double> positions = Positions(order.axes);
    const std::size_t pairs = oracle.pairs();
    for (const RotaryGain& gain : {RotaryGain{1.25, 1.0, false}, {1.25, 0.3, true}}) {
      ForEachType([&](auto element) {
        using T = decltype(element);
        PairMaker<T> maker(6);
        std::vector<Rotated<T>> before, after;
        std::vector<T> cosines, sines;
        for (std::size_t t = 0; t < kTokens; ++t) {
          std::vector<Rotated<T>> token_before(kHeads * pairs), token_after(kHeads * pairs);
          for (std::size_t i = 0; i < pairs; ++i) {
            const double position = positions[oracle.axis(i) * kTokens + t];
            const GainedTurn turn(&oracle, i, position, gain);
            const GainedTurn entry(&oracle, i, position, {gain.amplitude, 1.0, false});
            const auto [cosine, sine] = entry.Entries<T>();
            cosines.push_back(cosine);
            sines.push_back(sine);
            for (std::size_t h = 0; h < kHeads; ++h) {
              Rotated<T>& pair = token_before[h * pairs + i];
              pair = maker.Make(t + h + i, turn.Cosine(), turn.Sine(), gain.amplitude * gain.scale);
              token_after[h * pairs + i] = turn.Rotate(pair.x, pair.y);
            }
          }
          before.insert(before.end(), token_before.begin(), token_before.end());
          after.insert(after.end(), token_after.begin(), token_after.end());
        }
        const RotaryTensor<T> tensor(plain, kTokens, kHeads, pairs, before, after);
        for (const posenc_pairing pairing : kPairings) {
          SCOPED_TRACE(testing::Message() << "order " << order.order << ", " << order.axes << " axes, "
                                          << pairs << " pairs, pairing " << pairing);
          posenc_rotary_spec spec = plain;
          spec.amplitude = gain.amplitude;
          spec.pairing = pairing;
          const RotaryPtr rotary = CreateRotary(spec);
          ASSERT_NE(rotary, nullptr);
          std::vector<T> x = tensor.Before(pairing);
          const posenc_heads heads = tensor.Heads(x.data(), nullptr, gain);
          ASSERT_EQ(posenc_rotate_at(rotary.get(), POSENC_F64, positions.data(), kTokens, TypeOf<T>(), &heads,
                                     1, nullptr),
                    POSENC_OK);
          ASSERT_TRUE(tensor.IsAfter(x, pairing));
          std::vector<T> cos(cosines.size()), sin(cosines.size());
          const posenc_cache cache = {POSENC_CACHE_HALVES, TypeOf<T>(), cos.data(), sin.data(), pairs};
          ASSERT_EQ(
              posenc_rotary_write_at(rotary.get(), POSENC_F64, positions.data(), kTokens, &cache, nullptr),
              POSENC_OK);
          EXPECT_TRUE(SameBits(cos, cosines));
          EXPECT_TRUE(SameBits(sin, sines));
        }
      });
      if (HasFailure()) return;
    }
  }
}

// A run of positions is the same on all axes; and so one axis turns as the others: where frequencies do not
// depend on the axis, as without axes.
TEST_P(RotaryAxes, RunsAreTheSameOnAllAxes) {
  for (const Order& order : kOrders) {
    for (const posenc_arithmetic arithmetic : {POSENC_EXACT, POSENC_FAST}) {
      posenc_rotary_spec spec = Spec(order);
      spec.arithmetic = arithmetic;
      const RotaryPtr rotary = CreateRotary(spec);
      PairMaker<float> maker(8);
      std::vector<float> x(kTokens * spec.head_dim);
      for (float& value : x) value = maker.Normal(-3, 3);
      std::vector<float> listed = x, of_one = x;
      posenc_heads heads{};
      heads.heads = 1;
      heads.token_stride = spec.head_dim;
      heads.data = x.data();
      ASSERT_EQ(posenc_rotate(rotary.get(), -4, kTokens, POSENC_F32, &heads, 1), POSENC_OK);
      std::vector<std::int32_t> positions;
      for (std::size_t k = 0; k < order.axes; ++k) {
        for (std::size_t t = 0; t < kTokens; ++t) positions.push_back(static_cast<std::int32_t>(t) - 4);
      }
      heads.data = listed.data();
      ASSERT_EQ(posenc_rotate_at(rotary.get(), POSENC_I32, positions.data(), kTokens, POSENC_F32, &heads, 1,
                                 nullptr),
                POSENC_OK);
      EXPECT_TRUE(SameBits(x, listed));
      if (order.order == POSENC_SPLIT_AXES || order.order == POSENC_AXIAL_AXES) continue;
      spec.axes = 1;
      std::fill(spec.sections, spec.sections + POSENC_MAX_AXES, 0);
      const RotaryPtr single = CreateRotary(spec);
      heads.data = of_one.data();
      ASSERT_EQ(posenc_rotate(single.get(), -4, kTokens, POSENC_F32, &heads, 1), POSENC_OK);
      EXPECT_TRUE(SameBits(x, of_one));
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(RotaryAxes);

}  // namespace
}  // namespace posenc
