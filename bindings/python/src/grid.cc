// Binds posenc.grid and posenc.grid_add_: encodings of images and video (grid_c.h).

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <vector>

#include "encoder.h"
#include "posenc/grid_c.h"
#include "torch.h"

namespace posenc_python {
namespace {

constexpr char kAddInstead[] = "write x + posenc.grid(..., dtype=x.dtype), which torch records";

constexpr char kGridDoc[] =
    R"(Returns the encoding of an image or a video, with a row for each cell: [prefix_rows + cells, columns].

axes         a list of (encoder, column, n), one for each axis. The encoder writes the columns from `column` on. The axis has
             cells at the positions 0 .. n - 1 or, if n is a list [count], at these positions. The last axis varies fastest
prefix_rows  number of rows of zeros before the cells (class tokens)
dtype        type of the result: a dtype of NumPy or torch, or its name; the default is float32
out          [prefix_rows + cells, columns] an array to write to, instead of a new one. Columns that no axis writes are unchanged

Raises ValueError or TypeError for a wrong argument; the message names the axis. Then nothing has been written.

    half = posenc.Encoder(dim // 2, layout="sin_cos")  # MAE: cells in order of height, then width; columns of width first
    posenc.grid([(half, dim // 2, 14), (half, 0, 14)], prefix_rows=1))";

constexpr char kGridAddDoc[] = R"(Adds a grid in place: x = x * scale + grid(axes). Returns x.

x            [prefix_rows + cells, columns] float32, float16 or bfloat16; writable
axes         the axes, as in grid()
prefix_rows  number of rows of zeros before the cells
scale        multiplies x before the grid is added

Raises ValueError or TypeError for a wrong argument; then x is unchanged.)";

// The axes of a call: (encoder, column, count) or (encoder, column, positions).
struct Axes {
  explicit Axes(nb::handle objects) {
    RequireGiven(objects, "axes");
    if (!PyList_Check(objects.ptr()) && !PyTuple_Check(objects.ptr())) {
      RaiseType("axes must be a list of (encoder, column, count or positions), not " + TypeName(objects));
    }
    for (const nb::handle object : nb::borrow<nb::object>(objects)) Append(object);
  }

  void Append(nb::handle object) {
    const std::string name = "axes[" + std::to_string(all.size()) + "]";
    const Encoder* encoder = nullptr;
    if (!PyTuple_Check(object.ptr()) || nb::len(object) != 3 ||
        !nb::try_cast(nb::handle(object[0]), encoder, false)) {
      RaiseType(name + " must be a tuple (encoder, column, count or positions)");
    }
    kept.push_back(nb::borrow(object));  // another thread may empty the list
    posenc_grid_axis axis{};
    axis.encoder = encoder->encoder.get();
    axis.column = ToSize(object[1], name + ": column");
    if (IsInteger(nb::object(object[2]))) {
      axis.count = ToSize(object[2], name + ": count");
      lists.emplace_back();
    } else {
      const List& list = *lists.emplace_back(std::in_place, object[2], (name + ": positions").c_str(), false);
      if (list.shape().size() != 1) RaiseValue(name + ": positions must have one axis");
      axis.count = list.count();
      axis.positions = list.get();
    }
    const size_t dim = encoder->encoder.dim();
    columns = std::max(columns, axis.column > POSENC_MAX_DIM ? axis.column : axis.column + dim);
    used += dim;
    cells = axis.count != 0 && cells > SIZE_MAX / axis.count ? SIZE_MAX : cells * axis.count;
    all.push_back(axis);
  }

  void Check(posenc_status status, size_t axis, size_t index) const {
    if (status == POSENC_OK) return;
    std::string what = axis < all.size() ? "axes[" + std::to_string(axis) + "]" : "axes";
    if (IsOutOfRange(status) && axis < all.size() && lists[axis]) what = lists[axis]->At(index);
    posenc_python::Check(status, what);
  }

  std::vector<nb::object> kept;
  std::vector<posenc_grid_axis> all;
  std::deque<std::optional<List>> lists;
  size_t columns = 0, used = 0, cells = 1;
};

nb::object Grid(nb::handle objects, const nb::args& more, nb::handle prefix_rows, nb::handle dtype,
                nb::handle out, const nb::kwargs& unknown) {
  RequireNoMore(more);
  RequireNoMore(unknown);
  RequireNoRecording();
  const Axes axes(objects);
  const size_t prefix = ToSize(prefix_rows, "prefix_rows");
  if (axes.cells > SIZE_MAX / 4 || axes.columns > POSENC_MAX_DIM * size_t{POSENC_MAX_GRID_AXES}) {
    RaiseValue("axes: the grid has more cells or columns than the address space");
  }
  const Shape shape = {static_cast<int64_t>(prefix + axes.cells), static_cast<int64_t>(axes.columns)};
  nb::object result = OutOrNew(out, shape, dtype, nb::none());
  const Array array(result, "out", AccessTo(out));
  array.RequireType({POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64});
  array.RequireShape(shape);
  const CountedRows into = RowsOf(array, axes.columns);
  if (out.is_none() && axes.used < axes.columns) std::memset(array.data(), 0, array.count() * array.size());
  size_t bad_axis = SIZE_MAX, bad_index = 0;
  const posenc_status status = Released([&] {
    return posenc_write_grid(axes.all.data(), axes.all.size(), prefix, &into.rows, &bad_axis, &bad_index);
  });
  axes.Check(status, bad_axis, bad_index);
  array.MoveVersion();
  return result;
}

nb::object AddGrid(nb::object x, nb::handle objects, const nb::args& more, nb::handle prefix_rows,
                   nb::handle scale, const nb::kwargs& unknown) {
  RequireNoMore(more);
  RequireNoMore(unknown);
  RequireNoRecording();
  const Axes axes(objects);
  const size_t prefix = ToSize(prefix_rows, "prefix_rows");
  const auto factor = static_cast<float>(ToReal(scale, "scale"));
  const Array array(x, "x", Access::kWrite, kAddInstead);
  array.RequireType({POSENC_F32, POSENC_BF16, POSENC_F16});
  if (array.axes() != 2 || axes.cells > SIZE_MAX / 4 ||
      static_cast<size_t>(array.shape()[0]) != prefix + axes.cells) {
    RaiseValue("x must have a row for each of prefix_rows and of the cells; its shape is " +
               ToText(array.shape()));
  }
  const CountedRows into = RowsOf(array, axes.columns);
  size_t bad_axis = SIZE_MAX, bad_index = 0;
  const posenc_status status = Released([&] {
    return posenc_add_grid(axes.all.data(), axes.all.size(), prefix, &into.rows, factor, &bad_axis,
                           &bad_index);
  });
  axes.Check(status, bad_axis, bad_index);
  array.MoveVersion();
  return x;
}

}  // namespace

void BindGrid(nb::module_& module) {
  module.def("grid", &Grid, "axes"_a.none() = nb::ellipsis(), "more"_a, "prefix_rows"_a.none() = 0,
             "dtype"_a = nb::none(), "out"_a = nb::none(), "unknown"_a,
             nb::sig("def grid(axes: typing.Sequence[tuple[Encoder, int, int | posenc._types.Numbers]], *, "
                     "prefix_rows: int = 0, dtype: posenc._types.DType = None, "
                     "out: posenc._types.Array | None = None) -> posenc._types.Array"),
             kGridDoc);
  module.def("grid_add_", &AddGrid, "x"_a.none() = nb::ellipsis(), "axes"_a.none() = nb::ellipsis(), "more"_a,
             "prefix_rows"_a.none() = 0, "scale"_a.none() = 1.0, "unknown"_a,
             nb::sig("def grid_add_(x: posenc._types.Array, "
                     "axes: typing.Sequence[tuple[Encoder, int, int | posenc._types.Numbers]], *, "
                     "prefix_rows: int = 0, scale: float = 1.0) -> posenc._types.Array"),
             kGridAddDoc);
}

}  // namespace posenc_python
