// posenc identify: which preset, phase rounding and positions made a table.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "command/commands.h"
#include "command/encoding.h"
#include "command/npy.h"
#include "command/options.h"
#include "oracle/format.h"
#include "posenc/accuracy.h"
#include "posenc/posenc.h"

namespace posenc {
namespace tools {
namespace {

// Entries of the table that are compared; of the first sample, and of what is left after that.
constexpr std::size_t kMaxEntries = std::size_t{1} << 20;
constexpr std::size_t kSampleRows = 12;
constexpr std::size_t kLeft = 24;

// A mean difference beyond this is no rounding, not even that of bfloat16: tables of noise are at 0.7.
constexpr double kFar = 0.01;

// What a preset says, and the names of all that say it.
struct Settings {
  Spec spec;
  std::vector<std::string> names;
};

// Row r has the position first + r * step.
struct Positions {
  std::int64_t first, step;

  std::int64_t At(std::size_t r) const { return first + step * static_cast<std::int64_t>(r); }
};

struct Distance {
  double mean = 0.0;     // of entries, absolute
  double largest = 0.0;  // absolute
  double ulp = 0.0;      // the largest, in units of the type's spacing
  std::size_t equal = 0;

  auto Rank() const { return std::make_tuple(mean, largest); }
};

struct Candidate {
  std::size_t settings;
  PhaseRounding rounding;
  std::size_t positions;
  Distance distance;
};

bool SaySame(const Spec& a, const Spec& b) {
  const auto divisor = [](const Spec& spec) {
    return spec.exponent_dim == 0.0 ? static_cast<double>(spec.dim) : spec.exponent_dim;
  };
  const auto tie = [&](const Spec& s) {
    return std::make_tuple(s.layout, s.base, divisor(s), s.position_scale, s.frequencies.unit, s.odd_column,
                           s.min_timescale, s.position_offset, s.input_first, s.has_padding,
                           s.padding_position);
  };
  // Even dims have no odd column.
  Spec even = b;
  if ((a.dim - (a.input_first ? 1 : 0)) % 2 == 0) even.odd_column = a.odd_column;
  return tie(a) == tie(even);
}

// Of all presets but those whose frequencies are the caller's.
std::vector<Settings> AllSettings(std::size_t dim) {
  std::vector<Preset> presets(SpecPresets(nullptr, 0));
  SpecPresets(presets.data(), presets.size());
  std::vector<Settings> all;
  for (const Preset& preset : presets) {
    const Spec spec = PresetSpec(preset.name, dim);
    if (spec.frequencies.count != 0) continue;
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const Settings& s) { return SaySame(s.spec, spec); });
    if (same != all.end()) {
      same->names.emplace_back(preset.name);
    } else {
      all.push_back({spec, {preset.name}});
    }
  }
  return all;
}

// From 0, 1 or, after padding, 2 on; down to 0, or as far below: relative positions.
std::vector<Positions> AllPositions(std::size_t rows) {
  const auto n = static_cast<std::int64_t>(rows);
  std::vector<Positions> all = {{0, 1}, {1, 1}, {2, 1}};
  if (n > 1) all.push_back({n - 1, -1});
  if (n > 1 && n % 2 == 1) all.push_back({(n - 1) / 2, -1});
  return all;
}

class Search {
 public:
  explicit Search(const NpyTable& table)
      : table_(table), settings_(AllSettings(table.columns)), positions_(AllPositions(table.rows)) {}

  // The nearest first; empty if none is near.
  std::vector<Candidate> Run() const {
    std::vector<std::size_t> sample;
    for (std::size_t k = 0; k < kSampleRows; ++k) {
      const std::size_t r = k < kSampleRows / 2 ? k : (table_.kept - 1) * (k + 1) / kSampleRows;
      if (r < table_.kept && (sample.empty() || r > sample.back())) sample.push_back(r);
    }
    std::vector<Candidate> near;
    for (std::size_t s = 0; s < settings_.size(); ++s) {
      for (std::size_t k = 0; k < PhaseRoundingNames().size(); ++k) {
        Try(s, static_cast<PhaseRounding>(k), sample, &near);
      }
    }
    std::sort(near.begin(), near.end(), IsNearer);
    // All that are as near as the best of them, and some more.
    std::size_t left = 0;
    while (left < near.size() && (left < kLeft || near[left].distance.Rank() == near[0].distance.Rank())) {
      ++left;
    }
    near.resize(left);
    std::vector<std::size_t> all(table_.kept);
    for (std::size_t r = 0; r < all.size(); ++r) all[r] = r;
    for (Candidate& candidate : near) {
      candidate.distance = DistanceTo(CreateOn(candidate), positions_[candidate.positions], all);
    }
    near.erase(std::remove_if(near.begin(), near.end(),
                              [](const Candidate& c) { return !(c.distance.mean <= kFar); }),
               near.end());
    std::sort(near.begin(), near.end(), IsNearer);
    return near;
  }

  const Settings& SettingsOf(const Candidate& candidate) const { return settings_[candidate.settings]; }
  const Positions& PositionsOf(const Candidate& candidate) const { return positions_[candidate.positions]; }

 private:
  static bool IsNearer(const Candidate& a, const Candidate& b) {
    return std::make_tuple(a.distance.Rank(), a.positions, a.rounding, a.settings) <
           std::make_tuple(b.distance.Rank(), b.positions, b.rounding, b.settings);
  }

  Encoder CreateOn(const Candidate& candidate) const {
    Spec spec = SettingsOf(candidate).spec;
    spec.phase_rounding = candidate.rounding;
    spec.lists_only = true;
    Encoder encoder;
    Require(Encoder::Create(spec, &encoder));
    return encoder;
  }

  void Try(std::size_t settings, PhaseRounding rounding, const std::vector<std::size_t>& sample,
           std::vector<Candidate>* near) const {
    Candidate candidate = {settings, rounding, 0, {}};
    Spec spec = settings_[settings].spec;
    spec.phase_rounding = rounding;
    std::size_t bytes;
    if (Encoder::MemorySize(spec, &bytes) != Status::kOk) return;  // not of this dim, unit or rounding
    const Encoder encoder = CreateOn(candidate);
    for (std::size_t p = 0; p < positions_.size(); ++p) {
      candidate.positions = p;
      candidate.distance = DistanceTo(encoder, positions_[p], sample);
      if (candidate.distance.mean <= kFar) near->push_back(candidate);
    }
  }

  Distance DistanceTo(const Encoder& encoder, const Positions& positions,
                      const std::vector<std::size_t>& rows) const {
    const posenc_type type = table_.type;
    const std::size_t columns = table_.columns;
    Distance distance;
    Entries row(type, columns);
    for (const std::size_t r : rows) {
      const std::int64_t position = positions.At(r);
      Require(
          posenc_write_at(encoder.c_encoder(), POSENC_I64, &position, 1, type, row.data(), columns, nullptr));
      for (std::size_t c = 0; c < columns; ++c) {
        See(oracle::Unpack(type, table_.entries[r * columns + c]), oracle::Unpack(type, row[c]), &distance);
      }
    }
    distance.mean /= static_cast<double>(rows.size() * columns);
    return distance;
  }

  void See(double given, double expected, Distance* distance) const {
    if (given == expected) {
      ++distance->equal;
      return;
    }
    const double error = std::fabs(given - expected);  // a NaN makes the mean one, which is not near
    distance->mean += error;
    distance->largest = std::max(distance->largest, error);
    distance->ulp = std::max(distance->ulp, std::ldexp(error, -SpacingExponent(table_.type, expected)));
  }

  const NpyTable& table_;
  std::vector<Settings> settings_;
  std::vector<Positions> positions_;
};

// Those that round so by themselves first; only those, if they explain every bit.
std::vector<std::string> NamesOf(const Settings& settings, const Candidate& candidate) {
  if (candidate.rounding == PhaseRounding::kNone) return settings.names;
  std::vector<std::string> names = settings.names;
  const auto own = std::stable_partition(names.begin(), names.end(), [&](const std::string& name) {
    return SpecPresetRounding(name.c_str()) == candidate.rounding;
  });
  if (own != names.begin() && candidate.distance.largest == 0.0) names.erase(own, names.end());
  return names;
}

void Print(const Search& search, const Candidate& candidate, const NpyTable& table) {
  const Positions& positions = search.PositionsOf(candidate);
  const Distance& distance = candidate.distance;
  for (const std::string& name : NamesOf(search.SettingsOf(candidate), candidate)) {
    std::printf("%s\t%s\t%lld .. %lld\t%.3g\t%.3g\t%zu of %zu\n", name.c_str(),
                candidate.rounding == PhaseRounding::kNone ? "exact" : Name(candidate.rounding),
                static_cast<long long>(positions.first), static_cast<long long>(positions.At(table.rows - 1)),
                distance.largest, distance.ulp, distance.equal, table.kept * table.columns);
  }
}

// As much as the roundings of a phase, of a frequency and of the entries may make of a convention: beyond
// that the table is near, but another one.
bool IsExplainedByRounding(const Search& search, const Candidate& candidate, const NpyTable& table) {
  const Positions& positions = search.PositionsOf(candidate);
  const double farthest = std::max(std::fabs(static_cast<double>(positions.first)),
                                   std::fabs(static_cast<double>(positions.At(table.rows - 1))));
  const double scale = std::fabs(search.SettingsOf(candidate).spec.position_scale);
  const double of_phases = std::ldexp(std::max(farthest * scale, 1.0), -20);
  return candidate.distance.largest <= of_phases + std::ldexp(2.0, SpacingExponent(table.type, 1.0));
}

ExitStatus Identify(const std::string& path) {
  const NpyTable table = ReadNpy(path, kMaxEntries);
  const Search search(table);
  const std::vector<Candidate> found = search.Run();
  std::printf(
      "# %zu rows of %zu, %s%s\n", table.rows, table.columns, TraitsOf(table.type).name,
      table.kept < table.rows ? (", of which " + std::to_string(table.kept) + " are compared").c_str() : "");
  if (found.empty()) {
    std::puts("none");
    return kMismatch;
  }
  const bool is_explained = IsExplainedByRounding(search, found[0], table);
  if (!is_explained) std::puts("none; the nearest, by more than roundings explain:");
  std::puts(
      "# preset, phase rounding, positions, largest difference, the same in ULP, entries that are equal");
  constexpr std::size_t kPlaces = 3;  // where the first is not equal in every entry
  std::size_t place = 1;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (k != 0 && found[k].distance.Rank() != found[k - 1].distance.Rank()) ++place;
    if (place > kPlaces || (place > 1 && found[0].distance.largest == 0.0)) break;
    Print(search, found[k], table);
  }
  return is_explained ? kRight : kMismatch;
}

}  // namespace

void AddIdentifyCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("identify", "Find the preset that made a table");
  command->footer(
      "FILE.npy holds rows of columns: float32, float16, float64, or uint16 as the bits of bfloat16. All\n"
      "presets are tried, exact and with each phase rounding, with positions from 0, 1 and 2 on, and down "
      "to\n"
      "0 or to the negative. One a line, tab-separated, the nearest first; several where they are the same;\n"
      "if none has every bit, the three nearest. 'none', and exit status 1, if roundings do not explain what "
      "is\n"
      "left; then those that are near all the same.");
  const auto path = std::make_shared<std::string>();
  command->add_option("file", *path, "The table")->type_name("FILE.npy")->required();
  command->callback([=] { *run = [=] { return Identify(*path); }; });
}

}  // namespace tools
}  // namespace posenc
