// What the fuzzers make of their bytes: a Spec and one call of an Encoder, right or wrong, and whether the
// documentation allows it.
#ifndef POSENC_TESTS_FUZZ_CALL_INPUT_H_
#define POSENC_TESTS_FUZZ_CALL_INPUT_H_

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzzing.h"
#include "posenc/posenc.h"

namespace posenc {
namespace fuzz {

enum class Kind : std::uint8_t { kWrite, kWriteAt, kAdd, kAddAt, kEmbed, kAddBatch, kMaxValue = kAddBatch };
enum class Type : std::uint8_t { kFloat32, kBFloat16, kFloat16, kFloat64, kMaxValue = kFloat64 };
enum class ListType : std::uint8_t { kInt32, kInt64, kDouble, kMaxValue = kDouble };

// True about once in n.
bool Rarely(FuzzedDataProvider& bytes, int n = 32);

// A Spec, and the list that it points to: as long as it must be, or empty where it may not be read.
struct SpecInput {
  Spec spec;
  Memory list{0, 0, {0}};

  // The numbers in the list, and one of them.
  std::size_t ListCount() const;
  double Listed(std::size_t i) const;

  // Whether the frequencies are as FrequencyList says, or there are none.
  bool HasGoodList() const;

  // About w_i of the list: within kRadiansError of it.
  double Radians(std::size_t i) const;
  static constexpr double kRadiansError = 0x1p-50;

  // Whether all w_i of the list are in the range that is allowed, or surely are.
  bool InRange() const { return InRange(1.0 + kRadiansError); }
  bool SurelyInRange() const { return InRange(1.0 - kRadiansError); }

 private:
  bool InRange(double slack) const;
};

SpecInput MakeSpec(FuzzedDataProvider& bytes);

struct CallInput {
  Kind kind;
  Type type;
  ListType list_type;
  std::size_t rows, stride;
  std::size_t batch, batch_stride;
  std::size_t vocabulary, table_stride;
  std::int64_t first;
  std::vector<std::int64_t> integers;  // positions, first positions or ids
  std::vector<double> doubles;         // or positions
  float scale;
  bool null_data, null_list, null_table;
  int rounding;                       // of the caller's floating-point state
  std::size_t offset;                 // of the data from an aligned address, in bytes
  std::vector<std::uint8_t> pattern;  // fills data and table

  // Whether a call on an encoder of that dim must be accepted.
  bool IsValid(std::size_t dim) const;

  // The first value of the list that is out of range; its length if there is none.
  std::size_t FirstBad() const;

  // Whether an accepted call has a stride too huge for this machine's memory.
  bool IsLarge(std::size_t dim) const { return DataSize(dim) > kLargest || TableSize(dim) > kLargest; }

  // Elements that an accepted call may touch.
  std::size_t DataSize(std::size_t dim) const;
  std::size_t TableSize(std::size_t dim) const;

  std::size_t ElementSize() const { return type == Type::kFloat64 ? 8 : type == Type::kFloat32 ? 4 : 2; }

  // Memory for them. A call with a huge stride, if it is refused, may claim more: what lies there, a list
  // maybe, is chance, and so is which of its faults is reported.
  std::size_t DataBytes(std::size_t dim) const { return std::min(DataSize(dim), kLargest) * ElementSize(); }
  std::size_t TableBytes(std::size_t dim) const { return std::min(TableSize(dim), kLargest) * ElementSize(); }
  bool HasHugeStride() const { return std::max({stride, batch_stride, table_stride}) > kLargest; }

  bool HasList() const { return kind != Kind::kWrite && kind != Kind::kAdd; }
  bool TakesDoubles() const { return kind == Kind::kWrite || kind == Kind::kWriteAt; }  // as entries
  bool TakesDoublePositions() const { return kind == Kind::kWriteAt || kind == Kind::kAddAt; }
  std::vector<std::uint8_t> ListBytes() const;  // the list as memory holds it

  static constexpr std::size_t kLargest = 1 << 18;  // elements
};

CallInput MakeCall(std::size_t dim, FuzzedDataProvider& bytes);

// Where a call finds its arguments.
struct Buffers {
  void* data;
  const void* list;
  const void* table;
  std::size_t* bad_index;
};

// With null for what the input leaves out.
Buffers MakeBuffers(const CallInput& call, void* data, const void* list, const void* table,
                    std::size_t* bad_index);

// The call in C++.
Status Run(const Encoder& encoder, const CallInput& call, const Buffers& buffers);

}  // namespace fuzz
}  // namespace posenc

#endif  // POSENC_TESTS_FUZZ_CALL_INPUT_H_
