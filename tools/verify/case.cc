#include "verify/case.h"

#include <cmath>
#include <cstdio>
#include <cstring>

#include "api/handle.h"
#include "call/call.h"
#include "command/encoding.h"
#include "command/options.h"
#include "oracle/format.h"

namespace posenc {
namespace tools {
namespace {

// The positions of some rows as a caller passes them, doubles or the bits of integers; none of a run.
std::vector<double> Passed(const Case& c, std::size_t row, std::size_t rows) {
  std::vector<double> values(c.list == 0 ? 0 : rows);
  for (std::size_t r = 0; r < values.size(); ++r) {
    values[r] = c.Position(row + r);
    const auto integer = static_cast<std::int64_t>(values[r]);
    if (c.list == POSENC_I64) std::memcpy(&values[r], &integer, sizeof(integer));
  }
  return values;
}

}  // namespace

Case MakeRun(std::size_t dim, std::int64_t first, std::size_t rows, double base) {
  Case run;
  run.spec.dim = dim;
  run.spec.base = base;
  run.first = first;
  run.rows = rows;
  return run;
}

double AddInput(posenc_type type, std::size_t row, std::size_t column) {
  const std::uint32_t hash =
      static_cast<std::uint32_t>(row) * 2654435761u ^ static_cast<std::uint32_t>(column) * 2246822519u;
  const auto value = static_cast<float>(static_cast<std::int32_t>(hash));
  return oracle::RoundTo(type, std::ldexp(static_cast<double>(value), -29));
}

void RunCase(const Case& c, const Encoder& encoder, std::size_t row, std::size_t rows, Entries* out) {
  const posenc_encoder* e = encoder.c_encoder();
  const std::size_t dim = c.spec.dim;
  const auto first = static_cast<std::int64_t>(c.Position(row));
  const std::vector<double> list = Passed(c, row, rows);
  out->Reset(c.type, rows * dim);
  if (!c.add) {
    return Require(c.list == 0
                       ? posenc_write(e, first, rows, c.type, out->data(), dim)
                       : posenc_write_at(e, c.list, list.data(), rows, c.type, out->data(), dim, nullptr));
  }
  for (std::size_t i = 0; i < rows * dim; ++i) {
    out->Set(i, oracle::Pack(c.type, AddInput(c.type, row + i / dim, i % dim)));
  }
  Require(c.list == 0
              ? posenc_add(e, first, rows, c.type, out->data(), dim, c.scale)
              : posenc_add_at(e, c.list, list.data(), rows, c.type, out->data(), dim, c.scale, nullptr));
}

internal::Tally WalkCase(const Case& c, const Encoder& encoder, std::size_t row, std::size_t rows,
                         Entries* out) {
  const std::vector<double> list = Passed(c, row, rows);
  return internal::WalkRows({encoder.c_encoder()->encoder, c.type},
                            static_cast<std::int64_t>(c.Position(row)), internal::List(c.list, list.data()),
                            rows, {out->data(), c.spec.dim});
}

std::vector<Encoder> MakeEncoders(Spec spec, const std::vector<std::string>& targets) {
  std::vector<Encoder> encoders(targets.size());
  for (std::size_t t = 0; t < targets.size(); ++t) {
    spec.target = targets[t].c_str();
    Require(Encoder::Create(spec, &encoders[t]));
  }
  return encoders;
}

std::string ShowEntry(posenc_type type, std::uint64_t bits) {
  char text[64];
  std::snprintf(text, sizeof(text), "0x%0*llx (%.*g)", static_cast<int>(2 * TraitsOf(type).size),
                static_cast<unsigned long long>(bits), type == POSENC_F64 ? 17 : 9,
                oracle::Unpack(type, bits));
  return text;
}

std::string Describe(const Case& c) {
  std::string text = c.add ? "Add" : "Write";
  if (c.list != 0) text += "At";
  text.append(" ").append(TraitsOf(c.type).name).append(", ").append(Describe(c.spec));
  if (c.add) text += ", scale " + Shortest(static_cast<double>(c.scale));
  return text;
}

}  // namespace tools
}  // namespace posenc
