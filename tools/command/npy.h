// Reads tables from NumPy files (.npy).
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
  std::size_t kept;  // how many rows `entries` holds, from the first row on
  Entries entries;   // [kept, columns]
};

// Reads a table from a file in format version 1.0 to 3.0, little endian, in C or Fortran order. The shape is
// (rows, columns), and may have more dimensions of 1 before the last. A file of the shape (2, rows, columns),
// as 'posenc table --rotary' writes it, becomes one table: the two are put side by side. At most `max_rows`
// rows and `max_entries` entries are kept, but at least one row. Throws a UsageError if the file is anything
// else, is empty, or is a byte too short or too long.
NpyTable ReadNpy(const std::string& path, std::size_t max_rows, std::size_t max_entries);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_NPY_H_
