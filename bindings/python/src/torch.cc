#include "torch.h"

#include "errors.h"

namespace posenc_python {
namespace {

// What posenc._torch has, as long as the process lives.
struct Torch {
  nb::handle tensor, strided, tracing_state, mode_count, are_transforms_active, forward_ad;
  nb::handle require_no_recording, require_constant, outside_transforms, move_version;
};

nb::handle Kept(nb::handle module, const char* name) { return nb::object(module.attr(name)).release(); }

// Null until torch has been imported, and while it is.
const Torch* Imported() {
  static const Torch* imported = nullptr;  // under the interpreter's lock
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
                         Kept(module, "move_version")};
  } catch (nb::python_error&) {  // something else of that name, or torch half imported
    return nullptr;
  }
  return imported;
}

// By its type: what is no tensor may answer anything when asked for its class.
bool IsTensor(const Torch& torch, nb::handle object) {
  return PyType_IsSubtype(Py_TYPE(object.ptr()), reinterpret_cast<PyTypeObject*>(torch.tensor.ptr())) != 0;
}

bool HasTangents(const Torch& torch) {
  const nb::object level = Attribute(torch.forward_ad, "_current_level");
  return !level.is_none() && !level.equal(nb::int_(-1));
}

// A tensor that is its elements and nothing else, as most are: decided without a call of Python's functions.
bool IsPlain(const Torch& torch, nb::handle tensor) {
  return tensor.type().is(torch.tensor) && Attribute(tensor, "requires_grad").ptr() == Py_False &&
         torch.are_transforms_active().ptr() == Py_False && !HasTangents(torch);
}

void RequireConstant(const Torch& torch, nb::handle object, const std::string& name, bool is_written,
                     const char* instead, int depth) {
  constexpr int kMaxAxes = 64;  // of a list that NumPy takes
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
  if (torch->tracing_state().is_none() && torch->mode_count().equal(nb::int_(0))) return;
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

}  // namespace posenc_python
