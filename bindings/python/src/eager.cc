// Fast functions for the calls that posenc.torch makes in a decode step: few elements in contiguous tensors,
// new results, and no recording. For any other call, or a wrong one, they write nothing and return None.
// posenc.torch then takes its general path, which also raises the error.

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "angles.h"
#include "encoder.h"
#include "norm.h"
#include "rotary.h"
#include "torch.h"

namespace posenc_python {
namespace {

// The most elements in a call. So few take so little time that the interpreter's lock need not be released,
// and that copying them first is faster than adding in a single pass.
constexpr size_t kMost = 1 << 14;

// The arguments of a call that give the positions of rows or tokens, and the scale.
struct Where {
  // Takes the arguments. Returns false if they are not an integer and a float, or if first and positions are
  // both set.
  bool Take(nb::handle from, nb::handle at, nb::handle by) {
    if (!PyLong_CheckExact(from.ptr()) || !PyFloat_CheckExact(by.ptr())) return false;
    int overflow = 0;
    first = PyLong_AsLongLongAndOverflow(from.ptr(), &overflow);
    scale = PyFloat_AsDouble(by.ptr());
    is_list = !at.is_none();
    return overflow == 0 && (!is_list || (first == 0 && ToDense(at, &positions)));
  }

  // Whether positions are [rows], or have the axes of x before the columns, all of which are 1 except rows.
  bool Fits(const DenseTensor& x, size_t before, size_t rows) const {
    if (positions.count() != rows) return false;
    if (positions.axes == 1) return true;
    return positions.axes == before + 1 && std::equal(x.shape, x.shape + before, positions.shape) &&
           positions.shape[before] == static_cast<int64_t>(rows);
  }

  int64_t first;
  double scale;
  bool is_list;
  DenseTensor positions{};
};

// Whether angles are for a single sequence, or have the axes of x before the tokens, all of which are 1.
bool Fits(const Angles& angles, const DenseTensor& x, size_t before) {
  if (angles.shape.size() == 1) return true;
  return angles.shape.size() == before + 1 && std::equal(x.shape, x.shape + before, angles.shape.begin()) &&
         std::all_of(x.shape, x.shape + before, [](int64_t n) { return n == 1; });
}

bool IsFloat(posenc_type type) { return type == POSENC_F32 || type == POSENC_BF16 || type == POSENC_F16; }

nb::object EagerAdd(nb::handle x, nb::handle encoder, nb::handle at, nb::handle first, nb::handle scale) {
  DenseTensor from;
  Where where;
  const Encoder* self = nullptr;
  if (!nb::try_cast(encoder, self) || self == nullptr || !IsIdle() || !ToDense(x, &from)) return nb::none();
  if (!where.Take(first, at, scale) || !IsFloat(from.type) || from.axes == 0) return nb::none();
  const size_t dim = self->encoder.dim(), last = from.axes - 1, count = from.count();
  if (static_cast<size_t>(from.shape[last]) != dim || count > kMost) return nb::none();
  const size_t all = count / dim, rows = last == 0 ? 1 : static_cast<size_t>(from.shape[last - 1]);
  if (where.is_list && (last == 0 || all != rows || !where.Fits(from, last - 1, rows))) return nb::none();
  void* to = nullptr;
  nb::object made = EmptyLike(x, /*keeps_strides=*/true, &to);
  const auto factor = static_cast<float>(where.scale);
  std::memcpy(to, from.data, count * (from.type == POSENC_F32 ? 4 : 2));
  const posenc_rows into = {from.type, to, dim};
  const posenc_list positions = {where.positions.type, where.positions.data};
  const posenc_batch batch = {all / rows, rows * dim, {}};
  const posenc_status status =
      where.is_list
          ? posenc_add_at(self->encoder.get(), &positions, all, &into, factor, nullptr)
          : posenc_add_batch(self->encoder.get(), &batch, where.first, rows, &into, factor, nullptr);
  return status == POSENC_OK ? made : nb::none();
}

nb::object EagerRotate(nb::handle tensors, nb::handle rotary, nb::handle at, nb::handle first,
                       nb::handle scale, nb::handle inverse, nb::handle token_axis, nb::handle given,
                       nb::handle first_token, nb::handle norm) {
  Where where;
  const Rotary* self = nullptr;
  if (!PyTuple_CheckExact(tensors.ptr()) || !nb::try_cast(rotary, self) || self == nullptr ||
      (self->axes != 1 && given.is_none())) {
    return nb::none();
  }
  const Angles* angles = nullptr;
  if (!given.is_none() && !nb::try_cast(given, angles)) return nb::none();
  if (!PyLong_CheckExact(first_token.ptr())) return nb::none();
  int overflow = 0;
  const int64_t at_token = PyLong_AsLongLongAndOverflow(first_token.ptr(), &overflow);
  if (overflow != 0 || (at_token != 0 && angles == nullptr)) return nb::none();
  const bool is_integer = PyLong_CheckExact(token_axis.ptr());
  const int64_t axis = is_integer ? PyLong_AsLongAndOverflow(token_axis.ptr(), &overflow) : 0;
  if ((axis != -2 && axis != -3) || !PyBool_Check(inverse.ptr()) || !IsIdle()) return nb::none();
  if (!where.Take(first, at, scale) || where.scale == 0.0) return nb::none();
  if (angles != nullptr && (where.is_list || where.first != 0)) return nb::none();
  std::vector<posenc_heads> heads;
  const Py_ssize_t tensor_count = PyTuple_Size(tensors.ptr());
  const bool has_norms = !norm.is_none();
  if (has_norms && (!PyTuple_CheckExact(norm.ptr()) || PyTuple_Size(norm.ptr()) != tensor_count)) {
    return nb::none();
  }
  std::vector<posenc_norm> norms(has_norms ? static_cast<size_t>(tensor_count) : 0);
  nb::object made = nb::steal(PyTuple_New(tensor_count));
  posenc_type type = {};
  size_t tokens = 0, all = 0;
  for (Py_ssize_t i = 0; i < tensor_count; ++i) {
    const nb::handle tensor = PyTuple_GetItem(tensors.ptr(), i);
    DenseTensor from;
    if (!ToDense(tensor, &from) || !IsFloat(from.type) || from.axes < 3) return nb::none();
    const size_t before = from.axes - 3, dim = self->rotary.head_dim();
    const int64_t* last = from.shape + before;  // [tokens, heads, head_dim] or [heads, tokens, head_dim]
    const auto own = static_cast<size_t>(last[axis + 3]), count = static_cast<size_t>(last[-2 - axis]);
    if (static_cast<size_t>(last[2]) != dim) return nb::none();
    if (heads.empty()) type = from.type, tokens = own;
    if (from.type != type || own != tokens) return nb::none();
    all += from.count();
    if (all > kMost || (where.is_list && !where.Fits(from, before, tokens))) return nb::none();
    if (angles != nullptr && !Fits(*angles, from, before)) return nb::none();
    const posenc_norm* its_norm = nullptr;
    if (const nb::handle its = has_norms ? PyTuple_GetItem(norm.ptr(), i) : Py_None; !its.is_none()) {
      posenc_norm& read = norms[static_cast<size_t>(i)];
      if (!ToDenseNorm(its, count, dim, &read)) return nb::none();
      its_norm = &read;
    }
    void* to = nullptr;
    PyTuple_SetItem(made.ptr(), i, EmptyLike(tensor, /*keeps_strides=*/false, &to).release().ptr());
    const size_t size = own * count * dim;
    for (size_t b = 0; b < from.count() / size; ++b) {
      const size_t at_byte = b * size * (type == POSENC_F32 ? 4 : 2);
      posenc_heads one{};
      one.type = type;
      one.data = static_cast<char*>(to) + at_byte;
      one.source = static_cast<char*>(from.data) + at_byte;
      one.heads = count;
      one.token_stride = one.source_token_stride = axis == -3 ? count * dim : dim;
      one.head_stride = one.source_head_stride = axis == -3 ? dim : own * dim;
      one.scale = where.scale;
      one.inverse = inverse.ptr() == Py_True ? 1 : 0;
      one.norm = its_norm;
      heads.push_back(one);
    }
  }
  if (heads.empty()) return nb::none();
  const posenc_list positions = {where.positions.type, where.positions.data};
  const posenc_status status =
      angles != nullptr ? RotateBy(*self, *angles, 0, at_token, tokens, heads)
      : where.is_list
          ? posenc_rotate_at(self->rotary.get(), &positions, tokens, heads.data(), heads.size(), nullptr)
          : posenc_rotate(self->rotary.get(), where.first, tokens, heads.data(), heads.size());
  return status == POSENC_OK ? made : nb::none();
}

}  // namespace

void BindEager(nb::module_& module) {
  module.def(
      "eager_add", &EagerAdd, "x"_a.none(), "encoder"_a.none(), "positions"_a.none(), "first"_a.none(),
      "scale"_a.none(),
      nb::sig("def eager_add(x: typing.Any, encoder: typing.Any, positions: typing.Any, first: typing.Any, "
              "scale: typing.Any) -> typing.Any"));
  module.def(
      "eager_rotate", &EagerRotate, "tensors"_a.none(), "rotary"_a.none(), "positions"_a.none(),
      "first"_a.none(), "scale"_a.none(), "inverse"_a.none(), "token_axis"_a.none(), "angles"_a = nb::none(),
      "first_token"_a.none() = 0, "norm"_a = nb::none(),
      nb::sig(
          "def eager_rotate(tensors: typing.Any, rotary: typing.Any, positions: typing.Any, first: "
          "typing.Any, scale: typing.Any, inverse: typing.Any, token_axis: typing.Any, angles: typing.Any = "
          "None, first_token: typing.Any = 0, norm: typing.Any = None) -> typing.Any"));
}

}  // namespace posenc_python
