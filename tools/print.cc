#include "print.h"

#include <charconv>
#include <cmath>

namespace posenc {
namespace tools {

std::string FormatEntry(float value) {
  char shortest[32];
  const auto end = std::to_chars(shortest, shortest + sizeof(shortest), value).ptr;
  std::string text(shortest, end);
  if (!std::signbit(value)) text.insert(0, " ");
  if (text.find_first_of(".e") == std::string::npos) text += '.';
  return text;
}

void AppendRow(const float* row, std::size_t dim, std::size_t width, std::string* text) {
  *text += '[';
  for (std::size_t i = 0; i < dim; ++i) {
    if (i != 0) *text += ' ';
    const std::string entry = FormatEntry(row[i]);
    *text += entry;
    text->append(width - entry.size(), ' ');
  }
  *text += ']';
}

}  // namespace tools
}  // namespace posenc
