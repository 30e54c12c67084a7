// What the fuzzers make of their bytes: a Spec and one call of an Encoder, right or wrong, and whether the
// documentation allows it.
#ifndef POSENC_TESTS_FUZZ_CALL_INPUT_H_
#define POSENC_TESTS_FUZZ_CALL_INPUT_H_

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "posenc/posenc.h"

namespace posenc {
namespace fuzz {

enum class Kind : std::uint8_t { kWrite, kWriteAt, kAdd, kAddAt, kEmbed, kAddBatch, kMaxValue = kAddBatch };
enum class Type : std::uint8_t { kFloat32, kBFloat16, kFloat16, kMaxValue = kFloat16 };

Spec MakeSpec(FuzzedDataProvider& bytes);

struct CallInput {
  Kind kind;
  Type type;
  bool wide;  // int64 lists
  std::size_t rows, stride;
  std::size_t batch, batch_stride;
  std::size_t vocabulary, table_stride;
  std::int64_t first;
  std::vector<std::int64_t> list;  // positions, first positions or ids; as int32 unless wide
  float scale;
  bool null_data, null_list, null_table;
  int rounding;                       // of the caller's floating-point state
  std::size_t offset;                 // of the data from an aligned address, in bytes
  std::vector<std::uint8_t> pattern;  // fills data and table

  // Whether a call on an encoder of that dim must be accepted.
  bool IsValid(std::size_t dim) const;

  // Whether an accepted call has a stride too huge for this machine's memory.
  bool IsLarge(std::size_t dim) const { return DataSize(dim) > kLargest || TableSize(dim) > kLargest; }

  // Elements that an accepted call may touch.
  std::size_t DataSize(std::size_t dim) const;
  std::size_t TableSize(std::size_t dim) const;

  std::size_t ElementSize() const { return type == Type::kFloat32 ? 4 : 2; }

  // Memory for them. A call with a huge stride, if it is refused, may claim more: what lies there, a list
  // maybe, is chance, and so is which of its faults is reported.
  std::size_t DataBytes(std::size_t dim) const { return std::min(DataSize(dim), kLargest) * ElementSize(); }
  std::size_t TableBytes(std::size_t dim) const { return std::min(TableSize(dim), kLargest) * ElementSize(); }
  bool HasHugeStride() const { return std::max({stride, batch_stride, table_stride}) > kLargest; }

  bool HasList() const { return kind != Kind::kWrite && kind != Kind::kAdd; }
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
