// Bad input to the calls of the C ABI that C++ cannot even express, and overlapping memory: a status, nothing
// written. The rest is what the C++ calls refuse (call_errors_test.cc), behind the same checks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "c_encoder.h"
#include "per_target.h"

namespace posenc {
namespace {

constexpr std::size_t kDim = 8, kRows = 3;
constexpr std::int32_t kMinInt = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMaxInt = std::numeric_limits<std::int32_t>::max();

// The arguments of a call that works; tests spoil some of them.
struct Arguments {
  const posenc_encoder* encoder = nullptr;
  posenc_type list_type = POSENC_I32;
  const void* list = nullptr;  // positions, ids or first positions
  const void* table = nullptr;
  posenc_type type = POSENC_F32;
  void* data = nullptr;
  std::size_t* bad_index = nullptr;
};

struct Call {
  const char* name;
  bool has_list;
  bool has_table;
  std::function<posenc_status(const Arguments&)> run;
};

void PrintTo(const Call& call, std::ostream* os) { *os << call.name; }

std::vector<Call> AllCalls() {
  return {
      {"write", false, false,
       [](const Arguments& a) { return posenc_write(a.encoder, 0, kRows, a.type, a.data, kDim); }},
      {"write_at", true, false,
       [](const Arguments& a) {
         return posenc_write_at(a.encoder, a.list_type, a.list, kRows, a.type, a.data, kDim, a.bad_index);
       }},
      {"add", false, false,
       [](const Arguments& a) { return posenc_add(a.encoder, 0, kRows, a.type, a.data, kDim, 1.0f); }},
      {"add_at", true, false,
       [](const Arguments& a) {
         return posenc_add_at(a.encoder, a.list_type, a.list, kRows, a.type, a.data, kDim, 1.0f, a.bad_index);
       }},
      {"embed", true, true,
       [](const Arguments& a) {
         return posenc_embed(a.encoder, a.list_type, a.list, kRows, a.type, a.table, kRows, kDim, 0, a.data,
                             kDim, 1.0f, a.bad_index);
       }},
      {"add_batch", true, false,
       [](const Arguments& a) {
         return posenc_add_batch(a.encoder, a.list_type, a.list, kRows, 1, a.type, a.data, kDim, kDim, 1.0f,
                                 a.bad_index);
       }},
  };
}

std::vector<Call> CallsWith(bool Call::*property) {
  std::vector<Call> calls;
  for (const Call& call : AllCalls()) {
    if (call.*property) calls.push_back(call);
  }
  return calls;
}

std::string NameOf(const testing::TestParamInfo<Call>& info) { return info.param.name; }

class CErrors : public testing::TestWithParam<Call> {
 protected:
  Arguments Good() {
    Arguments good;
    good.encoder = encoder.get();
    good.list = list;
    good.table = table.data();
    good.data = data.data();
    return good;
  }

  void ExpectFails(const Arguments& arguments, posenc_status want) {
    const std::vector<float> before = data;
    EXPECT_EQ(GetParam().run(arguments), want) << posenc_status_message(want);
    EXPECT_TRUE(SameBits(data, before));
  }

  const CEncoder encoder{MakeSpec(kDim)};
  std::int32_t list[2 * kRows] = {0, 1, 2};
  std::vector<float> table = std::vector<float>(kRows * kDim), data = std::vector<float>(64, 0.25f);
};

class CListErrors : public CErrors {};
class CTableErrors : public CErrors {};

TEST_P(CErrors, GoodArgumentsWork) { EXPECT_EQ(GetParam().run(Good()), POSENC_OK); }

TEST_P(CErrors, NullHandle) {
  Arguments bad = Good();
  bad.encoder = nullptr;
  ExpectFails(bad, POSENC_NOT_CREATED);
}

TEST_P(CErrors, NullPointers) {
  Arguments bad = Good();
  bad.data = nullptr;
  ExpectFails(bad, POSENC_NULL_POINTER);
  bad = Good();
  bad.list = nullptr;
  if (GetParam().has_list) ExpectFails(bad, POSENC_NULL_POINTER);
  bad = Good();
  bad.table = nullptr;
  if (GetParam().has_table) ExpectFails(bad, POSENC_NULL_POINTER);
}

TEST_P(CErrors, UnknownTypes) {
  // Doubles are written, not added to; they are positions, not ids or first positions.
  const std::string name = GetParam().name;
  const bool writes = name == "write" || name == "write_at",
             has_positions = name == "write_at" || name == "add_at";
  for (const posenc_type type :
       std::initializer_list<posenc_type>{kMinInt, -1, 0, POSENC_F64, POSENC_I32, POSENC_I64, 7, kMaxInt}) {
    if (type == POSENC_F64 && writes) continue;
    Arguments bad = Good();
    bad.type = type;
    ExpectFails(bad, POSENC_BAD_TYPE);
  }
  for (const posenc_type type : std::initializer_list<posenc_type>{kMinInt, -1, 0, POSENC_F32, POSENC_BF16,
                                                                   POSENC_F16, POSENC_F64, 7, kMaxInt}) {
    if (type == POSENC_F64 && has_positions) continue;
    Arguments bad = Good();
    bad.list_type = type;
    if (GetParam().has_list) ExpectFails(bad, POSENC_BAD_TYPE);
  }
}

TEST_P(CListErrors, BadIndex) {
  std::size_t bad_index = 4711;
  const std::int64_t values[kRows] = {0, (std::int64_t{1} << 31) + 1, -1 - (std::int64_t{1} << 31)};
  Arguments bad = Good();
  bad.list_type = POSENC_I64;
  bad.list = values;
  bad.bad_index = &bad_index;
  ExpectFails(bad, GetParam().has_table ? POSENC_ID_OUT_OF_RANGE : POSENC_POSITION_OUT_OF_RANGE);
  EXPECT_EQ(bad_index, 1u);
}

// A list that shares a single byte with either end of the output; one that only touches it is fine.
TEST_P(CListErrors, ListOverlapsOutput) {
  std::vector<float> memory(64);
  auto* begin = reinterpret_cast<unsigned char*>(memory.data());
  constexpr std::size_t kList = kRows * sizeof(std::int32_t), kData = kRows * kDim * sizeof(float);
  Arguments arguments = Good();
  arguments.data = begin + kList;
  const std::vector<float> before(memory.size());
  for (const std::size_t offset : {std::size_t{1}, kList, kData / 2, kList + kData - 1}) {
    arguments.list = begin + offset;
    EXPECT_EQ(GetParam().run(arguments), POSENC_BUFFERS_OVERLAP) << offset;
    EXPECT_TRUE(SameBits(memory, before));
  }
  for (const std::size_t offset : {std::size_t{0}, kList + kData}) {
    std::fill(memory.begin(), memory.end(), 0.0f);
    arguments.list = begin + offset;
    EXPECT_EQ(GetParam().run(arguments), POSENC_OK) << offset;
  }
}

TEST_P(CTableErrors, TableOverlapsOutput) {
  std::vector<float> memory(3 * kRows * kDim);
  Arguments arguments = Good();
  arguments.data = &memory[kRows * kDim];
  const std::vector<float> before(memory.size());
  for (const std::size_t offset : {std::size_t{1}, kRows * kDim, 2 * kRows * kDim - 1}) {
    arguments.table = &memory[offset];
    EXPECT_EQ(GetParam().run(arguments), POSENC_BUFFERS_OVERLAP) << offset;
    EXPECT_TRUE(SameBits(memory, before));
  }
  for (const std::size_t offset : {std::size_t{0}, 2 * kRows * kDim}) {
    arguments.table = &memory[offset];
    EXPECT_EQ(GetParam().run(arguments), POSENC_OK) << offset;
  }
}

INSTANTIATE_TEST_SUITE_P(, CErrors, testing::ValuesIn(AllCalls()), NameOf);
INSTANTIATE_TEST_SUITE_P(, CListErrors, testing::ValuesIn(CallsWith(&Call::has_list)), NameOf);
INSTANTIATE_TEST_SUITE_P(, CTableErrors, testing::ValuesIn(CallsWith(&Call::has_table)), NameOf);

TEST(CHandles, NullOnesHaveNoProperties) {
  EXPECT_EQ(posenc_encoder_dim(nullptr), 0u);
  EXPECT_EQ(posenc_encoder_layout(nullptr), -1);
  EXPECT_STREQ(posenc_encoder_target(nullptr), "");
  EXPECT_EQ(posenc_encoder_frequency_count(nullptr), 0u);
  EXPECT_TRUE(std::isnan(posenc_encoder_radians(nullptr, 0)));
  posenc_encoder_destroy(nullptr);
  EXPECT_STREQ(posenc_status_message(kMaxInt), "unknown status");
  EXPECT_STREQ(posenc_status_message(kMinInt), "unknown status");
}

}  // namespace
}  // namespace posenc
