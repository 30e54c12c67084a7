// Bad input to calls: each mistake has its status, and nothing is written. What only Embed and AddBatch can
// get wrong is in their own tests.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "per_target.h"

namespace posenc {
namespace {

constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kDim = 8;

// A call of each entry point and type; *bad_index is only for those that take a list.
struct Call {
  std::string name;
  std::function<Status(const Encoder&, std::int64_t position, std::size_t rows, void* data,
                       std::size_t stride)>
      run;
};

template <class Integer>
std::vector<Integer> List(std::int64_t first, std::size_t rows) {
  return std::vector<Integer>(rows < 16 ? rows : 16, static_cast<Integer>(first));
}

template <class T>
void AddCallsOfType(const std::string& type, std::vector<Call>* calls) {
  const auto add = [&](const std::string& name, auto run) {
    calls->push_back(
        {name + type, [run](const Encoder& e, std::int64_t p, std::size_t rows, void* data,
                            std::size_t stride) { return run(e, p, rows, static_cast<T*>(data), stride); }});
  };
  const auto add_lists = [&](auto integer, const std::string& bits) {
    using Integer = decltype(integer);
    add("WriteAt" + bits, [](const Encoder& e, auto p, auto rows, T* data, auto stride) {
      return e.WriteAt(List<Integer>(p, rows).data(), rows, data, stride);
    });
    add("AddAt" + bits, [](const Encoder& e, auto p, auto rows, T* data, auto stride) {
      return e.AddAt(List<Integer>(p, rows).data(), rows, data, stride);
    });
    add("Embed" + bits, [](const Encoder& e, auto p, auto rows, T* data, auto stride) {
      static const T table[kDim] = {};
      return e.Embed(List<Integer>(0, rows).data(), rows, table, 1, kDim, p, data, stride);
    });
    add("AddBatch" + bits, [](const Encoder& e, auto p, auto rows, T* data, auto stride) {
      return e.AddBatch(List<Integer>(p, 2).data(), 2, rows, data, rows * stride, stride);
    });
  };
  add("Write", [](const Encoder& e, auto p, auto rows, T* data, auto stride) {
    return e.Write(p, rows, data, stride);
  });
  add("Add",
      [](const Encoder& e, auto p, auto rows, T* data, auto stride) { return e.Add(p, rows, data, stride); });
  add_lists(std::int32_t(), "32");
  add_lists(std::int64_t(), "64");
}

std::vector<Call> AllCalls() {
  std::vector<Call> calls;
  AddCallsOfType<float>("", &calls);
  AddCallsOfType<BFloat16>("BFloat16", &calls);
  AddCallsOfType<Float16>("Float16", &calls);
  return calls;
}

class CallErrors : public testing::TestWithParam<Call> {
 protected:
  // The call reports `want` and leaves every byte of its output.
  void ExpectFails(const Encoder& encoder, std::int64_t position, std::size_t rows, std::size_t stride,
                   Status want) {
    std::vector<float> data(64, 0.25f);
    const std::vector<float> before = data;
    EXPECT_EQ(GetParam().run(encoder, position, rows, data.data(), stride), want);
    EXPECT_TRUE(SameBits(data, before));
  }
};

void PrintTo(const Call& call, std::ostream* os) { *os << call.name; }

TEST_P(CallErrors, NotCreated) { ExpectFails(Encoder(), 0, 2, kDim, Status::kNotCreated); }

TEST_P(CallErrors, NullPointer) {
  EXPECT_EQ(GetParam().run(Create(MakeSpec(kDim)), 0, 2, nullptr, kDim), Status::kNullPointer);
}

TEST_P(CallErrors, NoRowsAreFine) {
  EXPECT_EQ(GetParam().run(Create(MakeSpec(kDim)), 0, 0, nullptr, kDim), Status::kOk);
}

TEST_P(CallErrors, StrideTooSmall) {
  ExpectFails(Create(MakeSpec(kDim)), 0, 2, kDim - 1, Status::kStrideTooSmall);
  ExpectFails(Create(MakeSpec(kDim)), 0, 2, 0, Status::kStrideTooSmall);
}

TEST_P(CallErrors, SizeOverflow) {
  constexpr std::size_t kMaxSize = std::numeric_limits<std::size_t>::max();
  const Encoder encoder = Create(MakeSpec(kDim));
  for (const std::size_t stride : {kMaxSize, kMaxSize / 2, kMaxSize / 4, kMaxSize / 8, kMaxSize / 16 + 1}) {
    ExpectFails(encoder, 0, 8, stride, Status::kSizeOverflow);
  }
  // 2^62 * 8 * sizeof(float) wraps around to 0.
  ExpectFails(encoder, 0, kMaxSize / 4 + 1, kDim, Status::kSizeOverflow);
}

INSTANTIATE_TEST_SUITE_P(, CallErrors, testing::ValuesIn(AllCalls()),
                         [](const auto& param_info) { return param_info.param.name; });

TEST(PositionErrors, RunsThatLeaveTheRange) {
  const Encoder encoder = Create(MakeSpec(kDim));
  const std::int32_t ids[3] = {};
  ForEachType([&](auto element) {
    using T = decltype(element);
    const std::vector<T> table(kDim), before(3 * kDim);
    std::vector<T> data = before;
    for (const std::int64_t first : {kMaxPosition - 1, kMaxPosition, kMaxPosition + 1, -kMaxPosition - 1,
                                     -kMaxPosition - 2, kMaxInt64, kMaxInt64 - 1, kMaxInt64 - 2, kMinInt64,
                                     kMinInt64 + 1, std::int64_t{1} << 32, -(std::int64_t{1} << 32)}) {
      EXPECT_EQ(encoder.Write(first, 3, data.data(), kDim), Status::kPositionOutOfRange) << first;
      EXPECT_EQ(encoder.Add(first, 3, data.data(), kDim), Status::kPositionOutOfRange) << first;
      EXPECT_EQ(encoder.Embed(ids, 3, table.data(), 1, kDim, first, data.data(), kDim),
                Status::kPositionOutOfRange)
          << first;
      EXPECT_TRUE(SameBits(data, before)) << first;
    }
    EXPECT_EQ(encoder.Write(kMaxPosition - 2, 3, data.data(), kDim), Status::kOk);
    EXPECT_EQ(encoder.Write(-kMaxPosition, 3, data.data(), kDim), Status::kOk);
  });
}

// The status names the first bad index and precedes all writing, however late the index comes.
TEST(PositionErrors, ListsReportTheFirstBadIndex) {
  constexpr std::size_t kRows = 200;
  const Encoder encoder = Create(MakeSpec(kDim));
  ForEachType([&](auto element) {
    using T = decltype(element);
    const std::vector<T> before(kRows * kDim);
    std::vector<T> data = before;
    for (const std::int64_t bad : {kMaxPosition + 1, -kMaxPosition - 1, kMaxInt64, kMinInt64}) {
      for (const std::size_t index : {std::size_t{0}, std::size_t{100}, kRows - 1}) {
        std::vector<std::int64_t> positions(kRows, kMaxPosition);
        positions[index] = positions.back() = bad;
        std::size_t bad_index = 4711;
        EXPECT_EQ(encoder.WriteAt(positions.data(), kRows, data.data(), kDim, &bad_index),
                  Status::kPositionOutOfRange);
        EXPECT_EQ(bad_index, index);
        bad_index = 4711;
        EXPECT_EQ(encoder.AddAt(positions.data(), kRows, data.data(), kDim, 1.0f, &bad_index),
                  Status::kPositionOutOfRange);
        EXPECT_EQ(bad_index, index);
        EXPECT_EQ(encoder.WriteAt(positions.data(), kRows, data.data(), kDim), Status::kPositionOutOfRange);
        EXPECT_TRUE(SameBits(data, before));
      }
    }
  });
}

TEST(PositionErrors, GoodListsLeaveBadIndexAlone) {
  const Encoder encoder = Create(MakeSpec(kDim));
  const std::int32_t positions[] = {0, std::numeric_limits<std::int32_t>::min(),
                                    std::numeric_limits<std::int32_t>::max()};
  std::vector<float> data(3 * kDim);
  std::size_t bad_index = 4711;
  EXPECT_EQ(encoder.WriteAt(positions, 3, data.data(), kDim, &bad_index), Status::kOk);
  EXPECT_EQ(bad_index, 4711u);
}

TEST(PositionErrors, NullListOnlyWithoutRows) {
  const Encoder encoder = Create(MakeSpec(kDim));
  float data[kDim] = {};
  const std::int32_t* no_positions = nullptr;
  const std::int64_t* no_wide_positions = nullptr;
  float* nothing = nullptr;
  EXPECT_EQ(encoder.WriteAt(no_positions, 1, data, kDim), Status::kNullPointer);
  EXPECT_EQ(encoder.WriteAt(no_wide_positions, 1, data, kDim), Status::kNullPointer);
  EXPECT_EQ(encoder.AddAt(no_positions, 1, data, kDim), Status::kNullPointer);
  EXPECT_EQ(encoder.AddAt(no_wide_positions, 1, data, kDim), Status::kNullPointer);
  EXPECT_EQ(encoder.WriteAt(no_positions, 0, nothing, kDim), Status::kOk);
  EXPECT_EQ(encoder.AddAt(no_wide_positions, 0, nothing, kDim), Status::kOk);
}

}  // namespace
}  // namespace posenc
