// The C functions of presets for rotaries: they apply a row of rotary_presets.inc to a spec.

#include "number/exact.h"

#include <cstddef>
#include <cstdint>

#include "models/presets.h"
#include "models/text.h"
#include "posenc/models_c.h"

namespace posenc {
namespace internal {
namespace models {
namespace {

// What a row may set: the members of the spec, under their names, and the words after them.
enum Member : std::uint8_t {  // NOLINTBEGIN(readability-identifier-naming)
  no_member = kNoMember,
#define POSENC_ROTARY(kind, name, initial, of, must, help) name,
#include "spec/members.inc"
  share,    // rotary_dim / head_dim
  is_last,  // rotary_offset is head_dim - rotary_dim
  section_0,
  section_1,
  section_2,
  section_3
};  // NOLINTEND(readability-identifier-naming)

PresetRow Rows() {
  static constexpr char kTexts[] =
#define POSENC_PRESET(name, formula, source, ...) name "\0" formula "\0" source "\0"
#include "models/rotary_presets.inc"
      ;
  static constexpr Setting kSettings[] = {
#define POSENC_PRESET(name, formula, source, ...) __VA_ARGS__, {no_member, 0},
#include "models/rotary_presets.inc"
  };
  return {kTexts, kSettings};
}

void Set(const Setting& setting, posenc_rotary_spec* spec) {
  switch (setting.member) {
#define POSENC_ROTARY(kind, name, initial, of, must, help) \
  case name:                                               \
    return SetNumber(setting.value, &spec->name);
#include "spec/members.inc"
    case share:  // rounded down, as the sources do
      spec->rotary_dim = static_cast<std::size_t>(static_cast<double>(spec->head_dim) * setting.value);
      return;
    case is_last:
      spec->rotary_offset = spec->head_dim - spec->rotary_dim;
      return;
    default:
      spec->sections[setting.member - section_0] = static_cast<std::size_t>(setting.value);
  }
}

// If a preset has several axes but no sections, makes them equal. Returns whether the sections add up.
bool CompleteSections(posenc_rotary_spec* spec) {
  if (spec->axes == 1) return true;
  const std::size_t pairs = spec->rotary_dim / 2;
  const bool are_equal = spec->sections[0] == 0;
  std::size_t sum = 0;
  for (std::size_t k = 0; k < spec->axes; ++k) {
    if (are_equal) spec->sections[k] = pairs / spec->axes;
    sum += spec->sections[k];
  }
  return sum == pairs;
}

posenc_status Fill(const Setting* settings, std::size_t elements, posenc_rotary_spec* spec) {
  if (elements < 2 || elements > POSENC_MAX_HEAD_DIM) return rule::preset_head_dim;
  spec->head_dim = spec->rotary_dim = elements;
  for (; settings->member != kNoMember; ++settings) Set(*settings, spec);
  const std::size_t r = spec->rotary_dim;
  if (r == 0 || r % 2 != 0 || r > elements || r > POSENC_MAX_ROTARY_DIM) return rule::preset_rotary_dim;
  return CompleteSections(spec) ? rule::ok : rule::preset_sections;
}

// Writes which head_dim, near to the asked one, suits a preset that this one does not suit. Heads that are
// larger than kLargest are not tried.
void ReportHeadDim(posenc_status status, PresetRow row, std::size_t asked, posenc_model_report* report) {
  constexpr std::size_t kLargest = POSENC_MAX_ROTARY_DIM;
  std::size_t below = 0, above = 0;
  for (std::size_t elements = 2; elements <= kLargest && above == 0; ++elements) {
    posenc_rotary_spec spec;
    const bool suits =
        Init(&spec, sizeof(spec)) == POSENC_OK && Fill(row.settings, elements, &spec) == POSENC_OK;
    if (suits) (elements < asked ? below : above) = elements;
  }
  Sentence sentence(report->text, sizeof(report->text));
  sentence << "head_dim " << static_cast<double>(asked) << " does not suit the preset \"" << row.texts
           << (status == rule::preset_sections
                   ? "\", whose sections need head_dim "
                   : "\", whose rotary_dim must be even, at most " POSENC_TEXT(
                         POSENC_MAX_ROTARY_DIM) " and within the head, as with head_dim ");
  if (below != 0) sentence << static_cast<double>(below);
  if (below != 0 && above != 0) sentence << " or ";
  if (above != 0) sentence << static_cast<double>(above);
}

}  // namespace
}  // namespace models
}  // namespace internal
}  // namespace posenc

using namespace posenc::internal;          // NOLINT(google-build-using-namespace)
using namespace posenc::internal::models;  // NOLINT(google-build-using-namespace)

posenc_status posenc_rotary_spec_preset(posenc_rotary_spec* spec, size_t struct_size, const char* name,
                                        size_t elements, posenc_model_report* report) {
  const auto fill = [&](const Setting* settings, posenc_rotary_spec* filled) {
    return Fill(settings, elements, filled);
  };
  const posenc_status status = WritePreset(Rows(), name, fill, struct_size, spec, report);
  const bool is_of_head = status == rule::preset_rotary_dim || status == rule::preset_sections;
  if (is_of_head && report != nullptr) ReportHeadDim(status, FindPreset(Rows(), name), elements, report);
  return status;
}

size_t posenc_rotary_presets(posenc_preset* presets, size_t capacity) {
  return ListPresets(Rows(), presets, capacity);
}
