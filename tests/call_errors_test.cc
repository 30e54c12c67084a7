// Bad input to calls, of every type that they take: each mistake has its status, and nothing is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "call_errors.h"

namespace posenc {
namespace {

constexpr std::size_t kMaxSize = std::numeric_limits<std::size_t>::max();
constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int32_t kMinInt = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMaxInt = std::numeric_limits<std::int32_t>::max();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST_P(CallErrors, GoodArgumentsWork) {
  ForEachTypes([&](Arguments a) {
    Expect(POSENC_OK, a);
    const auto* entries = static_cast<const unsigned char*>(a.data);
    EXPECT_TRUE(std::any_of(entries, entries + kDim * 2, [](unsigned char byte) { return byte != 0; }));
  });
}

TEST_P(CallErrors, NullPointers) {
  ForEachTypes([&](const Arguments& good) {
    Arguments a = good;
    a.encoder = nullptr;
    Expect(POSENC_NOT_CREATED, a);
    a = good;
    a.data = nullptr;
    Expect(POSENC_NULL_POINTER, a);
    if (GetParam().HasList() && !GetParam().IsBatch()) {
      a = good;
      a.list = nullptr;
      Expect(POSENC_NULL_POINTER, a);
      a.rows = 1;
      Expect(POSENC_NULL_POINTER, a);
    }
    if (GetParam().HasTable()) {
      a = good;
      a.table = nullptr;
      Expect(POSENC_NULL_POINTER, a);
    }
    if (GetParam().HasIdsAndPositions()) {
      a = good;
      a.positions = nullptr;
      Expect(POSENC_NULL_POINTER, a);
    }
  });
}

TEST_P(CallErrors, NoRowsAreFine) {
  ForEachTypes([&](Arguments a) {
    a.rows = 0;
    a.data = nullptr;
    a.list = nullptr;
    a.first = kMaxInt64;
    Expect(POSENC_OK, a);
    a.table = nullptr;
    a.vocabulary = 0;
    Expect(POSENC_OK, a);
  });
}

TEST_P(CallErrors, UnknownTypes) {
  const auto takes = [](const std::vector<posenc_type>& types, posenc_type type) {
    return std::count(types.begin(), types.end(), type) != 0;
  };
  ForEachTypes([&](const Arguments& good) {
    for (const posenc_type type : {kMinInt, -1, 0, 1, 2, 3, 4, 5, 6, 7, kMaxInt}) {
      Arguments a = good;
      a.type = type;
      if (!takes(GetParam().types, type)) Expect(POSENC_BAD_TYPE, a);
      a = good;
      a.list_type = type;
      if (GetParam().HasList() && !takes(GetParam().list_types, type)) Expect(POSENC_BAD_TYPE, a);
      a = good;
      a.table_type = type;
      if (GetParam().HasTable() && !takes(TableTypes(a.type), type)) Expect(POSENC_BAD_TYPE, a);
      a = good;
      a.position_type = type;
      if (GetParam().HasIdsAndPositions() && !takes({POSENC_F32, POSENC_F64, POSENC_I32, POSENC_I64}, type)) {
        Expect(POSENC_BAD_TYPE, a);
      }
    }
  });
}

TEST_P(CallErrors, StrideTooSmall) {
  ForEachTypes([&](Arguments a) {
    for (const std::size_t stride : {kDim - 1, std::size_t{0}}) {
      a.stride = stride;
      Expect(POSENC_STRIDE_TOO_SMALL, a);
    }
  });
}

TEST_P(CallErrors, SizeOverflow) {
  ForEachTypes([&](Arguments a) {
    a.rows = 8;
    for (const std::size_t stride : {kMaxSize, kMaxSize / 2, kMaxSize / 4, kMaxSize / 8, kMaxSize / 16 + 1}) {
      a.stride = stride;
      a.batch_stride = a.rows * stride;
      Expect(POSENC_SIZE_OVERFLOW, a);
    }
    a.stride = kDim;
    a.rows = kMaxSize / 4 + 1;  // 2^62 * 8 * sizeof(float) wraps around to 0
    a.batch_stride = a.rows * kDim;
    Expect(POSENC_SIZE_OVERFLOW, a);
    a.rows = a.stride = std::size_t{1} << (4 * sizeof(std::size_t) - 1);  // neither is large
    a.batch_stride = a.rows * a.stride;
    Expect(POSENC_SIZE_OVERFLOW, a);
  });
}

// Of one column of 16 bits each a list of 64 bits needs more.
TEST_P(CallErrors, SizeOverflowOfTheListAlone) {
  if (!GetParam().HasList() || GetParam().HasTable()) GTEST_SKIP() << "no list of so many values";
  const Encoder encoder = Create(MakeSpec(1));
  ForEachTypes([&](Arguments a) {
    if (SizeOf(a.type) != 2 || SizeOf(a.list_type) != 8) return;
    a.encoder = encoder.c_encoder();
    a.stride = a.batch_stride = a.rows = 1;
    (GetParam().IsBatch() ? a.sequences : a.rows) = kMaxSize / 8 + 1;
    Expect(POSENC_SIZE_OVERFLOW, a);
  });
}

TEST_P(CallErrors, RunsThatLeaveTheRange) {
  const bool is_batch = GetParam().IsBatch(), has_run = is_batch || std::string(GetParam().name) == "embed";
  if (GetParam().HasList() && !has_run) GTEST_SKIP() << "not a run";
  ForEachTypes([&](Arguments a) {
    if (GetParam().IsBatch()) a.list = nullptr;  // all sequences are that run
    for (const std::int64_t first : {kMaxPosition - 1, kMaxPosition, kMaxPosition + 1, -kMaxPosition - 1,
                                     -kMaxPosition - 2, kMaxInt64, kMaxInt64 - 1, kMaxInt64 - 2, kMinInt64,
                                     kMinInt64 + 1, std::int64_t{1} << 32, -(std::int64_t{1} << 32)}) {
      SCOPED_TRACE(first);
      a.first = first;
      Expect(POSENC_POSITION_OUT_OF_RANGE, a);
    }
    for (const std::int64_t first : {kMaxPosition - 2, -kMaxPosition}) {
      a.first = first;
      Expect(POSENC_OK, a);
    }
  });
}

TEST_P(CallErrors, BadValuesOfLists) {
  if (!GetParam().HasList()) GTEST_SKIP() << "no list";
  ForEachTypes([&](const Arguments& a) {
    if (GetParam().HasTable()) {
      constexpr std::int32_t kEnd = kRows;
      if (a.list_type == POSENC_I32) {
        ExpectBadValues<std::int32_t>(POSENC_ID_OUT_OF_RANGE, a, kEnd - 1, {-1, kMinInt, kEnd, kMaxInt});
      } else {
        ExpectBadValues<std::int64_t>(POSENC_ID_OUT_OF_RANGE, a, kEnd - 1, {-1, kMinInt64, kEnd, kMaxInt64});
      }
      return;
    }
    constexpr posenc_status kWant = POSENC_POSITION_OUT_OF_RANGE;
    if (GetParam().IsBatch()) {
      constexpr auto kLast = kMaxPosition - static_cast<std::int64_t>(kRows) + 1;
      if (a.list_type == POSENC_I32) return ExpectBadValues<std::int32_t>(kWant, a, kLast, {kMaxInt});
      return ExpectBadValues(kWant, a, kLast,
                             {kLast + 1, kMaxPosition + 1, -kMaxPosition - 1, kMaxInt64, kMinInt64});
    }
    if (a.list_type == POSENC_F32) {
      ExpectBadValues<float>(kWant, a, -0x1p31f,
                             {std::nanf(""), HUGE_VALF, -HUGE_VALF, 0x1.000002p31f, -0x1.000002p31f, 1e38f});
    } else if (a.list_type == POSENC_F64) {
      ExpectBadValues(kWant, a, -0x1p31,
                      {kNaN, HUGE_VAL, -HUGE_VAL, 0x1.0000000000001p31, -0x1.0000000000001p31, 1e300});
    } else if (a.list_type == POSENC_I64) {
      ExpectBadValues(kWant, a, kMaxPosition, {kMaxPosition + 1, -kMaxPosition - 1, kMaxInt64, kMinInt64});
    } else {
      ExpectBadIndex(POSENC_OK, a, std::vector<std::int32_t>{0, kMinInt, kMaxInt}, 0);  // none is bad
    }
  });
}

// What is read may share no byte with either end of what is written, and may touch it.
TEST_P(CallErrors, Overlaps) {
  ForEachTypes([&](const Arguments& good) {
    const std::size_t rows = GetParam().IsBatch() ? 2 * kRows : kRows;
    const std::size_t written = rows * kDim * SizeOf(good.type);
    unsigned char memory[1200] = {};
    unsigned char* const data = memory + 400;
    const auto expect = [&](const void* Arguments::*read, std::size_t bytes) {
      Arguments a = good;
      a.data = data;
      for (const auto& [at, overlaps] :
           {std::pair(data - bytes, false), std::pair(data - bytes + 1, true), std::pair(data, true),
            std::pair(data + written / 2, true), std::pair(data + written - 1, true),
            std::pair(data + written, false)}) {
        a.*read = at;
        std::memset(memory, 0, sizeof(memory));
        EXPECT_EQ(GetParam().call(a), overlaps ? POSENC_BUFFERS_OVERLAP : POSENC_OK) << at - data;
        EXPECT_EQ(std::all_of(memory, memory + sizeof(memory), [](unsigned char b) { return b == 0; }),
                  overlaps);
      }
    };
    const std::size_t values = GetParam().IsBatch() ? 2 : kRows;
    if (GetParam().HasList()) expect(&Arguments::list, values * SizeOf(good.list_type));
    if (GetParam().HasTable()) expect(&Arguments::table, kRows * kDim * SizeOf(good.table_type));
    if (GetParam().HasIdsAndPositions()) expect(&Arguments::positions, kRows * SizeOf(good.position_type));
  });
}

TEST_P(CallErrors, BadTables) {
  if (!GetParam().HasTable()) GTEST_SKIP() << "no table";
  ForEachTypes([&](const Arguments& good) {
    const auto expect = [&](posenc_status want, std::size_t vocabulary, std::size_t stride) {
      SCOPED_TRACE(testing::Message() << vocabulary << " rows " << stride << " apart");
      Arguments a = good;
      a.vocabulary = vocabulary;
      a.table_stride = stride;
      Expect(want, a);
    };
    expect(POSENC_STRIDE_TOO_SMALL, kRows, kDim - 1);
    expect(POSENC_STRIDE_TOO_SMALL, kRows, 0);
    expect(POSENC_SIZE_OVERFLOW, kMaxSize, kDim);
    expect(POSENC_SIZE_OVERFLOW, 41, kMaxSize / 4);
    expect(POSENC_SIZE_OVERFLOW, kMaxSize / 8 + 1, kDim);
    Arguments a = good;
    a.vocabulary = 0;
    ExpectBadIndex(POSENC_ID_OUT_OF_RANGE, a, std::vector<std::int64_t>(kRows), 0);
    a.table = nullptr;
    Expect(POSENC_ID_OUT_OF_RANGE, a);
    a = good;
    a.rows = 0;
    a.table_stride = kDim - 1;
    Expect(POSENC_STRIDE_TOO_SMALL, a);
  });
}

// The first row at fault is told, and of which list; of ids if of both.
TEST_P(CallErrors, BadPositionsBesideIds) {
  if (!GetParam().HasIdsAndPositions()) GTEST_SKIP() << "one list";
  ForEachTypes([&](Arguments a) {
    if (a.list_type != POSENC_I64) return;
    using Values = std::vector<std::int64_t>;
    const auto expect = [&](posenc_status want, const Values& ids, const Values& positions,
                            std::size_t index) {
      SCOPED_TRACE(testing::PrintToString(ids) + ", " + testing::PrintToString(positions));
      a.positions = positions.data();
      ExpectBadIndex(want, a, ids, index);
    };
    const std::int64_t far = kMaxPosition + 1, end = kRows;
    expect(POSENC_OK, {0, 1, 2}, {kMaxPosition, -kMaxPosition, 0}, 0);
    expect(POSENC_POSITION_OUT_OF_RANGE, {0, 1, 2}, {0, 5, far}, 2);
    expect(POSENC_POSITION_OUT_OF_RANGE, {0, 1, -1}, {0, -far, 5}, 1);
    expect(POSENC_ID_OUT_OF_RANGE, {0, end, 2}, {0, 5, far}, 1);
    expect(POSENC_ID_OUT_OF_RANGE, {0, end, 2}, {0, far, 5}, 1);
    expect(POSENC_ID_OUT_OF_RANGE, {0, 1, -1}, {0, 5, 6}, 2);
    const double doubles[] = {0.5, std::nan(""), 1.0};
    a.position_type = POSENC_F64;
    a.positions = doubles;
    ExpectBadIndex(POSENC_POSITION_OUT_OF_RANGE, a, Values(kRows), 1);
    const Encoder any = [] {
      Spec spec = MakeSpec(kDim);
      spec.nan_rows = true;
      return Create(spec);
    }();
    a.encoder = any.c_encoder();
    ExpectBadIndex(POSENC_OK, a, Values(kRows), 0);
    ExpectBadIndex(POSENC_ID_OUT_OF_RANGE, a, Values{0, 1, end}, 2);
  });
}

// Of a shared first position and those of a list; terms of 2^62 and more are refused, whatever they sum to.
TEST_P(CallErrors, BadSumsOfFirstPositions) {
  if (!GetParam().IsBatch()) GTEST_SKIP() << "no batch";
  constexpr std::int64_t kFar = (std::int64_t{1} << 62) - 1;
  constexpr auto kLast = kMaxPosition - static_cast<std::int64_t>(kRows) + 1;
  ForEachTypes([&](Arguments a) {
    a.sequences = 2;
    const auto expect = [&](std::int64_t shared, const auto& firsts, std::size_t bad_index = 2) {
      SCOPED_TRACE(testing::Message() << shared << " + " << testing::PrintToString(firsts));
      a.first = shared;
      ExpectBadIndex(bad_index == 2 ? POSENC_OK : POSENC_POSITION_OUT_OF_RANGE, a, firsts, bad_index);
    };
    if (a.list_type == POSENC_I32) {
      using Firsts = std::vector<std::int32_t>;
      expect(-kMaxPosition, Firsts{kMaxInt, 0});
      expect(kMaxPosition, Firsts{kMinInt, 0}, 1);
      expect(-1, Firsts{0, kMinInt}, 1);
      return;
    }
    using Firsts = std::vector<std::int64_t>;
    expect(1000, Firsts{0, kLast - 1000});
    expect(1000, Firsts{0, kLast - 999}, 1);
    expect(-1000, Firsts{0, -kMaxPosition + 1000});
    expect(-1000, Firsts{0, -kMaxPosition + 999}, 1);
    expect(kFar, Firsts{-kFar, -kFar + 5});
    expect(kFar, Firsts{-kFar, -kFar - 1}, 1);
    expect(kFar + 1, Firsts{-kFar, -kFar}, 0);
    expect(kFar + 1, Firsts{kFar + 1, 0}, 0);
    expect(-kFar, Firsts{kFar, kFar - 5});
    expect(-kFar, Firsts{kFar, kFar + 1}, 1);
    expect(-kFar - 1, Firsts{kFar, kFar}, 0);
    expect(kMaxInt64, Firsts{kMinInt64, 0}, 0);
    expect(5, Firsts{0, kMinInt64}, 1);
    expect(5, Firsts{0, kMaxInt64}, 1);
  });
}

TEST_P(CallErrors, BadBatches) {
  if (!GetParam().IsBatch()) GTEST_SKIP() << "no batch";
  ForEachTypes([&](const Arguments& good) {
    const auto expect = [&](posenc_status want, std::size_t sequences, std::size_t batch_stride) {
      SCOPED_TRACE(testing::Message() << sequences << " sequences " << batch_stride << " apart");
      Arguments a = good;
      a.sequences = sequences;
      a.batch_stride = batch_stride;
      Expect(want, a);
    };
    expect(POSENC_STRIDE_TOO_SMALL, 7, kRows * kDim - 1);
    expect(POSENC_STRIDE_TOO_SMALL, 2, 0);
    expect(POSENC_SIZE_OVERFLOW, 7, kMaxSize);
    expect(POSENC_SIZE_OVERFLOW, 7, kMaxSize / 8);
    expect(POSENC_SIZE_OVERFLOW, kMaxSize, kRows * kDim);
    expect(POSENC_SIZE_OVERFLOW, kMaxSize / 8 + 1, 32);  // wraps around to 0
    expect(POSENC_OK, 1, 0);                             // one sequence needs no stride
    Arguments a = good;
    a.sequences = 0;
    a.data = nullptr;
    a.list = nullptr;
    a.batch_stride = 0;
    Expect(POSENC_OK, a);
  });
}

INSTANTIATE_TEST_SUITE_P(, CallErrors, testing::ValuesIn(Functions()),
                         [](const auto& param_info) { return std::string(param_info.param.name); });

}  // namespace
}  // namespace posenc
