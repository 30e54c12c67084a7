// Binds functions that compute positions from token ids with padding, and from the mask of an image.

#include "posenc/models_c.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "bindings.h"
#include "members.h"
#include "torch.h"

namespace posenc_python {
namespace {

constexpr char kIdsDoc[] =
    R"(Returns the positions of tokens, as fairseq and transformers number them: [..., tokens] int64.

The position of a token is padding_id + past + n. n is the number of ids in the sequence, up to and including this one, that
are not padding_id. The position of padding is padding_id.

ids         [..., tokens] integers
padding_id  the id of padding
past        number of tokens before these (past_key_values_length)

    encoder.embed(ids, table, positions=posenc.positions_from_ids(ids, padding_id=1)))";

constexpr char kMaskDoc[] =
    R"(Returns the positions of the cells of images, as DETR counts them: (y, x), each [..., height, width] float64.

mask           [..., height, width] bool or uint8; 0 is a cell of the image, and any other value is padding
normalization  none: y is the number of cells without padding in the column, up to and including this one, and x in the row.
               f32 or f64: (count + offset) / last * scale, where last is the count of the last cell of the column or row. Each
               operation is rounded to this type
scale          the default, 0, means 2 pi
offset         -0.5 for Deformable DETR)";

nb::object FromIds(nb::handle ids, nb::handle padding_id, const nb::args& more, nb::handle past,
                   const nb::kwargs& unknown) {
  RequireNoMore(more);
  RequireNoMore(unknown);
  RequireNoRecording();
  const List list(ids, "ids", true);
  const int64_t padding = ToInteger(padding_id, "padding_id"), before = ToInteger(past, "past");
  if (list.shape().empty()) RaiseValue("ids must have an axis of tokens");
  const nb::object result = NewNumbers(list.shape(), "int64", ids);
  const Array array(result, "positions", Access::kWriteNew);
  const auto tokens = static_cast<size_t>(list.shape().back());
  const size_t batch = tokens == 0 ? 0 : list.count() / tokens;
  const posenc_ids from = {list.type(), list.data(), tokens, padding};
  const posenc_rows to = {POSENC_I64, array.data(), tokens};
  Check(Released([&] { return posenc_positions_from_ids(&from, batch, tokens, before, &to); }));
  return result;
}

nb::object FromMask(nb::handle mask, const nb::args& more, nb::handle normalization, nb::handle scale,
                    nb::handle offset, const nb::kwargs& unknown) {
  RequireNoMore(more);
  RequireNoMore(unknown);
  RequireNoRecording();
  RequireGiven(mask, "mask");
  RequireConstant(mask, "mask");
  const auto kind =
      static_cast<posenc_normalization>(ToChoice({"none", "f32", "f64"}, normalization, "normalization"));
  const double times = ToReal(scale, "scale"), plus = ToReal(offset, "offset");
  const auto bytes =
      nb::cast<nb::ndarray<const uint8_t, nb::c_contig, nb::device::cpu>>(CopyMask(mask, "mask"));
  if (bytes.ndim() < 2)
    RaiseValue("mask must have at least two axes, and has " + std::to_string(bytes.ndim()));
  Shape shape;
  for (size_t axis = 0; axis < bytes.ndim(); ++axis) shape.push_back(static_cast<int64_t>(bytes.shape(axis)));
  const size_t height = bytes.shape(bytes.ndim() - 2), width = bytes.shape(bytes.ndim() - 1);
  const size_t cells = height * width, batch = cells == 0 ? 0 : bytes.size() / cells;
  const nb::object rows = NewNumbers(shape, "float64", mask), columns = NewNumbers(shape, "float64", mask);
  const Array y(rows, "y", Access::kWriteNew), x(columns, "x", Access::kWriteNew);
  const posenc_status status = Released([&] {
    posenc_status one = POSENC_OK;
    for (size_t b = 0; b < batch && one == POSENC_OK; ++b) {
      const posenc_mask image = {bytes.data() + b * cells, height, width};
      one = posenc_positions_from_mask(&image, kind, times, plus, static_cast<double*>(y.data()) + b * cells,
                                       static_cast<double*>(x.data()) + b * cells);
    }
    return one;
  });
  Check(status);
  return nb::make_tuple(rows, columns);
}

}  // namespace

void BindPositions(nb::module_& module) {
  module.def(
      "positions_from_ids", &FromIds, "ids"_a.none() = nb::ellipsis(), "padding_id"_a.none() = nb::ellipsis(),
      "more"_a, "past"_a.none() = 0, "unknown"_a,
      nb::sig("def positions_from_ids(ids: posenc._types.Numbers, padding_id: int, *, past: int = 0) -> "
              "posenc._types.Array"),
      kIdsDoc);
  module.def("positions_from_mask", &FromMask, "mask"_a.none() = nb::ellipsis(), "more"_a,
             "normalization"_a.none() = "none", "scale"_a.none() = 0.0, "offset"_a.none() = 0.0, "unknown"_a,
             nb::sig("def positions_from_mask(mask: posenc._types.Array, *, "
                     "normalization: typing.Literal['none', 'f32', 'f64'] = 'none', scale: float = 0.0, "
                     "offset: float = 0.0) -> tuple[posenc._types.Array, posenc._types.Array]"),
             kMaskDoc);
}

}  // namespace posenc_python
