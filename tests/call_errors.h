// The C functions that take rows, with arguments that work, of every type that they take: tests spoil them.
#ifndef POSENC_TESTS_CALL_ERRORS_H_
#define POSENC_TESTS_CALL_ERRORS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <vector>

#include "per_target.h"
#include "posenc/accuracy.h"

namespace posenc {

inline constexpr std::size_t kDim = 8, kRows = 3;

struct Arguments {
  const posenc_encoder* encoder;
  posenc_type type;
  void* data;
  posenc_type list_type = 0;
  const void* list = nullptr;  // positions, ids or first positions
  posenc_type table_type = 0;
  const void* table = nullptr;
  std::size_t vocabulary = kRows, table_stride = kDim;
  posenc_type position_type = POSENC_I64;  // of embed_at, beside ids
  const void* positions = nullptr;
  std::int64_t first = 0;
  std::size_t sequences = 2, batch_stride = kRows * kDim;
  std::size_t rows = kRows, stride = kDim;
  std::size_t* bad_index = nullptr;
};

struct Function {
  const char* name;
  std::vector<posenc_type> types, list_types;
  posenc_status (*call)(const Arguments&);

  bool HasList() const { return !list_types.empty(); }
  bool HasTable() const { return std::string(name).rfind("embed", 0) == 0; }
  bool HasIdsAndPositions() const { return std::string(name) == "embed_at"; }
  bool IsBatch() const { return std::string(name) == "add_batch"; }
};

inline void PrintTo(const Function& function, std::ostream* os) { *os << function.name; }

inline std::vector<Function> Functions() {
  const std::vector<posenc_type> summands = {POSENC_F32, POSENC_BF16, POSENC_F16},
                                 entries = {POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64},
                                 integers = {POSENC_I32, POSENC_I64},
                                 positions = {POSENC_I32, POSENC_I64, POSENC_F32, POSENC_F64};
  using A = const Arguments&;
  return {
      {"write",
       entries,
       {},
       [](A a) { return posenc_write(a.encoder, a.first, a.rows, a.type, a.data, a.stride); }},
      {"write_at", entries, positions,
       [](A a) {
         return posenc_write_at(a.encoder, a.list_type, a.list, a.rows, a.type, a.data, a.stride,
                                a.bad_index);
       }},
      {"add",
       summands,
       {},
       [](A a) { return posenc_add(a.encoder, a.first, a.rows, a.type, a.data, a.stride, 1.0f); }},
      {"add_at", summands, positions,
       [](A a) {
         return posenc_add_at(a.encoder, a.list_type, a.list, a.rows, a.type, a.data, a.stride, 1.0f,
                              a.bad_index);
       }},
      {"embed", summands, integers,
       [](A a) {
         return posenc_embed(a.encoder, a.list_type, a.list, a.rows, a.table_type, a.table, a.vocabulary,
                             a.table_stride, a.first, a.type, a.data, a.stride, 1.0f, a.bad_index);
       }},
      {"embed_at", summands, integers,
       [](A a) {
         return posenc_embed_at(a.encoder, a.list_type, a.list, a.rows, a.table_type, a.table, a.vocabulary,
                                a.table_stride, a.position_type, a.positions, a.type, a.data, a.stride, 1.0f,
                                a.bad_index);
       }},
      {"add_batch", summands, integers,
       [](A a) {
         return posenc_add_batch(a.encoder, a.first, a.list_type, a.list, a.sequences, a.rows, a.type, a.data,
                                 a.batch_stride, a.stride, 1.0f, a.bad_index);
       }},
  };
}

// Of a table whose rows are added to entries of a type.
inline std::vector<posenc_type> TableTypes(posenc_type type) {
  if (type == POSENC_F32) return {POSENC_F32, POSENC_BF16, POSENC_F16};
  return {type};
}

inline std::size_t SizeOf(posenc_type type) {
  return type == POSENC_I32   ? sizeof(std::int32_t)
         : type == POSENC_I64 ? sizeof(std::int64_t)
                              : TraitsOf(type).size;
}

class CallErrors : public testing::TestWithParam<Function> {
 protected:
  // Calls visit(arguments) for all types with arguments that work. What they point to is all zeros.
  template <class Visit>
  void ForEachTypes(const Visit& visit) {
    for (const posenc_type type : GetParam().types) {
      const std::vector<posenc_type> none = {0};
      for (const posenc_type list_type : GetParam().HasList() ? GetParam().list_types : none) {
        SCOPED_TRACE(testing::Message() << "types " << type << ", " << list_type);
        Arguments a{encoder_.c_encoder(), type, data_.data(), list_type};
        if (GetParam().HasList()) a.list = list_.data();
        if (!GetParam().HasTable()) {
          visit(a);
          continue;
        }
        a.table = table_.data();
        a.positions = positions_.data();
        for (const posenc_type table_type : TableTypes(type)) {
          SCOPED_TRACE(testing::Message() << "table type " << table_type);
          a.table_type = table_type;
          visit(a);
        }
      }
    }
  }

  // Reports `want`, and unless that is good leaves every byte of what is written.
  void Expect(posenc_status want, const Arguments& a) {
    std::fill(data_.begin(), data_.end(), 0.0);
    bad_index_ = 4711;
    EXPECT_EQ(GetParam().call(a), want) << posenc_status_message(want);
    EXPECT_TRUE(want == POSENC_OK || SameBits(data_, std::vector<double>(data_.size())));
  }

  // The same with values of which `index` is the first bad one, with and without a place to say so.
  template <class Value>
  void ExpectBadIndex(posenc_status want, Arguments a, const std::vector<Value>& values, std::size_t index) {
    a.list = values.data();
    Expect(want, a);
    a.bad_index = &bad_index_;
    Expect(want, a);
    EXPECT_EQ(bad_index_, want == POSENC_OK ? 4711u : index);
  }

  // Lists of good values, of which one and the last are bad: however late, it precedes all writing.
  template <class Value>
  void ExpectBadValues(posenc_status want, Arguments a, Value good, std::initializer_list<Value> bad) {
    const std::size_t count = GetParam().IsBatch() ? 7 : 200;
    (GetParam().IsBatch() ? a.sequences : a.rows) = count;
    ExpectBadIndex(POSENC_OK, a, std::vector<Value>(count, good), 0);
    for (const Value value : bad) {
      for (const std::size_t index : {std::size_t{0}, count / 2, count - 1}) {
        std::vector<Value> values(count, good);
        values[index] = values.back() = value;
        SCOPED_TRACE(testing::Message() << value << " at " << index);
        ExpectBadIndex(want, a, values, index);
      }
    }
  }

 private:
  const Encoder encoder_ = Create(MakeSpec(kDim));
  std::vector<std::int64_t> list_ = std::vector<std::int64_t>(16),
                            positions_ = std::vector<std::int64_t>(200);
  std::vector<double> table_ = std::vector<double>(kRows * kDim), data_ = std::vector<double>(200 * kDim);
  std::size_t bad_index_ = 4711;
};

}  // namespace posenc

#endif  // POSENC_TESTS_CALL_ERRORS_H_
