// Tables of entries, printed as notebooks do or saved for NumPy.
#ifndef POSENC_TOOLS_COMMAND_TABLE_OUTPUT_H_
#define POSENC_TOOLS_COMMAND_TABLE_OUTPUT_H_

#include <cstddef>
#include <functional>
#include <string>

#include "command/entries.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace tools {

// One table, or two of one shape, made some rows at a time, so that its size does not matter.
struct TableSource {
  posenc_type type = POSENC_F32;
  std::size_t tables = 1, rows = 0, columns = 0;
  std::function<void(std::size_t table, std::size_t row, std::size_t rows, Entries* out)> fill;
};

// To stdout: two tables as two blocks, with an empty line between.
void PrintTables(const TableSource& source);

// As .npy: of the shape (rows, columns), or (2, rows, columns).
void SaveTables(const TableSource& source, const std::string& path);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_TABLE_OUTPUT_H_
