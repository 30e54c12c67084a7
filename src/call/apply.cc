// Writes or adds a block of rows. Kernels compute the columns that belong to pairs; this file does the other
// columns (the position itself, a zero, a single cosine) and the rows of padding, whose encoding is zero.
#include "number/exact.h"

#include <cstring>

#include "call/call.h"
#include "number/compiler.h"
#include "number/double_double.h"
#include "number/elements.h"

namespace posenc {
namespace internal {
namespace {

// Which rows of a run are padding: bit r is for row r.
std::uint64_t PaddedOfRun(const Encoder& encoder, const Positions& at) {
  if (!encoder.has_padding) return 0;
  const std::int64_t first = at.first - encoder.offset;  // the position that the caller passed
  const std::uint64_t row = static_cast<std::uint64_t>(encoder.padding) - static_cast<std::uint64_t>(first);
  // A padding position before the first row wraps to a huge row number.
  return row < at.count ? std::uint64_t{1} << row : 0;
}

// Row r from a column on: where old values are read, and where new ones are written.
Row FromColumn(const Call& call, const Rows& rows, std::size_t r, std::size_t column) {
  const Row row = RowAt(rows, call.element_size(), r);
  const std::size_t before = column * call.element_size();
  return {row.from + before, row.to + before};
}

// Writes or adds an entry. The type may be anything but double.
void Store(const Call& call, const Row& element, float entry) {
  StoreEntries(call.type, &entry, {}, 0, 1, call.scale, element);
}

// Writes or adds the position of each row, in column 0.
void StorePositions(const Call& call, const Rows& rows) {
  const bool is_narrow = call.scale == nullptr && call.type != POSENC_F32;
  for (std::size_t r = 0; r < rows.at.count; ++r) {
    const Row element = FromColumn(call, rows, r, 0);
    const double p = rows.at[r];
    if (call.type == POSENC_F64) {
      StoreDoubles(&p, 1, 1, element.to);
    } else {
      Store(call, element, is_narrow ? ToOddFloat(p) : static_cast<float>(p));
    }
  }
}

// For POSENC_ODD_COSINE_LAST: writes or adds the cosine of each row's first pair once more, in the odd
// column. Kernels compute it in the type that is written; for sums, as a float. The function is not inlined,
// because its 1.5 KB of stack would otherwise burden calls without such a column.
POSENC_NOINLINE void StoreFirstCosines(const Call& call, const Rows& rows) {
  constexpr Columns kPair = {1, 1, 0, 1, 2};
  const posenc_type type = call.scale == nullptr ? call.type : POSENC_F32;
  const std::size_t size = ElementSize(type);
  alignas(double) unsigned char pairs[Rows::kMax * 2 * sizeof(double)];
  const Encoder& encoder = call.encoder;
  encoder.kernels->write[type](encoder.table.Slice(0, 1), kPair, {rows.at, pairs, 2, nullptr, false, 0});
  for (std::size_t r = 0; r < rows.at.count; ++r) {
    const Row element = FromColumn(call, rows, r, encoder.odd.at);
    const unsigned char* const cosine = pairs + (2 * r + 1) * size;
    if (call.scale == nullptr) {
      std::memcpy(element.to, cosine, size);
    } else {
      float entry;
      std::memcpy(&entry, cosine, sizeof(entry));
      Store(call, element, entry);
    }
  }
}

// Writes or adds zeros in columns column .. column + count - 1 of row r.
void StoreZeros(const Call& call, const Rows& rows, std::size_t r, std::size_t column, std::size_t count) {
  constexpr std::size_t kAtOnce = 64;
  constexpr float kZeros[kAtOnce] = {};
  if (call.scale == nullptr) {
    std::memset(FromColumn(call, rows, r, column).to, 0, count * call.element_size());
    return;
  }
  for (std::size_t i = 0; i < count; i += kAtOnce) {
    const Row element = FromColumn(call, rows, r, column + i);
    const std::size_t some = count - i < kAtOnce ? count - i : kAtOnce;
    StoreEntries(call.type, kZeros, {}, 0, some, call.scale, element);
  }
}

Tally ApplyWithoutPadding(const Call& call, const Rows& rows) {
  const Encoder& encoder = call.encoder;
  const EncoderKernels& kernels = *encoder.kernels;
  const Tally tally = call.scale == nullptr
                          ? kernels.write[call.type](encoder.table, encoder.columns, rows)
                          : kernels.add[call.type](encoder.table, encoder.columns, rows, *call.scale);
  if (encoder.HasPairsOnly()) return tally;
  if (encoder.input_first) StorePositions(call, rows);
  if (encoder.odd.is_cosine) {
    StoreFirstCosines(call, rows);
  } else if (encoder.odd.at != kNoColumn) {
    for (std::size_t r = 0; r < rows.at.count; ++r) StoreZeros(call, rows, r, encoder.odd.at, 1);
  }
  return tally;
}

// The rows begin .. begin + count - 1 of a block, as a block of their own.
Rows Part(const Call& call, const Rows& rows, std::size_t begin, std::size_t count) {
  Rows part = rows;
  part.at.count = count;
  if (rows.at.IsRun()) {
    part.at.first += static_cast<std::int64_t>(begin);
  } else {
    part.at.list += begin;
  }
  part.data = RowAt(rows.data, rows.stride, call.element_size(), begin);
  if (rows.sources != nullptr) part.sources += begin;
  return part;
}

// Writes or adds a block in which some rows are padding: bit r of `padded` is set for such a row r. The rows
// between them are done as separate blocks.
Tally ApplyAround(const Call& call, const Rows& rows, std::uint64_t padded) {
  Tally tally;
  std::size_t begin = 0;
  for (std::size_t r = 0; r < rows.at.count; ++r) {
    if (((padded >> r) & 1) == 0) continue;
    if (r > begin) tally += ApplyWithoutPadding(call, Part(call, rows, begin, r - begin));
    StoreZeros(call, rows, r, 0, call.encoder.dim);
    begin = r + 1;
  }
  if (rows.at.count > begin)
    tally += ApplyWithoutPadding(call, Part(call, rows, begin, rows.at.count - begin));
  return tally;
}

}  // namespace

Tally Call::Apply(const Rows& rows) const {
  const std::uint64_t padded = rows.at.IsRun() ? PaddedOfRun(encoder, rows.at) : rows.padded;
  const Tally tally = padded == 0 ? ApplyWithoutPadding(*this, rows) : ApplyAround(*this, rows, padded);
  for (std::size_t r = 0; MakesNans() && r < rows.at.count; ++r) {
    MakeNansCanonical(encoder.dim, RowAt(rows, element_size(), r).to);
  }
  return tally;
}

}  // namespace internal
}  // namespace posenc
