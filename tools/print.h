// Rows of entries printed as NumPy prints an array, but all of them.
#ifndef POSENC_TOOLS_PRINT_H_
#define POSENC_TOOLS_PRINT_H_

#include <cstddef>
#include <string>

#include "posenc/posenc.h"

namespace posenc {
namespace tools {

// The shortest decimal that names the number among those of its type, with a point or an exponent ("0.",
// "0.5403023", "-1e-07"); a space stands for the sign of numbers that have none.
std::string FormatEntry(double value);
std::string FormatEntry(float value);
std::string FormatEntry(BFloat16 value);
std::string FormatEntry(Float16 value);

// Appends "[entry entry ...]", each entry filled up with spaces to `width`.
template <class T>
void AppendRow(const T* row, std::size_t dim, std::size_t width, std::string* text) {
  *text += '[';
  for (std::size_t i = 0; i < dim; ++i) {
    if (i != 0) *text += ' ';
    const std::string entry = FormatEntry(row[i]);
    *text += entry;
    text->append(width - entry.size(), ' ');
  }
  *text += ']';
}

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_PRINT_H_
