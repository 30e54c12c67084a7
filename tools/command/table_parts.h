// Parts of tables: what is left without the first rows, the axes of a grid.
#ifndef POSENC_TOOLS_COMMAND_TABLE_PARTS_H_
#define POSENC_TOOLS_COMMAND_TABLE_PARTS_H_

#include <cstddef>
#include <optional>
#include <string>

#include "command/npy.h"

namespace posenc {
namespace tools {

// Of the same type and size.
NpyTable SideBySide(const NpyTable& left, const NpyTable& right);

// A row a cell, after a few other rows (class tokens): one half of the columns for the row of cells, the
// other for the place in it.
struct Grid {
  std::size_t others, height, width, outer;  // outer: the half that changes with the row of cells
};
std::optional<Grid> FindGrid(const NpyTable& table);
NpyTable AxisOf(const NpyTable& table, const Grid& grid, std::size_t half);

// How many rows are no encoding, of which the squares of every row have one sum; 0 if more than a few are
// not.
std::size_t OthersBefore(const NpyTable& table);
NpyTable Without(std::size_t others, const NpyTable& table);

// "1 row of zeros"
std::string DescribeOthers(const NpyTable& table, std::size_t others);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_TABLE_PARTS_H_
