// Embed with a table of a narrower type gives the same bits as Embed with the widened table. EmbedAt gives
// the same as Embed of each row alone, and as the oracle.
#include <gtest/gtest.h>

#include <cmath>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "guarded_pages.h"
#include "oracle_rows.h"
#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

constexpr std::size_t kVocabulary = 11;
constexpr std::int64_t kFirst = 4000;

class Embed : public PerTarget {};

// Widens elements. Keeps signs, and the payloads of NaNs.
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

// The table ends at the end of its page, or a byte before it.
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
  ASSERT_EQ(encoder.Embed({ids.data(), wide.data(), kVocabulary, table_stride}, kFirst, rows,
                          {want.data(), stride}, scale),
            POSENC_OK);
  ASSERT_EQ(encoder.Embed({ids.data(), reinterpret_cast<const Element*>(at), kVocabulary, table_stride},
                          kFirst, rows, {reinterpret_cast<float*>(out), stride}, scale),
            POSENC_OK);
  std::vector<float> got(want.size());
  std::memcpy(got.data(), out, got.size() * sizeof(float));
  for (std::size_t k = 0; k < got.size(); ++k) {
    ASSERT_TRUE(SameBits(got[k], want[k]))
        << "row " << k / stride << ", column " << k % stride << ": " << got[k] << ", not " << want[k];
  }
}

TEST_P(Embed, NarrowTablesAreWidened) {
  for (const std::size_t dim : {1u, 2u, 9u, 31u, 64u, 131u}) {
    for (const posenc_layout layout : kLayouts) {
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

// All 65536 values of a 16-bit type. The scale keeps all but the smallest ones visible beside the encoding.
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
    ASSERT_EQ(encoder.Add(0, kRows, {want.data(), dim}, scale), POSENC_OK);
    ASSERT_EQ(encoder.Embed({ids.data(), table.data(), kRows, dim}, 0, kRows, {got.data(), dim}, scale),
              POSENC_OK);
    EXPECT_TRUE(SameBits(got, want)) << scale;
  }
}

TEST_P(Embed, EveryBitPatternOfNarrowTables) {
  if (IsReference()) GTEST_SKIP() << "slow";
  const Encoder encoder = Create(MakeSpec(64, target()));
  ExpectEveryBitPattern<BFloat16>(encoder);
  ExpectEveryBitPattern<Float16>(encoder);
}

// Ids and positions are integers of every type that lists may have.
template <class T, class Element, class Id, class Position>
void ExpectEachRow(const Encoder& encoder, const std::vector<std::int64_t>& positions) {
  const std::size_t rows = positions.size(), dim = encoder.dim(), table_stride = dim + 3, stride = dim + 1;
  const std::vector<Element> table = Activations<Element>(kVocabulary * table_stride);
  const std::vector<Position> list(positions.begin(), positions.end());
  std::vector<Id> ids(rows);
  std::vector<T> want = Activations<T>(rows * stride, 3), got = want;
  for (std::size_t r = 0; r < rows; ++r) {
    ids[r] = static_cast<Id>((7 * r + 10) % kVocabulary);
    ASSERT_EQ(encoder.Embed({&ids[r], table.data(), kVocabulary, table_stride}, positions[r], 1,
                            {&want[r * stride], dim}, 1.5f),
              POSENC_OK);
  }
  std::size_t bad_index = 4711;
  ASSERT_EQ(encoder.EmbedAt({ids.data(), table.data(), kVocabulary, table_stride}, list.data(), rows,
                            {got.data(), stride}, 1.5f, &bad_index),
            POSENC_OK);
  EXPECT_EQ(bad_index, 4711u);
  EXPECT_TRUE(SameBits(got, want)) << "dim " << dim;
}

TEST_P(Embed, AtPositionsIsEmbedOfEachRow) {
  const std::size_t rows = IsReference() ? 4 : 130;
  std::vector<std::int64_t> positions;
  for (std::size_t r = 0; r < rows; ++r)
    positions.push_back(r % 3 == 0 ? 1 : static_cast<std::int64_t>(r % 40) - 9);
  for (const std::size_t dim : {1u, 6u, 37u, 64u}) {
    for (const posenc_layout layout : kLayouts) {
      const Encoder encoder = Create(MakeSpec(dim, target(), layout));
      ForEachType([&](auto element) {
        using T = decltype(element);
        ExpectEachRow<T, T, std::int32_t, std::int64_t>(encoder, positions);
        ExpectEachRow<T, T, std::int64_t, std::int32_t>(encoder, positions);
        ExpectEachRow<T, T, std::int32_t, float>(encoder, positions);
        ExpectEachRow<T, T, std::int32_t, double>(encoder, positions);
      });
      ExpectEachRow<float, BFloat16, std::int32_t, std::int64_t>(encoder, positions);
      ExpectEachRow<float, Float16, std::int64_t, double>(encoder, positions);
    }
  }
}

// Rows with other columns than pairs. Rows of a table have the same sums as Add.
TEST_P(Embed, OtherColumnsAreAdded) {
  constexpr std::size_t kRows = 14;
  const std::vector<std::int32_t> ids(kRows, 1);
  for (const posenc_layout layout : kLayouts) {
    for (const posenc_odd_column odd : {POSENC_ODD_ZERO_LAST, POSENC_ODD_COSINE_LAST}) {
      for (const bool input_first : {false, true}) {
        Spec spec = MakeSpec(5, target(), layout);
        spec.odd_column = odd;
        spec.input_first = input_first;
        spec.has_padding = true;
        spec.padding_position = 9;
        const Encoder encoder = Create(spec);
        ForEachType([&](auto element) {
          using T = decltype(element);
          const auto table = Activations<T>(2 * spec.dim);
          std::vector<T> want, got(kRows * spec.dim);
          for (std::size_t r = 0; r < kRows; ++r)
            want.insert(want.end(), table.end() - static_cast<std::ptrdiff_t>(spec.dim), table.end());
          EXPECT_EQ(encoder.Add(0, kRows, {want.data(), spec.dim}, 1.5f), POSENC_OK);
          EXPECT_EQ(
              encoder.Embed({ids.data(), table.data(), 2, spec.dim}, 0, kRows, {got.data(), spec.dim}, 1.5f),
              POSENC_OK);
          EXPECT_TRUE(SameBits(got, want));
        });
      }
    }
  }
}

// Compares with MPFR, also at fractions. With nan_rows, bad positions make rows of NaN.
TEST_P(Embed, AtPositionsIsWhatTheOracleSays) {
  Spec spec = MakeSpec(9, target());
  spec.nan_rows = true;
  const Encoder encoder = Create(spec);
  const double positions[] = {0.0, -3.25, std::nan(""), 0x1p31, 4097.0};
  const std::int64_t ids[] = {2, 0, 1, 2, 1};
  ForEachType([&](auto element) {
    using T = decltype(element);
    const std::vector<T> table = Activations<T>(3 * spec.dim);
    std::vector<T> got(5 * spec.dim);
    ASSERT_EQ(encoder.EmbedAt({ids, table.data(), 3, spec.dim}, positions, 5, {got.data(), spec.dim}, 3.0f),
              POSENC_OK);
    for (std::size_t r = 0; r < 5; ++r) {
      const bool is_bad = std::isnan(positions[r]);
      const std::vector<float> pe = OracleRow<float>(spec, is_bad ? 0.0 : positions[r]);
      for (std::size_t k = 0; k < spec.dim; ++k) {
        const T x = table[static_cast<std::size_t>(ids[r]) * spec.dim + k], y = got[r * spec.dim + k];
        EXPECT_TRUE(is_bad ? SameBits(y, CanonicalNan<T>()) : IsSum(y, x, 3.0f, pe[k]))
            << r << ", column " << k;
      }
    }
  });
}

POSENC_INSTANTIATE_PER_TARGET(Embed);

}  // namespace
}  // namespace posenc
