// The C functions of presets for encoders: they apply a row of presets.inc to a spec.

#include "number/exact.h"

#include "models/presets.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "posenc/models_c.h"

namespace posenc {
namespace internal {
namespace models {
namespace {

// What a row may set: the members of the spec, under their names, and the words after them.
enum Member : std::uint8_t {  // NOLINTBEGIN(readability-identifier-naming)
  no_member = kNoMember,
#define POSENC_SPEC(kind, name, initial, of, must, help) name,
#include "spec/members.inc"
  divisor,          // a Divisor, from which exponent_dim follows
  source_rounding,  // what posenc_spec_preset_rounding returns
  is_listed         // the caller must set its own frequencies
};                  // NOLINTEND(readability-identifier-naming)

// How exponent_dim follows from d columns with h = floor(d / 2) pairs. With 1, 2 or 3 columns, some sources
// divide by zero; then exponent_dim is a value with which the only frequency is 1.
enum Divisor {
  kDim,          // d
  kEvenDim,      // 2 ceil(d / 2)
  kWholePairs,   // 2 h
  kOtherPairs,   // 2 (h - 1): the last frequency is 1 / base
  kMarian,       // 2 (d / 2 - 1), where d / 2 may end in 1/2
  kPowersOfTwo,  // -2: with base 2 the frequencies are 1, 2, 4, ...
  kMinusOthers   // -2 (h - 1): the last frequency is base
};

PresetRow Rows() {
  static constexpr char kTexts[] =
#define POSENC_PRESET(name, formula, source, ...) name "\0" formula "\0" source "\0"
#include "models/presets.inc"
      ;
  static constexpr Setting kSettings[] = {
#define POSENC_PRESET(name, formula, source, ...) __VA_ARGS__, {no_member, 0},
#include "models/presets.inc"
  };
  return {kTexts, kSettings};
}

double ExponentDim(Divisor from, std::size_t columns) {
  const auto d = static_cast<double>(columns);
  const std::size_t whole_pairs = columns / 2;
  const auto pairs = static_cast<double>(whole_pairs);
  const double others = std::max(pairs - 1.0, 1.0);
  switch (from) {
    case kDim:
      return 0.0;  // means dim, also if the caller changes dim later
    case kEvenDim:
      return d + static_cast<double>(columns % 2);
    case kWholePairs:
      return 2.0 * std::max(pairs, 1.0);
    case kOtherPairs:
      return 2.0 * others;
    case kMarian:
      return std::max(d - 2.0, 1.0);
    case kPowersOfTwo:
      return -2.0;
    case kMinusOthers:
      return -2.0 * others;
  }
  return 0.0;
}

void Set(const Setting& setting, posenc_spec* spec) {
  switch (setting.member) {
#define POSENC_SPEC(kind, name, initial, of, must, help) \
  case name:                                             \
    return SetNumber(setting.value, &spec->name);
#include "spec/members.inc"
    case divisor:
      spec->exponent_dim = ExponentDim(static_cast<Divisor>(setting.value), spec->dim);
      return;
    case is_listed:
      spec->frequency_count = std::max<std::size_t>(spec->dim / 2, 1);
      return;
    default:
      return;
  }
}

}  // namespace
}  // namespace models
}  // namespace internal
}  // namespace posenc

using namespace posenc::internal;          // NOLINT(google-build-using-namespace)
using namespace posenc::internal::models;  // NOLINT(google-build-using-namespace)

posenc_status posenc_spec_preset(posenc_spec* spec, size_t struct_size, const char* name, size_t columns,
                                 posenc_model_report* report) {
  const auto fill = [&](const Setting* settings, posenc_spec* filled) {
    if (columns == 0 || columns > POSENC_MAX_DIM) return rule::preset_dim;
    filled->dim = columns;
    for (; settings->member != kNoMember; ++settings) Set(*settings, filled);
    return rule::ok;
  };
  return WritePreset(Rows(), name, fill, struct_size, spec, report);
}

posenc_phase_rounding posenc_spec_preset_rounding(const char* name) {
  const PresetRow row = name == nullptr ? PresetRow{"", nullptr} : FindPreset(Rows(), name);
  if (row.IsEnd()) return posenc_phase_rounding{-1};
  for (const Setting* setting = row.settings; setting->member != kNoMember; ++setting) {
    if (setting->member == source_rounding) return static_cast<posenc_phase_rounding>(setting->value);
  }
  return POSENC_NO_PHASE_ROUNDING;
}

size_t posenc_spec_presets(posenc_preset* presets, size_t capacity) {
  return ListPresets(Rows(), presets, capacity);
}
