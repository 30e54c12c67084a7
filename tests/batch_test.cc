// AddBatch gives the same bits as one Add for each sequence, whatever positions the sequences have.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

using Firsts = std::vector<std::int64_t>;

// First positions for which the sequences are equal, overlap, touch or are apart: in any order, negative, and
// at the ends of the range.
std::vector<Firsts> AllFirsts(std::size_t rows) {
  const auto n = static_cast<std::int64_t>(rows);
  const std::int64_t last = POSENC_MAX_POSITION - n + 1;
  return {{0},
          {-n / 2},
          {5, 5, 5, 5, 5, 5, 5},
          {0, -1, -2, -3, -n / 2, 7, 1},
          {n, 0, 2 * n, -n, 3 * n, 3 * n + 1, 10 * n},
          {1000000, -1000000, 1000000 + n, 0, 0, -n, -1000000 + n - 1},
          {-POSENC_MAX_POSITION, last, last - 1, -POSENC_MAX_POSITION + 1, 0, last, -1},
          {-40, -7}};
}

struct Shape {
  std::size_t rows, row_gap, batch_gap;
};

// Copies of Activations(count). Making them takes longer than everything else here.
template <class T>
std::vector<T> FirstActivations(std::size_t count) {
  static std::vector<T> made;
  if (made.size() < count) made = Activations<T>(2 * count);
  return {made.begin(), made.begin() + static_cast<std::ptrdiff_t>(count)};
}

// Compares AddBatch with Add for each sequence. Gaps between sequences must keep their activations. The
// encoder adds `offset` to positions.
template <class T, class Position>
void ExpectAddOfEach(const Encoder& encoder, const Firsts& wide, const Shape& shape, float scale,
                     std::int64_t offset = 0) {
  const std::size_t dim = encoder.dim(), row_stride = dim + shape.row_gap;
  const std::size_t batch_stride = shape.rows * row_stride + shape.batch_gap;
  std::vector<Position> firsts;
  for (const std::int64_t first : wide) {
    firsts.push_back(static_cast<Position>(first - offset));
    if (firsts.back() != first - offset) return;
  }
  const auto room =
      FirstActivations<T>((firsts.size() - 1) * batch_stride + (shape.rows - 1) * row_stride + dim);
  auto want = room, got = room;
  for (std::size_t b = 0; b < firsts.size(); ++b) {
    ASSERT_EQ(encoder.Add(firsts[b], shape.rows, {&want[b * batch_stride], row_stride}, scale), POSENC_OK);
  }
  std::size_t bad_index = 4711;
  ASSERT_EQ(encoder.AddBatch({firsts.size(), batch_stride, List(firsts.data())}, 0, shape.rows,
                             {got.data(), row_stride}, scale, &bad_index),
            POSENC_OK);
  EXPECT_EQ(bad_index, 4711u);
  if constexpr (std::is_same_v<Position, std::int64_t>) {  // sums with 64-bit positions do not overflow
    auto shifted = room;
    for (Position& first : firsts) first -= 3;
    ASSERT_EQ(
        posenc_add_batch(
            encoder.get(), PointerTo(posenc_batch{firsts.size(), batch_stride, {POSENC_I64, firsts.data()}}),
            3, shape.rows, PointerTo(Rows(TypeOf<T>(), shifted.data(), row_stride)), scale, nullptr),
        POSENC_OK);
    EXPECT_TRUE(SameBits(shifted, got));
  }
  for (std::size_t k = 0; k < want.size(); ++k) {
    ASSERT_TRUE(SameBits(got[k], want[k]))
        << "sequence " << k / batch_stride << ", row " << k % batch_stride / row_stride << ", column "
        << k % batch_stride % row_stride << ": " << Value(got[k]) << ", not " << Value(want[k]);
  }
}

class Batch : public PerTarget {
 protected:
  std::vector<Shape> Shapes() const {
    if (IsReference()) return {{1, 0, 0}, {3, 1, 5}};
    return {{1, 0, 0}, {5, 0, 0}, {33, 3, 11}, {70, 0, 1}};
  }
};

// Sequences share a tile. With these dims it holds 64, 11 or 10 rows. Odd dims have another column, or half a
// pair.
TEST_P(Batch, IsAddOfEachSequence) {
  for (const std::size_t dim : {1u, 5u, 6u, 33u, 64u, 513u, 600u}) {
    if (IsReference() && dim > 64) continue;
    for (const posenc_layout layout : kLayouts) {
      Spec spec = MakeSpec(dim, target(), layout);
      spec.position_offset = layout == POSENC_COS_SIN ? 3 : 0;
      const Encoder encoder = Create(spec);
      const float scale = std::sqrt(static_cast<float>(dim));
      for (const Shape& shape : Shapes()) {
        for (const Firsts& firsts : AllFirsts(shape.rows)) {
          SCOPED_TRACE(testing::Message() << "dim " << dim << ", " << Name(layout) << ", " << shape.rows
                                          << " rows from " << testing::PrintToString(firsts));
          ForEachType([&](auto element) {
            using T = decltype(element);
            ExpectAddOfEach<T, std::int64_t>(encoder, firsts, shape, scale, spec.position_offset);
            if (dim == 64)
              ExpectAddOfEach<T, std::int32_t>(encoder, firsts, shape, 1.0f, spec.position_offset);
          });
        }
      }
    }
  }
}

// Rows so long that the tile holds 4 or 2 of them, or none.
TEST_P(Batch, OfLongRows) {
  if (IsReference()) GTEST_SKIP() << "slow";
  for (const std::size_t dim : {1536u, 2049u, 6145u}) {
    for (const posenc_layout layout : {POSENC_INTERLEAVED, POSENC_SIN_COS}) {
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      for (const Firsts& firsts : {Firsts{5, 5}, Firsts{0, -1, -2, 7}, Firsts{3, 2, 100, -4, 3, 3, 8}}) {
        SCOPED_TRACE(testing::Message() << "dim " << dim << ", rows from " << testing::PrintToString(firsts));
        ForEachType([&](auto element) {
          ExpectAddOfEach<decltype(element), std::int64_t>(encoder, firsts, {9, 1, 2}, 0.7f);
        });
      }
    }
  }
}

// If all first positions are equal, the list may be null.
TEST_P(Batch, OfASharedFirstPosition) {
  for (const std::size_t dim : {1u, 37u, 300u}) {
    if (IsReference() && dim > 64) continue;
    const Encoder encoder = Create(MakeSpec(dim, target(), POSENC_SIN_COS));
    for (const Shape& shape : Shapes()) {
      for (const std::int64_t first : {std::int64_t{-5}, -POSENC_MAX_POSITION, POSENC_MAX_POSITION - 69}) {
        for (const std::size_t sequences : {1u, 2u, 7u, 70u}) {
          if (IsReference() && sequences > 7) continue;
          const std::size_t row_stride = dim + shape.row_gap;
          const std::size_t batch_stride = shape.rows * row_stride + shape.batch_gap;
          const Firsts firsts(sequences, first);
          ForEachType([&](auto element) {
            auto want = FirstActivations<decltype(element)>(sequences * batch_stride), got = want;
            ASSERT_EQ(encoder.AddBatch({sequences, batch_stride, List(firsts.data())}, 0, shape.rows,
                                       {want.data(), row_stride}, 0.7f),
                      POSENC_OK);
            ASSERT_EQ(encoder.AddBatch({sequences, batch_stride, {}}, first, shape.rows,
                                       {got.data(), row_stride}, 0.7f),
                      POSENC_OK);
            EXPECT_TRUE(SameBits(got, want)) << sequences << " sequences from " << first;
          });
        }
      }
    }
  }
}

// More sequences than can share a tile.
TEST_P(Batch, OfManySequences) {
  const Encoder encoder = Create(MakeSpec(24, target()));
  Firsts firsts;
  for (std::int64_t b = 0; b < 131; ++b) firsts.push_back(b % 7 == 0 ? 1000 * b : -(b % 5));
  ExpectAddOfEach<float, std::int64_t>(encoder, firsts, {3, 1, 2}, 1.5f);
}

// NaN sums have the same bits too.
TEST_P(Batch, OfScalesThatMakeNans) {
  for (const std::size_t dim : {33u, 300u}) {
    if (IsReference() && dim > 64) continue;
    for (const posenc_layout layout : kLayouts) {
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      for (const float scale : {0.0f, -HUGE_VALF, std::nanf("")}) {
        ForEachType([&](auto element) {
          ExpectAddOfEach<decltype(element), std::int64_t>(encoder, {3, 0, 3, -30}, {4, 2, 3}, scale);
        });
      }
    }
  }
}

// Also in rows with more pairs than the buffer for pairs.
TEST_P(Batch, OfPhaseRoundings) {
  for (const std::size_t dim : {300u, 2310u}) {
    if (IsReference() && dim > 300) continue;
    Spec spec = MakeSpec(dim, target());
    for (const posenc_phase_rounding rounding : {POSENC_F32_POW_DIV, POSENC_F64_INV_FREQ}) {
      spec.phase_rounding = rounding;
      for (const posenc_layout layout : kLayouts) {
        spec.layout = layout;
        const Encoder encoder = Create(spec);
        const std::size_t rows = IsReference() ? 2 : dim > 300 ? 3 : 40;
        ForEachType([&](auto element) {
          ExpectAddOfEach<decltype(element), std::int64_t>(encoder, {3, 0, 3, -30}, {rows, 2, 3}, 2.0f);
        });
      }
    }
  }
}

// Rows with other columns than pairs. Some rows are padding.
TEST_P(Batch, OfOtherColumns) {
  for (const std::size_t dim : {3u, 68u}) {
    for (const posenc_layout layout : kLayouts) {
      for (const posenc_odd_column odd :
           {POSENC_ODD_HALF_PAIR, POSENC_ODD_ZERO_LAST, POSENC_ODD_ZERO_MIDDLE, POSENC_ODD_COSINE_LAST}) {
        if (odd == POSENC_ODD_ZERO_MIDDLE && internal::IsInterleaved(layout)) continue;
        for (const bool input_first : {false, true}) {
          Spec spec = MakeSpec(dim, target(), layout);
          spec.odd_column = odd;
          spec.input_first = input_first;
          spec.has_padding = true;
          spec.padding_position = 9;
          spec.position_offset = 3;
          const Encoder encoder = Create(spec);
          ForEachType([&](auto element) {
            ExpectAddOfEach<decltype(element), std::int64_t>(
                encoder, {-4, 0, 9, -4}, {IsReference() ? 2u : 14u, 2, 3}, -22.627417f, 3);
          });
        }
      }
    }
  }
}

// Encoders without tables for runs.
TEST_P(Batch, OfListsOnly) {
  for (const std::size_t dim : {1u, 37u, 600u}) {
    if (IsReference() && dim > 64) continue;
    Spec spec = MakeSpec(dim, target());
    spec.lists_only = true;
    const Encoder encoder = Create(spec);
    ForEachType([&](auto element) {
      ExpectAddOfEach<decltype(element), std::int64_t>(encoder, {-7, -9, 0, 1 << 24},
                                                       {IsReference() ? 2u : 75u, 0, 0}, 1.5f);
    });
  }
}

POSENC_INSTANTIATE_PER_TARGET(Batch);

}  // namespace
}  // namespace posenc
