// Spec::nan_rows: a listed position that is NaN or out of range makes a row of NaN. What stays: bytes between
// rows, the index of a bad position, and refusals of runs. tools/verify/encoding_rows.cc has the rows.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

constexpr std::size_t kNone = 4711;

class NanRows : public PerTarget {};

TEST_P(NanRows, KeepWhatIsBetweenRows) {
  constexpr std::size_t kDim = 6, kStride = 9;
  const std::vector<double> positions = {0.5, std::nan(""), -HUGE_VAL, 1e6};
  Spec spec = MakeSpec(kDim, target());
  const Encoder strict = Create(spec);
  spec.nan_rows = true;
  const Encoder encoder = Create(spec);
  ForEachEntryType([&](auto element) {
    using T = decltype(element);
    const std::vector<T> x = Activations<T>(positions.size() * kStride);
    const auto expect = [&](const std::vector<T>& got) {
      for (std::size_t k = 0; k < x.size(); ++k) {
        const bool is_nan = k % kStride < kDim && (k / kStride == 1 || k / kStride == 2);
        EXPECT_TRUE(k % kStride < kDim || SameBits(got[k], x[k])) << k;
        EXPECT_TRUE(!is_nan || SameBits(got[k], CanonicalNan<T>())) << k;
      }
    };
    std::size_t bad_index = kNone;
    auto got = x;
    EXPECT_EQ(encoder.WriteAt(positions.data(), 4, {got.data(), kStride}, &bad_index), POSENC_OK);
    expect(got);
    if constexpr (!std::is_same_v<T, double>) {
      got = x;
      EXPECT_EQ(encoder.AddAt(positions.data(), 4, {got.data(), kStride}, 1.5f, &bad_index), POSENC_OK);
      expect(got);
    }
    EXPECT_EQ(bad_index, kNone);
    got = x;
    EXPECT_EQ(strict.WriteAt(positions.data(), 4, {got.data(), kStride}), Refusal(rule::position_range));
    EXPECT_TRUE(SameBits(got, x));
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
