// Spec::lists_only: the encoder has no tables for runs of positions, so it takes less memory.
// tools/verify/encoding_rows.cc has its rows.
#include <gtest/gtest.h>

#include <cstddef>

#include "guarded_pages.h"
#include "kernel_calls.h"
#include "per_target.h"

namespace posenc {
namespace {

class ListsOnly : public PerTarget {};

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
    EXPECT_FALSE(InsideOf(placed).table.has_offsets);
    EXPECT_TRUE(SameBits(Write(placed, 3, 4), Write(Create(MakeSpec(dim, target())), 3, 4)));
  }
}

POSENC_INSTANTIATE_PER_TARGET(ListsOnly);

}  // namespace
}  // namespace posenc
