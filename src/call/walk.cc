// Goes through the rows of an encoder's call, in blocks of at most 64 rows. The kernel for runs computes 64
// rows from one evaluation of sine and cosine, and the arrays for a block of listed positions fit on the
// stack.
#include "number/exact.h"

#include <algorithm>

#include "call/call.h"
#include "call/store_policy.h"
#include "number/compiler.h"
#include "number/fp_state.h"

namespace posenc {
namespace internal {
namespace {

// A block of rows for kernels, with the arrays that the block points to: kernels know nothing of the caller's
// lists, of padding, of positions that are wrong, or of tables of token embeddings.
class RowBlock {
 public:
  RowBlock(const Call& call, const Matrix& matrix, bool stream) : call_(call), matrix_(matrix) {
    rows_.stride = matrix.stride;
    rows_.stream = stream;
  }

  // Goes on to the rows begin .. begin + count - 1 of a run. With a list, TakeList must be called next, which
  // sets their positions.
  void Take(std::int64_t first, std::size_t begin, std::size_t count) {
    rows_.at = {nullptr, call_.encoder.offset + first + static_cast<std::int64_t>(begin), count};
    rows_.data = MatrixRow(begin);
  }

  // Sets the block's positions to the values of a list from `begin` on. With nan_rows a value may be NaN or
  // out of range; such a row is computed at position 0, and Compute overwrites it with NaN.
  void TakeList(const List& positions, std::size_t begin) {
    const Encoder& encoder = call_.encoder;
    rows_.at.list = list_;
    rows_.padded = 0;
    for (std::size_t r = 0; r < rows_.at.count; ++r) {
      const double position = positions.AsDouble(begin + r);
      const bool is_padding = encoder.has_padding && position == static_cast<double>(encoder.padding);
      rows_.padded |= std::uint64_t{is_padding} << r;
      list_[r] = is_padding ? 0.0 : encoder.Shifted(position);
      is_bad_[r] = !IsPosition(list_[r]);
      if (is_bad_[r]) list_[r] = 0.0;
    }
  }

  // Sets the rows that the encoding is added to: rows of the lookup's table. If the table has a narrower
  // type, they are first widened into the matrix.
  void TakeLookup(const Lookup& lookup, std::size_t begin) {
    const bool widen = lookup.type != call_.type;
    rows_.sources = widen ? nullptr : sources_;
    for (std::size_t r = 0; r < rows_.at.count; ++r) {
      const auto id = static_cast<std::size_t>(lookup.ids[begin + r]);
      const auto* source =
          static_cast<const unsigned char*>(lookup.table) + id * lookup.stride * ElementSize(lookup.type);
      if (widen) call_.encoder.kernels->widen[lookup.type](source, call_.encoder.dim, MatrixRow(begin + r));
      sources_[r] = source;
    }
  }

  // Writes or adds the block. has_bad: the list may have wrong values, whose rows become NaN.
  Tally Compute(bool has_bad) {
    const Tally tally = call_.Apply(rows_);
    for (std::size_t r = 0; has_bad && r < rows_.at.count; ++r) {
      if (is_bad_[r]) StoreNans(call_.type, call_.encoder.dim, RowAt(rows_, call_.element_size(), r).to);
    }
    return tally;
  }

 private:
  unsigned char* MatrixRow(std::size_t r) const {
    return RowAt(matrix_.data, matrix_.stride, call_.element_size(), r);
  }

  const Call& call_;
  const Matrix& matrix_;
  Rows rows_{};
  double list_[Rows::kMax];
  bool is_bad_[Rows::kMax];
  const void* sources_[Rows::kMax];
};

}  // namespace

Tally WalkRows(const Call& call, std::int64_t first, const List& positions, std::size_t rows,
               const Matrix& matrix, const Lookup* lookup) {
  // Not a result of InFpState: copies of it read wider words than were just stored, and wait for all stores.
  Tally tally;
  InFpState([&] {
    const bool is_run = positions.IsNull();
    const bool stream =
        is_run && call.scale == nullptr &&
        ShouldStream(call.encoder.columns, call.element_size(),
                     std::max<std::uint64_t>(rows, matrix.table_rows), matrix.data, matrix.stride);
    RowBlock block(call, matrix, stream);
    for (std::size_t begin = 0; begin < rows; begin += Rows::kMax) {
      block.Take(first, begin, std::min(rows - begin, Rows::kMax));
      if (!is_run) block.TakeList(positions, begin);
      if (lookup != nullptr) block.TakeLookup(*lookup, begin);
      tally += block.Compute(!is_run && call.encoder.nan_rows);
    }
    if (stream) FenceStreams();  // only once: with a fence after each block, calls took 3 % longer
    return 0;
  });
  return tally;
}

}  // namespace internal
}  // namespace posenc
