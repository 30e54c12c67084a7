// Embed of tables in a narrower type is Embed of the same tables widened, bit for bit.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "guarded_pages.h"
#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

constexpr std::size_t kVocabulary = 11;
constexpr std::int64_t kFirst = 4000;

class Embed : public PerTarget {};

// Signs and payloads too.
template <class T>
float Widened(T x) {
  const std::uint32_t bits = x.bits;
  const bool is_bfloat16 = TypeOf<T>() == POSENC_BF16;
  if (is_bfloat16) return FromBits<float>(bits << 16);
  if ((bits & 0x7C00) == 0x7C00) {
    return FromBits<float>((bits & 0x8000) << 16 | 0x7F800000 | (bits & 0x3FF) << 13);
  }
  return Value(x);
}

// With a table at the end of its page, or a byte before.
template <class Element>
void ExpectWidened(const Encoder& encoder, std::size_t rows, float scale, bool aligned) {
  const std::size_t dim = encoder.dim(), table_stride = dim + 3, stride = dim + 1;
  std::vector<Element> table = Activations<Element>(kVocabulary * table_stride - 3);
  for (std::size_t k = 0; k < table.size(); k += 5)
    table[k].bits = static_cast<std::uint16_t>(k * 2654435761u >> 8);
  std::vector<float> wide(table.size());
  for (std::size_t k = 0; k < table.size(); ++k) wide[k] = Widened(table[k]);
  std::vector<std::int32_t> ids(rows);
  for (std::size_t r = 0; r < rows; ++r) ids[r] = static_cast<std::int32_t>((7 * r + 10) % kVocabulary);

  const std::size_t bytes = table.size() * sizeof(Element);
  GuardedPages table_pages(bytes + 1);
  unsigned char* const at = table_pages.end() - bytes - (aligned ? 0 : 1);
  std::memcpy(at, table.data(), bytes);
  std::vector<float> want = Activations<float>(rows * stride - 1, 3);
  GuardedPages out_pages(want.size() * sizeof(float) + 1);
  unsigned char* const out = out_pages.end() - want.size() * sizeof(float) - (aligned ? 0 : 1);
  std::memcpy(out, want.data(), want.size() * sizeof(float));
  ASSERT_EQ(encoder.Embed(ids.data(), rows, wide.data(), kVocabulary, table_stride, kFirst, want.data(),
                          stride, scale),
            Status::kOk);
  ASSERT_EQ(encoder.Embed(ids.data(), rows, reinterpret_cast<const Element*>(at), kVocabulary, table_stride,
                          kFirst, reinterpret_cast<float*>(out), stride, scale),
            Status::kOk);
  std::vector<float> got(want.size());
  std::memcpy(got.data(), out, got.size() * sizeof(float));
  for (std::size_t k = 0; k < got.size(); ++k) {
    ASSERT_TRUE(SameBits(got[k], want[k]))
        << "row " << k / stride << ", column " << k % stride << ": " << got[k] << ", not " << want[k];
  }
}

TEST_P(Embed, NarrowTablesAreWidened) {
  for (const std::size_t dim : {1u, 2u, 9u, 31u, 64u, 131u}) {
    for (const Layout layout : kLayouts) {
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      for (const float scale : {1.0f, 22.627417f, 0.0f}) {
        for (const bool aligned : {true, false}) {
          SCOPED_TRACE(testing::Message() << "dim " << dim << ", " << Name(layout) << ", scale " << scale);
          const std::size_t rows = IsReference() ? 3 : 70;
          ExpectWidened<BFloat16>(encoder, rows, scale, aligned);
          ExpectWidened<Float16>(encoder, rows, scale, aligned);
        }
      }
    }
  }
}

// The 65536 values, of which a scale and the encoding leave all but the smallest to be seen.
template <class Element>
void ExpectEveryBitPattern(const Encoder& encoder) {
  constexpr std::size_t kRows = 1024;
  const std::size_t dim = encoder.dim();
  std::vector<Element> table(kRows * dim);
  std::vector<float> x(table.size()), got(x);
  std::vector<std::int32_t> ids = Consecutive<std::int32_t>(0, kRows);
  for (std::size_t k = 0; k < table.size(); ++k) {
    table[k].bits = static_cast<std::uint16_t>(k);
    x[k] = Widened(table[k]);
  }
  for (const float scale : {1.0f, 0x1p120f}) {
    auto want = x;
    ASSERT_EQ(encoder.Add(0, kRows, want.data(), dim, scale), Status::kOk);
    ASSERT_EQ(encoder.Embed(ids.data(), kRows, table.data(), kRows, dim, 0, got.data(), dim, scale),
              Status::kOk);
    EXPECT_TRUE(SameBits(got, want)) << scale;
  }
}

TEST_P(Embed, EveryBitPatternOfNarrowTables) {
  if (IsReference()) GTEST_SKIP() << "slow";
  const Encoder encoder = Create(MakeSpec(64, target()));
  ExpectEveryBitPattern<BFloat16>(encoder);
  ExpectEveryBitPattern<Float16>(encoder);
}

POSENC_INSTANTIATE_PER_TARGET(Embed);

}  // namespace
}  // namespace posenc
