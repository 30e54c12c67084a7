// Frequencies of pairs, on a logarithmic scale, as a PNG file.
#ifndef POSENC_TOOLS_COMMAND_SCHEDULE_PLOT_H_
#define POSENC_TOOLS_COMMAND_SCHEDULE_PLOT_H_

#include <string>
#include <vector>

namespace posenc {
namespace tools {

struct SchedulePlot {
  std::string title, note;  // the note may be empty
  std::vector<double> unscaled,
      scaled;  // in radians per step; those that are 0 are left out
};

// The bytes of the file.
std::string DrawPng(const SchedulePlot& plot);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_SCHEDULE_PLOT_H_
