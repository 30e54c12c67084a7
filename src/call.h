// One checked call of an encoder, on its way from the arguments (encoder.cc) to the kernels.
#ifndef POSENC_SRC_CALL_H_
#define POSENC_SRC_CALL_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels.h"

namespace posenc {
namespace internal {

// Integers or doubles that a caller passed, of any alignment; null if it passed none.
class List {
 public:
  List() = default;
  explicit List(const std::int32_t* values) : values_(values), type_(kInt32) {}
  explicit List(const std::int64_t* values) : values_(values), type_(kInt64) {}
  explicit List(const double* values) : values_(values), type_(kDouble) {}

  bool IsNull() const { return values_ == nullptr; }
  const void* Data() const { return values_; }
  std::size_t ValueBytes() const { return type_ == kInt32 ? sizeof(std::int32_t) : sizeof(std::int64_t); }

  // Of integers.
  std::int64_t operator[](std::size_t i) const {
    return type_ == kInt32 ? Load<std::int32_t>(i) : Load<std::int64_t>(i);
  }

  // Exact up to 2^53.
  double AsDouble(std::size_t i) const {
    return type_ == kDouble ? Load<double>(i) : static_cast<double>((*this)[i]);
  }

 private:
  template <class Value>
  Value Load(std::size_t i) const {
    Value value;
    std::memcpy(&value, static_cast<const unsigned char*>(values_) + i * sizeof(value), sizeof(value));
    return value;
  }

  const void* values_ = nullptr;
  enum { kInt32, kInt64, kDouble } type_ = kInt64;
};

// The rows of a matrix that a caller passed.
struct Matrix {
  void* data;
  std::size_t stride;  // in elements
};

// Where a layout puts the columns of a row.
Columns MakeColumns(Layout layout, std::size_t dim);

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
