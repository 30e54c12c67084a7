// The calls of an encoder. Each call checks its arguments, then goes through its rows in blocks of at most
// 64, which kernels compute.
#ifndef POSENC_SRC_CALL_CALL_H_
#define POSENC_SRC_CALL_CALL_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "call/encoder.h"
#include "kernel/rows.h"
#include "number/elements.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

inline bool IsInteger(posenc_type type) { return type == POSENC_I32 || type == POSENC_I64; }
inline bool IsPositionType(posenc_type type) {
  return IsInteger(type) || type == POSENC_F32 || type == POSENC_F64;
}

// Whether p is in the range of positions. A NaN is not.
inline bool IsPosition(double p) {
  return p >= -static_cast<double>(POSENC_MAX_POSITION) && p <= static_cast<double>(POSENC_MAX_POSITION);
}

// A list of positions or ids that the caller passed, at any alignment. A call without a list has a null List.
class List {
 public:
  List() = default;
  List(posenc_type type, const void* values) : values_(values), type_(type) {}
  explicit List(const posenc_list& list) : List(list.type, list.data) {}

  bool IsNull() const { return values_ == nullptr; }
  const void* data() const { return values_; }
  std::size_t value_bytes() const { return type_ == POSENC_I32 || type_ == POSENC_F32 ? 4 : 8; }

  // The list without its first `begin` values; null stays null.
  List From(std::size_t begin) const {
    if (IsNull()) return *this;
    return {type_, static_cast<const unsigned char*>(values_) + begin * value_bytes()};
  }

  // Value i of a list of integers.
  std::int64_t operator[](std::size_t i) const {
    return type_ == POSENC_I32 ? Load<std::int32_t>(i) : Load<std::int64_t>(i);
  }

  // Value i of any list. Integers beyond 2^53 are rounded.
  double AsDouble(std::size_t i) const {
    if (type_ == POSENC_F64) return Load<double>(i);
    return type_ == POSENC_F32 ? static_cast<double>(Load<float>(i)) : static_cast<double>((*this)[i]);
  }

 private:
  template <class Value>
  Value Load(std::size_t i) const {
    Value value;
    std::memcpy(&value, static_cast<const unsigned char*>(values_) + i * sizeof(value), sizeof(value));
    return value;
  }

  const void* values_ = nullptr;
  posenc_type type_ = POSENC_I64;
};

// A matrix [rows, stride] that a caller passed.
struct Matrix {
  void* data;
  std::size_t stride;            // in elements
  std::uint64_t table_rows = 0;  // posenc_spec::table_rows: how many rows the whole table has; 0: unknown
};

// A table of token embeddings, and the ids of the rows that a call takes from it.
struct Lookup {
  List ids;           // [rows of the call], each 0 .. vocabulary - 1
  posenc_type type;   // the type of the table's entries: the call's type, or a narrower one
  const void* table;  // [vocabulary, stride]
  std::size_t vocabulary;
  std::size_t stride;  // in elements
};

// Sequences of consecutive positions. Sequence b begins at position first + firsts[b].
struct Batch {
  std::int64_t first;
  List firsts;  // [sequences]; null means zeros
  std::size_t sequences;
  std::size_t rows;  // the rows of each sequence
  void* data;        // [sequences, batch_stride] elements; rows of a sequence are row_stride elements apart
  std::size_t batch_stride;
  std::size_t row_stride;

  std::int64_t First(std::size_t b) const { return first + (firsts.IsNull() ? 0 : firsts[b]); }
};

// What a call does to each row: it writes the row's encoding, or adds the encoding to the row times *scale.
struct Call {
  const Encoder& encoder;
  posenc_type type;              // the type of the rows' elements
  const float* scale = nullptr;  // null if the call writes

  std::size_t element_size() const { return ElementSize(type); }

  // Writes or adds all columns of a block of rows. The encoding of a row of padding is zero.
  Tally Apply(const Rows& rows) const;

  // Whether x * scale may be a NaN although x is a number: infinity times 0, 0 times infinity, or a scale
  // that is NaN. Processors make different NaNs in these cases, so the call replaces them by a canonical one.
  // If x itself is a NaN, all processors agree; and for 16-bit types posenc writes only one NaN.
  bool MakesNans() const {
    return scale != nullptr && type == POSENC_F32 && (*scale == 0.0f || *scale - *scale != 0.0f);
  }
};

// Each call checks every argument before it writes anything. If a value of a list is wrong, *bad_index is the
// index of the first wrong value; bad_index may be null.
posenc_status CallRun(const Call& call, std::int64_t first, std::size_t rows, const Matrix& matrix);
posenc_status CallList(const Call& call, const List& positions, std::size_t rows, const Matrix& matrix,
                       std::size_t* bad_index);
posenc_status CallEmbed(const Call& call, const Lookup& lookup, std::int64_t first, std::size_t rows,
                        const Matrix& matrix, std::size_t* bad_index);
posenc_status CallEmbedAt(const Call& call, const Lookup& lookup, const List& positions, std::size_t rows,
                          const Matrix& matrix, std::size_t* bad_index);
posenc_status CallBatch(const Call& call, const Batch& batch, std::size_t* bad_index);

// Writes or adds rows, without checks. If positions is null the rows are a run, positions first, first + 1,
// ... With a lookup, the call adds to rows from the lookup's table and writes the sums to the matrix.
Tally WalkRows(const Call& call, std::int64_t first, const List& positions, std::size_t rows,
               const Matrix& matrix, const Lookup* lookup = nullptr);

// Adds to a batch, without checks. Each position is computed once for all sequences that contain it, if that
// is cheaper.
void WalkBatch(const Call& call, const Batch& batch);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_CALL_H_
