// posenc diff: prints where two presets differ, and how their columns and positions correspond.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command/commands.h"
#include "command/models.h"
#include "command/options.h"
#include "command/specs.h"

namespace posenc {
namespace tools {
namespace {

struct Request {
  std::vector<std::string> presets;  // two
  std::size_t dim = 0;
  std::size_t rows = 64;
  std::int64_t first = 0;
  std::vector<double> frequencies;  // for presets that take the caller's frequencies
};

constexpr std::size_t kMaxEntries = std::size_t{1} << 24;

// The table of a preset, as doubles.
class Table {
 public:
  Table(const Request& request, const std::string& preset)
      : rows_(request.rows), columns_(request.dim), values_(rows_ * columns_) {
    posenc_spec spec = PresetSpec(preset, request.dim);
    if (spec.frequency_count != 0 && !request.frequencies.empty()) {
      spec.frequencies = request.frequencies.data();
      spec.frequency_count = request.frequencies.size();
    }
    const Rows out(values_.data(), columns_);
    Require(posenc_write(Create(spec).get(), request.first, rows_, &out));
  }

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  double At(std::size_t r, std::size_t c) const { return values_[r * columns_ + c]; }

  // Whether row r is padding. No other row is all zeros: at position 0 the cosines are 1, and elsewhere the
  // sines are not 0.
  bool IsZero(std::size_t r) const {
    for (std::size_t c = 0; c < columns_; ++c) {
      if (At(r, c) != 0.0) return false;
    }
    return true;
  }

 private:
  std::size_t rows_, columns_;
  std::vector<double> values_;
};

// The rows to compare: row r of a with row r + shift of b. Rows of padding are left out and counted.
struct Pairing {
  std::vector<std::pair<std::size_t, std::size_t>> rows;
  std::size_t padding = 0;
};

Pairing PairRows(const Table& a, const Table& b, std::int64_t shift) {
  Pairing pairing;
  for (std::size_t r = 0; r < a.rows(); ++r) {
    const std::int64_t other = static_cast<std::int64_t>(r) + shift;
    if (other < 0 || other >= static_cast<std::int64_t>(b.rows())) continue;
    const auto s = static_cast<std::size_t>(other);
    if (a.IsZero(r) || b.IsZero(s)) {
      ++pairing.padding;
    } else {
      pairing.rows.emplace_back(r, s);
    }
  }
  return pairing;
}

using Matches = std::vector<std::optional<std::size_t>>;

// For each column of a, a column of b that has the same entries in the paired rows, or nothing. No column of
// b is used twice. If the column of b with the same number is equal, it is the one that is taken.
Matches MatchColumns(const Table& a, const Table& b, const Pairing& pairing) {
  const auto column = [&](const Table& table, std::size_t c, bool is_b) {
    std::vector<double> values;
    for (const auto& [r, s] : pairing.rows) values.push_back(table.At(is_b ? s : r, c) + 0.0);
    return values;
  };
  std::map<std::vector<double>, std::vector<std::size_t>> places;  // columns of b, in descending order
  Matches match(a.columns());
  std::vector<std::vector<double>> of_a;
  for (std::size_t c = b.columns(); c-- > 0;) places[column(b, c, true)].push_back(c);
  for (std::size_t c = 0; c < a.columns(); ++c) of_a.push_back(column(a, c, false));
  for (const bool own : {true, false}) {
    for (std::size_t c = 0; c < a.columns(); ++c) {
      const auto found = places.find(of_a[c]);
      if (match[c] || found == places.end() || found->second.empty()) continue;
      auto& left = found->second;
      const auto at = own ? std::find(left.begin(), left.end(), c) : left.end() - 1;
      if (at == left.end()) continue;
      match[c] = *at;
      left.erase(at);
    }
  }
  return match;
}

std::int64_t StepOf(const Matches& match, std::size_t from, std::size_t to) {
  return static_cast<std::int64_t>(*match[to]) - static_cast<std::int64_t>(*match[from]);
}

// How many of the columns c, c + stride, ... can be printed as one range: either all are unmatched, or the
// numbers of their matches grow by one constant step.
std::size_t RunLength(const Matches& match, const std::vector<bool>& said, std::size_t c,
                      std::size_t stride) {
  std::size_t length = 1;
  for (std::size_t at = c + stride; at < match.size() && !said[at]; at += stride, ++length) {
    if (match[at].has_value() != match[c].has_value()) break;
    if (match[c] && StepOf(match, at - stride, at) != StepOf(match, c, c + stride)) break;
  }
  return length;
}

// "0 .. 31", "1 .. 63 by 2"
std::string Range(std::size_t first, std::size_t length, std::int64_t step) {
  std::string text = std::to_string(first);
  if (length == 1) return text;
  text += " .. " +
          std::to_string(static_cast<std::int64_t>(first) + static_cast<std::int64_t>(length - 1) * step);
  return step == 1 ? text : text + " by " + std::to_string(step);
}

void PrintMatches(const Request& request, const Matches& match) {
  std::vector<bool> said(match.size());
  for (std::size_t c = 0; c < match.size(); ++c) {
    if (said[c]) continue;
    const std::size_t next = RunLength(match, said, c, 1), other = RunLength(match, said, c, 2);
    const std::size_t stride = other > next + 1 ? 2 : 1,
                      length = std::max(next, other > next + 1 ? other : 0);
    for (std::size_t k = 0; k < length; ++k) said[c + k * stride] = true;
    const std::string columns = Range(c, length, static_cast<std::int64_t>(stride));
    std::printf("%s %s\t", request.presets[0].c_str(), columns.c_str());
    if (!match[c]) {
      std::printf("none of %s\n", request.presets[1].c_str());
    } else {
      const std::int64_t step = length == 1 ? 1 : StepOf(match, c, c + stride);
      std::printf("%s %s\n", request.presets[1].c_str(), Range(*match[c], length, step).c_str());
    }
  }
}

// Prints where the tables differ, and by how much. Returns the number of entries that differ.
std::size_t PrintDifferences(const Request& request, const Table& a, const Table& b) {
  double largest = 0.0;
  std::size_t at_row = 0, at_column = 0, entries = 0, first_row = 0, first_column = 0;
  std::vector<bool> differs(a.columns());
  for (std::size_t r = 0; r < a.rows(); ++r) {
    for (std::size_t c = 0; c < a.columns(); ++c) {
      const double difference = std::fabs(a.At(r, c) - b.At(r, c));
      if (!(difference > 0.0)) continue;
      if (entries++ == 0) first_row = r, first_column = c;
      differs[c] = true;
      if (difference > largest) largest = difference, at_row = r, at_column = c;
    }
  }
  if (entries == 0) return 0;
  const auto columns = static_cast<std::size_t>(std::count(differs.begin(), differs.end(), true));
  const auto position = [&](std::size_t r) {
    return std::to_string(request.first + static_cast<std::int64_t>(r));
  };
  std::printf("entries that differ\t%zu of %zu, in %zu of %zu columns\n", entries, a.rows() * a.columns(),
              columns, a.columns());
  std::printf("first difference\tposition %s, column %zu: %s, %s\n", position(first_row).c_str(),
              first_column, NumberInText(a.At(first_row, first_column)).c_str(),
              NumberInText(b.At(first_row, first_column)).c_str());
  std::printf("largest difference\t%.6g at position %s, column %zu\n", largest, position(at_row).c_str(),
              at_column);
  return entries;
}

bool IsWhole(const Matches& match) {
  return std::all_of(match.begin(), match.end(), [](const auto& m) { return m.has_value(); });
}

bool IsIdentity(const Matches& match) {
  for (std::size_t c = 0; c < match.size(); ++c) {
    if (match[c] != c) return false;
  }
  return true;
}

// Prints how b can be made from a by permuting columns, shifting positions, leaving out padding, or several
// of these. Returns false, and prints nothing, if that is not possible.
bool PrintRelation(const Request& request, const Table& a, const Table& b) {
  for (const std::int64_t shift : {0, 1, -1, 2, -2}) {
    const Pairing pairing = PairRows(a, b, shift);
    if (pairing.rows.size() < 2) continue;  // at position 0 alone, many encodings are the same
    const auto match = MatchColumns(a, b, pairing);
    if (!IsWhole(match)) continue;
    std::string but;
    const auto say = [&](const std::string& what) { but += (but.empty() ? "" : " and ") + what; };
    if (!IsIdentity(match)) say("a permutation of columns");
    if (shift != 0) {
      say("a shift of positions: " + request.presets[0] + " at p is " + request.presets[1] + " at p " +
          (shift > 0 ? "+ " : "- ") + std::to_string(std::abs(shift)));
    }
    if (pairing.padding != 0) say("rows of padding");
    std::printf("the same up to\t%s\n", but.c_str());
    if (!IsIdentity(match)) PrintMatches(request, match);
    return true;
  }
  return false;
}

ExitStatus Compare(const CLI::App& command, const Request& request) {
  RequireOption(command, "--dim");
  if (request.presets.size() != 2) throw UsageError("--preset: diff needs two, --preset A --preset B");
  if (request.rows == 0) throw UsageError("--rows: there is nothing to compare in 0 rows");
  for (const std::string& preset : request.presets) PresetSpec(preset, request.dim);
  if (request.rows > kMaxEntries / request.dim) throw UsageError("--rows: at most 2^24 entries are compared");
  const Table a(request, request.presets[0]), b(request, request.presets[1]);
  if (PrintDifferences(request, a, b) == 0) {
    std::puts("the same");
    return kRight;
  }
  if (!PrintRelation(request, a, b)) PrintMatches(request, MatchColumns(a, b, PairRows(a, b, 0)));
  return kMismatch;
}

}  // namespace

void AddDiffCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("diff", "Show where two presets differ");
  command->footer(
      "Compares the tables of two presets, computed exactly, as doubles. If the tables differ only by a\n"
      "permutation of columns, a shift of positions by 1 or 2, or rows of padding, diff says so, and which\n"
      "column of one preset is which column of the other. The exit status is 1 if they differ.\n"
      "Example: posenc diff --preset whisper --preset fairseq --dim 64");
  const auto request = std::make_shared<Request>();
  command->add_option("--preset", request->presets, "The presets to compare: --preset A --preset B")
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  AddNumber(*command, "--dim", "D", "Number of columns", &request->dim);
  AddNumber(*command, "--rows", "N", "Number of rows", &request->rows)->default_str("64");
  AddNumber(*command, "--first", "P", "Position of the first row", &request->first)->default_str("0");
  AddOption(*command, "--frequencies", "LIST", "Frequencies for a preset that takes yours: 1:0.01 or @FILE",
            [=](const std::string& text) {
              request->frequencies = ParseList("--frequencies", text, "a finite number",
                                               [](double frequency) { return std::isfinite(frequency); });
            });
  command->callback([=] { *run = [=] { return Compare(*command, *request); }; });
}

}  // namespace tools
}  // namespace posenc
