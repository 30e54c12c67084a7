// Spec::lists_only: the encoder has no tables for runs of positions, and writes the same rows.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "guarded_pages.h"
#include "kernel_calls.h"
#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

class ListsOnly : public PerTarget {
 protected:
  void ExpectSameRows(Spec spec) const {
    const Encoder full = Create(spec);
    spec.lists_only = true;
    const Encoder lean = Create(spec);
    EXPECT_FALSE(InsideOf(lean).table.has_offsets);
    const std::size_t rows = IsReference() ? 5 : 75;
    const std::vector<double> positions = {0.5, -1e9 - 0.3, 0x1p-140, 77.0, 0x1p31, 0.0};
    for (const std::int64_t first : {std::int64_t{-7}, std::int64_t{1} << 24, POSENC_MAX_POSITION - 80}) {
      ForEachEntryType([&](auto element) {
        using T = decltype(element);
        EXPECT_TRUE(SameBits(Write<T>(lean, first, rows), Write<T>(full, first, rows)));
        EXPECT_TRUE(SameBits(WriteAt<T>(lean, positions), WriteAt<T>(full, positions)));
      });
      ForEachType([&](auto element) {
        using T = decltype(element);
        const std::int64_t firsts[] = {first, first - 2, 0};
        auto want = Activations<T>(3 * rows * spec.dim), got = want;
        for (const auto& [encoder, x] : {std::pair(&full, &want), std::pair(&lean, &got)}) {
          ASSERT_EQ(
              encoder->AddBatch({3, rows * spec.dim, List(firsts)}, 0, rows, {x->data(), spec.dim}, 1.5f),
              POSENC_OK);
          ASSERT_EQ(encoder->Add(first, rows, {x->data(), spec.dim}), POSENC_OK);
          ASSERT_EQ(encoder->AddAt(positions.data(), 6, {&(*x)[0], spec.dim}), POSENC_OK);
        }
        EXPECT_TRUE(SameBits(got, want));
      });
    }
  }
};

TEST_P(ListsOnly, RowsAreTheSame) {
  for (const std::size_t dim : {1u, 6u, 37u, 64u, 600u}) {
    if (IsReference() && dim > 64) continue;
    for (const posenc_layout layout : kLayouts) {
      SCOPED_TRACE(testing::Message() << "dim " << dim << ", " << Name(layout));
      ExpectSameRows(MakeSpec(dim, target(), layout));
    }
  }
}

TEST_P(ListsOnly, OfOtherFrequencies) {
  Spec spec = MakeSpec(40, target());
  spec.position_scale = 1000.0;  // so large that steps are stored reduced
  ExpectSameRows(spec);
  const std::vector<double> frequencies(20, 0.7);
  spec.frequencies = frequencies.data();
  spec.frequency_count = 20;
  spec.unit = POSENC_TURNS;
  ExpectSameRows(spec);
  spec = MakeSpec(40, target());
  spec.phase_rounding = POSENC_F32_POW_DIV;
  ExpectSameRows(spec);
}

// The documented size suffices.
TEST_P(ListsOnly, Takes16BytesAPair) {
  for (const std::size_t dim : {1u, 512u, 4096u, 1u << 16}) {
    Spec spec = MakeSpec(dim, target());
    std::size_t full = 0, bytes = 0;
    ASSERT_EQ(Encoder::MemorySize(spec, &full), POSENC_OK);
    spec.lists_only = true;
    ASSERT_EQ(Encoder::MemorySize(spec, &bytes), POSENC_OK);
    EXPECT_LE(bytes, 16 * ((dim + 1) / 2) + 2048) << dim;
    EXPECT_TRUE(bytes < full || InsideOf(Create(MakeSpec(dim, target()))).table.has_offsets == false);
    GuardedPages pages(bytes);
    Encoder placed;
    ASSERT_EQ(Encoder::CreateIn(spec, pages.end() - bytes, bytes, &placed), POSENC_OK);
    EXPECT_TRUE(SameBits(Write(placed, 3, 4), Write(Create(MakeSpec(dim, target())), 3, 4)));
  }
}

POSENC_INSTANTIATE_PER_TARGET(ListsOnly);

}  // namespace
}  // namespace posenc
