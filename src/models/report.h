// Fills posenc_model_report: what functions of models tell their callers in addition to a status.
#ifndef POSENC_SRC_MODELS_REPORT_H_
#define POSENC_SRC_MODELS_REPORT_H_

#include <cstddef>

#include "posenc/models_c.h"

namespace posenc {
namespace internal {
namespace models {

// Clears a report for a configuration with `count` entries: it names no key.
void ClearReport(std::size_t count, posenc_model_report* report);

// Returns the status. If it is an error and the report has no sentence yet, the report gets the sentence of
// the status.
posenc_status Report(posenc_status status, posenc_model_report* report);

// Writes that no preset of the asked kind has that name, and which preset of either kind the caller may have
// meant.
void ReportUnknownPreset(const char* name, bool is_rotary, posenc_model_report* report);

}  // namespace models
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_MODELS_REPORT_H_
