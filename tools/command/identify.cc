// posenc identify: which preset, phase rounding and positions made a table.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command/column_frequencies.h"
#include "command/commands.h"
#include "command/npy.h"
#include "command/options.h"
#include "command/specs.h"
#include "command/table_parts.h"
#include "command/table_search.h"
#include "posenc/posenc_c.h"
#include "spec/tables.h"

namespace posenc {
namespace tools {
namespace {

// What is compared of the table.
constexpr std::size_t kMaxRows = std::size_t{1} << 16;
constexpr std::size_t kMaxEntries = std::size_t{1} << 20;

// Those that round so by themselves first; only those, if they explain every bit.
std::vector<std::string> NamesOf(const Settings& settings, const Candidate& candidate) {
  if (candidate.rounding == POSENC_NO_PHASE_ROUNDING) return settings.names;
  std::vector<std::string> names, others;
  for (const std::string& name : settings.names) {
    (posenc_spec_preset_rounding(name.c_str()) == candidate.rounding ? names : others).push_back(name);
  }
  if (names.empty() || candidate.distance.largest != 0.0)
    names.insert(names.end(), others.begin(), others.end());
  return names;
}

std::string TextOf(double position) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.0f", position);
  return position == std::round(position) ? text : Shortest(position);
}

void Print(const Search& search, const Candidate& candidate, const NpyTable& table) {
  const Positions& positions = candidate.positions;
  const Distance& distance = candidate.distance;
  for (const std::string& name : NamesOf(search.SettingsOf(candidate), candidate)) {
    std::printf("%s\t%s\t%s .. %s\t%.3g\t%.3g\t%zu of %zu", name.c_str(),
                candidate.rounding == POSENC_NO_PHASE_ROUNDING ? "exact" : RoundingName(candidate.rounding),
                TextOf(positions.first).c_str(), TextOf(positions.At(table.rows - 1)).c_str(),
                distance.largest, distance.ulp, search.EqualTo(candidate), table.kept * table.columns);
    const Settings& settings = search.SettingsOf(candidate);
    if (settings.IsRotary()) std::printf("\tcache of %s", settings.cache->text);
    if (!settings.has_own_layout)
      std::printf("\tlayout %s", internal::WordOf<internal::Of::layout>(settings.spec.layout));
    if (candidate.has_moved)
      std::printf("\tpadding_position %lld", static_cast<long long>(*candidate.padding));
    if (candidate.zeros != 0)
      std::printf("\tbut for %zu row%s of zeros", candidate.zeros, candidate.zeros == 1 ? "" : "s");
    std::puts("");
  }
}

// As much as the roundings of a phase, of a frequency and of the entries may make of a convention: beyond
// that the table is near, but another one.
bool IsExplainedByRounding(const Search& search, const Candidate& candidate, const NpyTable& table) {
  const Positions& positions = candidate.positions;
  const double farthest = std::max(std::fabs(positions.first), std::fabs(positions.At(table.rows - 1)));
  const double scale = std::fabs(search.SettingsOf(candidate).scale());
  const double of_phases = std::ldexp(std::max(farthest * scale, 1.0), -20);
  return candidate.distance.largest <= of_phases + std::ldexp(2.0, SpacingExponent(table.type, 1.0));
}

// Two tables as one.
NpyTable ReadTables(const std::vector<std::string>& paths) {
  NpyTable table = ReadNpy(paths[0], kMaxRows, kMaxEntries);
  if (paths.size() == 1) return table;
  const NpyTable other = ReadNpy(paths[1], kMaxRows, kMaxEntries);
  if (other.type != table.type || other.rows != table.rows || other.columns != table.columns) {
    throw UsageError("identify: '" + paths[0] + "' and '" + paths[1] + "' differ in type or size");
  }
  return SideBySide(table, other);
}

void Print(const Search& search, const std::vector<Candidate>& found, const NpyTable& table) {
  std::puts(
      "# preset, phase rounding, positions, largest difference, the same in ULP, entries that are equal");
  constexpr std::size_t kPlaces = 3;  // where the first is not equal in every entry
  std::size_t place = 1;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (k != 0 && found[k].Rank() != found[k - 1].Rank()) ++place;
    if (place > kPlaces || (place > 1 && found[0].distance.largest == 0.0)) break;
    Print(search, found[k], table);
  }
}

// Prints what made the table, if roundings explain what is left.
bool PrintIfExplained(const Search& search, const std::vector<Candidate>& found, const NpyTable& table) {
  if (found.empty() || !IsExplainedByRounding(search, found[0], table)) return false;
  Print(search, found, table);
  return true;
}

bool IdentifyGrid(const NpyTable& table) {
  const std::optional<Grid> grid = FindGrid(table);
  if (!grid) return false;
  std::printf("# a grid of %zu rows of %zu cells", grid->height, grid->width);
  if (grid->others != 0) std::printf(", after %s", DescribeOthers(table, grid->others).c_str());
  std::puts("");
  bool is_explained = true;
  for (const std::size_t half : {0u, 1u}) {
    const std::size_t first = half * table.columns / 2;
    std::printf("# columns %zu .. %zu, by the %s\n", first, first + table.columns / 2 - 1,
                half == grid->outer ? "row of cells" : "place in it");
    const NpyTable axis = AxisOf(table, *grid, half);
    const Search search(axis);
    const bool is_right = PrintIfExplained(search, search.Run(), axis);
    if (!is_right) std::puts("none");
    is_explained = is_explained && is_right;
  }
  return is_explained;
}

// A table after other rows.
bool IdentifyRest(const NpyTable& table) {
  const std::size_t others = OthersBefore(table);
  if (others == 0) return false;
  const NpyTable rest = Without(others, table);
  const Search search(rest);
  const std::vector<Candidate> found = search.Run();
  if (found.empty() || !IsExplainedByRounding(search, found[0], rest)) return false;
  std::printf("# after %s\n", DescribeOthers(table, others).c_str());
  Print(search, found, rest);
  return true;
}

ExitStatus Identify(const std::vector<std::string>& paths) {
  const NpyTable table = ReadTables(paths);
  std::printf(
      "# %zu rows of %zu, %s%s\n", table.rows, table.columns,
      internal::WordOf<internal::Of::type>(table.type),
      table.kept < table.rows ? (", of which " + std::to_string(table.kept) + " are compared").c_str() : "");
  const Search search(table);
  const std::vector<Candidate> found = search.Run();
  if (PrintIfExplained(search, found, table) || IdentifyGrid(table) || IdentifyRest(table)) return kRight;
  std::printf(
      "# tried: %zu presets of encoders in all layouts, %zu of rotaries as %zu kinds of caches, exact and "
      "with\n"
      "# %d phase roundings; grids of two axes; each after a few other rows\n"
      "# Other bases, exponents, scales, periods and lists of frequencies are not tried.\n",
      EncoderPresets().size(), RotaryPresets().size(), std::size(kCacheShapes), kRoundings - 1);
  if (const std::optional<Positions> positions = FindColumnFrequencies(table)) {
    std::printf(
        "# sin (even c) or cos (odd c) of p 10000^(-2c/%zu) in column c, a frequency for each column, at "
        "positions\n"
        "# %s .. %s: docs/something-else.md makes it of two columns for each\n",
        table.columns, TextOf(positions->first).c_str(), TextOf(positions->At(table.rows - 1)).c_str());
  }
  std::puts(found.empty() ? "none" : "none; the nearest, by more than roundings explain:");
  if (!found.empty()) Print(search, found, table);
  return kMismatch;
}

}  // namespace

void AddIdentifyCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("identify", "Find the preset that made a table");
  command->footer(
      "FILE.npy holds rows of columns: float32, float16, float64, or uint16 as the bits of bfloat16; two\n"
      "files are the cosines and the sines of a rotary. All presets are tried, exact and with each phase\n"
      "rounding: encoders in all layouts, rotaries as caches, with the positions that the table itself\n"
      "tells. Bases, exponents and scales are those of the presets; other bases, exponents, scales, periods\n"
      "and lists of frequencies are not tried. One a line, tab-separated, the nearest first; several where\n"
      "they are the same; if none has every bit, the three nearest. A few rows of zeros may be padding of\n"
      "any position; a table, or a grid of two axes, may come after a few other rows (class tokens).\n"
      "'none', and exit status 1, if roundings do not explain what is left; then those that are near\n"
      "all the same.\n"
      "Example: posenc identify fairseq.npy");
  const auto paths = std::make_shared<std::vector<std::string>>();
  command->add_option("file", *paths, "The table, or two")->type_name("FILE.npy")->required()->expected(1, 2);
  command->callback([=] { *run = [=] { return Identify(*paths); }; });
}

}  // namespace tools
}  // namespace posenc
