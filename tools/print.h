// Rows of entries printed as NumPy prints an array, but all of them.
#ifndef POSENC_TOOLS_PRINT_H_
#define POSENC_TOOLS_PRINT_H_

#include <cstddef>
#include <string>

#include "format.h"

namespace posenc {
namespace tools {

// The shortest decimal that names the number among those of its format, with a point or an exponent ("0.",
// "0.5403023", "-1e-07"); a space stands for the sign of numbers that have none.
std::string FormatEntry(oracle::Format format, float value);

// Appends "[entry entry ...]", each entry filled up with spaces to `width`.
void AppendRow(oracle::Format format, const float* row, std::size_t dim, std::size_t width,
               std::string* text);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_PRINT_H_
