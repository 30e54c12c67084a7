// One checked call of an encoder, on its way from the arguments (encoder.cc) to the kernels.
#ifndef POSENC_SRC_CALL_H_
#define POSENC_SRC_CALL_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels.h"

namespace posenc {
namespace internal {

// int32 or int64 values that a caller passed, of any alignment; null if it passed none.
class List {
 public:
  List() = default;
  explicit List(const std::int32_t* values) : values32_(values) {}
  explicit List(const std::int64_t* values) : values64_(values) {}

  bool IsNull() const { return Data() == nullptr; }
  std::int64_t operator[](std::size_t i) const {
    return values32_ != nullptr ? Load<std::int32_t>(i) : Load<std::int64_t>(i);
  }

  const void* Data() const {
    return values32_ != nullptr ? static_cast<const void*>(values32_) : static_cast<const void*>(values64_);
  }
  std::size_t ValueBytes() const {
    return values32_ != nullptr ? sizeof(std::int32_t) : sizeof(std::int64_t);
  }

 private:
  template <class Integer>
  Integer Load(std::size_t i) const {
    Integer value;
    std::memcpy(&value, static_cast<const unsigned char*>(Data()) + i * sizeof(value), sizeof(value));
    return value;
  }

  const std::int32_t* values32_ = nullptr;
  const std::int64_t* values64_ = nullptr;
};

// Where the rows of a token embedding come from.
struct Lookup {
  List ids;
  const void* table;
  std::size_t vocabulary;
  std::size_t stride;
};

// What is done to rows, and with what.
struct Call {
  const Kernels& kernels;
  const FrequencyTable& table;
  Columns columns;
  ElementType type;
  const float* scale = nullptr;  // null: write

  void Apply(const Rows& rows) const {
    if (scale == nullptr) {
      kernels.write[type](table, columns, rows);
    } else {
      kernels.add[type](table, columns, rows, *scale);
    }
  }
};

// Sequences of consecutive positions, each at a first position of its own.
struct Batch {
  List firsts;  // [sequences]
  std::size_t sequences;
  std::size_t rows;  // of each
  void* data;        // [sequences, batch_stride] elements, rows row_stride apart
  std::size_t batch_stride;
  std::size_t row_stride;
};

// Adds to a batch, computing each position's row once for all sequences that contain it.
void AddBatch(const Call& call, const Batch& batch);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_H_
