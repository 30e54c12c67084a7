// Spec::nan_rows: a listed position that is NaN or out of range makes a row of NaN. All other rows are as
// usual.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

constexpr float kScale = 1.5f;
constexpr std::size_t kNone = 4711;

// Good positions mixed with bad ones: enough for several blocks of rows.
template <class Position>
std::vector<Position> Mixed(const std::vector<Position>& good, const std::vector<Position>& bad,
                            std::size_t count) {
  std::vector<Position> positions;
  for (std::size_t r = 0; r < count; ++r) {
    positions.push_back(r % 3 == 1 ? bad[r / 3 % bad.size()] : good[r % good.size()]);
  }
  return positions;
}

template <class Position>
bool IsBad(Position p) {
  return !(static_cast<double>(p) >= -0x1p31 && static_cast<double>(p) <= 0x1p31);
}

// The rows that `strict` writes with 0 in place of each bad position, and then NaN in those rows. `strict`
// has no nan_rows.
template <class T, class Position>
std::vector<T> Expected(const Encoder& strict, std::vector<Position> positions, std::vector<T> x,
                        std::size_t stride, bool add) {
  const auto bad = positions;
  for (Position& p : positions) p = IsBad(p) ? Position{0} : p;
  if constexpr (!std::is_same_v<T, double>) {
    if (add) {
      EXPECT_EQ(strict.AddAt(positions.data(), positions.size(), {x.data(), stride}, kScale), POSENC_OK);
    }
  }
  if (!add) {
    EXPECT_EQ(strict.WriteAt(positions.data(), positions.size(), {x.data(), stride}), POSENC_OK);
  }
  for (std::size_t r = 0; r < bad.size(); ++r) {
    for (std::size_t k = 0; IsBad(bad[r]) && k < strict.dim(); ++k) x[r * stride + k] = CanonicalNan<T>();
  }
  return x;
}

template <class T, class Position>
void ExpectNanRows(const Spec& spec, const std::vector<Position>& positions) {
  Spec with = spec;
  with.nan_rows = true;
  const Encoder encoder = Create(with), strict = Create(spec);
  const std::size_t stride = spec.dim + 3, rows = positions.size();
  const std::vector<T> x = Activations<T>(rows * stride);  // gaps must keep their values
  std::size_t bad_index = kNone;
  auto got = x;
  ASSERT_EQ(encoder.WriteAt(positions.data(), rows, {got.data(), stride}, &bad_index), POSENC_OK);
  EXPECT_TRUE(SameBits(got, Expected(strict, positions, x, stride, false)));
  if constexpr (!std::is_same_v<T, double>) {
    got = x;
    ASSERT_EQ(encoder.AddAt(positions.data(), rows, {got.data(), stride}, kScale, &bad_index), POSENC_OK);
    EXPECT_TRUE(SameBits(got, Expected(strict, positions, x, stride, true)));
  }
  EXPECT_EQ(bad_index, kNone);
  got = x;
  EXPECT_EQ(strict.WriteAt(positions.data(), rows, {got.data(), stride}), Refusal(rule::position_range));
  EXPECT_TRUE(SameBits(got, x));
}

class NanRows : public PerTarget {};

TEST_P(NanRows, OfPositionsThatAreNone) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const std::size_t rows = IsReference() ? 20 : 150;
  const auto doubles = Mixed<double>({0.5, -0x1p31, 1e6 + 0.3, 0.0, 0x1p31},
                                     {kNaN, HUGE_VAL, -HUGE_VAL, 0x1.0000000000001p31, -kNaN, -1e300}, rows);
  const auto floats = Mixed<float>({0.5f, -0x1p31f, 0x1p31f, 77.0f},
                                   {std::nanf(""), HUGE_VALF, -HUGE_VALF, 0x1.000002p31f, -3e38f}, rows);
  const auto integers = Mixed<std::int64_t>(
      {5, -POSENC_MAX_POSITION, POSENC_MAX_POSITION, 0},
      {POSENC_MAX_POSITION + 1, -POSENC_MAX_POSITION - 1, std::numeric_limits<std::int64_t>::min(),
       std::numeric_limits<std::int64_t>::max()},
      rows);
  for (const std::size_t dim : {1u, 6u, 37u, 300u}) {
    if (IsReference() && dim > 37) continue;
    for (const posenc_layout layout : kLayouts) {
      for (const bool lists_only : {false, true}) {
        Spec spec = MakeSpec(dim, target(), layout);
        spec.lists_only = lists_only;
        SCOPED_TRACE(testing::Message() << "dim " << dim << ", " << Name(layout));
        ForEachEntryType([&](auto element) {
          using T = decltype(element);
          ExpectNanRows<T>(spec, doubles);
          ExpectNanRows<T>(spec, floats);
          ExpectNanRows<T>(spec, integers);
        });
      }
    }
  }
}

TEST_P(NanRows, WithAPhaseRounding) {
  Spec spec = MakeSpec(22, target());
  spec.phase_rounding = POSENC_F32_POW_DIV;
  ForEachEntryType([&](auto element) {
    ExpectNanRows<decltype(element), double>(spec, {std::nan(""), 1.0, HUGE_VAL});
  });
}

// Runs of positions are refused as always, and so are lists that overlap the rows.
TEST_P(NanRows, AreOfListsOnly) {
  Spec spec = MakeSpec(8, target());
  spec.nan_rows = true;
  const Encoder encoder = Create(spec);
  float x[16] = {};
  const std::int64_t firsts[] = {POSENC_MAX_POSITION};
  std::size_t bad_index = kNone;
  EXPECT_EQ(encoder.Write(POSENC_MAX_POSITION, 2, {x, 8}), Refusal(rule::run_range));
  EXPECT_EQ(encoder.Add(-POSENC_MAX_POSITION - 1, 2, {x, 8}), Refusal(rule::run_range));
  EXPECT_EQ(encoder.AddBatch({1, 0, List(firsts)}, 0, 2, {x, 8}, 1.0f, &bad_index),
            Refusal(rule::first_position_range));
  EXPECT_EQ(bad_index, 0u);
  EXPECT_EQ(encoder.WriteAt(x, 2, {x, 8}), Refusal(rule::overlap_positions));
  for (const float value : x) EXPECT_EQ(value, 0.0f);
}

POSENC_INSTANTIATE_PER_TARGET(NanRows);

}  // namespace
}  // namespace posenc
