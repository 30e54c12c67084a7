// Takes tables apart for posenc identify: removes rows before an encoding, and splits a grid into two axes.
#ifndef POSENC_TOOLS_COMMAND_TABLE_PARTS_H_
#define POSENC_TOOLS_COMMAND_TABLE_PARTS_H_

#include <cstddef>
#include <optional>
#include <string>

#include "command/npy.h"

namespace posenc {
namespace tools {

// One table with the columns of both. They must have the same type and size.
NpyTable SideBySide(const NpyTable& left, const NpyTable& right);

// A table whose rows are the cells of a grid, after a few other rows (class tokens). One half of the columns
// encodes the row of the grid, and the other half the place in this row.
struct Grid {
  std::size_t others, height, width, outer;  // outer: which half encodes the row of the grid, 0 or 1
};
std::optional<Grid> FindGrid(const NpyTable& table);
NpyTable AxisOf(const NpyTable& table, const Grid& grid, std::size_t half);

// How many rows before the encoding are something else. In an encoding the sum of squares is the same for
// every row. Returns 0 if more than a few rows have another sum.
std::size_t OthersBefore(const NpyTable& table);
NpyTable Without(std::size_t others, const NpyTable& table);

// Text for a message about these rows: "1 row of zeros".
std::string DescribeOthers(const NpyTable& table, std::size_t others);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_TABLE_PARTS_H_
