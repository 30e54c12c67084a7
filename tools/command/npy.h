// Tables from NumPy's files.
#ifndef POSENC_TOOLS_COMMAND_NPY_H_
#define POSENC_TOOLS_COMMAND_NPY_H_

#include <cstddef>
#include <string>

#include "command/entries.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace tools {

struct NpyTable {
  posenc_type type;  // F16, F32, F64, or BF16 for <u2, as 'posenc table' writes it
  std::size_t rows, columns;
  std::size_t kept;  // of the rows, from the first
  Entries entries;   // [kept, columns]
};

// Format versions 1.0 to 3.0, either order, two dimensions, neither of them 0, and others of 1 before the
// last, little endian, not a byte too few or too many; else a UsageError. (2, rows, columns) are two tables
// side by side, as 'posenc table --rotary' writes them. Keeps rows of at most max_entries
// in all, but one at least and max_rows at most.
NpyTable ReadNpy(const std::string& path, std::size_t max_rows, std::size_t max_entries);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_NPY_H_
