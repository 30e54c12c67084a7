// A heat map of values in [-1, 1] with axes, a title and a colour bar, as a PNG file.
#ifndef POSENC_TOOLS_COMMAND_HEAT_MAP_H_
#define POSENC_TOOLS_COMMAND_HEAT_MAP_H_

#include <cstdint>
#include <string>
#include <vector>

namespace posenc {
namespace tools {

struct HeatMap {
  struct Axis {
    std::string label;
    std::vector<std::int64_t> coordinates;  // of each cell, ascending
  };

  std::string title, note;    // the note may be empty
  Axis rows, columns;         // downwards, to the right
  std::vector<float> values;  // [rows, columns]
};

// Axes of more cells than this are the caller's to sample; cells are whole pixels.
inline constexpr std::size_t kMaxCells = 1024;

// The bytes of the file.
std::string DrawPng(const HeatMap& map);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_HEAT_MAP_H_
