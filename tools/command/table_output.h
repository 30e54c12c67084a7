// Prints tables as NumPy prints arrays, and saves them as NumPy files.
#ifndef POSENC_TOOLS_COMMAND_TABLE_OUTPUT_H_
#define POSENC_TOOLS_COMMAND_TABLE_OUTPUT_H_

#include <cstddef>
#include <functional>
#include <string>

#include "command/entries.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace tools {

// One table, or two tables of the same shape. It is made in blocks of rows, so a table may be larger than
// memory.
struct TableSource {
  posenc_type type = POSENC_F32;
  std::size_t tables = 1, rows = 0, columns = 0;
  std::function<void(std::size_t table, std::size_t row, std::size_t rows, Entries* out)> fill;
};

// Prints the tables to stdout. If there are two, an empty line separates them.
void PrintTables(const TableSource& source);

// Saves the tables as a NumPy file of the shape (rows, columns), or (2, rows, columns) for two tables.
void SaveTables(const TableSource& source, const std::string& path);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_TABLE_OUTPUT_H_
