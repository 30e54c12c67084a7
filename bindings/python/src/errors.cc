#include "errors.h"

#include <cstring>
#include <new>

#include "torch.h"

namespace posenc_python {
namespace {

// Whether float(object) keeps its meaning. It does not for booleans and complex numbers of NumPy and torch.
bool IsReal(nb::handle object) {
  if (!PyIndex_Check(object.ptr()) && Attribute(object.type(), "__float__").is_none()) return false;
  const nb::object dtype = Attribute(object, "dtype"), kind = Attribute(dtype, "kind");  // NumPy's has it
  if (dtype.is_none()) return true;
  const std::string name = Text(kind.is_none() ? dtype : kind);
  return name != "b" && name != "c" && name != "U" && name != "S" && name != "torch.bool" &&
         name.rfind("torch.complex", 0) != 0;
}

}  // namespace

void RaiseType(const std::string& message) { throw nb::type_error(message.c_str()); }

void RaiseValue(const std::string& message) { throw nb::value_error(message.c_str()); }

void Raise(posenc_status status, const std::string& sentence) {
  switch (posenc_status_kind(status)) {
    case POSENC_NO_MEMORY:
      throw std::bad_alloc();
    case POSENC_BAD_TYPE:
      RaiseType(sentence);
    default:
      RaiseValue(sentence);
  }
}

void Check(posenc_status status, const std::string& what) {
  if (status != POSENC_OK) Raise(status, (what.empty() ? what : what + ": ") + posenc_status_message(status));
}

nb::object Attribute(nb::handle object, const char* name) { return nb::getattr(object, name, nb::none()); }

std::string Text(nb::handle object, const char* null) {
  const nb::object text = nb::steal(PyObject_Str(object.ptr()));
  if (!text.is_valid()) nb::raise_python_error();
  const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid()) nb::raise_python_error();
  std::string escaped(PyBytes_AsString(bytes.ptr()), static_cast<size_t>(PyBytes_Size(bytes.ptr())));
  for (size_t at = 0; (at = escaped.find('\0', at)) != std::string::npos;) escaped.replace(at, 1, null);
  return escaped;
}

void RequireNoMore(const nb::args& positional) {
  if (positional.size() != 0) RaiseType("too many arguments: pass the others by their names");
}

void RequireNoMore(const nb::kwargs& keywords) {
  for (const auto& [name, value] : keywords) RaiseType("unexpected keyword argument " + Text(name));
}

void RequireGiven(nb::handle object, const std::string& name) {
  if (object.ptr() == Py_Ellipsis) RaiseType(name + " is missing");
}

std::string TypeName(nb::handle object) {
  const nb::handle type = object.type();
  const std::string module = Text(type.attr("__module__"));
  const std::string name = Text(type.attr("__qualname__"));
  return module == "builtins" ? name : module + "." + name;
}

std::string Repr(nb::handle object) {
  constexpr size_t kMost = 60;
  const nb::object repr = nb::steal(PyObject_Repr(object.ptr()));
  if (!repr.is_valid()) nb::raise_python_error();
  const std::string text = Text(repr);
  return text.size() <= kMost ? text : TypeName(object);
}

bool IsInteger(nb::handle object) {
  if (PyLong_Check(object.ptr()) || !PyIndex_Check(object.ptr())) return PyLong_Check(object.ptr());
  const nb::object axes = nb::getattr(object, "ndim", nb::int_(0));  // arrays have __index__, too
  return axes.equal(nb::int_(0));
}

int64_t ToInteger(nb::handle object, const std::string& name) {
  RequireGiven(object, name);
  if (PyBool_Check(object.ptr()) || !PyIndex_Check(object.ptr())) {
    RaiseType(name + " must be an integer, not " + TypeName(object));
  }
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (!index.is_valid()) {
    nb::python_error error;
    nb::raise_from(error, PyExc_TypeError, "%s must be an integer", name.c_str());
  }
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0) RaiseValue(name + " does not fit into 64 bits");
  return value;
}

size_t ToSize(nb::handle object, const std::string& name) {
  const int64_t value = ToInteger(object, name);
  if (value < 0) RaiseValue(name + " must not be negative, and is " + std::to_string(value));
  return static_cast<size_t>(value);
}

double ToReal(nb::handle object, const std::string& name) {
  if (!PyFloat_Check(object.ptr()) && !PyLong_Check(object.ptr())) {
    if (!IsReal(object)) RaiseType(name + " must be a number, not " + TypeName(object));
    if (IsTensor(object)) RequireNoRecording();
    RequireConstant(object, name);
  }
  if (PyBool_Check(object.ptr())) RaiseType(name + " must be a number, not bool");
  const double value = PyFloat_AsDouble(object.ptr());
  if (value == -1.0 && PyErr_Occurred() != nullptr) {
    nb::python_error error;
    nb::raise_from(error, PyExc_ValueError, "%s must be a number that a double holds", name.c_str());
  }
  return value;
}

bool ToFlag(nb::handle object, const std::string& name) {
  if (!PyBool_Check(object.ptr())) RaiseType(name + " must be True or False, not " + TypeName(object));
  return object.ptr() == Py_True;
}

const char* ToString(nb::handle object, const std::string& name) {
  if (object.is_none()) return nullptr;
  if (!PyUnicode_Check(object.ptr())) RaiseType(name + " must be a string, not " + TypeName(object));
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (text == nullptr) nb::raise_python_error();
  if (std::strlen(text) != static_cast<size_t>(size)) {
    RaiseValue(name + " must not have a null character, as " + Repr(object) + " has");
  }
  return text;
}

}  // namespace posenc_python
