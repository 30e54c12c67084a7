// A run of positions gives the same bits as a list of them, wherever groups of rows, blocks, signs and the
// range begin or end, and however fast the phases grow.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "frequency/table.h"
#include "per_target.h"

namespace posenc {
namespace {

using internal::kReach;

class Runs : public PerTarget {};

// Compares runs of every length up to `longest`, from each of the first positions, with one list of all
// positions.
template <class T>
void ExpectRunsAreLists(const Encoder& encoder, std::int64_t first, std::int64_t last, std::size_t longest) {
  const std::vector<T> list =
      WriteAt<T>(encoder, Consecutive(first, static_cast<std::size_t>(last - first + 1)));
  for (std::int64_t start = first; start <= last; start += start - first < 3 ? 1 : 13) {
    const T* rows = &list[static_cast<std::size_t>(start - first) * encoder.dim()];
    for (std::size_t length = 1; length <= longest; ++length) {
      if (start + static_cast<std::int64_t>(length) - 1 > last) break;
      const std::vector<T> run = Write<T>(encoder, start, length);
      ASSERT_TRUE(SameBits(run.data(), rows, run.size())) << length << " rows from " << start;
    }
  }
}

// Rows::kMax is 64, so runs of 70 rows take two blocks.
TEST_P(Runs, OfAnyLengthAreLists) {
  const std::size_t longest = IsReference() ? 9 : 70;
  const auto span = static_cast<std::int64_t>(longest) + 6;
  for (const std::size_t dim : {5u, 64u, 131u}) {
    if (IsReference() && dim != 5) continue;
    for (const posenc_layout layout : kLayouts) {
      SCOPED_TRACE(testing::Message() << "dim " << dim << ", " << Name(layout));
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      ForEachType([&](auto element) {
        using T = decltype(element);
        ExpectRunsAreLists<T>(encoder, -span / 2, span / 2, longest);
        ExpectRunsAreLists<T>(encoder, -POSENC_MAX_POSITION, -POSENC_MAX_POSITION + span, longest);
        ExpectRunsAreLists<T>(encoder, POSENC_MAX_POSITION - span, POSENC_MAX_POSITION, longest);
      });
    }
  }
}

// Starts at each distance below 0, so that position 0 comes to be in every row of a group.
TEST_P(Runs, MayCrossZeroAnywhere) {
  constexpr std::size_t kRows = 8 * kReach + 3;
  const Encoder encoder = Create(MakeSpec(37, target()));
  for (std::int64_t first = -static_cast<std::int64_t>(kRows); first <= 2; first += IsReference() ? 17 : 1) {
    ForEachType([&](auto element) {
      using T = decltype(element);
      const auto list = WriteAt<T>(encoder, Consecutive(first, kRows));
      EXPECT_TRUE(SameBits(Write<T>(encoder, first, kRows), list)) << "from " << first;
    });
  }
}

// Angles are added in chunks of 1024 columns.
TEST_P(Runs, OfLargeDims) {
  if (IsReference()) GTEST_SKIP() << "too slow for " << kReference;
  for (const std::size_t dim : {1026u, 2049u, 6301u}) {
    for (const posenc_layout layout : kLayouts) {
      SCOPED_TRACE(testing::Message() << "dim " << dim << ", " << Name(layout));
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      ForEachType([&](auto element) {
        using T = decltype(element);
        ExpectRunsAreLists<T>(encoder, -7, 4, 12);
        ExpectRunsAreLists<T>(encoder, POSENC_MAX_POSITION - 13, POSENC_MAX_POSITION, 14);
      });
    }
  }
}

Spec Schedule(double base, double scale) {
  Spec spec = MakeSpec(69);
  spec.base = base;
  spec.position_scale = scale;
  return spec;
}

// Steps of more than four quarter turns are stored modulo eight. This must work with the half-integer
// positions of anchors.
TEST_P(Runs, OfAnySchedule) {
  const Spec schedules[] = {Schedule(0.5, 1.0),      Schedule(1e-6, 1.0),   Schedule(1e-6, -1000.0),
                            Schedule(1.0, 12345.7),  Schedule(1.0, 0x1p31), Schedule(10000.0, -0.7),
                            Schedule(1.0, 0x1p-126), Schedule(1.0, 6.5),    Schedule(7.25, -0x1p31)};
  for (Spec spec : schedules) {
    for (const posenc_layout layout : kLayouts) {
      SCOPED_TRACE(testing::Message()
                   << "base " << spec.base << ", scale " << spec.position_scale << ", " << Name(layout));
      spec.target = target();
      spec.layout = layout;
      const Encoder encoder = Create(spec);
      const std::size_t rows = IsReference() ? 3 : 81;
      for (const std::int64_t first : {std::int64_t{-40}, std::int64_t{1000000}, -POSENC_MAX_POSITION}) {
        ForEachType([&](auto element) {
          using T = decltype(element);
          const auto list = WriteAt<T>(encoder, Consecutive(first, rows));
          EXPECT_TRUE(SameBits(Write<T>(encoder, first, rows), list)) << "from " << first;
        });
      }
    }
  }
}

// For bfloat16, angles are added in float. Only millions of entries would show an error that crosses a
// midpoint.
TEST_P(Runs, OfBFloat16AreListsThroughout) {
  if (IsReference()) GTEST_SKIP() << "too slow for " << kReference;
  constexpr std::size_t kRows = 4096;
  for (const double base : {10000.0, 1.0001}) {
    for (const posenc_layout layout : {POSENC_INTERLEAVED, POSENC_SIN_COS}) {
      Spec spec = MakeSpec(512, target(), layout);
      spec.base = base;
      const Encoder encoder = Create(spec);
      for (std::int64_t first = 1; first < 5 * static_cast<std::int64_t>(kRows); first += kRows) {
        const auto list = WriteAt<BFloat16>(encoder, Consecutive(first, kRows));
        EXPECT_TRUE(SameBits(Write<BFloat16>(encoder, first, kRows), list)) << "from " << first;
      }
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(Runs);

}  // namespace
}  // namespace posenc
