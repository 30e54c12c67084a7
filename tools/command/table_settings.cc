#include "command/table_settings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "command/models.h"
#include "spec/rows.h"

namespace posenc {
namespace tools {
namespace {

bool SaySame(const posenc_spec& a, const posenc_spec& b) {
  if (IsEmpty(a) || IsEmpty(b)) return IsEmpty(a) == IsEmpty(b);
  const std::size_t columns = a.dim - (a.input_first != 0 ? 1 : 0);
  // A single frequency is 1 for every base. An even dim has no odd column.
  const bool is_alone = columns <= 2 || (columns == 3 && a.odd_column != POSENC_ODD_HALF_PAIR);
  const auto divisor = [](const posenc_spec& spec) {
    return spec.exponent_dim == 0.0 ? static_cast<double>(spec.dim) : spec.exponent_dim;
  };
  const auto tie = [&](const posenc_spec& s) {
    return std::make_tuple(s.layout, is_alone ? 1.0 : s.base, is_alone ? 1.0 : divisor(s), s.position_scale,
                           s.unit, columns % 2 == 0 ? POSENC_ODD_HALF_PAIR : s.odd_column, s.min_timescale,
                           s.position_offset, s.input_first);
  };
  return tie(a) == tie(b);
}

std::vector<Settings>::iterator FindSame(std::vector<Settings>* all, const Settings& one) {
  return std::find_if(all->begin(), all->end(), [&](const Settings& other) {
    return other.padding == one.padding && SaySame(other.spec, one.spec);
  });
}

// The settings of all encoders: first in the layout of the preset, then in other layouts.
std::vector<Settings> EncoderSettings(std::size_t dim) {
  std::vector<Settings> all;
  for (const posenc_preset& preset : EncoderPresets()) {
    posenc_spec spec = PresetSpec(preset.name, dim);
    if (spec.frequency_count != 0) continue;
    std::optional<std::int64_t> padding;
    if (spec.has_padding != 0) padding = spec.padding_position;
    spec.has_padding = 0;
    const Settings settings = {spec, padding, {preset.name}};
    const auto same = FindSame(&all, settings);
    if (same != all.end()) {
      same->names.emplace_back(preset.name);
    } else {
      all.push_back(settings);
    }
  }
  const std::size_t count = all.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::int32_t layout = 0; layout < internal::EndOf(internal::Of::layout); ++layout) {
      Settings other = all[i];
      other.spec.layout = static_cast<posenc_layout>(layout);
      other.has_own_layout = false;
      if (FindSame(&all, other) == all.end()) all.push_back(other);
    }
  }
  return all;
}

// The spec of a preset for a head in which `pairs` pairs rotate. Empty if the preset has no such head_dim.
std::optional<posenc_rotary_spec> FindRotary(const char* preset, std::size_t pairs) {
  // The presets rotate a share of a head, and an axis has a share of this. For this head_dim all are
  // integers.
  constexpr std::size_t kWhole = 4800;
  const std::size_t turning = 2 * pairs;
  std::vector<std::size_t> head_dims = {turning, 128, 192, 256};  // with sections only one head_dim fits
  posenc_rotary_spec spec;
  if (posenc_rotary_spec_preset(&spec, sizeof(spec), preset, kWhole, nullptr) == POSENC_OK) {
    head_dims.push_back((turning * kWhole + spec.rotary_dim - 1) / spec.rotary_dim);
  }
  for (const std::size_t head_dim : head_dims) {
    std::size_t bytes = 0;
    if (posenc_rotary_spec_preset(&spec, sizeof(spec), preset, head_dim, nullptr) == POSENC_OK &&
        spec.rotary_dim == turning && posenc_rotary_memory_size(&spec, &bytes) == POSENC_OK) {
      return spec;
    }
  }
  return std::nullopt;
}

// The amplitude and some of the frequencies. Rotary embeddings with the same key make the same table.
std::vector<double> KeyOf(const posenc_rotary* rotary) {
  const std::size_t pairs = posenc_rotary_frequency_count(rotary);
  std::vector<double> key = {posenc_rotary_amplitude(rotary)};
  for (std::size_t i = 0; i < pairs; i += pairs / 16 + 1) key.push_back(posenc_rotary_radians(rotary, i));
  return key;
}

constexpr double kTurn = 6.283185307179586;

// Adds the presets of rotary embeddings, in all shapes of caches that have this many columns.
void AddCaches(std::size_t columns, std::vector<Settings>* all) {
  for (const std::size_t columns_a_pair : {2u, 1u, 4u}) {
    if (columns % columns_a_pair != 0) continue;
    std::map<std::vector<double>, std::size_t> places;
    std::vector<Settings> rotaries;
    for (const posenc_preset& preset : RotaryPresets()) {
      const std::optional<posenc_rotary_spec> spec = FindRotary(preset.name, columns / columns_a_pair);
      if (!spec) continue;
      const RotaryHandle exact = Create(*spec);
      const std::vector<double> key = KeyOf(exact.get());
      // If every pair makes whole turns per step, or none, the cosines are 1 and the sines 0 at whole
      // positions. Every table of ones and zeros would match.
      const auto is_still = [](double rate) { return std::fabs(std::remainder(rate, kTurn)) < 1e-9; };
      if (std::all_of(key.begin() + 1, key.end(), is_still)) continue;
      const auto [place, is_new] = places.emplace(key, rotaries.size());
      if (is_new) rotaries.push_back({{}, std::nullopt, {}, true, nullptr, spec, exact});
      rotaries[place->second].names.emplace_back(preset.name);
    }
    for (const CacheShape& shape : kCacheShapes) {
      if (shape.ColumnsAPair() != columns_a_pair) continue;
      for (Settings& rotary : rotaries) {
        rotary.cache = &shape;
        all->push_back(rotary);
      }
    }
  }
}

}  // namespace

bool IsEmpty(const posenc_spec& spec) {
  return spec.dim == 1 && spec.input_first == 0 &&
         (spec.odd_column == POSENC_ODD_ZERO_LAST || spec.odd_column == POSENC_ODD_ZERO_MIDDLE);
}

std::vector<Settings> AllSettings(std::size_t columns) {
  std::vector<Settings> all = EncoderSettings(columns);
  AddCaches(columns, &all);
  return all;
}

}  // namespace tools
}  // namespace posenc
