#include "arrays.h"

#include <algorithm>
#include <cstring>

#include "spec/tables.h"
#include "torch.h"

namespace posenc_python {
namespace {

constexpr posenc_type kNone = {};  // a type that posenc does not have

posenc_type TypeOf(nb::dlpack::dtype_code code, size_t bits) {
  switch (code) {
    case nb::dlpack::dtype_code::Float:
      return bits == 64 ? POSENC_F64 : bits == 32 ? POSENC_F32 : bits == 16 ? POSENC_F16 : kNone;
    case nb::dlpack::dtype_code::Bfloat:
      return bits == 16 ? POSENC_BF16 : kNone;
    case nb::dlpack::dtype_code::Int:
      return bits == 64 ? POSENC_I64 : bits == 32 ? POSENC_I32 : kNone;
    default:
      return kNone;
  }
}

// The type for a format string of Python's module struct, in this machine's byte order.
posenc_type TypeOf(const char* format, size_t size) {
  constexpr char kNative = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
  if (format == nullptr) return kNone;
  if (*format == '@' || *format == '=' || *format == kNative) ++format;
  if (format[0] == '\0' || format[1] != '\0') return kNone;
  const bool is_float = std::strchr("efd", *format) != nullptr;
  if (!is_float && std::strchr("ilqn", *format) == nullptr) return kNone;
  return TypeOf(is_float ? nb::dlpack::dtype_code::Float : nb::dlpack::dtype_code::Int, 8 * size);
}

bool IsRange(nb::handle object) { return object.type().ptr() == reinterpret_cast<PyObject*>(&PyRange_Type); }

bool StartsWith(const std::string& text, const char* start) { return text.rfind(start, 0) == 0; }

// The error message of an object that has __dlpack__ but cannot be read by it; empty if there is no error.
std::string WhyNot(nb::handle object) {
  try {
    object.attr("__dlpack__")();
    return "";
  } catch (nb::python_error& error) {
    const std::string text = Text(error.value());
    return text.substr(0, text.find('\n'));
  }
}

[[noreturn]] void RaiseNoArray(const std::string& name, nb::handle object) {
  RequireGiven(object, name);
  RaiseType(name + " must be an array (of NumPy, torch, or with DLPack or the buffer protocol), not " +
            TypeName(object));
}

[[noreturn]] void RaiseUnknown(const std::string& name, nb::handle array) {
  const nb::object dtype = Attribute(array, "dtype");
  RaiseType(name + " has a type that posenc does not take" +
            (dtype.is_none() ? std::string() : std::string(": ") + Text(dtype)));
}

[[noreturn]] void RaiseDevice(const std::string& name, nb::handle object) {
  const nb::object device = Attribute(object, "device");
  RaiseValue(name + " is on another device" + (device.is_none() ? "" : ": " + Text(device)) +
             "; posenc computes in the CPU's memory, so copy it there first");
}

// Whether the object is a NumPy array of ml_dtypes.bfloat16. It has neither the buffer protocol nor DLPack.
bool IsNumpyBfloat16(nb::handle object) {
  return TypeName(object) == "numpy.ndarray" &&
         Text(Attribute(Attribute(object, "dtype"), "name")) == "bfloat16";
}

nb::object ToTuple(const Shape& shape) {
  nb::object sizes = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    PyTuple_SetItem(sizes.ptr(), static_cast<Py_ssize_t>(axis), PyLong_FromLongLong(shape[axis]));
  }
  return sizes;
}

nb::handle empty, numbers, mask_bytes, widened,
    coefficients;  // functions of posenc._arrays, kept until the process ends

}  // namespace

const char* NameOf(posenc_type type) { return posenc::internal::WordOf<posenc::internal::Of::type>(type); }

Array::Array(nb::handle object, const char* name, Access access, const char* instead, Types types)
    : name_(name) {
  if (PyObject_CheckBuffer(object.ptr()) == 1) {
    nb::object viewed = nb::borrow(object);
    if (PyObject_GetBuffer(object.ptr(), &buffer_.view, PyBUF_RECORDS_RO) != 0) {
      PyErr_Clear();
      if (!IsNumpyBfloat16(object)) {
        if (types == Types::kAny) return;
        RaiseUnknown(name_, object);
      }
      viewed = object.attr("view")("uint16");
      type_ = POSENC_BF16;
      if (PyObject_GetBuffer(viewed.ptr(), &buffer_.view, PyBUF_RECORDS_RO) != 0) nb::raise_python_error();
    }
    TakeBuffer(access);
  } else if (IsTensor(object)) {
    TakeTensor(object, access, instead);
  } else if (!Attribute(object.type(), "__dlpack__").is_none()) {
    TakeDlpack(object, access);
  } else {
    RaiseNoArray(name_, object);
  }
  if (type_ == 0 && types == Types::kKnown) RaiseUnknown(name_, object);
  if (data_ == nullptr && type_ != 0 && count() != 0) RaiseValue(name_ + " has no elements in memory");
}

void Array::TakeBuffer(Access access) {
  const Py_buffer& view = buffer_.view;
  if (access != Access::kRead && view.readonly != 0) RaiseValue(name_ + " is read-only");
  size_ = static_cast<size_t>(view.itemsize);
  data_ = view.buf;
  if (type_ == 0) type_ = TypeOf(view.format, size_);
  if (type_ == 0) return;
  for (int axis = 0; axis < view.ndim; ++axis) {
    if (view.strides[axis] % view.itemsize != 0 && view.shape[axis] > 1) {
      RaiseValue(name_ + ": its strides must be multiples of the size of an element");
    }
    shape_.push_back(view.shape[axis]);
    strides_.push_back(view.strides[axis] / view.itemsize);
  }
}

void Array::TakeTensor(nb::handle object, Access access, const char* instead) {
  const bool is_written = access == Access::kWrite;
  RequireConstant(object, name_, is_written, is_written && instead == nullptr ? "leave it out" : instead);
  if (!IsStrided(object)) {
    RaiseType(name_ + " must be a strided tensor, not " + Text(Attribute(object, "layout")));
  }
  if (object.attr("is_neg")().ptr() == Py_True) {
    RaiseValue(name_ + " is negated lazily: pass " + name_ + ".resolve_neg()");
  }
  const nb::object outside = OutsideTransforms();
  // While no gradients are recorded, a parameter is like any other tensor, but DLPack refuses it. So detach
  // it.
  const bool requires_grad = object.attr("requires_grad").ptr() == Py_True;
  TakeDlpack(requires_grad ? object.attr("detach")() : nb::borrow(object), access);
  if (is_written) tensor_ = nb::borrow(object);
}

void Array::TakeDlpack(nb::handle object, Access access) {
  const nb::object module = object.type().attr("__module__");
  const bool has_name =
      PyUnicode_Check(module.ptr()) && PyUnicode_AsUTF8AndSize(module.ptr(), nullptr) != nullptr;
  PyErr_Clear();
  if (!has_name) RaiseNoArray(name_, object);  // nanobind needs the name
  if (!nb::try_cast(object, dlpack_, false)) {
    const nb::object device = Attribute(Attribute(object, "device"), "type");
    if (!device.is_none() && Text(device) != "cpu") RaiseDevice(name_, object);
    if (IsTensor(object)) return;  // DLPack does not have its type
    const std::string why = WhyNot(object);
    if (why.empty()) RaiseNoArray(name_, object);
    RaiseType(name_ + ": " + TypeName(object) + " cannot be read by DLPack: " + why);
  }
  if (dlpack_.device_type() != nb::device::cpu::value) RaiseDevice(name_, object);
  if (access != Access::kRead && StartsWith(Text(module), "jax")) {
    RaiseValue(name_ + " is read-only, as JAX's arrays are");
  }
  const nb::dlpack::dtype type = dlpack_.dtype();
  if (type.lanes == 1) type_ = TypeOf(static_cast<nb::dlpack::dtype_code>(type.code), type.bits);
  size_ = type.bits / 8u;
  data_ = const_cast<void*>(static_cast<const void*>(dlpack_.data()));
  for (size_t axis = 0; axis < dlpack_.ndim(); ++axis) {
    shape_.push_back(static_cast<int64_t>(dlpack_.shape(axis)));
    strides_.push_back(dlpack_.stride(axis));
  }
}

void Array::MoveVersion() const {
  if (tensor_.is_valid()) posenc_python::MoveVersion(tensor_);
}

size_t Array::count() const {
  size_t count = 1;
  for (const int64_t n : shape_) count *= static_cast<size_t>(n);
  return count;
}

void Array::RequireType(std::initializer_list<posenc_type> types) const {
  if (std::find(types.begin(), types.end(), type_) != types.end()) return;
  std::string names;
  for (const posenc_type type : types) {
    const bool is_last = type == *(types.end() - 1);
    names += (names.empty() ? "" : is_last ? " or " : ", ") + std::string(NameOf(type));
  }
  RaiseType(name_ + " must be of " + names + ", not " + NameOf(type_));
}

void Array::RequireShape(const Shape& shape) const {
  if (shape_ != shape)
    RaiseValue(name_ + " must have the shape " + ToText(shape) + ", not " + ToText(shape_));
}

void Array::RequireColumns(size_t columns) const {
  if (axes() == 0 || static_cast<size_t>(shape_.back()) != columns) {
    RaiseValue(name_ + " must have " + std::to_string(columns) + " columns, the last axis; its shape is " +
               ToText(shape_));
  }
  if (columns > 1 && strides_.back() != 1 && count() != 0) {
    RaiseValue(name_ + " must have its columns next to each other in memory, and they are " +
               std::to_string(strides_.back()) +
               " elements apart: copy it first (numpy.ascontiguousarray, or contiguous() "
               "of a tensor)");
  }
}

Steps Array::Join(size_t begin, size_t end) const {
  size_t count = 1;
  int64_t stride = 0;
  for (size_t axis = end; axis-- > begin;) {
    const int64_t n = shape_[axis];
    if (n != 1 && count > 1 && strides_[axis] != static_cast<int64_t>(count) * stride && this->count() != 0) {
      RaiseValue(name_ + ": its axes " + std::to_string(begin) + " to " + std::to_string(end - 1) +
                 " are not evenly spaced; its strides are " + ToText(strides_));
    }
    if (n != 1 && count <= 1) stride = strides_[axis];
    count *= static_cast<size_t>(n);
  }
  if (stride < 0) RaiseValue(name_ + ": its strides must not be negative, and are " + ToText(strides_));
  return {count, static_cast<size_t>(stride)};
}

bool Array::IsContiguous() const {
  int64_t next = 1;
  for (size_t axis = axes(); axis-- > 0;) {
    if (shape_[axis] != 1 && strides_[axis] != next) return false;
    next *= shape_[axis];
  }
  return true;
}

List::List(nb::handle object, const char* name, bool integers_only) : name_(name) {
  if (PyBool_Check(object.ptr())) RaiseType(name_ + " must be numbers, not bool");
  if (PyFloat_Check(object.ptr())) {
    if (integers_only) RaiseType(name_ + " must be integers, not float");
    Take(ToReal(object, name_));
    type_ = POSENC_F64;
  } else if (PyLong_Check(object.ptr())) {
    Take(ToInteger(object, name_));
    type_ = POSENC_I64;
  } else if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()) || IsRange(object)) {
    RequireConstant(object, name_);
    const nb::object outside = OutsideTransforms();
    Take(widened(object, name_.c_str()), integers_only);
  } else {
    Take(object, integers_only);
  }
  if (array_) data_ = array_->data();
  if (!copy_.empty()) data_ = copy_.data();
}

template <class Number>
void List::Take(Number number) {
  copy_.resize(sizeof(number));
  std::memcpy(copy_.data(), &number, sizeof(number));
}

void List::Take(nb::handle object, bool integers_only) {
  array_.emplace(object, name_.c_str(), Access::kRead, nullptr, Types::kAny);
  const posenc_type its = array_->type();
  if (its == 0 || its == POSENC_F16 || its == POSENC_BF16) {
    const nb::object outside = OutsideTransforms(), array = widened(object, name_.c_str());
    array_.emplace(array, name_.c_str(), Access::kRead);
  }
  type_ = array_->type();
  if (integers_only && type_ != POSENC_I32 && type_ != POSENC_I64) {
    RaiseType(name_ + " must be integers, not " + NameOf(its == 0 ? type_ : its));
  }
  shape_ = array_->shape();
  count_ = array_->count();
  if (!array_->IsContiguous() && count_ != 0) Copy(*array_);
}

void List::Copy(const Array& array) {
  const size_t size = array.size();
  copy_.reserve(count_ * size);
  Shape index(array.axes(), 0);
  for (size_t i = 0; i < count_; ++i) {
    int64_t offset = 0;
    for (size_t axis = 0; axis < index.size(); ++axis) offset += index[axis] * array.strides()[axis];
    const char* element = static_cast<const char*>(array.data()) + offset * static_cast<int64_t>(size);
    copy_.insert(copy_.end(), element, element + size);
    for (size_t axis = index.size(); axis-- > 0 && ++index[axis] == array.shape()[axis];) index[axis] = 0;
  }
}

std::string List::At(size_t index) const {
  if (shape_.empty() || count_ == 0) return name_;
  std::string text = "]";
  for (size_t axis = shape_.size(); axis-- > 0;) {
    const auto n = static_cast<size_t>(shape_[axis]);
    text = (axis == 0 ? "[" : ", ") + std::to_string(index % n) + text;
    index /= n;
  }
  return name_ + text;
}

int64_t List::Integer(size_t i) const {
  int32_t narrow = 0;
  int64_t wide = 0;
  const auto* data = static_cast<const char*>(data_);
  if (type_ == POSENC_I64) {
    std::memcpy(&wide, data + i * sizeof(wide), sizeof(wide));
    return wide;
  }
  std::memcpy(&narrow, data + i * sizeof(narrow), sizeof(narrow));
  return narrow;
}

double List::Real(size_t i) const {
  if (type_ == POSENC_I32 || type_ == POSENC_I64) return static_cast<double>(Integer(i));
  float narrow = 0;
  double wide = 0;
  const auto* data = static_cast<const char*>(data_);
  if (type_ == POSENC_F64) {
    std::memcpy(&wide, data + i * sizeof(wide), sizeof(wide));
    return wide;
  }
  std::memcpy(&narrow, data + i * sizeof(narrow), sizeof(narrow));
  return static_cast<double>(narrow);
}

void List::Repeat(size_t times) {
  const auto* first = static_cast<const char*>(data_);
  const size_t bytes = count_ * (type_ == POSENC_I32 || type_ == POSENC_F32 ? 4 : 8);
  std::vector<char> all;
  all.reserve(times * bytes);
  for (size_t i = 0; i < times; ++i) all.insert(all.end(), first, first + bytes);
  copy_ = std::move(all);
  data_ = copy_.data();
  count_ *= times;
}

CountedRows RowsOf(const Array& array, size_t columns) {
  array.RequireColumns(columns);
  const Steps steps = array.Join(0, array.axes() - 1);
  return {{array.type(), array.data(), steps.count <= 1 ? columns : steps.stride}, steps.count};
}

std::string ToText(const Shape& shape) {
  std::string text = "[";
  for (const int64_t n : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(n);
  return text + "]";
}

nb::object CopyCoefficients(nb::handle object, const std::string& name) {
  RequireNoRecording();
  RequireConstant(object, name);
  const nb::object outside = OutsideTransforms();
  return coefficients(object, name.c_str());
}

void ImportArrays() {
  const nb::module_ arrays = nb::module_::import_("posenc._arrays");
  empty = nb::object(arrays.attr("empty")).release();
  numbers = nb::object(arrays.attr("numbers")).release();
  mask_bytes = nb::object(arrays.attr("mask_bytes")).release();
  widened = nb::object(arrays.attr("widened")).release();
  coefficients = nb::object(arrays.attr("coefficients")).release();
}

nb::object NewArray(const Shape& shape, nb::handle dtype, nb::handle like) {
  const nb::object outside = OutsideTransforms();
  return empty(ToTuple(shape), dtype, like);
}

nb::object NewNumbers(const Shape& shape, const char* type, nb::handle like) {
  const nb::object outside = OutsideTransforms();
  return numbers(ToTuple(shape), type, like);
}

nb::object CopyMask(nb::handle object, const char* name) {
  const nb::object outside = OutsideTransforms();
  return mask_bytes(object, name);
}

nb::object OutOrNew(nb::handle out, const Shape& shape, nb::handle dtype, nb::handle like) {
  if (out.is_none()) return NewArray(shape, dtype, like);
  if (!dtype.is_none()) RaiseValue("dtype and out exclude each other: out has a type");
  return nb::borrow(out);
}

}  // namespace posenc_python
