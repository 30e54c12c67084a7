// What a row holds besides its pairs, and in which columns: layouts, odd columns, the position itself,
// padding, offsets. The oracle says what each entry is. It follows the words of posenc_c.h.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "oracle_rows.h"
#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

constexpr posenc_odd_column kOddColumns[] = {POSENC_ODD_HALF_PAIR, POSENC_ODD_ZERO_LAST,
                                             POSENC_ODD_ZERO_MIDDLE, POSENC_ODD_COSINE_LAST};
constexpr std::int64_t kPadding = 9;

std::vector<Spec> Specs(std::size_t dim) {
  std::vector<Spec> specs;
  for (const posenc_layout layout : kLayouts) {
    for (const posenc_odd_column odd : kOddColumns) {
      if (odd == POSENC_ODD_ZERO_MIDDLE && internal::IsInterleaved(layout)) continue;
      for (const bool input_first : {false, true}) {
        for (const bool has_padding : {false, true}) {
          Spec spec = MakeSpec(dim, nullptr, layout);
          spec.odd_column = odd;
          spec.input_first = input_first;
          spec.has_padding = has_padding;
          spec.padding_position = kPadding;
          spec.position_offset = has_padding ? 3 : input_first ? -2 : 1;
          specs.push_back(spec);
        }
      }
    }
  }
  return specs;
}

std::string Describe(const Spec& spec) {
  return std::string(Name(spec.layout)) + ", dim " + std::to_string(spec.dim) + ", odd column " +
         std::to_string(static_cast<int>(spec.odd_column)) + (spec.input_first ? ", input first" : "") +
         (spec.has_padding ? ", padding" : "") + ", listed " + std::to_string(spec.frequency_count);
}

class Columns : public PerTarget {};

// The oracle's rows. All targets share them.
template <class T>
const std::vector<T>& Want(const Spec& spec, const std::vector<double>& positions) {
  static std::map<std::string, std::vector<T>> solved;
  std::vector<T>& want = solved[Describe(spec) + (positions.size() > 20 ? "run" : "list")];
  if (!want.empty()) return want;
  const oracle::Oracle oracle(spec, TypeOf<T>());
  std::vector<double> row(spec.dim);
  for (const double p : positions) {
    oracle.Row(p, row.data());
    for (const double entry : row) want.push_back(Nearest<T>(entry));
  }
  return want;
}

// kRun crosses the padding, so rows of padding are inside a block. kList has fractions. Some of them, less 2,
// are closer to a midpoint of two 16-bit numbers than any float.
const std::vector<double> kRun = [] {
  std::vector<double> run(70);
  std::iota(run.begin(), run.end(), -4.0);
  return run;
}();
const std::vector<double> kList = [] {
  std::vector<double> list = {9, 0.375, -1e-3, 65519.5, 70000.25, 9, 9, 1e9 + 0.5, -9, 0, 9};
  for (const double middle : {4 + 0x1p-7, 4 + 0x3p-10, -0x1p-10, -0x3p-7}) {
    list.insert(list.end(), {middle - 0x1p-40, middle + 0x1p-40});
  }
  return list;
}();

template <class T>
void ExpectWritten(Spec spec, const char* target) {
  SCOPED_TRACE(Describe(spec));
  const auto run = Want<T>(spec, kRun), list = Want<T>(spec, kList);
  spec.target = target;
  const Encoder encoder = Create(spec);
  EXPECT_TRUE(SameBits(Write<T>(encoder, static_cast<std::int64_t>(kRun[0]), kRun.size()), run));
  EXPECT_TRUE(SameBits(WriteAt<T>(encoder, kList), list));
}

TEST_P(Columns, AreWritten) {
  const std::vector<std::size_t> dims =
      IsReference() ? std::vector<std::size_t>{1, 3, 4} : std::vector<std::size_t>{1, 2, 3, 5, 33, 64};
  for (const std::size_t dim : dims) {
    for (const Spec& spec : Specs(dim)) {
      ForEachEntryType([&](auto element) { ExpectWritten<decltype(element)>(spec, target()); });
    }
  }
}

template <class T>
bool AreSums(const T* got, const std::vector<T>& x, float scale, const std::vector<float>& encodings) {
  bool are = true;
  for (std::size_t k = 0; k < x.size(); ++k) are = are && IsSum(got[k], x[k], scale, encodings[k]);
  return are;
}

// Adds to rows, to a batch with equal positions, and to rows of a table.
template <class T>
void ExpectAdded(Spec spec, const char* target) {
  SCOPED_TRACE(Describe(spec));
  const std::size_t dim = spec.dim, rows = kRun.size();
  const auto first = static_cast<std::int64_t>(kRun[0]);
  const auto run = Want<float>(spec, kRun), list = Want<float>(spec, kList);
  spec.target = target;
  const Encoder encoder = Create(spec);
  for (const float scale : {1.0f, -22.627417f}) {
    const auto x = Activations<T>(rows * dim);
    auto got = x;
    EXPECT_EQ(encoder.Add(first, rows, {got.data(), dim}, scale), POSENC_OK);
    EXPECT_TRUE(AreSums(got.data(), x, scale, run));

    const auto few = Activations<T>(kList.size() * dim);
    got = few;
    EXPECT_EQ(encoder.AddAt(kList.data(), kList.size(), {got.data(), dim}, scale), POSENC_OK);
    EXPECT_TRUE(AreSums(got.data(), few, scale, list));

    auto batch = x;
    batch.insert(batch.end(), x.begin(), x.end());
    EXPECT_EQ(encoder.AddBatch({2, rows * dim, {}}, first, rows, {batch.data(), dim}, scale), POSENC_OK);
    EXPECT_TRUE(AreSums(batch.data(), x, scale, run));
    EXPECT_TRUE(AreSums(batch.data() + x.size(), x, scale, run));

    std::vector<std::int32_t> ids(rows);
    std::iota(ids.rbegin(), ids.rend(), 0);
    std::vector<T> looked_up, embedded(rows * dim);
    for (std::size_t r = 0; r < rows; ++r) {
      looked_up.insert(looked_up.end(), x.end() - static_cast<std::ptrdiff_t>((r + 1) * dim),
                       x.end() - static_cast<std::ptrdiff_t>(r * dim));
    }
    EXPECT_EQ(encoder.Embed({ids.data(), x.data(), rows, dim}, first, rows, {embedded.data(), dim}, scale),
              POSENC_OK);
    EXPECT_TRUE(AreSums(embedded.data(), looked_up, scale, run));
  }
}

TEST_P(Columns, AreAdded) {
  const std::vector<std::size_t> dims =
      IsReference() ? std::vector<std::size_t>{1, 3} : std::vector<std::size_t>{1, 2, 3, 5, 64, 67};
  for (const std::size_t dim : dims) {
    for (const Spec& spec : Specs(dim)) {
      ForEachType([&](auto element) { ExpectAdded<decltype(element)>(spec, target()); });
    }
  }
}

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
    spec.frequency_count = pairs;
    spec.target = nullptr;
    const auto want = Want<float>(spec, kList);
    spec.target = target();
    EXPECT_TRUE(SameBits(WriteAt<float>(Create(spec), kList), want));
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
