// Raises Python exceptions for posenc's statuses and for wrong arguments, and reads simple arguments.
// Messages name the argument.
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

// Raises the exception for a status: MemoryError, TypeError if the type of an array is wrong, and otherwise
// ValueError.
[[noreturn]] void Raise(posenc_status status, const std::string& sentence);

// Raises the exception for a status, with posenc's sentence. If `what` is not empty, it comes first, followed
// by a colon. Does nothing for POSENC_OK.
void Check(posenc_status status, const std::string& what = {});

// Whether the status says that a position or an id is out of range. Then the call has also returned its
// index.
inline bool IsOutOfRange(posenc_status status) { return posenc_status_kind(status) == POSENC_OUT_OF_RANGE; }

// An attribute, or None if there is none or if reading it raises an exception.
nb::object Attribute(nb::handle object, const char* name);

// str(object) as UTF-8. Characters that UTF-8 does not have, such as half a surrogate pair, become escapes.
// So do null characters, which would end a C string.
std::string Text(nb::handle object, const char* null = "\\x00");

// Raises TypeError if a call has unknown arguments. (nanobind's own message does not name the argument, and
// may print characters that are not printable.)
void RequireNoMore(const nb::args& positional);
void RequireNoMore(const nb::kwargs& keywords);

// Raises TypeError if a required argument is missing. Such an argument has the default Ellipsis.
void RequireGiven(nb::handle object, const std::string& name);

// The type of an object, for messages: "int", "numpy.ndarray".
std::string TypeName(nb::handle object);

// repr(object), or the name of its type if repr is long.
std::string Repr(nb::handle object);

// Whether an object is an integer, possibly NumPy's. A bool is an integer; an array with axes is not.
bool IsInteger(nb::handle object);

// Read arguments: integers and numbers from any object with __index__ or __float__ except bool, and flags
// from bool. Raise TypeError or ValueError with the name of the argument.
int64_t ToInteger(nb::handle object, const std::string& name);
size_t ToSize(nb::handle object, const std::string& name);  // not negative
double ToReal(nb::handle object, const std::string& name);
bool ToFlag(nb::handle object, const std::string& name);

// A string without null characters, which is valid as long as `object` lives. Null for None.
const char* ToString(nb::handle object, const std::string& name);

}  // namespace posenc_python

#endif  // POSENC_PYTHON_ERRORS_H_
