// Wrong arguments that only some functions can get, each beside a similar argument that works.
// calls_refusals_test.cc tests the wrong arguments that all functions share.
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

#include "calls.h"
#include "per_target.h"
#include "rotary_cases.h"

namespace posenc {
namespace {

constexpr std::size_t kMaxSize = std::numeric_limits<std::size_t>::max();
constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int32_t kMinInt = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMaxInt = std::numeric_limits<std::int32_t>::max();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kDim = 8, kRows = 3, kUntold = 4711;

using Names = std::vector<std::string>;
const Names kEmbeds = {"posenc_embed", "posenc_embed_at"}, kBatch = {"posenc_add_batch"},
            kGrids = {"posenc_write_grid", "posenc_add_grid"},
            kCached = {"posenc_rotate_cached", "posenc_rotate_cached_at"},
            kCachedRuns = {"posenc_rotate_cached"}, kRotates = {"posenc_rotate", "posenc_rotate_at"},
            kTensors = {"posenc_rotate", "posenc_rotate_at", "posenc_rotate_cached",
                        "posenc_rotate_cached_at"},
            kCaches = {"posenc_write_cache", "posenc_write_cache_at", "posenc_rotate_cached",
                       "posenc_rotate_cached_at"};

// Spoils the arguments of the functions `names` and expects `want` from each call, with all types, in place
// and from a source. If the function tells where the fault is, that must be right too. A refused call writes
// nothing.
void Expect(const Refusal& want, const Names& names, const std::function<void(Call&)>& spoil,
            std::size_t bad_index = kUntold, std::size_t bad_axis = kUntold) {
  for (int kind = 0; kind < 4; ++kind) {
    Setting setting(nullptr, kDim, kRows);
    setting.SetKind(kind);
    ASSERT_TRUE(setting.Create());
    ForEachCall(setting, [&](Call& call) {
      if (std::count(names.begin(), names.end(), call.function.name) == 0) return;
      call.room = 4096;
      call.Settle();
      spoil(call);
      const auto before = call.memory;
      for (const bool is_told : {false, true}) {
        std::size_t index = kUntold, axis = kUntold;
        if (is_told) call.a.bad_index = &index;
        if (is_told) call.a.bad_axis = &axis;
        EXPECT_EQ(call(), want) << call.function.name << ", types " << call.a.type << ", " << call.a.list_type
                                << ": " << want;
        EXPECT_EQ(index, is_told ? bad_index : kUntold) << call.function.name;
        EXPECT_EQ(axis, is_told ? bad_axis : kUntold) << call.function.name;
      }
      for (std::size_t k = 0; !want.IsOk() && k < before.size(); ++k) {
        EXPECT_TRUE(SameBits(call.memory[k], before[k])) << call.function.name;
      }
    });
  }
}

template <class Value>
constexpr posenc_type ListType() {
  return std::is_same_v<Value, float>    ? POSENC_F32
         : std::is_same_v<Value, double> ? POSENC_F64
         : sizeof(Value) == 4            ? POSENC_I32
                                         : POSENC_I64;
}

TEST(RefusalsOfTables, WithoutTheRow) {
  const std::vector<std::int64_t> zeros(kRows);
  for (const bool is_null : {false, true}) {
    Expect(
        Refusal(rule::no_ids), kEmbeds,
        [&](Call& c) {
          c.a.vocabulary = 0;
          c.a.list_type = POSENC_I64;
          c.a.list = zeros.data();
          if (is_null) c.a.table = nullptr;
        },
        0);
  }
  Expect(Refusal(rule::size_table), kEmbeds, [](Call& c) {
    c.a.vocabulary = 41;
    c.a.table_stride = kMaxSize / 4;
  });
  Expect(Refusal(POSENC_BAD_STRIDE, "stride of the lookup"), kEmbeds, [](Call& c) {
    c.a.rows = 0;
    c.a.table_stride = kDim - 1;
  });
}

// The call reports the first row at fault, and whether the id or the position is wrong. If both are wrong, it
// reports the id.
TEST(RefusalsOfTables, BadPositionsBesideIds) {
  using Values = std::vector<std::int64_t>;
  const auto expect = [](const Refusal& want, const Values& ids, const Values& positions, std::size_t index) {
    Expect(
        want, {"posenc_embed_at"},
        [&](Call& c) {
          c.a.list_type = c.a.position_type = POSENC_I64;
          c.a.list = ids.data();
          c.a.positions = positions.data();
        },
        index);
  };
  const std::int64_t far = POSENC_MAX_POSITION + 1, end = kRows;
  expect(POSENC_OK, {0, 1, 2}, {POSENC_MAX_POSITION, -POSENC_MAX_POSITION, 0}, kUntold);
  expect(Refusal(rule::position_range), {0, 1, 2}, {0, 5, far}, 2);
  expect(Refusal(rule::position_range), {0, 1, -1}, {0, -far, 5}, 1);
  expect(Refusal(POSENC_OUT_OF_RANGE, "each id"), {0, end, 2}, {0, 5, far}, 1);
  expect(Refusal(POSENC_OUT_OF_RANGE, "each id"), {0, end, 2}, {0, far, 5}, 1);
  expect(Refusal(POSENC_OUT_OF_RANGE, "each id"), {0, 1, -1}, {0, 5, 6}, 2);
  Spec spec = MakeSpec(kDim);
  spec.nan_rows = true;
  const Encoder any = Create(spec);
  const double doubles[] = {0.5, kNaN, 1.0};
  const auto with_nan = [&](Call& c, const Values& ids) {
    c.a.encoder = any.get();
    c.a.list_type = POSENC_I64;
    c.a.list = ids.data();
    c.a.positions = doubles;
  };
  const Values good(kRows), bad = {0, 1, end};
  Expect(POSENC_OK, {"posenc_embed_at"}, [&](Call& c) { with_nan(c, good); });
  Expect(
      Refusal(POSENC_OUT_OF_RANGE, "each id"), {"posenc_embed_at"}, [&](Call& c) { with_nan(c, bad); }, 2);
}

// A sequence's position is the shared first position plus the sequence's own. If either is 2^62 or more, the
// call is refused, even if the sum is in range.
template <class Value>
void ExpectSums(std::int64_t shared, const std::vector<Value>& firsts, std::size_t bad = kUntold) {
  SCOPED_TRACE(testing::Message() << shared << " + " << testing::PrintToString(firsts));
  Expect(
      bad == kUntold ? Refusal(POSENC_OK) : Refusal(rule::first_position_range), kBatch,
      [&](Call& c) {
        c.a.first = shared;
        c.a.list_type = ListType<Value>();
        c.a.list = firsts.data();
      },
      bad);
}

TEST(RefusalsOfBatches, BadSumsOfFirstPositions) {
  constexpr std::int64_t kFar = (std::int64_t{1} << 62) - 1;
  constexpr auto kLast = POSENC_MAX_POSITION - static_cast<std::int64_t>(kRows) + 1;
  using Narrow = std::vector<std::int32_t>;
  ExpectSums(-POSENC_MAX_POSITION, Narrow{kMaxInt, 0});
  ExpectSums(POSENC_MAX_POSITION, Narrow{kMinInt, 0}, 1);
  ExpectSums(-1, Narrow{0, kMinInt}, 1);
  using Firsts = std::vector<std::int64_t>;
  ExpectSums(0, Firsts{kLast, -POSENC_MAX_POSITION});
  ExpectSums(0, Firsts{kLast, kLast + 1}, 1);
  ExpectSums(1000, Firsts{0, kLast - 1000});
  ExpectSums(1000, Firsts{0, kLast - 999}, 1);
  ExpectSums(-1000, Firsts{0, -POSENC_MAX_POSITION + 1000});
  ExpectSums(-1000, Firsts{0, -POSENC_MAX_POSITION + 999}, 1);
  ExpectSums(kFar, Firsts{-kFar, -kFar + 5});
  ExpectSums(kFar, Firsts{-kFar, -kFar - 1}, 1);
  ExpectSums(kFar + 1, Firsts{-kFar, -kFar}, 0);
  ExpectSums(kFar + 1, Firsts{kFar + 1, 0}, 0);
  ExpectSums(-kFar, Firsts{kFar, kFar - 5});
  ExpectSums(-kFar, Firsts{kFar, kFar + 1}, 1);
  ExpectSums(-kFar - 1, Firsts{kFar, kFar}, 0);
  ExpectSums(kMaxInt64, Firsts{kMinInt64, 0}, 0);
  ExpectSums(5, Firsts{0, kMinInt64}, 1);
  ExpectSums(5, Firsts{0, kMaxInt64}, 1);
}

TEST(RefusalsOfBatches, Sequences) {
  const auto expect = [](const Refusal& want, std::size_t sequences, std::size_t batch_stride) {
    SCOPED_TRACE(testing::Message() << sequences << " sequences " << batch_stride << " apart");
    Expect(want, kBatch, [&](Call& c) {
      c.a.list = nullptr;
      c.a.batch = sequences;
      c.a.batch_stride = batch_stride;
    });
  };
  expect(Refusal(POSENC_BAD_STRIDE, "stride of the batch"), 7, kRows * kDim - 1);
  expect(Refusal(rule::size_batch), 7, kMaxSize);
  expect(Refusal(rule::size_batch), 7, kMaxSize / 8);
  expect(Refusal(rule::size_batch), kMaxSize, kRows * kDim);
  expect(Refusal(rule::size_batch), kMaxSize / 8 + 1, 32);  // wraps around to 0
  expect(POSENC_OK, 1, 0);                                  // one sequence needs no stride
  Expect(POSENC_OK, kBatch, [](Call& c) {
    c.a.batch = c.a.batch_stride = 0;
    c.a.data = nullptr;
    c.a.list = nullptr;
  });
  for (const std::int64_t first : {POSENC_MAX_POSITION - 1, -POSENC_MAX_POSITION - 1, kMaxInt64, kMinInt64}) {
    Expect(Refusal(rule::run_range), kBatch, [&](Call& c) {
      c.a.first = first;
      c.a.list = nullptr;  // all sequences begin at that position
    });
  }
}

// A row has one column of 16 bits, and the list has 64 bits for each row, so the list overflows first.
TEST(RefusalsOfLists, ThatOverflowAlone) {
  const Encoder narrow = Create(MakeSpec(1));
  for (const Names& names : {Names{"posenc_write_at", "posenc_add_at"}, kBatch}) {
    Expect(Refusal(rule::size_list), names, [&](Call& c) {
      c.a.encoder = narrow.get();
      c.a.stride = c.a.batch_stride = c.a.rows = 1;
      c.a.type = POSENC_BF16;
      c.a.list_type = POSENC_I64;
      (names == kBatch ? c.a.batch : c.a.rows) = kMaxSize / 8 + 1;
    });
  }
  // No tensor limits the list of a rotary with several axes.
  posenc_rotary_spec spec = MakeRotarySpec(kDim);
  spec.axes = 4;
  std::fill(spec.sections, spec.sections + 4, 1);
  const RotaryPtr rotary = CreateRotary(spec);
  for (const std::size_t tokens : {kMaxSize / 4 + 1, kMaxSize / 2 + 1, kMaxSize, kMaxSize / 16 + 1}) {
    for (const std::size_t count : {0u, 1u}) {
      Expect(Refusal(rule::size_list), {"posenc_rotate_at"}, [&](Call& c) {
        c.a.rotary = rotary.get();
        c.a.rows = tokens;
        c.a.tensor_count = count;
        c.a.tensors[0].heads = 0;
      });
    }
  }
}

// The list has the positions of axis 0 first. Positions of all axes are checked.
TEST(RefusalsOfLists, OfSeveralAxes) {
  posenc_rotary_spec spec = MakeRotarySpec(kDim);
  spec.axes = 2;
  spec.sections[0] = 1;
  spec.sections[1] = 3;
  const RotaryPtr rotary = CreateRotary(spec);
  for (std::size_t index = 0; index <= 2 * kRows; ++index) {
    std::vector<double> positions(2 * kRows, 1.5);
    if (index < positions.size()) positions[index] = positions.back() = kNaN;
    Expect(
        index < positions.size() ? Refusal(rule::token_position_range) : Refusal(POSENC_OK),
        {"posenc_rotate_at", "posenc_write_cache_at"},
        [&](Call& c) {
          c.a.rotary = rotary.get();
          c.a.list_type = POSENC_F64;
          c.a.list = positions.data();
        },
        index < positions.size() ? index : kUntold);
  }
}

TEST(RefusalsOfGrids, Axes) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{POSENC_MAX_GRID_AXES + 1}, kMaxSize}) {
    Expect(Refusal(POSENC_BAD_ARGUMENT, "axis_count must be 1 .. 8"), kGrids,
           [&](Call& c) { c.a.axis_count = count; });
  }
  for (const std::size_t axis : {0u, 1u}) {
    Expect(
        Refusal(rule::null_axis_encoder), kGrids, [&](Call& c) { c.a.axes[axis].encoder = nullptr; }, kUntold,
        axis);
  }
  Expect(
      Refusal(rule::type_positions), kGrids, [](Call& c) { c.a.axes[1].positions.type = posenc_type{7}; },
      kUntold, 1);
  Expect(POSENC_OK, kGrids, [](Call& c) { c.a.axes[0].positions.type = posenc_type{4711}; });  // no list
  Expect(POSENC_OK, kGrids, [](Call& c) { c.a.axis_count = 1; });
  std::vector<posenc_grid_axis> many(POSENC_MAX_GRID_AXES);
  Expect(POSENC_OK, kGrids, [&](Call& c) {
    for (std::size_t k = 0; k < many.size(); ++k) many[k] = {c.a.encoder, k * kDim, 1, {}, 5};
    c.a.passed_axes = many.data();
    c.a.axis_count = many.size();
    c.a.stride = many.size() * kDim;
    c.a.prefix_rows = 0;
  });
}

// Axis 0 has the columns kDim .. 2 * kDim - 1. Axis 1 has the columns before them.
TEST(RefusalsOfGrids, Columns) {
  Expect(
      Refusal(rule::stride_grid), kGrids, [](Call& c) { c.a.stride = 2 * kDim - 1; }, kUntold, 0);
  Expect(
      Refusal(rule::stride_grid), kGrids, [](Call& c) { c.a.axis_count = 1, c.a.stride = 0; }, kUntold, 0);
  for (const std::size_t column : {kDim + 1, 2 * kDim, kMaxSize, kMaxSize - kDim + 1}) {
    Expect(
        Refusal(rule::stride_grid), kGrids, [&](Call& c) { c.a.axes[1].column = column; }, kUntold, 1);
  }
  for (const std::size_t column : {std::size_t{1}, kDim - 1, kDim}) {
    Expect(
        Refusal(POSENC_BAD_ARGUMENT, "columns in common"), kGrids,
        [&](Call& c) { c.a.axes[1].column = column; }, kUntold, 1);
  }
  for (const std::size_t column : {std::size_t{0}, std::size_t{1}, kDim - 1}) {
    Expect(
        Refusal(POSENC_BAD_ARGUMENT, "columns in common"), kGrids,
        [&](Call& c) { c.a.axes[0].column = column; }, kUntold, 1);
  }
  Expect(
      Refusal(POSENC_BAD_ARGUMENT, "columns in common"), kGrids,
      [](Call& c) { c.a.axes[0].column = 0, c.a.axes[1].column = kDim - 1; }, kUntold, 1);
  Expect(POSENC_OK, kGrids, [](Call& c) { c.a.axes[0].column = 0, c.a.axes[1].column = kDim; });
  const Encoder wide = Create(MakeSpec(kDim + 1));
  Expect(
      Refusal(rule::stride_grid), kGrids, [&](Call& c) { c.a.axes[0].encoder = wide.get(); }, kUntold, 0);
}

TEST(RefusalsOfGrids, Counts) {
  const auto expect = [](const Refusal& want, std::size_t x, std::size_t y, std::size_t prefix) {
    SCOPED_TRACE(testing::Message() << x << " by " << y << " and " << prefix);
    Expect(want, kGrids, [&](Call& c) {
      c.a.axes[0].count = x;
      c.a.axes[1].count = y;
      c.a.prefix_rows = prefix;
    });
  };
  expect(Refusal(rule::size_cells), kMaxSize, kMaxSize, 0);
  expect(Refusal(rule::size_cells), kMaxSize / 2 + 1, 2, 0);  // wraps around to 0
  expect(Refusal(rule::size_rows), 1, kMaxSize / 4 + 1, 0);
  expect(Refusal(rule::size_cells), 6, 2, kMaxSize - 11);  // the same
  expect(Refusal(rule::size_rows), 6, 2, kMaxSize / 2);
  expect(Refusal(rule::size_rows), 0, kMaxSize, kMaxSize);
  expect(POSENC_OK, 0, kMaxSize, 1);
  Expect(Refusal(rule::size_rows), kGrids, [](Call& c) {  // the list alone is too large
    if (c.a.type != POSENC_BF16) c.a.stride = kMaxSize;
    c.a.axes[1].count = kMaxSize / 8 + 1;
  });
  Expect(POSENC_OK, kGrids, [](Call& c) {
    c.a.axes[1].count = c.a.prefix_rows = 0;
    c.a.axes[0].first_position = kMaxInt64;
    c.a.data = nullptr;
  });
}

TEST(RefusalsOfGrids, Runs) {
  Spec spec = MakeSpec(kDim);
  spec.position_offset = 10;
  const Encoder shifted = Create(spec);
  const auto expect = [&](std::int64_t first, std::size_t count, std::size_t index, bool shift = false) {
    SCOPED_TRACE(testing::Message() << count << " from " << first);
    const bool ok = index == kUntold;
    Expect(
        ok ? Refusal(POSENC_OK) : Refusal(rule::run_range), kGrids,
        [&](Call& c) {
          if (shift) c.a.axes[0].encoder = shifted.get();
          c.a.axes[0].first_position = first;
          c.a.axes[0].count = count;
        },
        index, ok ? kUntold : 0);
  };
  expect(POSENC_MAX_POSITION - 1, 2, kUntold);
  expect(POSENC_MAX_POSITION, 2, 1);
  expect(POSENC_MAX_POSITION - 3, 6, 4);
  expect(POSENC_MAX_POSITION + 1, 1, 0);
  expect(-POSENC_MAX_POSITION, 2, kUntold);
  expect(-POSENC_MAX_POSITION - 1, 2, 0);
  expect(kMaxInt64, 2, 0);
  expect(kMinInt64, 2, 0);
  expect(POSENC_MAX_POSITION - 11, 2, kUntold, true);
  expect(POSENC_MAX_POSITION - 10, 2, 1, true);
  expect(POSENC_MAX_POSITION - 9, 2, 0, true);
  expect(-POSENC_MAX_POSITION - 10, 2, kUntold, true);
  expect(-POSENC_MAX_POSITION - 11, 2, 0, true);
}

// With nan_rows listed positions may have any value, but runs of positions are checked as always. The call
// reports the first axis at fault.
TEST(RefusalsOfGrids, Lists) {
  Spec spec = MakeSpec(kDim);
  spec.nan_rows = true;
  const Encoder any = Create(spec);
  const double bad[] = {kNaN, HUGE_VAL};
  const auto list = [&](posenc_grid_axis* axis) { axis->positions = {POSENC_F64, bad}; };
  Expect(POSENC_OK, kGrids, [&](Call& c) {
    list(&c.a.axes[1]);
    c.a.axes[1].encoder = any.get();
  });
  Expect(
      Refusal(rule::run_range), kGrids,
      [&](Call& c) {
        c.a.axes[0].encoder = any.get();
        c.a.axes[0].first_position = -POSENC_MAX_POSITION - 1;
      },
      0, 0);
  Expect(
      Refusal(rule::position_range), kGrids,
      [&](Call& c) {
        for (posenc_grid_axis& axis : c.a.axes) list(&axis), axis.count = 2;
      },
      0, 0);
}

// The memory that counts as written begins at the first column of an axis.
TEST(RefusalsOfGrids, ListsBesideTheColumns) {
  for (const bool after : {false, true}) {
    for (const bool overlaps : {false, true}) {
      Expect(
          overlaps ? Refusal(rule::overlap_positions) : Refusal(POSENC_OK), kGrids,
          [&](Call& c) {
            const std::size_t size = SizeOfType(c.a.type), bytes = 2 * sizeof(std::int64_t),
                              stride = 2 * kDim + 3;
            for (posenc_grid_axis& axis : c.a.axes) axis.column += 2;
            c.a.stride = stride;
            c.a.axes[1].positions.type = POSENC_I64;
            auto* const out = reinterpret_cast<unsigned char*>(c.memory[0].data()) + 400;
            unsigned char* const first = out + 2 * size;
            unsigned char* const end = out + (2 * kRows * stride + 2 * kDim + 2) * size;
            std::fill(c.memory[0].begin(), c.memory[0].end(), 0.0);
            c.a.data = out;
            c.a.axes[1].positions.data =
                after ? end - (overlaps ? 1 : 0) : first - bytes + (overlaps ? 1 : 0);
            if (!overlaps) c.a.axes[1].count = 2;
          },
          kUntold, overlaps ? 1 : kUntold);
    }
  }
}

// The heads of a token may be next to each other or apart, and so may the tokens of a head. They must not
// cross.
TEST(RefusalsOfHeads, Strides) {
  const auto expect = [](const Refusal& want, std::size_t tokens, std::size_t heads, std::size_t token_stride,
                         std::size_t head_stride) {
    SCOPED_TRACE(testing::Message() << tokens << " tokens " << token_stride << " apart, " << heads
                                    << " heads " << head_stride << " apart");
    Expect(want, kTensors, [&](Call& c) {
      c.a.rows = tokens;
      c.a.tensors[0].heads = heads;
      c.a.tensors[0].token_stride = token_stride;
      c.a.tensors[0].head_stride = head_stride;
    });
  };
  expect(POSENC_OK, 3, 2, 16, 8);
  expect(POSENC_OK, 3, 2, 17, 8);
  expect(POSENC_OK, 3, 2, 17, 9);
  using Strides = std::pair<std::size_t, std::size_t>;  // of tokens, of heads
  for (const auto& [token, head] : {Strides{16, 9}, {15, 8}, {0, 8}, {8, 8}, {7, 24}})
    expect(Refusal(POSENC_BAD_STRIDE, "token_stride"), 3, 2, token, head);
  for (const auto& [token, head] : {Strides{16, 7}, {16, 0}, {8, 23}, {9, 25}})
    expect(Refusal(POSENC_BAD_STRIDE, "head_stride"), 3, 2, token, head);
  expect(POSENC_OK, 3, 2, 8, 24);  // [heads, tokens, head_dim]
  expect(POSENC_OK, 3, 2, 9, 26);
  expect(POSENC_OK, 3, 1, 8, 0);  // a single token has no stride
  expect(POSENC_OK, 3, 1, 8, 3);
  expect(Refusal(POSENC_BAD_STRIDE, "token_stride"), 3, 1, 7, 8);
  expect(POSENC_OK, 1, 2, 0, 8);
  expect(POSENC_OK, 1, 2, 3, 8);
  expect(Refusal(POSENC_BAD_STRIDE, "head_stride"), 1, 2, 16, 7);
  expect(POSENC_OK, 1, 1, 0, 0);
}

TEST(RefusalsOfHeads, Sizes) {
  for (const std::size_t stride : {kMaxSize, kMaxSize / 2, kMaxSize / 4, kMaxSize / 4 + 1}) {
    for (std::size_t posenc_heads::*member :
         {&posenc_heads::token_stride, &posenc_heads::head_stride, &posenc_heads::source_token_stride,
          &posenc_heads::source_head_stride}) {
      Expect(Refusal(rule::size_heads), kTensors, [&](Call& c) {
        if (c.a.tensors[0].source == nullptr) c.a.tensors[0].source = c.a.tensors[1].data;
        c.a.tensors[0].*member = stride;
      });
    }
  }
  for (const std::size_t heads : {kMaxSize, kMaxSize / 8 + 1, kMaxSize / 32 + 1}) {
    Expect(Refusal(rule::size_heads), kTensors, [&](Call& c) {
      c.a.tensors[0].heads = heads;
      c.a.tensors[0].token_stride = 0;
      c.a.rows = 1;
    });
  }
}

TEST(RefusalsOfHeads, NothingToDoIsFine) {
  Expect(POSENC_OK, kTensors, [](Call& c) {
    c.a.tensors[0].data = nullptr;
    c.a.tensors[0].heads = c.a.tensors[0].token_stride = c.a.tensors[0].head_stride = 0;
  });
  Expect(POSENC_OK, kTensors, [](Call& c) {
    c.a.passed_tensors = nullptr;
    c.a.tensor_count = 0;
  });
  Expect(POSENC_OK, kTensors, [](Call& c) {
    c.a.tensor_count = 1;
    c.a.tensors[1].data = nullptr;
  });
}

// Cases: the source has the same address as the data, two tensors read the same source, all heads are the
// same.
TEST(RefusalsOfHeads, Sources) {
  const auto in_place = [](Call& c) {
    posenc_heads& t = c.a.tensors[0];
    t.source = t.data;
    t.source_token_stride = t.source_head_stride = 0;
    return &t;
  };
  Expect(POSENC_OK, kTensors, [&](Call& c) { in_place(c); });
  Expect(POSENC_OK, kTensors, [&](Call& c) {
    posenc_heads* t = in_place(c);
    t->source_token_stride = t->token_stride;
    t->source_head_stride = t->head_stride;
  });
  Expect(Refusal(rule::overlap_source), kTensors, [&](Call& c) {
    posenc_heads* t = in_place(c);
    t->source_token_stride = t->token_stride + 1;
  });
  std::vector<double> source(100);
  Expect(POSENC_OK, kTensors, [&](Call& c) {
    for (posenc_heads& t : c.a.tensors) t.source = source.data();
    c.a.tensors[0].source_token_stride = c.a.tensors[0].source_head_stride = 1;
  });
}

TEST(RefusalsOfHeads, TheLastTwoOfThree) {
  std::vector<float> first(kRows * kDim), others(2 * kRows * kDim);
  for (const std::size_t distance : {kRows * kDim, kRows * kDim - 1}) {
    posenc_heads tensors[3] = {};
    for (posenc_heads& t : tensors) t = DenseHeads(first.data(), 1, kDim);
    tensors[1].data = others.data();
    tensors[2].data = &others[distance];
    Expect(distance == kRows * kDim ? Refusal(POSENC_OK) : Refusal(rule::overlap_tensors), kTensors,
           [&](Call& c) {
             c.a.type = POSENC_F32;
             c.a.passed_tensors = tensors;
             c.a.tensor_count = 3;
           });
  }
}

// q, k and v of one projection, with its axes in any order.
TEST(RefusalsOfHeads, FusedTensors) {
  const auto expect = [](const Refusal& want, std::size_t second, std::size_t token_stride,
                         std::size_t head_stride, std::size_t heads, std::size_t fewest_tokens = 1) {
    for (std::size_t tokens = fewest_tokens; tokens <= kRows; ++tokens) {
      SCOPED_TRACE(testing::Message()
                   << tokens << " tokens " << token_stride << " apart, heads " << head_stride
                   << " apart, the second tensor " << second << " behind the first");
      Expect(want, kTensors, [&](Call& c) {
        c.a.rows = tokens;
        for (posenc_heads& tensor : c.a.tensors) {
          tensor = {};
          tensor.type = c.a.type;
          tensor.heads = heads;
          tensor.token_stride = token_stride;
          tensor.head_stride = head_stride;
        }
        c.a.tensors[0].data = c.memory[c.a.passed_cache != nullptr ? 2 : 0].data();
        if (c.a.passed_cache != nullptr && c.a.cache.sin == nullptr) c.a.tensors[0].data = c.memory[1].data();
        c.a.tensors[1].data =
            static_cast<unsigned char*>(c.a.tensors[0].data) + second * SizeOfType(c.a.type);
      });
    }
  };
  expect(POSENC_OK, 2 * kDim, 6 * kDim, kDim, 2);  // [tokens, (q q k k v v), head_dim]
  expect(POSENC_OK, 3 * kDim, 6 * kDim, kDim, 3);
  expect(Refusal(rule::overlap_tensors), 2 * kDim - 1, 6 * kDim, kDim, 2);
  expect(Refusal(rule::overlap_tensors), 2 * kDim, 6 * kDim, kDim, 3);
  expect(POSENC_OK, kDim, 6 * kDim, 3 * kDim, 2);  // [tokens, heads, (q k v), head_dim]
  expect(POSENC_OK, 2 * kDim, 6 * kDim, 3 * kDim, 2);
  expect(Refusal(rule::overlap_tensors), kDim - 1, 6 * kDim, 3 * kDim, 2);
  expect(Refusal(rule::overlap_tensors), 2 * kDim + 1, 6 * kDim, 3 * kDim, 2);
  expect(POSENC_OK, kDim, 2 * kDim, 6 * kDim, 2);  // [heads, tokens, (q k), head_dim]
  expect(Refusal(rule::overlap_tensors), kDim + 1, 2 * kDim, 6 * kDim, 2, 2);
}

// These members are reserved for later versions.
TEST(RefusalsOfHeads, ReservedPointers) {
  const float x = 1.0f;
  const Refusal reserved(POSENC_BAD_ARGUMENT, "norm, slots and token_factors null");
  Expect(reserved, kTensors, [&](Call& c) { c.a.tensors[1].norm = &x; });
  Expect(reserved, kTensors, [&](Call& c) { c.a.tensors[0].slots = &x; });
  Expect(reserved, kTensors, [&](Call& c) { c.a.tensors[1].token_factors = &x; });
}

TEST(RefusalsOfHeads, Scales) {
  const auto expect = [](const Refusal& want, double scale, double amplitude, const Names& names = kTensors) {
    posenc_rotary_spec spec = MakeRotarySpec(kDim);
    spec.amplitude = amplitude;
    const RotaryPtr rotary = CreateRotary(spec);
    for (const std::size_t k : {0u, 1u}) {
      SCOPED_TRACE(testing::Message() << scale << " of tensor " << k << ", amplitude " << amplitude);
      Expect(want, names, [&](Call& c) {
        c.a.rotary = rotary.get();
        c.a.tensors[k].scale = scale;
      });
    }
  };
  for (const double scale : {0.0, -0.0, 1.0, 0x1p-64, 0x1p64, 0.3}) expect(POSENC_OK, scale, 1.0);
  for (const double scale : {-1.0, std::nextafter(0x1p64, 1e30), std::nextafter(0x1p-64, 0.0), kNaN, HUGE_VAL,
                             -HUGE_VAL, 5e-324}) {
    expect(Refusal(POSENC_BAD_ARGUMENT, "scale of a tensor must be"), scale, 1.0);
  }
  expect(POSENC_OK, 0x1p62, 4.0);
  expect(POSENC_OK, 0x1p-64, 4.0);
  expect(Refusal(POSENC_BAD_ARGUMENT, "times the rotary's amplitude"), std::nextafter(0x1p62, 1e30), 4.0,
         kRotates);
  expect(POSENC_OK, 0x1p64, 0.25);
  expect(POSENC_OK, 0x1p-62, 0.25);
  expect(Refusal(POSENC_BAD_ARGUMENT, "times the rotary's amplitude"), std::nextafter(0x1p-62, 0.0), 0.25,
         kRotates);
  // These products are rounded to the limits.
  expect(Refusal(POSENC_BAD_ARGUMENT, "times the rotary's amplitude"), 0x1.fffffffffffffp31,
         0x1.0000000000001p32, kRotates);
  expect(POSENC_OK, 0x1.ffffffffffffep31, 0x1.0000000000001p32);
  expect(Refusal(POSENC_BAD_ARGUMENT, "times the rotary's amplitude"), 0x1.ffffffffffffep-33,
         0x1.0000000000001p-32, kRotates);
  expect(POSENC_OK, 0x1.fffffffffffffp-33, 0x1.0000000000001p-32);
}

TEST(RefusalsOfCaches, Tables) {
  Expect(Refusal(POSENC_BAD_ARGUMENT, "sin of the cache must be null"), kCaches,
         [](Call& c) {  // this layout has one table: the other would not be written
           c.a.cache.layout = POSENC_CACHE_PAIRS;
           c.a.cache.sin = c.memory[0].data();
         });
  Expect(Refusal(rule::null_cos), kCaches, [](Call& c) {
    c.a.cache.layout = POSENC_CACHE_COS_SIN;
    c.a.cache.cos = c.a.cache.sin = nullptr;
    c.a.cache.row_stride = kDim;
  });
  Expect(POSENC_OK, kCached, [](Call& c) {  // memory that is only read may be anywhere
    if (c.a.cache.sin != nullptr) c.a.cache.sin = c.a.cache.cos;
  });
  for (const std::size_t stride : {kDim - 1, kDim}) {
    Expect(stride < kDim ? Refusal(rule::stride_cache) : Refusal(POSENC_OK), kCaches, [=](Call& c) {
      c.a.cache.layout = POSENC_CACHE_HALVES_TWICE;
      c.a.cache.sin = c.memory[0].data() + 128;  // within the 512 doubles behind the cosines
      c.a.cache.row_stride = stride;
    });
  }
}

TEST(RefusalsOfCaches, RowsOutOfRange) {
  const auto expect = [](const Refusal& want, std::size_t rows, std::int64_t first, std::size_t tokens) {
    SCOPED_TRACE(testing::Message() << tokens << " from " << first << " on, of " << rows);
    Expect(want, kCachedRuns, [&](Call& c) {
      c.a.cache_rows = rows;
      c.a.first = first;
      c.a.rows = tokens;
    });
  };
  expect(POSENC_OK, 3, 0, 3);
  expect(POSENC_OK, 9, 6, 3);
  expect(POSENC_OK, 3, 3, 0);
  for (const std::int64_t first : {std::int64_t{1}, std::int64_t{-1}, kMaxInt64, kMinInt64}) {
    expect(Refusal(POSENC_OUT_OF_RANGE, "must be in the cache"), 3, first, 3);
  }
  expect(Refusal(POSENC_OUT_OF_RANGE, "must be in the cache"), 2, 0, 3);
  expect(Refusal(POSENC_OUT_OF_RANGE, "must be in the cache"), 3, 4, 1);
  expect(Refusal(POSENC_OUT_OF_RANGE, "must be in the cache"), 0, 0, 1);
  Expect(POSENC_OK, kCached, [](Call& c) {
    if (c.a.list != nullptr) c.a.first = -5;  // with a list, the first row does not matter
  });
}

// The stride must not even be used for an address that is never read. UndefinedBehaviorSanitizer would see
// that.
TEST(RotaryOfOneHead, HasNoStrideThatCounts) {
  posenc_rotary_spec spec = MakeRotarySpec(kDim);
  spec.rotary_dim = kDim / 2;  // the other half is copied
  const RotaryPtr rotary = CreateRotary(spec);
  const std::vector<float> source(kDim, 1.0f);
  std::vector<float> data(kDim);
  posenc_heads heads{};
  heads.type = POSENC_F32;
  heads.data = data.data();
  heads.source = source.data();
  heads.heads = 1;
  for (const std::size_t stride : {kMaxSize, kMaxSize / 8}) {
    heads.token_stride = heads.head_stride = stride;
    ASSERT_EQ(posenc_rotate(rotary.get(), 0, 1, &heads, 1), POSENC_OK);
    EXPECT_EQ(data, source);
  }
  heads.source = heads.data;  // in place, so the strides of the source do not matter
  heads.source_head_stride = heads.source_token_stride = 2 * kDim;
  EXPECT_EQ(posenc_rotate(rotary.get(), 0, 1, &heads, 1), POSENC_OK);
  EXPECT_EQ(data, source);
}

TEST(RotaryOfSources, MayOverlapEachOther) {
  constexpr std::size_t kHeads = 2;
  const RotaryPtr rotary = CreateRotary(MakeRotarySpec(kDim));
  std::vector<float> source(kDim + kRows * kHeads), apart(kRows * kHeads * kDim), data = apart;
  for (std::size_t k = 0; k < source.size(); ++k) source[k] = 1.0f / static_cast<float>(k + 1);
  for (std::size_t head = 0; head < kRows * kHeads; ++head) {
    std::copy_n(&source[head / kHeads + head % kHeads], kDim, &apart[head * kDim]);
  }
  posenc_heads heads{};
  heads.type = POSENC_F32;
  heads.heads = kHeads;
  heads.token_stride = kHeads * kDim;
  heads.head_stride = kDim;
  heads.data = apart.data();
  ASSERT_EQ(posenc_rotate(rotary.get(), 5, kRows, &heads, 1), POSENC_OK);
  heads.data = data.data();
  heads.source = source.data();
  heads.source_token_stride = heads.source_head_stride = 1;
  ASSERT_EQ(posenc_rotate(rotary.get(), 5, kRows, &heads, 1), POSENC_OK);
  EXPECT_EQ(data, apart);
}

TEST(RotaryOfNull, HasNothing) {
  posenc_rotary_destroy(nullptr);
  EXPECT_EQ(posenc_rotary_head_dim(nullptr), 0u);
  EXPECT_EQ(posenc_rotary_frequency_count(nullptr), 0u);
  EXPECT_STREQ(posenc_rotary_target(nullptr), "");
  EXPECT_TRUE(std::isnan(posenc_rotary_amplitude(nullptr)));
  EXPECT_TRUE(std::isnan(posenc_rotary_radians(nullptr, 0)));
}

}  // namespace
}  // namespace posenc
