#include "verify/encoding_case.h"

#include <cmath>
#include <cstring>
#include <iterator>

#include "api/handle.h"
#include "call/call.h"
#include "command/require.h"
#include "oracle/format.h"

namespace posenc {
namespace tools {
namespace {

template <class Value>
void Append(Value value, std::vector<unsigned char>* bytes) {
  const std::size_t at = bytes->size();
  bytes->resize(at + sizeof(value));
  std::memcpy(bytes->data() + at, &value, sizeof(value));
}

// The positions of some rows as a caller passes them; none of a run.
std::vector<unsigned char> Passed(const EncodingCase& c, std::size_t row, std::size_t rows) {
  std::vector<unsigned char> list;
  for (std::size_t r = 0; c.list != 0 && r < rows; ++r) {
    const double position = c.Position(row + r);
    if (c.list == POSENC_I64) {
      Append(static_cast<std::int64_t>(position), &list);
    } else if (c.list == POSENC_F32) {
      Append(static_cast<float>(position), &list);
    } else {
      Append(position, &list);
    }
  }
  return list;
}

// Of a run; a list's positions may be NaNs.
std::int64_t First(const EncodingCase& c, std::size_t row) {
  return c.list == 0 ? static_cast<std::int64_t>(c.Position(row)) : 0;
}

// The upper half of floats, or bfloat16s; and float16s. From kNans on they are NaNs of all kinds.
constexpr std::uint32_t kSpecials[2][14] = {{0x7F80, 0xFF80, 0x0000, 0x8000, 0x3F80, 0xBF80, 0x7F7F, 0xFF7F,
                                             0x0001, 0x7FC0, 0xFFC0, 0x7F81, 0xFFFF, 0xFFA5},
                                            {0x7C00, 0xFC00, 0x0000, 0x8000, 0x3C00, 0xBC00, 0x7BFF, 0xFBFF,
                                             0x0001, 0x7E00, 0xFE00, 0x7C01, 0xFFFF, 0xFD55}};
constexpr std::size_t kNans = 9;

std::uint64_t Special(const EncodingCase& c, std::uint32_t hash) {
  // What becomes of a float NaN times a number is not the same everywhere.
  const bool is_float = c.type == POSENC_F32;
  const bool has_nans = !is_float || c.scale == 0.0f || !std::isfinite(c.scale);
  const std::uint32_t bits =
      kSpecials[c.type == POSENC_F16 ? 1 : 0][(hash >> 8) % (has_nans ? std::size(kSpecials[0]) : kNans)];
  return is_float ? std::uint64_t{bits} << 16 : bits;
}

}  // namespace

EncodingCase MakeRun(std::size_t dim, std::int64_t first, std::size_t rows, double base) {
  EncodingCase run;
  run.spec.dim = dim;
  run.spec.base = base;
  run.first = first;
  run.rows = rows;
  return run;
}

std::uint64_t AddInput(const EncodingCase& c, std::size_t row, std::size_t column) {
  const std::uint32_t hash =
      static_cast<std::uint32_t>(row) * 2654435761u ^ static_cast<std::uint32_t>(column) * 2246822519u;
  if (c.specials) return Special(c, hash);
  const auto value = static_cast<float>(static_cast<std::int32_t>(hash));
  return oracle::Pack(c.type, oracle::RoundTo(c.type, std::ldexp(static_cast<double>(value), -29)));
}

void RunCase(const EncodingCase& c, const Encoder& encoder, std::size_t row, std::size_t rows, Entries* out) {
  const posenc_encoder* e = encoder.c_encoder();
  const std::size_t dim = c.spec.dim;
  const std::int64_t first = First(c, row);
  const std::vector<unsigned char> list = Passed(c, row, rows);
  out->Reset(c.type, rows * dim);
  if (!c.add) {
    return Require(c.list == 0
                       ? posenc_write(e, first, rows, c.type, out->data(), dim)
                       : posenc_write_at(e, c.list, list.data(), rows, c.type, out->data(), dim, nullptr));
  }
  for (std::size_t i = 0; i < rows * dim; ++i) {
    out->Set(i, AddInput(c, row + i / dim, i % dim));
  }
  Require(c.list == 0
              ? posenc_add(e, first, rows, c.type, out->data(), dim, c.scale)
              : posenc_add_at(e, c.list, list.data(), rows, c.type, out->data(), dim, c.scale, nullptr));
}

internal::Tally WalkCase(const EncodingCase& c, const Encoder& encoder, std::size_t row, std::size_t rows,
                         Entries* out) {
  const std::vector<unsigned char> list = Passed(c, row, rows);
  return internal::WalkRows({encoder.c_encoder()->encoder, c.type}, First(c, row),
                            internal::List(c.list, list.data()), rows, {out->data(), c.spec.dim});
}

}  // namespace tools
}  // namespace posenc
