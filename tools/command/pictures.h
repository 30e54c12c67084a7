// The pictures of posenc plot, as the bytes of PNG files.
#ifndef POSENC_TOOLS_COMMAND_PICTURES_H_
#define POSENC_TOOLS_COMMAND_PICTURES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace posenc {
namespace tools {

// Values in [-1, 1], with axes, a title and a colour bar.
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

// Frequencies of pairs, as wavelengths on a logarithmic scale.
struct SchedulePlot {
  std::string title, note;               // the note may be empty
  std::vector<double> unscaled, scaled;  // in radians per step; those that are 0 are left out
};

std::string DrawPng(const HeatMap& map);
std::string DrawPng(const SchedulePlot& plot);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_PICTURES_H_
