#include "norm.h"

namespace posenc_python {
namespace {

nb::handle norm_type;  // posenc.Norm, kept until the process ends

// The members of a posenc.Norm, which is a tuple.
enum Member : Py_ssize_t { kWeight, kEpsilon, kPlusOne, kOverHeads };

nb::handle Get(nb::handle norm, Member member) { return PyTuple_GetItem(norm.ptr(), member); }

bool IsWeightType(posenc_type type) {
  return type == POSENC_F32 || type == POSENC_BF16 || type == POSENC_F16;
}

}  // namespace

bool IsNorm(nb::handle object) { return object.type().is(norm_type); }

Norm::Norm(nb::handle object, const std::string& name, size_t heads, size_t head_dim) {
  if (!IsNorm(object)) RaiseType(name + " must be a posenc.Norm, not " + TypeName(object));
  norm_.epsilon = ToReal(Get(object, kEpsilon), name + ".epsilon");
  if (!(norm_.epsilon == 0.0 || (norm_.epsilon >= 0x1p-126 && norm_.epsilon <= 1.0))) {
    RaiseValue(name + ".epsilon must be 0, or 2^-126 .. 1, not " + nb::repr(Get(object, kEpsilon)).c_str());
  }
  norm_.plus_one = ToFlag(Get(object, kPlusOne), name + ".plus_one") ? 1 : 0;
  norm_.over_heads = ToFlag(Get(object, kOverHeads), name + ".over_heads") ? 1 : 0;
  const nb::handle weight = Get(object, kWeight);
  if (weight.is_none() && norm_.plus_one != 0) RaiseValue(name + ".plus_one needs " + name + ".weight");
  if (weight.is_none()) return;
  weight_.emplace(weight, (name + ".weight").c_str(), Access::kRead);
  weight_->RequireType({POSENC_F32, POSENC_BF16, POSENC_F16});
  const auto columns = static_cast<int64_t>(head_dim);
  const Shape each = {columns}, all = {static_cast<int64_t>(heads) * columns};
  const Shape rows = {static_cast<int64_t>(heads), columns};
  const Shape& shape = weight_->shape();
  if (norm_.over_heads == 0) {
    weight_->RequireShape(each);
  } else if (shape != all && shape != rows) {
    RaiseValue(weight_->name() + " must have the shape " + ToText(rows) + " or " + ToText(all) +
               " with over_heads, not " + ToText(shape));
  }
  if (!weight_->IsContiguous() && weight_->count() != 0) {
    RaiseValue(weight_->name() +
               " must be contiguous: copy it first (numpy.ascontiguousarray, or contiguous() " +
               "of a tensor)");
  }
  norm_.weight = weight_->data();
  norm_.weight_type = weight_->type();
}

bool ToDenseNorm(nb::handle object, size_t heads, size_t head_dim, posenc_norm* norm) {
  if (!IsNorm(object)) return false;
  const nb::handle epsilon = Get(object, kEpsilon), plus_one = Get(object, kPlusOne),
                   over_heads = Get(object, kOverHeads), weight = Get(object, kWeight);
  if (!PyFloat_CheckExact(epsilon.ptr()) || !PyBool_Check(plus_one.ptr()) ||
      !PyBool_Check(over_heads.ptr())) {
    return false;
  }
  norm->epsilon = PyFloat_AsDouble(epsilon.ptr());
  norm->plus_one = plus_one.ptr() == Py_True ? 1 : 0;
  norm->over_heads = over_heads.ptr() == Py_True ? 1 : 0;
  if (weight.is_none()) return true;
  DenseTensor tensor;
  if (!ToDense(weight, &tensor) || !IsWeightType(tensor.type)) return false;
  const bool is_flat = tensor.axes == 1;
  const bool is_by_heads = tensor.axes == 2 && tensor.shape[0] == static_cast<int64_t>(heads) &&
                           tensor.shape[1] == static_cast<int64_t>(head_dim);
  if (norm->over_heads == 0 ? !is_flat || tensor.count() != head_dim
                            : (!is_flat && !is_by_heads) || tensor.count() != heads * head_dim) {
    return false;
  }
  norm->weight = tensor.data;
  norm->weight_type = tensor.type;
  return true;
}

void ImportNorm() { norm_type = nb::object(nb::module_::import_("posenc._norm").attr("Norm")).release(); }

}  // namespace posenc_python
