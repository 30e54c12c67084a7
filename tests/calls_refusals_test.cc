// Wrong arguments of every function. Each mistake has its status, and the nearest correct argument works. A
// call that fails writes nothing. refusals_test.cc tests the arguments that only one function has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "calls.h"
#include "per_target.h"

namespace posenc {

void PrintTo(const Function& function, std::ostream* os) { *os << function.name; }

namespace {

constexpr std::size_t kMaxSize = std::numeric_limits<std::size_t>::max();
constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int32_t kMinInt = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMaxInt = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kUntold = 4711;

// Expects that the call reports `want`. Unless that is POSENC_OK, its memory must not change.
void Expect(const Refusal& want, Call& call) {
  const auto before = call.memory;
  const posenc_status status = call();
  EXPECT_EQ(status, want) << call.function.name << ": " << posenc_status_message(status);
  if (want.IsOk()) return call.Settle();
  for (std::size_t k = 0; k < before.size(); ++k)
    EXPECT_TRUE(SameBits(call.memory[k], before[k])) << call.function.name << " has written: " << want;
}

// The same after an argument got another value.
template <class T>
void ExpectWith(void* argument, T value, const Refusal& want, Call& call) {
  T before;
  std::memcpy(&before, argument, sizeof(before));
  std::memcpy(argument, &value, sizeof(value));
  SCOPED_TRACE(testing::Message() << "types " << call.a.type << ", " << call.a.list_type << ", "
                                  << call.a.table_type << ", argument " << value << " for " << before);
  Expect(want, call);
  std::memcpy(argument, &before, sizeof(before));
}

class CallsRefusals : public testing::TestWithParam<Function> {
 protected:
  // Calls visit(call) for all types and variants of the function.
  template <class Visit>
  void ForEach(const Visit& visit, std::size_t rows = 3) {
    for (int kind = 0; kind < 4; ++kind) {
      Setting setting(nullptr, 8, rows);
      setting.SetKind(kind);
      ASSERT_TRUE(setting.Create());
      ForEachCall(setting, [&](Call& call) {
        if (call.function.name == std::string(GetParam().name)) visit(call);
      });
    }
  }
};

TEST_P(CallsRefusals, GoodArgumentsWork) {
  ForEach([](Call& call) {
    const auto before = call.Results();
    EXPECT_EQ(call(), POSENC_OK);
    EXPECT_TRUE(call.buffers.empty() || call.Results() != before);
  });
}

TEST_P(CallsRefusals, NullPointers) {
  ForEach([](Call& call) {
    for (const Buffer& buffer : call.buffers) {
      if (buffer.null.kind == kNoArgument) continue;
      SCOPED_TRACE(buffer.name);
      unsigned char* place = buffer.place();
      buffer.PointTo(nullptr);
      if (!buffer.null.IsOk()) Expect(buffer.null, call);
      buffer.PointTo(place);
    }
    for (const auto& [pointer, status] : call.pointers) {
      ExpectWith(pointer, static_cast<const void*>(nullptr), status, call);
    }
  });
}

TEST_P(CallsRefusals, ValuesThatAreNone) {
  ForEach([](Call& call) {
    for (const Choice& choice : call.choices) {
      for (const std::int32_t value : {kMinInt, -1, 0, 1, 2, 3, 4, 5, 6, 7, 256, 65536, kMaxInt}) {
        if (std::count(choice.values.begin(), choice.values.end(), value) != 0) continue;
        ExpectWith(choice.argument, value, choice.other, call);
      }
    }
  });
}

Refusal StrideRefusal(const std::size_t& stride, const Call& call) {
  if (&stride == &call.a.table_stride) return rule::stride_table;
  if (&stride == &call.a.batch_stride) return rule::stride_batch;
  if (&stride == &call.a.list_stride) return rule::stride_ids;
  if (&stride == &call.a.cache.row_stride) return rule::stride_cache;
  for (const posenc_heads& tensor : call.a.tensors) {
    if (&stride == &tensor.token_stride) return rule::stride_tokens;
    if (&stride == &tensor.head_stride) return rule::stride_heads;
  }
  if (call.a.axis_count != 0) return rule::stride_grid;
  return call.function.Is("_positions_from") ? rule::stride_positions : rule::stride_rows;
}

TEST_P(CallsRefusals, StridesTooSmall) {
  ForEach([](Call& call) {
    for (const Buffer& buffer : call.buffers) {
      if (buffer.are_heads && !buffer.IsWritten()) continue;  // the strides of a source may be any
      SCOPED_TRACE(buffer.name);
      for (std::size_t* stride : buffer.strides) {
        if (stride == nullptr || (buffer.are_heads && stride == buffer.strides[1] && buffer.counts[1] == 1))
          continue;
        for (const std::size_t small : {*stride - 1, std::size_t{0}})
          ExpectWith(stride, small, StrideRefusal(*stride, call), call);
      }
    }
  });
}

// Strides and counts that are too large, alone or only together. Some products wrap around to small numbers.
TEST_P(CallsRefusals, SizesThatOverflow) {
  ForEach(
      [](Call& call) {
        for (const Buffer& buffer : call.buffers) {
          SCOPED_TRACE(buffer.name);
          for (const std::size_t stride :
               {kMaxSize, kMaxSize / 2, kMaxSize / 4, kMaxSize / 8, kMaxSize / 16 + 1}) {
            if (buffer.strides[1] != nullptr && buffer.counts[1] > 7) {
              const std::size_t outer = buffer.strides[0] != nullptr ? *buffer.strides[0] : 0;
              if (outer != 0) *buffer.strides[0] = buffer.counts[1] * stride;
              const bool is_cache = buffer.strides[1] == &call.a.cache.row_stride;
              ExpectWith(buffer.strides[1], stride, is_cache ? rule::size_cache : rule::size_rows, call);
              if (outer != 0) *buffer.strides[0] = outer;
            }
            if (buffer.strides[0] != nullptr && buffer.counts[0] > 7) {
              ExpectWith(buffer.strides[0], stride, Refusal(rule::size_heads), call);
            }
          }
        }
        for (const Size& size : call.sizes) {
          for (const std::size_t count : {kMaxSize, kMaxSize / 2 + 1, kMaxSize / 4 + 1, kMaxSize / 8 + 1}) {
            ExpectWith(size.argument, count, size.too_large, call);
          }
        }
      },
      8);
}

// Rotaries have no position_offset, so their sentences do not name it.
bool TakesTokens(const Call& call) { return call.function.Is("_rotate") || call.function.Is("_cache"); }

TEST_P(CallsRefusals, RunsThatLeaveTheRange) {
  ForEach([](Call& call) {
    for (const RunOfSteps& run : call.runs) {
      for (const std::int64_t good : {run.least, run.most - run.steps + 1}) {
        ExpectWith(run.first, good, POSENC_OK, call);
      }
      for (const std::int64_t bad :
           {run.least - 1, run.least - 2, run.most - run.steps + 2, run.most, run.most + 1, kMaxInt64,
            kMaxInt64 - 1, kMinInt64, kMinInt64 + 1, std::int64_t{1} << 32, -(std::int64_t{1} << 32)}) {
        const bool is_cached = &call.a.first == run.first && run.least == 0;
        ExpectWith(run.first, bad,
                   is_cached           ? Refusal(POSENC_OUT_OF_RANGE, "must be in the cache")
                   : TakesTokens(call) ? Refusal(rule::token_run_range)
                                       : Refusal(rule::run_range),
                   call);
      }
    }
  });
}

// Bad values for an element of the buffer, as bytes; empty if the type has no bad value.
std::vector<std::vector<unsigned char>> BadValues(const Buffer& buffer, const Call& call) {
  std::vector<std::vector<unsigned char>> bytes;
  const auto add = [&](auto value) {
    bytes.emplace_back(sizeof(value));
    std::memcpy(bytes.back().data(), &value, sizeof(value));
  };
  if (buffer.type == POSENC_F64) {
    for (const double x : {std::nan(""), -std::nan(""), HUGE_VAL, -HUGE_VAL, 0x1.0000000000001p31,
                           -0x1.0000000000001p31, 1e300}) {
      add(x);
    }
  }
  if (buffer.type == POSENC_F32) {
    for (const float x : {std::nanf(""), HUGE_VALF, -HUGE_VALF, 0x1.000002p31f, -0x1.000002p31f, 1e38f})
      add(x);
  }
  const std::int64_t end =
      buffer.values == Values::kRowIndices ? static_cast<std::int64_t>(call.a.cache_rows) : 3;
  const bool is_index = buffer.values == Values::kIds || buffer.values == Values::kRowIndices;
  if (buffer.type == POSENC_I64) {
    for (const std::int64_t n : {POSENC_MAX_POSITION + 1, -POSENC_MAX_POSITION - 1, kMaxInt64, kMinInt64})
      add(n);
    if (is_index) add(std::int64_t{-1}), add(end), add((std::int64_t{1} << 32) + 1);
    if (buffer.values == Values::kFirstPositions) add(POSENC_MAX_POSITION), add((std::int64_t{1} << 62) - 1);
  }
  if (buffer.type == POSENC_I32 && is_index) {
    for (const std::int32_t n : {-1, static_cast<std::int32_t>(end), kMinInt, kMaxInt}) add(n);
  }
  return bytes;
}

// One value in the middle and the last value are bad. The call checks all values before it writes, and
// reports the first bad one.
TEST_P(CallsRefusals, BadValuesOfLists) {
  ForEach(
      [](Call& call) {
        for (Buffer& buffer : call.buffers) {
          if (buffer.values == Values::kAny || buffer.values == Values::kEntries) continue;
          const Refusal want = buffer.values == Values::kIds              ? rule::id_range
                               : buffer.values == Values::kRowIndices     ? rule::cache_row_range
                               : buffer.values == Values::kFirstPositions ? rule::first_position_range
                               : TakesTokens(call)                        ? rule::token_position_range
                                                                          : rule::position_range;
          const auto good = buffer.content;
          if (buffer.values == Values::kFirstPositions) call.a.first = 0;  // it would be added to the list
          for (const auto& bad : BadValues(buffer, call)) {
            for (const std::size_t index : std::set<std::size_t>{0, buffer.count() / 2, buffer.count() - 1}) {
              for (const std::size_t at : {index, buffer.count() - 1}) {
                std::copy(bad.begin(), bad.end(), &buffer.content[at * buffer.size]);
              }
              call.Settle();
              SCOPED_TRACE(testing::Message() << buffer.name << " " << index);
              Expect(want, call);
              std::size_t told = kUntold, axis = kUntold;
              call.a.bad_index = &told;
              call.a.bad_axis = &axis;
              Expect(want, call);
              EXPECT_EQ(told, index) << call.function.name;
              EXPECT_EQ(axis, call.a.axis_count != 0 ? 1 : kUntold);
              call.a.bad_index = call.a.bad_axis = nullptr;
              buffer.content = good;
            }
          }
          std::size_t told = kUntold, axis = kUntold;
          call.a.bad_index = &told;
          call.a.bad_axis = &axis;
          call.Settle();
          Expect(POSENC_OK, call);
          EXPECT_TRUE(told == kUntold && axis == kUntold);
          call.a.bad_index = call.a.bad_axis = nullptr;
        }
      },
      7);
}

Refusal OverlapRefusal(const Buffer& written, const Buffer& other) {
  switch (other.values) {
    case Values::kPositions:
      return rule::overlap_positions;
    case Values::kFirstPositions:
      return rule::overlap_first_positions;
    case Values::kIds:
      return rule::overlap_ids;
    case Values::kRowIndices:
      return rule::overlap_cache;
    default:
      break;
  }
  const std::string name = other.name;
  if (name == "table") return rule::overlap_table;
  if (name == "cos" || name == "sin") return other.IsWritten() ? rule::overlap_tables : rule::overlap_cache;
  if (other.are_heads && !other.IsWritten() && &other == &written + 1) return rule::overlap_source;
  if (other.are_heads) return rule::overlap_tensors;
  return Refusal(POSENC_OVERLAP, "must not overlap");
}

// Memory that a call writes must not overlap other memory that it reads or writes, at either end. The two may
// touch.
TEST_P(CallsRefusals, Overlaps) {
  ForEach([](Call& call) {
    std::vector<double> room(1 << 15);
    auto* const place = reinterpret_cast<unsigned char*>(room.data()) + (1 << 17);
    for (const Buffer& written : call.buffers) {
      for (const Buffer& other : call.buffers) {
        if (!written.IsWritten() || written.alignment > 1 || &written == &other) continue;
        const auto bytes = static_cast<std::ptrdiff_t>(written.extent()),
                   size = static_cast<std::ptrdiff_t>(other.extent());
        unsigned char *const at = written.place(), *const other_at = other.place();
        const auto align = static_cast<std::ptrdiff_t>(other.alignment);
        for (const std::ptrdiff_t distance :
             {-size, 1 - size, std::ptrdiff_t{0}, bytes / 2, bytes - 1, bytes}) {
          if (distance % align != 0) continue;
          const bool in_place =
              distance == 0 && other.are_heads && written.are_heads;  // or heads lie between heads
          const bool overlaps = distance > -size && distance < bytes;
          if (in_place) continue;
          std::fill(room.begin(), room.end(), 0.0);
          written.PointTo(place);
          other.PointTo(place + distance);
          written.Put(written.content, place);
          other.Put(other.content, place + distance);
          const auto before = room;
          SCOPED_TRACE(testing::Message()
                       << written.name << ", " << other.name << " " << distance << " bytes on");
          EXPECT_EQ(call(), overlaps ? OverlapRefusal(written, other) : Refusal(POSENC_OK))
              << call.function.name;
          EXPECT_TRUE(!overlaps || SameBits(room, before)) << call.function.name;
        }
        written.PointTo(at);
        other.PointTo(other_at);
        call.Settle();
      }
    }
  });
}

// With no rows there is nothing to read or write, and no position that could be wrong.
TEST_P(CallsRefusals, NoRowsAreFine) {
  ForEach([](Call& call) {
    if (call.a.encoder == nullptr || call.sizes.empty()) return;
    call.a.rows = call.a.axes[0].count = call.a.prefix_rows = call.a.cache_rows = 0;
    for (const RunOfSteps& run : call.runs) *run.first = run.least < 0 ? kMaxInt64 : 0;
    for (const Buffer& buffer : call.buffers) buffer.PointTo(nullptr);
    EXPECT_EQ(call(), POSENC_OK) << call.function.name;
  });
}

INSTANTIATE_TEST_SUITE_P(, CallsRefusals, testing::ValuesIn(Functions()),
                         [](const auto& param_info) { return std::string(param_info.param.name + 7); });

// Every exported function of the product has a row, and every row names an exported function.
TEST(CallsRegistry, HasEveryFunction) {
  std::ifstream file(std::string(POSENC_SOURCE_DIR "/tests/install/") + kSymbols);
  std::set<std::string> exported, listed;
  for (std::string name; std::getline(file, name);) exported.insert(name);
  for (const Function& function : Functions()) listed.insert(function.name);
  EXPECT_EQ(listed, exported);
}

}  // namespace
}  // namespace posenc
