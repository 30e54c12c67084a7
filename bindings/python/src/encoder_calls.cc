// The methods of posenc.Encoder that write, add and embed rows.

#include <nanobind/nanobind.h>

#include "encoder.h"
#include "torch.h"

namespace posenc_python {
namespace {

constexpr char kAddInstead[] = "write x + encoder.table(..., dtype=x.dtype), which torch records";
constexpr char kEmbedInstead[] =
    "write torch.nn.functional.embedding(ids, table) + encoder.table(..., dtype=table.dtype), which torch "
    "records";

// The name, for a message, of what is out of range: an element of a list, or `run`, the rows from a first
// position on.
std::string Fault(posenc_status status, const List& list, size_t bad) {
  return IsOutOfRange(status) ? list.At(bad) : "";
}
std::string Fault(posenc_status status, const char* run) { return IsOutOfRange(status) ? run : ""; }

int64_t ToFirst(nb::handle first) { return first.is_none() ? 0 : ToInteger(first, "first"); }

void RequireOne(nb::handle first, nb::handle positions) {
  if (!first.is_none() && !positions.is_none()) RaiseValue("first and positions exclude each other");
}

// Makes the list have a position for each row. If it has positions only for the last axis of `rows`, they are
// repeated.
void Spread(List* positions, const Shape& rows) {
  if (positions->shape() == rows) return;
  const Shape last(rows.empty() ? rows.end() : rows.end() - 1, rows.end());
  if (positions->shape() != last) {
    RaiseValue("positions must have the shape " + ToText(rows) +
               (last == rows ? "" : ", or " + ToText(last) + " if all sequences share them") + ", not " +
               ToText(positions->shape()));
  }
  size_t times = 1;
  for (size_t axis = 0; axis + 1 < rows.size(); ++axis) times *= static_cast<size_t>(rows[axis]);
  positions->Repeat(times);
}

posenc_status AddList(const Encoder& self, const Array& x, const List& list, float scale, size_t* bad) {
  const CountedRows into = RowsOf(x, self.encoder.dim());
  const posenc_list positions = list.get();
  return Released(
      [&] { return posenc_add_at(self.encoder.get(), &positions, into.count, &into.rows, scale, bad); });
}

// Adds runs to x [..., rows, dim]. Its sequences follow one another, or are interleaved, if x is [rows,
// batch, dim] transposed.
posenc_status AddRuns(const Encoder& self, const Array& x, int64_t first, const List* firsts, float scale,
                      size_t* bad) {
  const posenc_encoder* encoder = self.encoder.get();
  const size_t dim = self.encoder.dim(), last = x.axes() - 1, before = x.axes() < 2 ? 0 : last - 1;
  const Steps batch = x.Join(0, before);
  Steps rows = x.Join(before, last);
  if (rows.count <= 1) rows.stride = dim;
  auto* data = static_cast<char*>(x.data());
  const bool by_turns =
      batch.count > 1 && rows.count > 1 && batch.stride >= dim && rows.stride / batch.count >= batch.stride;
  if (by_turns && firsts == nullptr) {
    return Released([&] {
      posenc_status status = POSENC_OK;
      for (size_t b = 0; b < batch.count && status == POSENC_OK;
           ++b) {  // if the library refuses one, it refuses the first
        const posenc_rows into = {x.type(), data + b * batch.stride * x.size(), rows.stride};
        status = posenc_add(encoder, first, rows.count, &into, scale);
      }
      return status;
    });
  }
  const size_t stride = batch.count > 1 ? batch.stride : rows.count * rows.stride;
  const posenc_batch sequences = {batch.count, stride, firsts == nullptr ? posenc_list{} : firsts->get()};
  const posenc_rows into = {x.type(), data, rows.stride};
  return Released(
      [&] { return posenc_add_batch(encoder, &sequences, first, rows.count, &into, scale, bad); });
}

}  // namespace

nb::object Encode(const Encoder& self, nb::handle positions, const nb::args& more, nb::handle dtype,
                  nb::handle out, const nb::kwargs& unknown) {
  RequireNoMore(more);
  RequireNoMore(unknown);
  RequireNoRecording();
  const size_t dim = self.encoder.dim();
  const List list(positions, "positions", false);
  Shape shape = list.shape();
  shape.push_back(static_cast<int64_t>(dim));
  nb::object result = OutOrNew(out, shape, dtype, positions);
  const Array array(result, "out", AccessTo(out));
  array.RequireType({POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64});
  array.RequireShape(shape);
  const CountedRows into = RowsOf(array, dim);
  const posenc_list at = list.get();
  size_t bad = 0;
  const posenc_status status =
      Released([&] { return posenc_write_at(self.encoder.get(), &at, into.count, &into.rows, &bad); });
  Check(status, Fault(status, list, bad));
  array.MoveVersion();
  return result;
}

nb::object Table(const Encoder& self, nb::handle rows, const nb::args& more, nb::handle first,
                 nb::handle dtype, nb::handle out, const nb::kwargs& unknown) {
  RequireNoMore(more);
  RequireNoMore(unknown);
  RequireNoRecording();
  const size_t dim = self.encoder.dim();
  const Shape shape = {static_cast<int64_t>(ToSize(rows, "rows")), static_cast<int64_t>(dim)};
  const int64_t first_position = ToFirst(first);
  nb::object result = OutOrNew(out, shape, dtype, nb::none());
  const Array array(result, "out", AccessTo(out));
  array.RequireType({POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64});
  array.RequireShape(shape);
  const CountedRows into = RowsOf(array, dim);
  const posenc_status status =
      Released([&] { return posenc_write(self.encoder.get(), first_position, into.count, &into.rows); });
  Check(status, Fault(status, "rows from first on"));
  array.MoveVersion();
  return result;
}

nb::object Add(const Encoder& self, nb::object x, const nb::args& more, nb::handle first,
               nb::handle positions, nb::handle scale, const nb::kwargs& unknown) {
  RequireNoMore(more);
  RequireNoMore(unknown);
  RequireNoRecording();
  RequireOne(first, positions);
  const Array array(x, "x", Access::kWrite, kAddInstead);
  array.RequireType({POSENC_F32, POSENC_BF16, POSENC_F16});
  array.RequireColumns(self.encoder.dim());
  const auto factor = static_cast<float>(ToReal(scale, "scale"));
  const Shape rows(array.shape().begin(), array.shape().end() - 1);
  size_t bad = 0;
  if (!positions.is_none()) {
    List list(positions, "positions", false);
    Spread(&list, rows);
    const posenc_status status = AddList(self, array, list, factor, &bad);
    Check(status, Fault(status, list, bad));
  } else if (first.is_none() || IsInteger(first)) {
    const posenc_status status = AddRuns(self, array, ToFirst(first), nullptr, factor, &bad);
    Check(status, Fault(status, "x from first on"));
  } else {
    const List list(first, "first", true);
    const Shape batch(rows.begin(), rows.empty() ? rows.end() : rows.end() - 1);
    if (list.shape() != batch) {
      RaiseValue("first must be an integer, or have the shape " + ToText(batch) + ", not " +
                 ToText(list.shape()));
    }
    const posenc_status status = AddRuns(self, array, 0, &list, factor, &bad);
    Check(status, Fault(status, list, bad));
  }
  array.MoveVersion();
  return x;
}

nb::object Embed(const Encoder& self, nb::handle ids, nb::handle table, const nb::args& more,
                 nb::handle first, nb::handle positions, nb::handle scale, nb::handle dtype, nb::handle out,
                 const nb::kwargs& unknown) {
  RequireNoMore(more);
  RequireNoMore(unknown);
  RequireNoRecording();
  RequireOne(first, positions);
  const size_t dim = self.encoder.dim();
  const posenc_encoder* encoder = self.encoder.get();
  const List list(ids, "ids", true);
  const Array from(table, "table", Access::kRead, kEmbedInstead);
  from.RequireType({POSENC_F32, POSENC_BF16, POSENC_F16});
  from.RequireColumns(dim);
  if (from.axes() != 2) RaiseValue("table must have two axes, and has the shape " + ToText(from.shape()));
  const CountedRows table_rows = RowsOf(from, dim);
  posenc_lookup lookup = {list.get(), from.type(), table_rows.rows.data, table_rows.count,
                          table_rows.rows.stride};
  const auto factor = static_cast<float>(ToReal(scale, "scale"));
  const int64_t first_position = ToFirst(first);

  Shape shape = list.shape();
  shape.push_back(static_cast<int64_t>(dim));
  const nb::object its = nb::getattr(table, "dtype", nb::none());
  nb::object result = OutOrNew(out, shape, dtype.is_none() && out.is_none() ? its : nb::borrow(dtype), table);
  const Array array(result, "out", AccessTo(out));
  array.RequireType({POSENC_F32, POSENC_BF16, POSENC_F16});
  array.RequireShape(shape);
  constexpr size_t kNone = SIZE_MAX;
  size_t bad = kNone;
  posenc_status status = POSENC_OK;
  if (!positions.is_none()) {
    List at(positions, "positions", false);
    Spread(&at, list.shape());
    const CountedRows into = RowsOf(array, dim);
    const posenc_list its_positions = at.get();
    status = Released([&] {
      return posenc_embed_at(encoder, &lookup, &its_positions, into.count, &into.rows, factor, &bad);
    });
    array.MoveVersion();  // after an error, it may be written in part
    // If the id and the position of a row are both out of range, the message names the id.
    const bool is_id = IsOutOfRange(status) &&
                       (list.Integer(bad) < 0 || static_cast<size_t>(list.Integer(bad)) >= lookup.vocabulary);
    Check(status, Fault(status, is_id ? list : at, bad));
    return result;
  }
  const size_t last = array.axes() - 1, before = last == 0 ? 0 : last - 1;
  const Steps batch = array.Join(0, before);
  Steps rows = array.Join(before, last);
  if (rows.count <= 1) rows.stride = dim;
  const size_t id_size = list.type() == POSENC_I32 ? 4 : 8;
  status = Released([&] {
    posenc_status one = POSENC_OK;
    for (size_t b = 0; b < batch.count && one == POSENC_OK; ++b) {
      lookup.ids.data = static_cast<const char*>(list.data()) + b * rows.count * id_size;
      char* const to = static_cast<char*>(array.data()) + b * batch.stride * array.size();
      const posenc_rows into = {array.type(), to, rows.stride};
      one = posenc_embed(encoder, &lookup, first_position, rows.count, &into, factor, &bad);
      if (bad != kNone) bad += b * rows.count;
    }
    return one;
  });
  array.MoveVersion();  // after an error, it may be written in part
  const bool is_type = posenc_status_kind(status) == POSENC_BAD_TYPE;
  Check(status, is_type        ? "dtype"
                : bad == kNone ? Fault(status, "ids from first on")
                               : Fault(status, list, bad));
  return result;
}

}  // namespace posenc_python
