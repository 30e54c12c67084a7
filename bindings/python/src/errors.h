// posenc's statuses and wrong arguments as Python's exceptions. Messages name the argument.
#ifndef POSENC_PYTHON_ERRORS_H_
#define POSENC_PYTHON_ERRORS_H_

#include <nanobind/nanobind.h>

#include <string>

#include "posenc/posenc_c.h"

namespace posenc_python {

namespace nb = nanobind;
using namespace nanobind::literals;

[[noreturn]] void RaiseType(const std::string& message);
[[noreturn]] void RaiseValue(const std::string& message);

// Raises what a refusal of this kind is in Python: MemoryError, TypeError for the type of an array, else
// ValueError.
[[noreturn]] void Raise(posenc_status status, const std::string& sentence);

// Raises a refusal with posenc's sentence, after `what` and a colon if there is one. POSENC_OK raises
// nothing.
void Check(posenc_status status, const std::string& what = {});

// Whether a value is out of range: a position, or an id. Its index says which one.
inline bool IsOutOfRange(posenc_status status) { return posenc_status_kind(status) == POSENC_OUT_OF_RANGE; }

// An attribute; None if there is none, or asking for it raises.
nb::object Attribute(nb::handle object, const char* name);

// str(object) as UTF-8; what that has not, such as half a surrogate pair, as an escape, and null characters
// too, at which C's strings would end.
std::string Text(nb::handle object, const char* null = "\\x00");

// TypeError if a call has arguments beyond those that it knows. (nanobind's own message names no argument,
// and prints what may not be printable.)
void RequireNoMore(const nb::args& positional);
void RequireNoMore(const nb::kwargs& keywords);

// TypeError for an argument whose default is Ellipsis, since a call needs it.
void RequireGiven(nb::handle object, const std::string& name);

// "int", "numpy.ndarray": what something is, for messages.
std::string TypeName(nb::handle object);

// repr(object), cut if long.
std::string Repr(nb::handle object);

// An integer, NumPy's too; a bool is one, an array of several is not.
bool IsInteger(nb::handle object);

// Integers and numbers as arguments, from whatever has __index__ or __float__, but no bool.
int64_t ToInteger(nb::handle object, const std::string& name);
size_t ToSize(nb::handle object, const std::string& name);  // not negative
double ToReal(nb::handle object, const std::string& name);
bool ToFlag(nb::handle object, const std::string& name);

// A string without null characters, as long as `object` lives; null for None.
const char* ToString(nb::handle object, const std::string& name);

}  // namespace posenc_python

#endif  // POSENC_PYTHON_ERRORS_H_
