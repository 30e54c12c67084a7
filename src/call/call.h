// The calls of an encoder: each checks its arguments, then walks its rows in blocks, which kernels compute.
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

// Whether p is in the range of positions; false for a NaN.
inline bool IsPosition(double p) {
  return p >= -static_cast<double>(POSENC_MAX_POSITION) && p <= static_cast<double>(POSENC_MAX_POSITION);
}

// Positions or ids that a caller passed, at any alignment. A call without a list has a null one.
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

  // Value i of any list; integers beyond 2^53 are rounded.
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
  std::uint64_t table_rows = 0;  // rows of the table that these rows are a part of; 0: not known
};

// A table of token embeddings, and the ids of the rows that a call takes from it.
struct Lookup {
  List ids;           // [rows of the call], below vocabulary
  posenc_type type;   // of the table's entries: the call's type, or a narrower one that is widened to it
  const void* table;  // [vocabulary, stride]
  std::size_t vocabulary;
  std::size_t stride;  // in elements
};

// Sequences of consecutive positions. Sequence b begins at position first + firsts[b].
struct Batch {
  std::int64_t first;
  List firsts;  // [sequences], or null: zeros
  std::size_t sequences;
  std::size_t rows;  // of each sequence
  void* data;        // [sequences, batch_stride] elements, rows row_stride apart
  std::size_t batch_stride;
  std::size_t row_stride;

  std::int64_t First(std::size_t b) const { return first + (firsts.IsNull() ? 0 : firsts[b]); }
};

// What a call does to each of its rows: it writes the row's encoding, or adds it to the row times *scale.
struct Call {
  const Encoder& encoder;
  posenc_type type;              // of the rows' elements
  const float* scale = nullptr;  // null: write

  std::size_t element_size() const { return ElementSize(type); }

  // Writes or adds all columns of a block of rows; the encoding of a row of padding is zero.
  Tally Apply(const Rows& rows) const;

  // Whether x * scale may be a NaN although x is none. The bits of such a float differ between processors, so
  // they are made canonical. (If x is a NaN, all processors agree; 16-bit types have only one NaN here.)
  bool MakesNans() const {
    return scale != nullptr && type == POSENC_F32 && (*scale == 0.0f || *scale - *scale != 0.0f);
  }
};

// Each call checks every argument before it writes. If a value of a list is at fault, *bad_index is the
// first such value, unless bad_index is null.
posenc_status CallRun(const Call& call, std::int64_t first, std::size_t rows, const Matrix& matrix);
posenc_status CallList(const Call& call, const List& positions, std::size_t rows, const Matrix& matrix,
                       std::size_t* bad_index);
posenc_status CallEmbed(const Call& call, const Lookup& lookup, std::int64_t first, std::size_t rows,
                        const Matrix& matrix, std::size_t* bad_index);
posenc_status CallEmbedAt(const Call& call, const Lookup& lookup, const List& positions, std::size_t rows,
                          const Matrix& matrix, std::size_t* bad_index);
posenc_status CallBatch(const Call& call, const Batch& batch, std::size_t* bad_index);

// Writes or adds, without checks, the rows of a run (positions is null) or of a list. With a lookup, the rows
// that are added to come from its table.
Tally WalkRows(const Call& call, std::int64_t first, const List& positions, std::size_t rows,
               const Matrix& matrix, const Lookup* lookup = nullptr);

// Adds to a batch without checks. The row of a position is computed once for all sequences that contain it.
void WalkBatch(const Call& call, const Batch& batch);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_CALL_H_
