#include "command/table_parts.h"

#include <algorithm>
#include <cmath>

#include "command/specs.h"
#include "oracle/format.h"

namespace posenc {
namespace tools {
namespace {

// The most rows before an encoding that may be something else: class tokens and registers.
constexpr std::size_t kMostOthers = 8;

double ValueAt(const NpyTable& table, std::size_t row, std::size_t column) {
  return oracle::Unpack(table.type, table.entries[row * table.columns + column]);
}

// A part of a table: rows first, first + step, ... and a range of columns. `kept` of these rows have entries.
NpyTable Part(const NpyTable& table, std::size_t first, std::size_t step, std::size_t rows, std::size_t kept,
              std::size_t first_column, std::size_t columns) {
  NpyTable part = {table.type, rows, columns, kept, {}};
  part.entries.Reset(part.type, kept * columns);
  for (std::size_t r = 0; r < kept; ++r) {
    const std::size_t from = (first + r * step) * table.columns + first_column;
    for (std::size_t c = 0; c < columns; ++c) part.entries.Set(r * columns + c, table.entries[from + c]);
  }
  return part;
}

std::optional<Grid> FindGridAfter(std::size_t others, const NpyTable& table) {
  const std::size_t half = table.columns / 2, kept = table.kept - others;
  const auto is_same = [&](std::size_t part, std::size_t cell, std::size_t other) {
    for (std::size_t c = part * half; c < (part + 1) * half; ++c) {
      if (table.entries[(others + cell) * table.columns + c] !=
          table.entries[(others + other) * table.columns + c])
        return false;
    }
    return true;
  };
  Grid grid = {others, 0, 0, is_same(0, 0, 1) ? 0u : 1u};
  while (grid.width < kept && is_same(grid.outer, 0, grid.width)) ++grid.width;
  const std::size_t cells = table.rows - others;
  grid.height = cells / grid.width;
  if (grid.width < 2 || kept / grid.width < 2 || cells % grid.width != 0) return std::nullopt;
  for (std::size_t k = 0; k < kept; ++k) {
    const bool is_whole =
        is_same(grid.outer, k, k / grid.width * grid.width) && is_same(1 - grid.outer, k, k % grid.width);
    if (!is_whole) return std::nullopt;
  }
  return grid;
}

}  // namespace

NpyTable SideBySide(const NpyTable& left, const NpyTable& right) {
  NpyTable both = {left.type, left.rows, 2 * left.columns, left.kept, {}};
  both.entries.Reset(both.type, both.kept * both.columns);
  for (std::size_t i = 0; i < left.kept * left.columns; ++i) {
    const std::size_t to = i / left.columns * both.columns + i % left.columns;
    both.entries.Set(to, left.entries[i]);
    both.entries.Set(to + left.columns, right.entries[i]);
  }
  return both;
}

std::optional<Grid> FindGrid(const NpyTable& table) {
  constexpr std::size_t kLeastCells = 4;
  if (table.columns % 2 != 0) return std::nullopt;
  for (std::size_t others = 0; others <= kMostOthers && others + kLeastCells <= table.kept; ++others) {
    const std::optional<Grid> grid = FindGridAfter(others, table);
    if (grid) return grid;
  }
  return std::nullopt;
}

NpyTable AxisOf(const NpyTable& table, const Grid& grid, std::size_t half) {
  const std::size_t columns = table.columns / 2, kept = (table.kept - grid.others) / grid.width;
  return half == grid.outer ? Part(table, grid.others, grid.width, grid.height, kept, half * columns, columns)
                            : Part(table, grid.others, 1, grid.width, grid.width, half * columns, columns);
}

std::size_t OthersBefore(const NpyTable& table) {
  const auto sum_of_squares = [&](std::size_t row) {
    double sum = 0.0;
    for (std::size_t c = 0; c < table.columns; ++c) sum += std::pow(ValueAt(table, row, c), 2);
    return sum;
  };
  constexpr double kTolerance = 0.01;  // large enough for every type
  const double sum = sum_of_squares(table.kept - 1);
  std::size_t others = table.kept;
  while (others > 0 && std::fabs(sum_of_squares(others - 1) - sum) <= kTolerance * sum) --others;
  return others <= kMostOthers && others + 1 < table.kept ? others : 0;
}

NpyTable Without(std::size_t others, const NpyTable& table) {
  return Part(table, others, 1, table.rows - others, table.kept - others, 0, table.columns);
}

std::string DescribeOthers(const NpyTable& table, std::size_t others) {
  const double first = ValueAt(table, 0, 0);
  bool are_the_same = true;
  for (std::size_t i = 0; i < others * table.columns; ++i) {
    are_the_same = are_the_same && ValueAt(table, 0, i) == first;
  }
  return std::to_string(others) + (others == 1 ? " row of " : " rows of ") +
         (!are_the_same  ? "other numbers"
          : first == 0.0 ? "zeros"
                         : NumberInText(first));
}

}  // namespace tools
}  // namespace posenc
