// Which frequencies and positions rows with other columns need. tools/verify/encoding_rows.cc has the rows
// themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "per_target.h"

namespace posenc {
namespace {

class Columns : public PerTarget {};

// A list has no frequency for an odd column without a pair.
TEST_P(Columns, ListsHaveAFrequencyForEachPair) {
  for (const auto& [dim, odd, input_first, pairs] :
       {std::tuple<std::size_t, posenc_odd_column, bool, std::size_t>{5, POSENC_ODD_HALF_PAIR, false, 3},
        {5, POSENC_ODD_ZERO_LAST, false, 2},
        {5, POSENC_ODD_COSINE_LAST, false, 2},
        {5, POSENC_ODD_HALF_PAIR, true, 2},
        {6, POSENC_ODD_HALF_PAIR, true, 3},
        {6, POSENC_ODD_ZERO_LAST, true, 2},
        {1, POSENC_ODD_ZERO_LAST, false, 1},
        {1, POSENC_ODD_HALF_PAIR, true, 1}}) {
    Spec spec = MakeSpec(dim, target());
    spec.odd_column = odd;
    spec.input_first = input_first;
    EXPECT_EQ(Create(spec).frequency_count(), pairs);
    const std::vector<double> frequencies = {0.5, 0.25, 0.125, 0.0625};
    Encoder encoder;
    for (std::size_t count = 1; count <= frequencies.size(); ++count) {
      spec.frequencies = frequencies.data();
      spec.frequency_count = count;
      EXPECT_EQ(
          Encoder::Create(spec, &encoder),
          count == pairs ? Refusal(POSENC_OK) : Refusal(POSENC_MEMBERS_CLASH, "frequency_count must be"));
    }
  }
}

// The shifted position must be in range; the given one need not be.
TEST_P(Columns, OffsetsMoveTheRange) {
  float row[4], other[4];
  Spec spec = MakeSpec(4, target());
  const Encoder plain = Create(spec);
  for (const std::int64_t offset : {std::int64_t{1}, -POSENC_MAX_POSITION, POSENC_MAX_POSITION}) {
    spec.position_offset = offset;
    const Encoder encoder = Create(spec);
    for (const std::int64_t p : {-POSENC_MAX_POSITION, std::int64_t{-1}, POSENC_MAX_POSITION}) {
      ASSERT_EQ(plain.Write(p, 1, {other, 4}), POSENC_OK);
      EXPECT_EQ(encoder.Write(p - offset, 1, {row, 4}), POSENC_OK);
      EXPECT_TRUE(SameBits(row, other, 4));
      const std::int64_t passed = p - offset;
      EXPECT_EQ(encoder.WriteAt(&passed, 1, {row, 4}), POSENC_OK);
      EXPECT_TRUE(SameBits(row, other, 4));
    }
    for (const std::int64_t p :
         {-POSENC_MAX_POSITION - 1 - offset, POSENC_MAX_POSITION + 1 - offset, INT64_MAX, INT64_MIN}) {
      EXPECT_EQ(encoder.Write(p, 1, {row, 4}), Refusal(rule::run_range));
      EXPECT_EQ(encoder.WriteAt(&p, 1, {row, 4}), Refusal(rule::position_range));
      EXPECT_EQ(encoder.AddBatch({1, 4, List(&p)}, 0, 1, {row, 4}), Refusal(rule::first_position_range));
    }
  }
  // This holds for rows of padding too.
  for (const std::int64_t offset :
       {std::int64_t{0}, std::int64_t{1}, -POSENC_MAX_POSITION, POSENC_MAX_POSITION}) {
    spec.position_offset = offset;
    spec.has_padding = true;
    for (const std::int64_t end : {-POSENC_MAX_POSITION, POSENC_MAX_POSITION}) {
      const std::int64_t padding = spec.padding_position = end - offset;
      const Encoder encoder = Create(spec);
      const std::vector<float> zeros(4);
      EXPECT_TRUE(SameBits(Write(encoder, padding, 1), zeros));
      EXPECT_TRUE(SameBits(WriteAt<float>(encoder, std::vector<std::int64_t>{padding}), zeros));
      const std::int64_t beyond = padding + (end < 0 ? -1 : 1), first = std::min(padding, beyond);
      const std::vector<std::int64_t> both = {first, first + 1};
      std::vector<float> rows(8);
      EXPECT_EQ(encoder.Write(first, 2, {rows.data(), 4}), Refusal(rule::run_range));
      std::size_t bad_index = 2;
      EXPECT_EQ(encoder.WriteAt(both.data(), 2, {rows.data(), 4}, &bad_index), Refusal(rule::position_range));
      EXPECT_EQ(both[bad_index], beyond);
    }
  }
  for (const std::int64_t offset :
       {-POSENC_MAX_POSITION - 1, POSENC_MAX_POSITION + 1, INT64_MAX, INT64_MIN}) {
    spec.position_offset = offset;
    Encoder none;
    EXPECT_EQ(Encoder::Create(spec, &none), Refusal(POSENC_BAD_MEMBER, "position_offset must be -2^31"));
  }
}

POSENC_INSTANTIATE_PER_TARGET(Columns);

TEST(ColumnsOfASpec, TurnsHaveNoMiddle) {
  Encoder none;
  for (const posenc_layout layout : kLayouts) {
    if (!internal::IsInterleaved(layout)) continue;
    for (const std::size_t dim : {7u, 8u}) {
      Spec spec = MakeSpec(dim, nullptr, layout);
      spec.odd_column = POSENC_ODD_ZERO_MIDDLE;
      EXPECT_EQ(Encoder::Create(spec, &none), Refusal(POSENC_MEMBERS_CLASH, "POSENC_ODD_ZERO_MIDDLE needs"));
    }
  }
}

}  // namespace
}  // namespace posenc
