// Draws the pictures of posenc plot. Each function returns the bytes of a PNG file.
#ifndef POSENC_TOOLS_COMMAND_PICTURES_H_
#define POSENC_TOOLS_COMMAND_PICTURES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace posenc {
namespace tools {

// A heat map of values in [-1, 1], with axes, a title and a colour bar.
struct HeatMap {
  struct Axis {
    std::string label;
    std::vector<std::int64_t> coordinates;  // one for each cell, ascending
  };

  std::string title, note;    // the note may be empty
  Axis rows, columns;         // rows go down, columns to the right
  std::vector<float> values;  // [rows, columns]
};

// An axis has at most this many cells, because a cell is a whole number of pixels. A caller that has more
// must leave some out.
inline constexpr std::size_t kMaxCells = 1024;

// A plot of the wavelengths of all pairs, on a logarithmic scale.
struct SchedulePlot {
  std::string title, note;               // the note may be empty
  std::vector<double> unscaled, scaled;  // frequencies, radians per step; a frequency of 0 is not drawn
};

std::string DrawPng(const HeatMap& map);
std::string DrawPng(const SchedulePlot& plot);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_PICTURES_H_
