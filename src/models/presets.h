// Finds presets of encoders and rotaries by name. Rows contain text and numbers but no pointers, because a
// shared library would have to relocate pointers in every process.
#ifndef POSENC_SRC_MODELS_PRESETS_H_
#define POSENC_SRC_MODELS_PRESETS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "models/calls.h"
#include "models/report.h"
#include "posenc/models_c.h"

namespace posenc {
namespace internal {
namespace models {

// A member of a spec, as a number (presets.cc and rotary_presets.cc number them), and its value in a preset.
struct Setting {
  std::uint8_t member;
  double value;
};
inline constexpr std::uint8_t kNoMember = 0;

// A position in the rows: the row of one preset, followed by the rows after it.
struct PresetRow {
  const char* texts;        // name, formula and source, each with a 0 at its end; an empty name is the end
  const Setting* settings;  // the settings of this row, up to kNoMember

  bool IsEnd() const { return *texts == '\0'; }

  posenc_preset Texts() const {
    const char* formula = texts + std::strlen(texts) + 1;
    return {texts, formula, formula + std::strlen(formula) + 1};
  }

  PresetRow Next() const {
    const char* source = Texts().source;
    const Setting* end = settings;
    while (end->member != kNoMember) ++end;
    return {source + std::strlen(source) + 1, end + 1};
  }
};

// Sets a member that is a number or an enum. No row sets a pointer or an array.
template <class T>
void SetNumber(double value, T* member) {
  if constexpr (std::is_arithmetic<T>::value || std::is_enum<T>::value) *member = static_cast<T>(value);
}

inline PresetRow FindPreset(PresetRow row, const char* name) {
  while (!row.IsEnd() && std::strcmp(row.texts, name) != 0) row = row.Next();
  return row;
}

inline std::size_t ListPresets(PresetRow row, posenc_preset* presets, std::size_t capacity) {
  std::size_t count = 0;
  for (; !row.IsEnd(); row = row.Next(), ++count) {
    if (presets != nullptr && count < capacity) presets[count] = row.Texts();
  }
  return count;
}

// Writes a spec with the defaults, changed by the preset with that name. fill(settings, &spec) must set the
// members of the preset.
template <class Spec, class Fill>
posenc_status WritePreset(PresetRow rows, const char* name, const Fill& fill, std::size_t struct_size,
                          Spec* spec, posenc_model_report* report) {
  posenc_model_report own;
  if (report == nullptr) report = &own;
  ClearReport(0, report);
  if (spec == nullptr) return Report(rule::null_spec, report);
  if (name == nullptr) return Report(rule::null_name, report);
  const PresetRow row = FindPreset(rows, name);
  if (row.IsEnd()) {
    report->key = name;
    ReportUnknownPreset(name, std::is_same<Spec, posenc_rotary_spec>::value, report);
    return rule::unknown_preset;
  }
  Spec filled;
  posenc_status status = Init(&filled, sizeof(filled));
  if (status == POSENC_OK) status = fill(row.settings, &filled);
  return Report(status != POSENC_OK ? status : WriteSpec(filled, struct_size, spec), report);
}

}  // namespace models
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_MODELS_PRESETS_H_
