#include "torch.h"

#include "errors.h"

namespace posenc_python {
namespace {

// The names of posenc._torch. They are kept until the process ends.
struct Torch {
  nb::handle tensor, strided, tracing_state, mode_count, are_transforms_active, forward_ad;
  nb::handle require_no_recording, require_constant, outside_transforms, move_version;
  nb::handle function_mode_count, is_grad_enabled, empty_like, contiguously, dtypes;
};

// The name of an attribute as a Python string, which is made once.
struct Name {
  explicit Name(const char* name) : object(PyUnicode_InternFromString(name)) {}
  nb::handle object;
};

nb::handle Kept(nb::handle module, const char* name) { return nb::object(module.attr(name)).release(); }

// The names of posenc._torch, or null if torch has not been imported completely.
const Torch* Imported() {
  static const Torch* imported = nullptr;  // protected by the interpreter's lock
  if (imported != nullptr) return imported;
  if (PyDict_GetItemString(PyImport_GetModuleDict(), "torch") == nullptr) return nullptr;
  try {
    const nb::module_ module = nb::module_::import_("posenc._torch");
    imported = new Torch{Kept(module, "Tensor"),
                         Kept(module, "strided"),
                         Kept(module, "tracing_state"),
                         Kept(module, "mode_count"),
                         Kept(module, "are_transforms_active"),
                         Kept(module, "forward_ad"),
                         Kept(module, "require_no_recording"),
                         Kept(module, "require_constant"),
                         Kept(module, "outside_transforms"),
                         Kept(module, "move_version"),
                         Kept(module, "function_mode_count"),
                         Kept(module, "is_grad_enabled"),
                         Kept(module, "empty_like"),
                         Kept(module, "contiguously"),
                         Kept(module, "dtypes")};
  } catch (nb::python_error&) {  // another module with this name, or torch is only partly imported
    return nullptr;
  }
  return imported;
}

// Checks the type itself, because any object may claim another class.
bool IsTensor(const Torch& torch, nb::handle object) {
  return PyType_IsSubtype(Py_TYPE(object.ptr()), reinterpret_cast<PyTypeObject*>(torch.tensor.ptr())) != 0;
}

bool HasTangents(const Torch& torch) {
  static const Name current_level("_current_level");
  const nb::object level = nb::getattr(torch.forward_ad, current_level.object, nb::none());
  return !level.is_none() && PyLong_AsLong(level.ptr()) != -1;
}

// Get an attribute, or the result of a call without arguments; null after an error. Python's own functions
// are faster than nanobind's, and each tensor takes eight of these calls.
nb::object Get(nb::handle object, const Name& name) {
  return nb::steal(PyObject_GetAttr(object.ptr(), name.object.ptr()));
}
nb::object Call(nb::handle object, const Name& method) {
  PyObject* self = object.ptr();
  return nb::steal(PyObject_VectorcallMethod(method.object.ptr(), &self, 1, nullptr));
}
nb::object Call(nb::handle function) { return nb::steal(PyObject_CallNoArgs(function.ptr())); }

// The address of a tensor's elements. Null after an error, too.
void* Data(nb::handle tensor) {
  static const Name data_ptr("data_ptr");
  const nb::object address = Call(tensor, data_ptr);
  return address.is_valid() ? PyLong_AsVoidPtr(address.ptr()) : nullptr;
}

// posenc's type for a torch dtype; 0 if posenc does not have it.
posenc_type TypeOf(const Torch& torch, nb::handle dtype) {
  for (int type = POSENC_F32; type <= POSENC_I64; ++type) {
    if (dtype.is(PyTuple_GetItem(torch.dtypes.ptr(), type - POSENC_F32)))
      return static_cast<posenc_type>(type);
  }
  return {};
}

bool IsZero(nb::handle number) { return PyLong_AsLong(number.ptr()) == 0; }

// The implementation of ToDense, for a plain tensor. Returns false after an error, too.
bool IsDense(const Torch& torch, nb::handle object, DenseTensor* tensor) {
  static const Name requires_grad("requires_grad"), is_cpu("is_cpu"), dtype("dtype"), shape("shape");
  static const Name is_contiguous("is_contiguous"), is_neg("is_neg");
  tensor->type = TypeOf(torch, Get(object, dtype));
  if (tensor->type == 0 || Get(object, is_cpu).ptr() != Py_True) return false;
  if (Call(object, is_contiguous).ptr() != Py_True) return false;
  // Integer tensors are never negated lazily, and have no gradients.
  if (tensor->type != POSENC_I32 && tensor->type != POSENC_I64) {
    if (Call(object, is_neg).ptr() != Py_False) return false;
    const bool has_gradient = Get(object, requires_grad).ptr() != Py_False;
    if (has_gradient && Call(torch.is_grad_enabled).ptr() != Py_False) return false;
  }
  const nb::object sizes = Get(object, shape);
  if (!sizes.is_valid()) return false;
  tensor->axes = static_cast<size_t>(PyTuple_Size(sizes.ptr()));
  if (tensor->axes > DenseTensor::kMaxAxes) return false;
  for (size_t axis = 0; axis < tensor->axes; ++axis) {
    tensor->shape[axis] = PyLong_AsLongLong(PyTuple_GetItem(sizes.ptr(), static_cast<Py_ssize_t>(axis)));
  }
  tensor->data = Data(object);
  return tensor->data != nullptr && tensor->count() != 0;
}

// Whether a tensor is just its elements, as most tensors are. This is a fast check, without calling a Python
// function.
bool IsPlain(const Torch& torch, nb::handle tensor) {
  return tensor.type().is(torch.tensor) && Attribute(tensor, "requires_grad").ptr() == Py_False &&
         torch.are_transforms_active().ptr() == Py_False && !HasTangents(torch);
}

void RequireConstant(const Torch& torch, nb::handle object, const std::string& name, bool is_written,
                     const char* instead, int depth) {
  constexpr int kMaxAxes = 64;  // NumPy takes no list with more axes
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) {
    if (depth == kMaxAxes) return;
    for (const nb::handle one : nb::borrow<nb::object>(object)) {
      RequireConstant(torch, one, name, is_written, instead, depth + 1);
    }
  } else if (IsTensor(torch, object) && !IsPlain(torch, object)) {
    torch.require_constant(object, name.c_str(), is_written, instead);
  }
}

}  // namespace

void RequireNoRecording() {
  const Torch* torch = Imported();
  if (torch == nullptr) return;
  if (torch->tracing_state().is_none() && IsZero(torch->mode_count())) return;
  torch->require_no_recording();
}

bool IsTensor(nb::handle object) {
  const Torch* torch = Imported();
  return torch != nullptr && IsTensor(*torch, object);
}

bool IsStrided(nb::handle tensor) { return Attribute(tensor, "layout").is(Imported()->strided); }

void RequireConstant(nb::handle object, const std::string& name, bool is_written, const char* instead) {
  const Torch* torch = Imported();
  if (torch != nullptr) RequireConstant(*torch, object, name, is_written, instead, 0);
}

nb::object OutsideTransforms() {
  const Torch* torch = Imported();
  if (torch == nullptr || torch->are_transforms_active().ptr() == Py_False) return nb::none();
  return torch->outside_transforms();
}

void MoveVersion(nb::handle tensor) { Imported()->move_version(tensor); }

bool IsIdle() {
  const Torch* torch = Imported();
  return torch != nullptr && Call(torch->tracing_state).is_none() && IsZero(Call(torch->mode_count)) &&
         IsZero(Call(torch->function_mode_count)) && Call(torch->are_transforms_active).ptr() == Py_False &&
         !HasTangents(*torch);
}

size_t DenseTensor::count() const {
  size_t count = 1;
  for (size_t axis = 0; axis < axes; ++axis) count *= static_cast<size_t>(shape[axis]);
  return count;
}

bool ToDense(nb::handle object, DenseTensor* tensor) {
  const Torch* torch = Imported();
  if (torch == nullptr || !object.type().is(torch->tensor)) return false;
  if (IsDense(*torch, object, tensor)) return true;
  PyErr_Clear();
  return false;
}

nb::object EmptyLike(nb::handle tensor, bool keeps_strides, void** data) {
  const Torch* torch = Imported();
  const nb::object arguments = nb::steal(PyTuple_Pack(1, tensor.ptr()));
  PyObject* keywords = keeps_strides ? nullptr : torch->contiguously.ptr();
  nb::object made = nb::steal(PyObject_Call(torch->empty_like.ptr(), arguments.ptr(), keywords));
  if (made.is_valid()) *data = Data(made);
  if (PyErr_Occurred() != nullptr) nb::raise_python_error();
  return made;
}

}  // namespace posenc_python
