#include "print.h"

#include <charconv>
#include <cmath>

#include "format.h"

namespace posenc {
namespace tools {

namespace {

using oracle::Format;

// The shortest decimal that names the value among those of its C++ type.
template <class Real>
std::string FormatReal(Real value) {
  char shortest[32];
  std::string text(shortest, std::to_chars(shortest, shortest + sizeof(shortest), value).ptr);
  if (!std::signbit(value)) text.insert(0, " ");
  if (text.find_first_of(".e") == std::string::npos) text += '.';
  return text;
}

// The value with as few decimal digits as name it in the format.
double Abbreviate(Format format, float value) {
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

std::string Format16Bits(Format format, std::uint16_t bits) {
  return FormatReal(Abbreviate(format, oracle::Unpack(format, bits)));
}

}  // namespace

std::string FormatEntry(double value) { return FormatReal(value); }
std::string FormatEntry(float value) { return FormatReal(value); }
std::string FormatEntry(BFloat16 value) { return Format16Bits(Format::kBFloat16, value.bits); }
std::string FormatEntry(Float16 value) { return Format16Bits(Format::kFloat16, value.bits); }

}  // namespace tools
}  // namespace posenc
