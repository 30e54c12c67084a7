// Add computes the encoding, rounded to float, and adds it in float. The product, the sum and the conversion
// to a 16-bit type are each rounded once. A NaN has the bits that posenc_c.h says.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernel/encoder_kernels.h"
#include "kernel/targets.h"
#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

constexpr std::int64_t kFirst = 4000;

class AddTest : public PerTarget {
 protected:
  std::size_t rows() const { return IsReference() ? 5 : 67; }
};

template <class T>
void ExpectSums(const std::vector<T>& got, const std::vector<T>& x, float scale,
                const std::vector<float>& pe) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    const T want = Sum(x[k], scale, pe[k]);
    ASSERT_TRUE(IsSum(got[k], x[k], scale, pe[k]))
        << "entry " << k << ": " << Value(x[k]) << " * " << scale << " + " << pe[k] << " = " << Value(want)
        << ", not " << Value(got[k]);
  }
}

TEST_P(AddTest, IsTheWrittenTableAdded) {
  const float scales[] = {1.0f,  std::sqrt(512.0f), std::sqrt(768.0f), 0.0f,         -1.0f, 0.1f, 1e-38f,
                          1e30f, HUGE_VALF,         -HUGE_VALF,        std::nanf("")};
  for (const std::size_t dim : {1u, 2u, 9u, 31u, 64u, 131u}) {
    for (const posenc_layout layout : kLayouts) {
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      const auto written = Write(encoder, kFirst, rows());
      ForEachType([&](auto element) {
        using T = decltype(element);
        const auto x = Activations<T>(written.size());
        for (const float scale : scales) {
          auto added = x;
          ASSERT_EQ(encoder.Add(kFirst, rows(), {added.data(), dim}, scale), POSENC_OK);
          ASSERT_NO_FATAL_FAILURE(ExpectSums(added, x, scale, written))
              << "dim " << dim << ", " << Name(layout);
        }
      });
    }
  }
}

// The product is rounded before the sum. A fused multiply-add would give other floats, and the test notices.
TEST_P(AddTest, IsNotFused) {
  constexpr std::size_t kDim = 64;
  const float scale = std::sqrt(512.0f);
  const Encoder encoder = Create(MakeSpec(kDim, target()));
  const auto written = Write(encoder, kFirst, rows());
  std::vector<float> x(written.size()), added;
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = 0x1.234567p-5f * static_cast<float>(k + 1);
  added = x;
  ASSERT_EQ(encoder.Add(kFirst, rows(), {added.data(), kDim}, scale), POSENC_OK);
  ExpectSums(added, x, scale, written);
  std::size_t fused_differs = 0;
  for (std::size_t k = 0; k < x.size(); ++k) fused_differs += std::fma(x[k], scale, written[k]) != added[k];
  EXPECT_GT(fused_differs, x.size() / 100);
}

// Sums are near 128.5 and 129.5, which are midpoints of bfloat16. Small phases are common, and their cosines
// are nearly 1.
TEST_P(AddTest, TiesOfBFloat16GoToEven) {
  constexpr std::size_t kDim = 4096;
  const std::size_t rows = IsReference() ? 5 : 1024;
  const Encoder encoder = Create(MakeSpec(kDim, target()));
  const auto written = Write(encoder, 1, rows);
  const std::vector<BFloat16> ones(written.size(), BFloat16{0x3F80});
  std::size_t ties = 0;
  for (const float midpoint : {128.5f, 129.5f}) {
    const float scale = midpoint - 1.0f + 0x1p-11f;
    auto added = ones;
    ASSERT_EQ(encoder.Add(1, rows, {added.data(), kDim}, scale), POSENC_OK);
    ASSERT_NO_FATAL_FAILURE(ExpectSums(added, ones, scale, written));
    for (const float pe : written) ties += scale + pe == midpoint;
  }
  EXPECT_GT(ties, rows);
}

// Adds at a list of positions: integers in any order, some of them twice, or fractions.
template <class Position>
void ExpectListAdded(const Encoder& encoder, const std::vector<Position>& positions) {
  const std::vector<float> written = WriteAt(encoder, positions);
  ForEachType([&](auto element) {
    const auto x = Activations<decltype(element)>(written.size());
    auto added = x;
    ASSERT_EQ(encoder.AddAt(positions.data(), positions.size(), {added.data(), encoder.dim()}, 3.1f),
              POSENC_OK);
    ExpectSums(added, x, 3.1f, written);
  });
}

TEST_P(AddTest, AddAtIsTheWrittenTableAdded) {
  for (const posenc_layout layout : kLayouts) {
    const Encoder encoder = Create(MakeSpec(37, target(), layout));
    ExpectListAdded<std::int64_t>(encoder, {5, -5, 0, 1 << 30, 77, 77, -(1 << 30) + 3});
    ExpectListAdded<std::int32_t>(encoder, {5, -5, 0, 1 << 30, 77, 77, -(1 << 30) + 3});
    ExpectListAdded<float>(encoder, {0.375f, -1e9f, 0x1p-149f, 12.5f, 0x1p-30f, -0.1f, 1e6f});
    ExpectListAdded<double>(encoder, {0.375, -1e9 - 0.3, 0x1p-1074, 12.5, 0x1p-30, -0.1, 1e6 + 0.7});
  }
}

// All 65536 values of a 16-bit type are widened, scaled, added to and rounded.
template <class T>
void ExpectEveryBitPattern(const Encoder& encoder, std::size_t rows, std::size_t row_step) {
  const std::size_t dim = encoder.dim();
  for (const float scale : {1.0f, 0.0f, 0x1p-16f, 0x1.fffffep-1f, 3.0f, -0x1p15f, 0x1p120f, HUGE_VALF}) {
    for (std::size_t row = 0; row * dim < 0x10000; row += rows * row_step) {
      const auto written = Write(encoder, static_cast<std::int64_t>(row), rows);
      std::vector<T> x(rows * dim);
      for (std::size_t k = 0; k < x.size(); ++k) x[k].bits = static_cast<std::uint16_t>(row * dim + k);
      auto added = x;
      ASSERT_EQ(encoder.Add(static_cast<std::int64_t>(row), rows, {added.data(), dim}, scale), POSENC_OK);
      ASSERT_NO_FATAL_FAILURE(ExpectSums(added, x, scale, written)) << "from bits " << row * dim;
    }
  }
}

TEST_P(AddTest, EveryBitPatternOfSixteen) {
  const std::size_t rows = IsReference() ? 1 : 64, row_step = IsReference() ? 31 : 1;
  for (const posenc_layout layout : {POSENC_INTERLEAVED, POSENC_SIN_COS}) {
    Spec spec = MakeSpec(64, target(), layout);
    ExpectEveryBitPattern<BFloat16>(Create(spec), rows, row_step);
    ExpectEveryBitPattern<Float16>(Create(spec), rows, row_step);
    spec.dim = 63;  // no row consists of whole vectors
    ExpectEveryBitPattern<Float16>(Create(spec), rows, row_step);
  }
}

// Tests the kernel that adds entries computed before, as batches use it. Sums are at every kind of midpoint.
template <class T>
void ExpectEntriesAdded(const internal::EncoderKernels& kernels, std::size_t count) {
  const auto x = Activations<T>(count, 7);
  std::vector<float> entries(count);
  for (std::size_t k = 0; k < count; ++k) {
    entries[k] = k % 3 == 0 ? 0.0f : std::ldexp(1.0f, -static_cast<int>(k % 40));
    if (k % 5 == 0) entries[k] = -entries[k];
  }
  for (const float scale : {1.0f, 1.5f, 0x1p-20f}) {
    auto added = x;
    kernels.add_entries[TypeOf<T>()](entries.data(), count, scale, added.data(),
                                     internal::AddressOf(added.data()));
    ASSERT_NO_FATAL_FAILURE(ExpectSums(added, x, scale, entries)) << count << " entries";
  }
}

TEST_P(AddTest, AddEntriesOfAnyCount) {
  std::int64_t bit = 0;
  ASSERT_EQ(internal::FindTarget(target(), &bit), POSENC_OK);
  const internal::EncoderKernels& kernels = *internal::EncoderKernelsOf(bit);
  ForEachType([&](auto element) {
    using T = decltype(element);
    for (std::size_t count = 0; count < 70; ++count) ExpectEntriesAdded<T>(kernels, count);
    ExpectEntriesAdded<T>(kernels, 20000);
  });
}

POSENC_INSTANTIATE_PER_TARGET(AddTest);

}  // namespace
}  // namespace posenc
