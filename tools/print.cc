#include "print.h"

#include <charconv>
#include <cmath>

namespace posenc {
namespace tools {

namespace {

template <class Real>
std::string Shortest(Real value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

// The value with as few decimal digits as name it in the format.
double Abbreviate(oracle::Format format, float value) {
  for (int digits = 1; digits <= 5; ++digits) {  // as many as float16 needs
    char text[32];
    const auto end =
        std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific, digits - 1).ptr;
    double decimal = 0.0;
    std::from_chars(text, end, decimal);
    if (oracle::RoundTo(format, decimal) == value) return decimal;
  }
  return static_cast<double>(value);
}

}  // namespace

std::string FormatEntry(oracle::Format format, float value) {
  std::string text =
      format == oracle::Format::kFloat32 ? Shortest(value) : Shortest(Abbreviate(format, value));
  if (!std::signbit(value)) text.insert(0, " ");
  if (text.find_first_of(".e") == std::string::npos) text += '.';
  return text;
}

void AppendRow(oracle::Format format, const float* row, std::size_t dim, std::size_t width,
               std::string* text) {
  *text += '[';
  for (std::size_t i = 0; i < dim; ++i) {
    if (i != 0) *text += ' ';
    const std::string entry = FormatEntry(format, row[i]);
    *text += entry;
    text->append(width - entry.size(), ' ');
  }
  *text += ']';
}

}  // namespace tools
}  // namespace posenc
