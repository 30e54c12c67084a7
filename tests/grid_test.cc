// Grids: the columns of each axis have the bits that WriteAt or AddAt gives at the axis' position. Rows
// before the cells are zeros. No other byte changes, wherever the matrix is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "call/store_policy.h"
#include "guarded_pages.h"
#include "oracle_rows.h"
#include "per_target.h"
#include "posenc/grid.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

constexpr float kScale = 1.5f;

// How an axis gets its positions: consecutive, or as a list of some type.
enum class Kind { kRun, kI32, kI64, kF32, kF64 };

class AxisPositions {
 public:
  AxisPositions(Kind kind, std::int64_t first, std::size_t count) : kind_(kind), first_(first) {
    for (std::size_t k = 0; k < count; ++k) {
      const std::int64_t wide = kind == Kind::kRun ? first + static_cast<std::int64_t>(k)
                                                   : first - static_cast<std::int64_t>(k * k * 7);
      values_.push_back(static_cast<double>(wide) + (kind >= Kind::kF32 ? 0.375 : 0.0));
    }
    Fill();
  }
  explicit AxisPositions(std::vector<double> values) : kind_(Kind::kF64), values_(std::move(values)) {}

  GridAxis Axis(const Encoder& encoder, std::size_t column) const {
    const std::size_t count = values_.size();
    switch (kind_) {
      case Kind::kRun:
        return {encoder, column, count, first_};
      case Kind::kI32:
        return {encoder, column, count, List(narrow_.data())};
      case Kind::kI64:
        return {encoder, column, count, List(wide_.data())};
      case Kind::kF32:
        return {encoder, column, count, List(floats_.data())};
      default:
        return {encoder, column, count, List(values_.data())};
    }
  }
  const std::vector<double>& values() const { return values_; }

 private:
  void Fill() {
    for (double& value : values_) {
      if (kind_ == Kind::kF32) value = static_cast<double>(static_cast<float>(value));
      narrow_.push_back(static_cast<std::int32_t>(value));
      wide_.push_back(static_cast<std::int64_t>(value));
      floats_.push_back(static_cast<float>(value));
    }
  }

  Kind kind_;
  std::int64_t first_ = 0;
  std::vector<double> values_;
  std::vector<std::int32_t> narrow_;
  std::vector<std::int64_t> wide_;
  std::vector<float> floats_;
};

// Axes, their encoders, and the rows of the grid.
struct GridCase {
  std::vector<std::shared_ptr<const Encoder>> encoders;  // one for each axis
  std::vector<AxisPositions> positions;
  std::vector<std::size_t> columns;
  std::size_t stride = 0, prefix = 0;

  std::size_t axes() const { return positions.size(); }
  std::size_t count(std::size_t a) const { return positions[a].values().size(); }
  std::size_t cells() const {
    std::size_t cells = 1;
    for (std::size_t a = 0; a < axes(); ++a) cells *= count(a);
    return cells;
  }
  std::size_t rows() const { return prefix + cells(); }
  std::size_t first_column() const { return *std::min_element(columns.begin(), columns.end()); }
  std::size_t end_column() const {
    std::size_t end = 0;
    for (std::size_t a = 0; a < axes(); ++a) end = std::max(end, columns[a] + encoders[a]->dim());
    return end;
  }
  std::size_t Index(std::size_t cell, std::size_t a) const {
    for (std::size_t b = axes(); --b > a;) cell /= count(b);
    return cell % count(a);
  }
  std::vector<GridAxis> Axes() const {
    std::vector<GridAxis> made;
    for (std::size_t a = 0; a < axes(); ++a) made.push_back(positions[a].Axis(*encoders[a], columns[a]));
    return made;
  }

  template <class T>
  posenc_status Run(T* data, const float* scale) const {
    const std::vector<GridAxis> made = Axes();
    std::size_t bad_axis = 4711, bad_index = 4711;
    const posenc_status status =
        scale == nullptr
            ? posenc_write_grid(made.data(), made.size(), prefix, PointerTo(Rows(TypeOf<T>(), data, stride)),
                                &bad_axis, &bad_index)
            : posenc_add_grid(made.data(), made.size(), prefix, PointerTo(Rows(TypeOf<T>(), data, stride)),
                              *scale, &bad_axis, &bad_index);
    EXPECT_EQ(bad_axis + bad_index, 2 * 4711u);
    return status;
  }
};

// Computes row by row what the cells of x must become.
template <class T>
void ExpectCells(const GridCase& grid, std::vector<T>* x, const float* scale) {
  for (std::size_t a = 0; a < grid.axes(); ++a) {
    const Encoder& encoder = *grid.encoders[a];
    const std::vector<T> rows = WriteAt<T>(encoder, grid.positions[a].values());
    for (std::size_t t = 0; t < grid.cells(); ++t) {
      T* const to = &(*x)[(grid.prefix + t) * grid.stride + grid.columns[a]];
      const std::size_t i = grid.Index(t, a);
      if (scale == nullptr) {
        std::copy_n(&rows[i * encoder.dim()], encoder.dim(), to);
      } else if constexpr (!std::is_same_v<T, double>) {
        ASSERT_EQ(encoder.AddAt(&grid.positions[a].values()[i], 1, {to, encoder.dim()}, *scale), POSENC_OK);
      }
    }
  }
}

// The rows before the cells become zeros, or sums with zero.
template <class T>
void ExpectPrefix(const GridCase& grid, const std::vector<T>& before, const T* got, const float* scale) {
  for (std::size_t r = 0; r < grid.prefix; ++r) {
    for (std::size_t a = 0; a < grid.axes(); ++a) {
      for (std::size_t k = 0; k < grid.encoders[a]->dim(); ++k) {
        const std::size_t at = r * grid.stride + grid.columns[a] + k;
        if (scale == nullptr) {
          ASSERT_TRUE(SameBits(got[at], FromBits<T>(0))) << "prefix row " << r << ", column " << at;
        } else if constexpr (!std::is_same_v<T, double>) {
          ASSERT_TRUE(IsSum(got[at], before[at], *scale, 0.0f)) << "prefix row " << r << ", column " << at;
        }
      }
    }
  }
}

// The matrix ends at a page that nobody may touch, or begins after such a page, at an offset in bytes.
// Between the axes' columns nothing may change.
template <class T>
void ExpectGrid(const GridCase& grid, const float* scale, bool at_end, std::size_t offset = 0) {
  const std::size_t first = grid.first_column();
  const std::size_t entries = (grid.rows() - 1) * grid.stride + grid.end_column() - first;
  const std::vector<T> before = Activations<T>(grid.rows() * grid.stride);
  std::vector<T> want = before;
  ExpectCells(grid, &want, scale);
  GuardedPages pages(entries * sizeof(T) + offset);
  unsigned char* const begin = at_end ? pages.end() - entries * sizeof(T) - offset : pages.begin() + offset;
  std::memcpy(begin, before.data() + first, entries * sizeof(T));
  ASSERT_EQ(grid.Run(reinterpret_cast<T*>(begin) - first, scale), POSENC_OK);
  std::vector<T> got = before;
  std::memcpy(got.data() + first, begin, entries * sizeof(T));
  ExpectPrefix(grid, before, got.data(), scale);
  for (std::size_t r = 0; r < grid.prefix; ++r) {
    for (std::size_t a = 0; a < grid.axes(); ++a) {
      const std::size_t at = r * grid.stride + grid.columns[a];
      std::copy_n(&got[at], grid.encoders[a]->dim(), &want[at]);
    }
  }
  if (SameBits(got, want)) return;
  for (std::size_t k = 0; k < got.size(); ++k) {
    ASSERT_TRUE(SameBits(got[k], want[k])) << "row " << k / grid.stride << ", column " << k % grid.stride
                                           << ": " << Value(got[k]) << ", not " << Value(want[k]);
  }
}

struct AxisShape {
  std::size_t dim, column;
  Kind kind;
  std::size_t count;
};

struct GridShape {
  std::vector<AxisShape> axes;
  std::size_t stride, prefix;
};

GridCase MakeCase(const GridShape& shape, const char* target) {
  GridCase grid;
  grid.stride = shape.stride;
  grid.prefix = shape.prefix;
  for (const AxisShape& axis : shape.axes) {
    const std::size_t a = grid.axes();
    const Spec spec = MakeSpec(axis.dim, target, kLayouts[(a + axis.dim) % kLayouts.size()]);
    grid.encoders.push_back(std::make_shared<const Encoder>(Create(spec)));
    grid.positions.emplace_back(axis.kind, a == 1 ? -7 : 1000 * static_cast<std::int64_t>(a), axis.count);
    grid.columns.push_back(axis.column);
  }
  return grid;
}

// One to four axes. Columns are in order, reversed, or apart. Some counts are one, and some rows do not fit
// into a tile.
const GridShape kShapes[] = {
    {{{9, 0, Kind::kRun, 7}}, 9, 0},
    {{{5, 3, Kind::kI32, 1}}, 11, 2},
    {{{16, 0, Kind::kRun, 5}, {16, 16, Kind::kRun, 6}}, 32, 1},
    {{{6, 7, Kind::kF64, 4}, {7, 0, Kind::kI64, 3}}, 13, 0},
    {{{33, 70, Kind::kRun, 3}, {31, 2, Kind::kF32, 5}}, 111, 3},
    {{{4, 0, Kind::kRun, 1}, {4, 9, Kind::kRun, 9}}, 14, 1},
    {{{7, 20, Kind::kI64, 3}, {16, 3, Kind::kF32, 2}, {1, 0, Kind::kRun, 4}}, 30, 1},
    {{{64, 0, Kind::kRun, 2}, {2, 64, Kind::kF64, 3}, {64, 66, Kind::kI32, 3}}, 131, 0},
    {{{6, 0, Kind::kRun, 2}, {4, 6, Kind::kI32, 3}, {33, 10, Kind::kF64, 2}, {2, 43, Kind::kRun, 3}}, 45, 2},
    {{{1, 3, Kind::kRun, 2}, {1, 2, Kind::kRun, 1}, {1, 1, Kind::kRun, 2}, {1, 0, Kind::kRun, 2}}, 4, 1},
};

// An axis with more rows than a tile holds, rows too long for any tile, and matrices larger than the caches,
// where all axes or some share a tile.
const GridShape kLargeShapes[] = {
    {{{512, 512, Kind::kRun, 37}, {512, 0, Kind::kRun, 35}}, 1024, 1},
    {{{300, 0, Kind::kF32, 3}, {400, 300, Kind::kRun, 29}, {350, 701, Kind::kI32, 50}}, 1051, 0},
    {{{8, 0, Kind::kRun, 2500}}, 8, 0},
    {{{4097, 0, Kind::kRun, 2}, {4096, 4097, Kind::kI64, 3}}, 8193, 1},
    {{{16400, 5, Kind::kRun, 3}, {3, 1, Kind::kRun, 4}}, 16405, 1},
    {{{5000, 100, Kind::kRun, 5}, {40, 60, Kind::kI32, 10}, {60, 0, Kind::kRun, 11}}, 5101, 2},
};

class Grids : public PerTarget {
 protected:
  template <class T>
  void ExpectAll(const GridCase& grid, const std::vector<std::size_t>& offsets) {
    for (const std::size_t offset : offsets) {
      for (const bool at_end : {false, true}) {
        SCOPED_TRACE(testing::Message() << grid.axes() << " axes, stride " << grid.stride << ", offset "
                                        << offset << (at_end ? " at the end" : ""));
        ExpectGrid<T>(grid, nullptr, at_end, offset);
        if (!std::is_same_v<T, double>) ExpectGrid<T>(grid, &kScale, at_end, offset);
      }
    }
  }
};

TEST_P(Grids, AreTheRowsOfTheirAxes) {
  for (const GridShape& shape : kShapes) {
    const GridCase grid = MakeCase(shape, target());
    ForEachEntryType([&](auto entry) { ExpectAll<decltype(entry)>(grid, {0, 1, 4, 8}); });
  }
}

TEST_P(Grids, OfManyPositionsAndWideAxes) {
  if (IsReference()) GTEST_SKIP() << "slow";
  for (const GridShape& shape : kLargeShapes) {
    const GridCase grid = MakeCase(shape, target());
    ForEachEntryType([&](auto entry) { ExpectAll<decltype(entry)>(grid, {0}); });
  }
}

// All axes may share one encoder.
TEST_P(Grids, OfOneEncoder) {
  GridCase grid = MakeCase({{{12, 12, Kind::kRun, 4}, {12, 0, Kind::kRun, 5}}, 24, 1}, target());
  grid.encoders[1] = grid.encoders[0];
  ForEachEntryType([&](auto entry) { ExpectAll<decltype(entry)>(grid, {0}); });
}

// NaN sums have the bits that AddAt gives.
TEST_P(Grids, OfScalesThatMakeNans) {
  const GridCase grid = MakeCase({{{33, 20, Kind::kRun, 3}, {20, 0, Kind::kF32, 5}}, 55, 2}, target());
  for (const float scale : {0.0f, -HUGE_VALF, std::nanf(""), -2.0f, 0x1p120f}) {
    ForEachType([&](auto entry) { ExpectGrid<decltype(entry)>(grid, &scale, true); });
  }
}

// A bad position makes the axis' columns NaN in its cells. Other columns are as usual.
TEST_P(Grids, OfNanRows) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  GridCase grid = MakeCase({{{9, 12, Kind::kRun, 4}, {12, 0, Kind::kRun, 1}}, 22, 1}, target());
  Spec spec = MakeSpec(12, target());
  spec.nan_rows = true;
  grid.encoders[1] = std::make_shared<const Encoder>(Create(spec));
  grid.positions[1] = AxisPositions({0.5, kNaN, 3.0, -HUGE_VAL, 0x1p32});
  ForEachEntryType([&](auto entry) { ExpectAll<decltype(entry)>(grid, {0}); });
  std::swap(grid.encoders[0], grid.encoders[1]);
  std::swap(grid.positions[0], grid.positions[1]);
  std::swap(grid.columns[0], grid.columns[1]);
  ForEachEntryType([&](auto entry) { ExpectAll<decltype(entry)>(grid, {0}); });
}

// Rows with columns besides pairs, with shifted positions, and with padding, which makes zeros.
TEST_P(Grids, OfOtherColumnsAndPadding) {
  GridCase grid = MakeCase({{{9, 12, Kind::kRun, 6}, {11, 0, Kind::kI64, 4}}, 22, 1}, target());
  Spec first = MakeSpec(9, target(), POSENC_SIN_COS), second = MakeSpec(11, target());
  first.position_offset = 3;
  first.has_padding = true;
  first.padding_position = 2;
  second.input_first = true;
  for (const posenc_odd_column odd : {POSENC_ODD_ZERO_LAST, POSENC_ODD_ZERO_MIDDLE, POSENC_ODD_COSINE_LAST}) {
    first.odd_column = odd;
    grid.encoders = {std::make_shared<const Encoder>(Create(first)),
                     std::make_shared<const Encoder>(Create(second))};
    ForEachEntryType([&](auto entry) { ExpectAll<decltype(entry)>(grid, {0}); });
  }
}

// Compares a grid with MPFR, as MAE uses it. Rows are ordered by h, then w. The columns of w come first.
// There is a class token.
TEST_P(Grids, AreWhatTheOracleSays) {
  const Spec spec = MakeSpec(6, target(), POSENC_SIN_COS);
  const Encoder encoder = Create(spec);
  const GridAxis axes[] = {{encoder, 6, 3}, {encoder, 0, 4}};
  std::vector<float> got((1 + 12) * 12, 5.0f), want(12, 0.0f);
  ASSERT_EQ(WriteGrid(axes, 1, {got.data(), 12}), POSENC_OK);
  for (std::size_t t = 0; t < 12; ++t) {
    for (const std::size_t position : {t % 4, t / 4}) {
      const std::vector<float> row = OracleRow<float>(spec, static_cast<double>(position));
      want.insert(want.end(), row.begin(), row.end());
    }
  }
  EXPECT_TRUE(SameBits(got, want));
}

// So many rows that writing bypasses the caches: for all axes, only for one whose rows fill whole cache
// lines, or for none.
TEST_P(Grids, BeyondTheCaches) {
  struct Shape {
    std::size_t dims[2], columns[2], counts[2], stride, offset;  // in floats; offset in bytes
  };
  constexpr Shape kStreamed[] = {{{32, 32}, {32, 0}, {130, 127}, 64, 0},
                                 {{16, 31}, {0, 32}, {180, 190}, 64, 0},
                                 {{32, 32}, {1, 33}, {130, 127}, 80, 0},
                                 {{32, 32}, {32, 0}, {130, 127}, 64, 4}};
  for (const Shape& shape : kStreamed) {
    ForEachEntryType([&](auto entry) {
      using T = decltype(entry);
      const std::size_t more = sizeof(T) == 2 ? 2 : 1;  // narrow entries for the same number of bytes
      GridCase grid =
          MakeCase({{{shape.dims[0] * more, shape.columns[0] * more, Kind::kRun, shape.counts[0]},
                     {shape.dims[1] * more, shape.columns[1] * more, Kind::kRun, shape.counts[1]}},
                    shape.stride * more,
                    1},
                   target());
      SCOPED_TRACE(testing::Message() << "dims " << shape.dims[0] << ", " << shape.dims[1] << ", column "
                                      << shape.columns[0] << ", offset " << shape.offset);
      const std::size_t entries = (grid.rows() + 1) * grid.stride;
      GuardedPages pages(entries * sizeof(T));
      std::memset(pages.begin(), 0xA5, static_cast<std::size_t>(pages.end() - pages.begin()));
      T* const data = reinterpret_cast<T*>(pages.begin() + shape.offset);
      ASSERT_EQ(grid.Run(data, nullptr), POSENC_OK);
      const std::vector<T> tables[] = {WriteAt<T>(*grid.encoders[0], grid.positions[0].values()),
                                       WriteAt<T>(*grid.encoders[1], grid.positions[1].values())};
      std::vector<T> want(grid.stride);
      for (std::size_t r = 0; r <= grid.rows(); ++r) {
        std::memset(want.data(), 0xA5, grid.stride * sizeof(T));
        for (std::size_t a = 0; a < 2 && r < grid.rows(); ++a) {
          const std::size_t dim = grid.encoders[a]->dim();
          std::vector<T> row(dim, FromBits<T>(0));
          if (r > 0)
            row.assign(&tables[a][grid.Index(r - 1, a) * dim], &tables[a][grid.Index(r - 1, a) * dim] + dim);
          std::copy(row.begin(), row.end(), &want[grid.columns[a]]);
        }
        const std::size_t bytes = (r < grid.rows() ? grid.stride * sizeof(T) : 32);
        ASSERT_EQ(std::memcmp(data + r * grid.stride, want.data(), bytes), 0) << "row " << r;
      }
    });
  }
}

// Without cells only the rows before them are written.
TEST_P(Grids, WithoutCells) {
  const Encoder encoder = Create(MakeSpec(4, target()));
  const GridAxis axes[] = {{encoder, 0, 7, POSENC_MAX_POSITION + 5},
                           {encoder, 4, 0},
                           {encoder, 8, std::numeric_limits<std::size_t>::max(), List(POSENC_F32, nullptr)}};
  std::vector<float> x(2 * 13, 3.0f), want = x;
  ASSERT_EQ(WriteGrid(axes, 1, {x.data(), 13}), POSENC_OK);
  std::fill_n(want.begin(), 12, 0.0f);
  EXPECT_TRUE(SameBits(x, want));
  ASSERT_EQ(AddGrid(axes, 2, {x.data(), 13}, 2.0f), POSENC_OK);
  std::fill_n(&want[13], 12, 6.0f);
  EXPECT_TRUE(SameBits(x, want));
  EXPECT_EQ(WriteGrid(axes, 0, {POSENC_F32, nullptr, 13}), POSENC_OK);
  EXPECT_EQ(AddGrid(axes, 0, {POSENC_F32, nullptr, 13}), POSENC_OK);
}

POSENC_INSTANTIATE_PER_TARGET(Grids);

TEST(StorePolicy, StreamsCopiesOfWholeLines) {
  GuardedPages pages(1);
  constexpr std::size_t kMany = std::size_t{4} << 20;
  EXPECT_TRUE(internal::ShouldStreamCopies(kMany, 128, pages.begin(), 192));
  EXPECT_FALSE(internal::ShouldStreamCopies(kMany - 1, 128, pages.begin(), 192));
  EXPECT_FALSE(internal::ShouldStreamCopies(kMany, 96, pages.begin(), 192));
  EXPECT_FALSE(internal::ShouldStreamCopies(kMany, 128, pages.begin() + 32, 192));
  EXPECT_FALSE(internal::ShouldStreamCopies(kMany, 128, pages.begin(), 160));
}

}  // namespace
}  // namespace posenc
