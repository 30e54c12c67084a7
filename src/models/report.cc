// Writes reports, and suggests the preset that a caller may have meant.

#include "number/exact.h"

#include "models/report.h"

#include <algorithm>
#include <cstring>

#include "models/text.h"

namespace posenc {
namespace internal {
namespace models {
namespace {

// The names of all presets, each with a 0 at its end.
constexpr char kEncoderNames[] =
#define POSENC_PRESET(name, formula, source, ...) name "\0"
#include "models/presets.inc"
    ;
constexpr char kRotaryNames[] =
#define POSENC_PRESET(name, formula, source, ...) name "\0"
#include "models/rotary_presets.inc"
    ;

constexpr std::size_t kLongest = 40;  // longer names are not compared: no preset has such a name

// The edit distance: how many letters must be inserted, deleted or replaced to turn a into b. Both have at
// most kLongest letters.
std::size_t Distance(Text a, Text b) {
  std::size_t row[kLongest + 1];
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// The name with the smallest distance to the name that was asked for. It is empty if more than a third of the
// letters differ.
struct Nearest {
  Text name;
  std::size_t distance;
};

Nearest FindNearest(Text asked, const char* names) {
  Nearest nearest = {{}, asked.size() / 3 + 1};
  for (; *names != '\0'; names += std::strlen(names) + 1) {
    const Text name = names;
    if (asked.size() > kLongest || name.size() > kLongest) continue;
    if (const std::size_t distance = Distance(asked, name); distance < nearest.distance) {
      nearest = {name, distance};
    }
  }
  return nearest;
}

}  // namespace

void ClearReport(std::size_t count, posenc_model_report* report) {
  report->key = "";
  report->index = count;
  report->layers = 0;
  report->rotates = 1;
  report->model_type[0] = report->source[0] = report->text[0] = '\0';
}

posenc_status Report(posenc_status status, posenc_model_report* report) {
  if (status == POSENC_OK || report->text[0] != '\0') return status;
  Sentence(report->text, sizeof(report->text)) << posenc_status_message(status);
  return status;
}

void ReportUnknownPreset(const char* name, bool is_rotary, posenc_model_report* report) {
  const Nearest same = FindNearest(name, is_rotary ? kRotaryNames : kEncoderNames);
  const Nearest other = FindNearest(name, is_rotary ? kEncoderNames : kRotaryNames);
  const char* const kind = is_rotary ? "rotary" : "encoder";
  Sentence sentence(report->text, sizeof(report->text));
  if (!other.name.empty() && other.distance == 0) {
    sentence << "\"" << other.name
             << (is_rotary ? "\" is an encoder preset: posenc_spec_preset takes it"
                           : "\" is a rotary preset: posenc_rotary_spec_preset takes it");
    return;
  }
  (sentence << "no " << kind << " preset is called \"").Shown(name) << "\"";
  if (!other.name.empty() && (same.name.empty() || other.distance < same.distance)) {
    sentence << "; did you mean \"" << other.name
             << (is_rotary ? "\", an encoder preset?" : "\", a rotary preset?");
  } else if (!same.name.empty()) {
    sentence << "; did you mean \"" << same.name << "\"?";
  } else {
    sentence << (is_rotary ? ": posenc_rotary_presets lists them" : ": posenc_spec_presets lists them");
  }
}

}  // namespace models
}  // namespace internal
}  // namespace posenc
