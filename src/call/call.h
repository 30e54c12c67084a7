// The calls of an encoder: their arguments are checked, then their rows walked over its kernels.
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

// False for a NaN.
inline bool IsPosition(double p) {
  return p >= -static_cast<double>(POSENC_MAX_POSITION) && p <= static_cast<double>(POSENC_MAX_POSITION);
}

// Positions or ids that a caller passed, of any alignment; null if it passed none.
class List {
 public:
  List() = default;
  List(posenc_type type, const void* values) : values_(values), type_(type) {}

  bool IsNull() const { return values_ == nullptr; }
  const void* data() const { return values_; }
  std::size_t value_bytes() const { return type_ == POSENC_I32 || type_ == POSENC_F32 ? 4 : 8; }

  // Of integers.
  std::int64_t operator[](std::size_t i) const {
    return type_ == POSENC_I32 ? Load<std::int32_t>(i) : Load<std::int64_t>(i);
  }

  // Exact up to 2^53.
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

// The rows of a matrix that a caller passed.
struct Matrix {
  void* data;
  std::size_t stride;            // in elements
  std::uint64_t table_rows = 0;  // of the table that these are a part of, unless fewer than they are
};

// Where the rows of a token embedding come from.
struct Lookup {
  List ids;
  posenc_type type;  // of the table's entries: the call's, or one that is widened to it
  const void* table;
  std::size_t vocabulary;
  std::size_t stride;
};

// Sequences of consecutive positions, each at a first position of its own.
struct Batch {
  std::int64_t first;  // of all, and to it is added
  List firsts;         // [sequences], unless null
  std::size_t sequences;
  std::size_t rows;  // of each
  void* data;        // [sequences, batch_stride] elements, rows row_stride apart
  std::size_t batch_stride;
  std::size_t row_stride;

  std::int64_t First(std::size_t b) const { return first + (firsts.IsNull() ? 0 : firsts[b]); }
};

// What is done to rows, and with what.
struct Call {
  const Encoder& encoder;
  posenc_type type;              // an entry if it writes, else a summand
  const float* scale = nullptr;  // null: write

  std::size_t element_size() const { return ElementSize(type); }

  // With all columns of its rows; those of padding are zero.
  Tally Apply(const Rows& rows) const;

  // Whether a product with scale may be a NaN where x is none: of floats each processor makes another one.
  // (Where only x is a NaN, they agree; 16-bit types have one NaN anyway.)
  bool MakesNans() const {
    return scale != nullptr && type == POSENC_F32 && (*scale == 0.0f || *scale - *scale != 0.0f);
  }
};

// Each checks every argument before it writes; *bad_index, if given, is the first value of a list at fault.
posenc_status CallRun(const Call& call, std::int64_t first, std::size_t rows, const Matrix& matrix);
posenc_status CallList(const Call& call, const List& positions, std::size_t rows, const Matrix& matrix,
                       std::size_t* bad_index);
posenc_status CallEmbed(const Call& call, const Lookup& lookup, std::int64_t first, std::size_t rows,
                        const Matrix& matrix, std::size_t* bad_index);
posenc_status CallEmbedAt(const Call& call, const Lookup& lookup, const List& positions, std::size_t rows,
                          const Matrix& matrix, std::size_t* bad_index);
posenc_status CallBatch(const Call& call, const Batch& batch, std::size_t* bad_index);

// Without checks: rows of a run (positions null) or a list, to a matrix, from a lookup if there is one.
Tally WalkRows(const Call& call, std::int64_t first, const List& positions, std::size_t rows,
               const Matrix& matrix, const Lookup* lookup = nullptr);

// Without checks: adds to a batch, computing each position's row once for all sequences that contain it.
void WalkBatch(const Call& call, const Batch& batch);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_CALL_CALL_H_
