// Add is the written table added in float: the encoding, the product with scale and the sum are each
// rounded once.
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "per_target.h"

namespace posenc {
namespace {

constexpr std::int64_t kFirst = 4000;

// Activations of every size, and the special values at prime intervals.
std::vector<float> Activations(std::size_t count) {
  using Limits = std::numeric_limits<float>;
  constexpr float kSpecials[] = {0.0f,
                                 -0.0f,
                                 Limits::denorm_min(),
                                 -1e-40f,
                                 Limits::min(),
                                 Limits::max(),
                                 -Limits::max(),
                                 Limits::infinity(),
                                 1.0f,
                                 -Limits::infinity(),
                                 0x1.fffffep-1f,
                                 Limits::quiet_NaN()};
  std::mt19937 random(5);
  std::vector<float> x(count);
  for (float& value : x) {
    const auto mantissa = static_cast<float>(static_cast<int>(random() % (1u << 25)) - (1 << 24));
    value = std::ldexp(mantissa, -static_cast<int>(random() % 40) - 10);
  }
  for (std::size_t i = 0; i < count; i += 7) x[i] = kSpecials[i / 7 % std::size(kSpecials)];
  return x;
}

class AddTest : public PerTarget {
 protected:
  std::size_t rows() const { return IsReference() ? 5 : 67; }
};

bool Equal(float a, float b) { return SameBits(a, b) || (std::isnan(a) && std::isnan(b)); }

void ExpectSums(const std::vector<float>& got, const std::vector<float>& x, float scale,
                const std::vector<float>& pe) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    const float product = x[k] * scale;
    const float want = product + pe[k];
    ASSERT_TRUE(Equal(got[k], want)) << x[k] << " * " << scale << " + " << pe[k] << " = " << want << ", not "
                                     << got[k];
  }
}

TEST_P(AddTest, IsTheWrittenTableAdded) {
  const float kScales[] = {1.0f, std::sqrt(512.0f), std::sqrt(768.0f), 0.0f, -1.0f, 0.1f, 1e-38f, 1e30f};
  for (const std::size_t dim : {1u, 2u, 9u, 31u, 64u, 131u}) {
    for (const Layout layout : kLayouts) {
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      const auto written = Write(encoder, kFirst, rows());
      const auto x = Activations(written.size());
      for (const float scale : kScales) {
        auto added = x;
        ASSERT_EQ(encoder.Add(kFirst, rows(), added.data(), dim, scale), Status::kOk);
        ASSERT_NO_FATAL_FAILURE(ExpectSums(added, x, scale, written))
            << "dim " << dim << ", " << Name(layout);
      }
    }
  }
}

// That the product is rounded before the sum shows: a fused multiply-add would give other floats.
TEST_P(AddTest, IsNotFused) {
  constexpr std::size_t kDim = 64;
  const float scale = std::sqrt(512.0f);
  const Encoder encoder = Create(MakeSpec(kDim, target()));
  const auto written = Write(encoder, kFirst, rows());
  std::vector<float> x(written.size()), added;
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = 0x1.234567p-5f * static_cast<float>(k + 1);
  added = x;
  ASSERT_EQ(encoder.Add(kFirst, rows(), added.data(), kDim, scale), Status::kOk);
  ExpectSums(added, x, scale, written);
  std::size_t fused_differs = 0;
  for (std::size_t k = 0; k < x.size(); ++k) fused_differs += std::fma(x[k], scale, written[k]) != added[k];
  EXPECT_GT(fused_differs, x.size() / 100);
}

TEST_P(AddTest, AddAtIsAddOfEachRow) {
  constexpr std::size_t kDim = 37;
  const std::vector<std::int64_t> wide = {5, -5, 0, 1 << 30, 77, 77, -(1 << 30) + 3};
  const std::vector<std::int32_t> narrow(wide.begin(), wide.end());
  const float scale = std::sqrt(37.0f);
  for (const Layout layout : kLayouts) {
    const Encoder encoder = Create(MakeSpec(kDim, target(), layout));
    const auto x = Activations(wide.size() * kDim);
    auto one_by_one = x, at64 = x, at32 = x;
    for (std::size_t r = 0; r < wide.size(); ++r) {
      ASSERT_EQ(encoder.Add(wide[r], 1, &one_by_one[r * kDim], kDim, scale), Status::kOk);
    }
    ASSERT_EQ(encoder.AddAt(wide.data(), wide.size(), at64.data(), kDim, scale), Status::kOk);
    ASSERT_EQ(encoder.AddAt(narrow.data(), narrow.size(), at32.data(), kDim, scale), Status::kOk);
    for (std::size_t k = 0; k < x.size(); ++k) {
      ASSERT_TRUE(Equal(at64[k], one_by_one[k])) << "entry " << k;
      ASSERT_TRUE(Equal(at32[k], one_by_one[k])) << "entry " << k;
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(AddTest);

}  // namespace
}  // namespace posenc
