// Bad input to grids: each mistake has its status and its axis, next to it is what works, and on any failure
// nothing is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "call_errors.h"
#include "posenc/grid_c.h"

namespace posenc {
namespace {

constexpr std::size_t kMaxSize = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kNone = 4711;
constexpr std::size_t kAxes = 3, kStride = 3 * kDim + 2;

// Axes of 2, 3 and 2 positions, of which that of 3 has a list; what works, of zeros: tests spoil it.
struct GridArguments {
  std::vector<double> data = std::vector<double>(1000), list = std::vector<double>(16);
  posenc_grid_axis axes[POSENC_MAX_GRID_AXES + 1] = {};
  const posenc_grid_axis* passed = axes;
  std::size_t axis_count = kAxes, prefix_rows = 1, stride = kStride;
  posenc_type type = POSENC_F32;
  void* out = data.data();
  std::size_t bad_axis = kNone, bad_index = kNone;
  std::size_t *axis_told = &bad_axis, *index_told = &bad_index;

  explicit GridArguments(const posenc_encoder* encoder) {
    for (std::size_t a = 0; a < std::size(axes); ++a)
      axes[a] = {encoder, a * kDim, a == 1 ? 3u : 2u, nullptr, 5, 0, 0};
    axes[1].positions = list.data();
    axes[1].position_type = POSENC_I64;
  }
  GridArguments(const GridArguments&) = delete;
  GridArguments& operator=(const GridArguments&) = delete;
};

struct GridFunction {
  const char* name;
  std::vector<posenc_type> types;
  posenc_status (*call)(GridArguments&);
};

void PrintTo(const GridFunction& function, std::ostream* os) { *os << function.name; }

std::vector<GridFunction> GridFunctions() {
  return {{"write",
           {POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64},
           [](GridArguments& a) {
             return posenc_write_grid(a.passed, a.axis_count, a.prefix_rows, a.type, a.out, a.stride,
                                      a.axis_told, a.index_told);
           }},
          {"add", {POSENC_F32, POSENC_BF16, POSENC_F16}, [](GridArguments& a) {
             return posenc_add_grid(a.passed, a.axis_count, a.prefix_rows, a.type, a.out, a.stride, 1.0f,
                                    a.axis_told, a.index_told);
           }}};
}

class GridErrors : public testing::TestWithParam<GridFunction> {
 protected:
  using Spoil = std::function<void(GridArguments&)>;

  // Of every type; what is at fault is told where somebody asks.
  void Expect(posenc_status want, const Spoil& spoil, std::size_t bad_axis = kNone,
              std::size_t bad_index = kNone) {
    for (const posenc_type type : GetParam().types) {
      for (const bool is_told : {true, false}) {
        GridArguments a(encoder_.c_encoder());
        a.type = type;
        spoil(a);
        if (!is_told) a.axis_told = a.index_told = nullptr;
        const std::vector<double> before = a.data, list = a.list;
        EXPECT_EQ(GetParam().call(a), want) << posenc_status_message(want) << ", type " << type;
        EXPECT_EQ(a.bad_axis, is_told ? bad_axis : kNone);
        EXPECT_EQ(a.bad_index, is_told ? bad_index : kNone);
        if (want != POSENC_OK) {
          EXPECT_TRUE(SameBits(a.data, before) && SameBits(a.list, list));
        }
      }
    }
  }

  const Encoder encoder_ = Create(MakeSpec(kDim)), wide_ = Create(MakeSpec(3 * kDim + 3));
};

TEST_P(GridErrors, GoodArgumentsWork) {
  Expect(POSENC_OK, [](GridArguments&) {});
  Expect(POSENC_OK, [](GridArguments& a) { a.stride = 3 * kDim; });
  Expect(POSENC_OK, [](GridArguments& a) { a.axis_count = 1; });
  Expect(POSENC_OK, [](GridArguments& a) { a.axes[0].position_type = 4711; });  // of no list
  Expect(POSENC_OK, [](GridArguments& a) {
    a.axis_count = POSENC_MAX_GRID_AXES;
    a.stride = POSENC_MAX_GRID_AXES * kDim;
    for (posenc_grid_axis& axis : a.axes) axis.count = 1;
  });
}

TEST_P(GridErrors, NullPointers) {
  Expect(POSENC_NULL_POINTER, [](GridArguments& a) { a.passed = nullptr; });
  Expect(POSENC_NULL_POINTER, [](GridArguments& a) { a.out = nullptr; });
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    Expect(
        POSENC_NOT_CREATED, [&](GridArguments& a) { a.axes[axis].encoder = nullptr; }, axis);
  }
}

TEST_P(GridErrors, CountsOfAxes) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{POSENC_MAX_GRID_AXES + 1}, kMaxSize}) {
    Expect(POSENC_BAD_GRID, [&](GridArguments& a) { a.axis_count = count; });
  }
}

TEST_P(GridErrors, UnknownTypes) {
  for (const posenc_type type : {std::numeric_limits<std::int32_t>::min(), -1, 0, 1, 2, 3, 4, 5, 6, 7,
                                 std::numeric_limits<std::int32_t>::max()}) {
    const std::vector<posenc_type>& types = GetParam().types;
    if (std::count(types.begin(), types.end(), type) == 0) {
      Expect(POSENC_BAD_TYPE, [&](GridArguments& a) { a.type = type; });
    }
    const bool is_position =
        type == POSENC_F32 || type == POSENC_F64 || type == POSENC_I32 || type == POSENC_I64;
    Expect(
        is_position ? POSENC_OK : POSENC_BAD_TYPE, [&](GridArguments& a) { a.axes[1].position_type = type; },
        is_position ? kNone : 1);
  }
  Expect(
      POSENC_BAD_FLAG, [](GridArguments& a) { a.axes[2].reserved = 1; }, 2);
}

TEST_P(GridErrors, ColumnsBeyondTheRow) {
  Expect(
      POSENC_STRIDE_TOO_SMALL, [](GridArguments& a) { a.stride = 3 * kDim - 1; }, 2);
  Expect(
      POSENC_STRIDE_TOO_SMALL, [](GridArguments& a) { a.stride = 0; }, 0);
  for (const std::size_t column : {kStride - kDim + 1, kStride, kMaxSize, kMaxSize - kDim + 1}) {
    Expect(
        POSENC_STRIDE_TOO_SMALL, [&](GridArguments& a) { a.axes[1].column = column; }, 1);
  }
  Expect(
      POSENC_STRIDE_TOO_SMALL, [&](GridArguments& a) { a.axes[0].encoder = wide_.c_encoder(); }, 0);
}

TEST_P(GridErrors, ColumnsInCommon) {
  for (const std::size_t column : {std::size_t{1}, kDim - 1, kDim, 2 * kDim - 1}) {
    Expect(
        POSENC_BAD_GRID, [&](GridArguments& a) { a.axes[2].column = column; }, 2);
  }
  Expect(
      POSENC_BAD_GRID, [](GridArguments& a) { a.axes[1].column = 0; }, 1);
  Expect(
      POSENC_BAD_GRID, [](GridArguments& a) { a.axes[0].column = kDim + 1; }, 1);
  Expect(
      POSENC_BAD_GRID, [](GridArguments& a) { a.axes[0].column = 2 * kDim - 1; }, 1);
  Expect(POSENC_OK, [](GridArguments& a) {
    a.axes[0].column = 2 * kDim;
    a.axes[2].column = 0;
  });
}

TEST_P(GridErrors, SizeOverflow) {
  const auto counts = [&](std::size_t x, std::size_t y, std::size_t z, std::size_t prefix) {
    Expect(POSENC_SIZE_OVERFLOW, [&](GridArguments& a) {
      a.axes[0].count = x;
      a.axes[1].count = y;
      a.axes[2].count = z;
      a.prefix_rows = prefix;
    });
  };
  counts(kMaxSize, kMaxSize, 2, 0);
  counts(kMaxSize / 2 + 1, 2, 1, 0);  // wraps around to 0
  counts(1, kMaxSize / 4 + 1, 4, 0);
  counts(2, 3, 2, kMaxSize);
  counts(2, 3, 2, kMaxSize - 11);  // the same
  counts(2, 3, 2, kMaxSize / 2);
  counts(kMaxSize / 64, 1, 1, 0);
  counts(0, kMaxSize, kMaxSize, kMaxSize);
  Expect(POSENC_SIZE_OVERFLOW, [](GridArguments& a) { a.stride = kMaxSize / 8; });
  Expect(POSENC_OK, [](GridArguments& a) {
    a.axes[0].count = 0;
    a.axes[1].count = a.axes[2].count = kMaxSize;
  });
}

TEST_P(GridErrors, NoRowsAreFine) {
  Expect(POSENC_OK, [](GridArguments& a) {
    a.axes[1].count = a.prefix_rows = 0;
    a.axes[0].first_position = INT64_MAX;
    a.out = nullptr;
  });
}

TEST_P(GridErrors, RunsThatLeaveTheRange) {
  constexpr std::int64_t kMax = POSENC_MAX_POSITION;
  const auto expect = [&](std::int64_t first, std::size_t count, std::size_t index) {
    Expect(
        index == kNone ? POSENC_OK : POSENC_POSITION_OUT_OF_RANGE,
        [&](GridArguments& a) {
          a.axes[2].first_position = first;
          a.axes[2].count = count;
        },
        index == kNone ? kNone : 2, index);
  };
  expect(kMax - 1, 2, kNone);
  expect(kMax, 2, 1);
  expect(kMax - 3, 6, 4);
  expect(kMax + 1, 1, 0);
  expect(-kMax, 2, kNone);
  expect(-kMax - 1, 2, 0);
  expect(INT64_MAX, 2, 0);
  expect(INT64_MIN, 2, 0);
}

TEST_P(GridErrors, PositionsThatAnOffsetMovesOutOfTheRange) {
  Spec spec = MakeSpec(kDim);
  spec.position_offset = 10;
  const Encoder shifted = Create(spec);
  const auto expect = [&](std::int64_t first, std::size_t index) {
    Expect(
        index == kNone ? POSENC_OK : POSENC_POSITION_OUT_OF_RANGE,
        [&](GridArguments& a) {
          a.axes[2].encoder = shifted.c_encoder();
          a.axes[2].first_position = first;
        },
        index == kNone ? kNone : 2, index);
  };
  expect(kMaxPosition - 11, kNone);
  expect(kMaxPosition - 10, 1);
  expect(kMaxPosition - 9, 0);
  expect(-kMaxPosition - 10, kNone);
  expect(-kMaxPosition - 11, 0);
}

template <class Value>
posenc_grid_axis ListOf(posenc_grid_axis axis, posenc_type type, const std::vector<Value>& values) {
  axis.positions = values.data();
  axis.position_type = type;
  axis.count = values.size();
  return axis;
}

TEST_P(GridErrors, BadValuesOfLists) {
  const auto expect = [&](posenc_type type, const auto& values, std::size_t index) {
    Expect(
        index == kNone ? POSENC_OK : POSENC_POSITION_OUT_OF_RANGE,
        [&](GridArguments& a) { a.axes[1] = ListOf(a.axes[1], type, values); }, index == kNone ? kNone : 1,
        index);
  };
  expect(POSENC_F64, std::vector<double>{0.0, -0x1p31, 0x1p31}, kNone);
  expect(POSENC_F64, std::vector<double>{0.0, std::nan(""), HUGE_VAL}, 1);
  expect(POSENC_F64, std::vector<double>{0.0, 1.0, 0x1.0000000000001p31}, 2);
  expect(POSENC_F32, std::vector<float>{-0x1.000002p31f, 1.0f}, 0);
  expect(POSENC_I64, std::vector<std::int64_t>{5, kMaxPosition + 1, INT64_MIN}, 1);
  expect(POSENC_I32, std::vector<std::int32_t>{INT32_MAX, INT32_MIN}, kNone);
  // The first axis at fault is told.
  const std::vector<double> bad = {std::nan("")};
  Expect(
      POSENC_POSITION_OUT_OF_RANGE,
      [&](GridArguments& a) {
        a.axes[1] = ListOf(a.axes[1], POSENC_F64, bad);
        a.axes[2] = ListOf(a.axes[2], POSENC_F64, bad);
      },
      1, 0);
}

// With nan_rows positions of lists are any; runs are refused as ever.
TEST_P(GridErrors, NanRowsTakeAnyList) {
  Spec spec = MakeSpec(kDim);
  spec.nan_rows = true;
  const Encoder any = Create(spec);
  const std::vector<double> bad = {std::nan(""), HUGE_VAL};
  Expect(POSENC_OK, [&](GridArguments& a) {
    a.axes[1] = ListOf(a.axes[1], POSENC_F64, bad);
    a.axes[1].encoder = any.c_encoder();
  });
  Expect(
      POSENC_POSITION_OUT_OF_RANGE,
      [&](GridArguments& a) {
        a.axes[0].encoder = any.c_encoder();
        a.axes[0].first_position = -POSENC_MAX_POSITION - 1;
      },
      0, 0);
}

// A list may touch what is written, from the first column of an axis to the last one, on either side.
TEST_P(GridErrors, Overlaps) {
  for (const std::size_t shift : {0u, 2u}) {  // columns before the first
    for (const bool after : {false, true}) {
      for (const bool overlaps : {false, true}) {
        Expect(
            overlaps ? POSENC_BUFFERS_OVERLAP : POSENC_OK,
            [&](GridArguments& a) {
              const std::size_t size = SizeOf(a.type), rows = 1 + 2 * 3 * 2, bytes = 3 * sizeof(std::int64_t);
              for (std::size_t k = 0; k < kAxes; ++k) a.axes[k].column += shift;
              auto* const out = reinterpret_cast<unsigned char*>(a.data.data()) + 400;
              unsigned char* const first = out + shift * size;
              unsigned char* const end = out + ((rows - 1) * kStride + 3 * kDim + shift) * size;
              a.out = out;
              a.axes[1].positions = after ? end - (overlaps ? 1 : 0) : first - bytes + (overlaps ? 1 : 0);
            },
            overlaps ? 1 : kNone);
      }
    }
  }
  const std::vector<std::int64_t> none(1);
  Expect(POSENC_SIZE_OVERFLOW, [&](GridArguments& a) {  // of a list alone, in a row of one narrow column
    if (a.type != POSENC_BF16) a.stride = kMaxSize;
    a.axes[1].count = kMaxSize / 8 + 1;
  });
}

INSTANTIATE_TEST_SUITE_P(, GridErrors, testing::ValuesIn(GridFunctions()),
                         [](const auto& param_info) { return std::string(param_info.param.name); });

}  // namespace
}  // namespace posenc
