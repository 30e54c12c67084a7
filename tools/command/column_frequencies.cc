#include "command/column_frequencies.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "oracle/format.h"
#include "posenc/accuracy.h"

namespace posenc {
namespace tools {

std::optional<Positions> FindColumnFrequencies(const NpyTable& table) {
  const std::size_t d = table.columns;
  if (d < 4 || table.kept < 2) return std::nullopt;
  std::vector<double> rates(d);
  for (std::size_t c = 0; c < d; ++c) {
    rates[c] = std::pow(10000.0, -2.0 * static_cast<double>(c) / static_cast<double>(d));
  }
  const auto entry = [&](std::size_t row, std::size_t column) {
    return oracle::Unpack(table.type, table.entries[row * d + column]);
  };
  // The slowest sine is still on its first, rising quarter, so its arcsine is the angle.
  const std::size_t slowest = (d - 1) / 2 * 2, last = table.kept - 1;
  const auto position = [&](std::size_t row) { return std::asin(entry(row, slowest)) / rates[slowest]; };
  const double first = std::round(position(0));
  const Positions positions = {first, std::round((position(last) - first) / static_cast<double>(last))};
  if (!std::isfinite(positions.step)) return std::nullopt;
  const double rounding = std::ldexp(2.0, SpacingExponent(table.type, 1.0));
  constexpr double kMost = 0.01;  // A larger mean difference means that the table is something else.
  for (std::size_t r = 0; r < table.kept; ++r) {
    const double p = positions.At(r), limit = rounding + std::min(std::ldexp(std::fabs(p), -20), kMost);
    for (std::size_t c = 0; c < d; ++c) {
      const double expected = c % 2 == 0 ? std::sin(p * rates[c]) : std::cos(p * rates[c]);
      if (!(std::fabs(entry(r, c) - expected) <= limit)) return std::nullopt;
    }
  }
  return positions;
}

}  // namespace tools
}  // namespace posenc
