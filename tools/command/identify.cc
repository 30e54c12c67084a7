// posenc identify: finds the preset, the phase rounding and the positions that made a table.
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
#include "command/models.h"
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

// At most this much of a table is compared.
constexpr std::size_t kMaxRows = std::size_t{1} << 16;
constexpr std::size_t kMaxEntries = std::size_t{1} << 20;

// The presets of a candidate. If the candidate has a phase rounding, presets whose source rounds in this way
// come first. If these explain every bit, the other presets are left out.
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
  return position == std::round(position) ? text : NumberInText(position);
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

// Whether the difference is so small that roundings of phases, frequencies and entries can explain it. If it
// is larger, the table is similar, but not this preset's.
bool IsExplainedByRounding(const Search& search, const Candidate& candidate, const NpyTable& table) {
  const Positions& positions = candidate.positions;
  const double farthest = std::max(std::fabs(positions.first), std::fabs(positions.At(table.rows - 1)));
  const double scale = std::fabs(search.SettingsOf(candidate).scale());
  const double of_phases = std::ldexp(std::max(farthest * scale, 1.0), -20);
  return candidate.distance.largest <= of_phases + std::ldexp(2.0, SpacingExponent(table.type, 1.0));
}

// Reads one table, or two tables of the same size, which are put side by side.
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
  constexpr std::size_t kPlaces = 3;  // how many to print if no candidate equals the table in every entry
  std::size_t place = 1;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (k != 0 && found[k].Rank() != found[k - 1].Rank()) ++place;
    if (place > kPlaces || (place > 1 && found[0].distance.largest == 0.0)) break;
    Print(search, found[k], table);
  }
}

// Prints what made the table, if roundings explain the remaining difference.
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
                half == grid->outer ? "row of cells" : "place in the row of cells");
    const NpyTable axis = AxisOf(table, *grid, half);
    const Search search(axis);
    const bool is_right = PrintIfExplained(search, search.Run(), axis);
    if (!is_right) std::puts("none");
    is_explained = is_explained && is_right;
  }
  return is_explained;
}

// Identifies a table that comes after a few other rows, such as class tokens.
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
      "# tried: %zu presets of encoders in all layouts, and %zu presets of rotaries as %zu kinds of caches,\n"
      "# exact and with %d phase roundings; the same as an axis of a grid; the same after a few other rows.\n"
      "# Other bases, exponents, scales, periods and lists of frequencies are not tried.\n",
      EncoderPresets().size(), RotaryPresets().size(), std::size(kCacheShapes), kRoundings - 1);
  if (const std::optional<Positions> positions = FindColumnFrequencies(table)) {
    std::printf(
        "# column c is sin (even c) or cos (odd c) of p 10000^(-2c/%zu), so each column has a frequency of "
        "its\n"
        "# own; positions %s .. %s. docs/something-else.md shows how to make such a table.\n",
        table.columns, TextOf(positions->first).c_str(), TextOf(positions->At(table.rows - 1)).c_str());
  }
  std::puts(found.empty() ? "none" : "none; the nearest differ by more than rounding explains:");
  if (!found.empty()) Print(search, found, table);
  return kMismatch;
}

}  // namespace

void AddIdentifyCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("identify", "Find the preset that made a table");
  command->footer(
      "FILE.npy holds an array [rows, columns] of float32, float16, float64, or uint16 (the bits of\n"
      "bfloat16). If the cosines and the sines of a rotary are in two files, name both.\n"
      "identify compares the table with all presets, exact and with each phase rounding: encoders in all\n"
      "layouts, and rotaries as caches. It finds the positions from the table itself. It does not try\n"
      "other bases, exponents, scales, periods or lists of frequencies than the presets have.\n"
      "Each line of the answer is a preset; fields are separated by tabs. Several lines mean that these\n"
      "presets make the same table. If no preset has every bit, the three nearest are printed. If rounding\n"
      "does not explain the difference, the answer is 'none', with the nearest presets, and the exit\n"
      "status is 1.\n"
      "A few rows of zeros count as padding. The table may begin with a few other rows (class tokens), and\n"
      "may be a grid with two axes.\n"
      "Example: posenc identify fairseq.npy");
  const auto paths = std::make_shared<std::vector<std::string>>();
  command->add_option("file", *paths, "The table, or the cosines and the sines of a rotary")
      ->type_name("FILE.npy")
      ->required()
      ->expected(1, 2);
  command->callback([=] { *run = [=] { return Identify(*paths); }; });
}

}  // namespace tools
}  // namespace posenc
