// What the functions of models tell their callers beside a status.
#ifndef POSENC_SRC_MODELS_REPORT_H_
#define POSENC_SRC_MODELS_REPORT_H_

#include <cstddef>

#include "posenc/models_c.h"

namespace posenc {
namespace internal {
namespace models {

// A report that names no key of `count` entries.
void ClearReport(std::size_t count, posenc_model_report* report);

// Returns the status. If it is a refusal and the report has no sentence, that of the status becomes the
// report's.
posenc_status Report(posenc_status status, posenc_model_report* report);

// Writes that no preset of the asked kind has that name, and which preset the caller may have meant.
void ReportUnknownPreset(const char* name, bool is_rotary, posenc_model_report* report);

}  // namespace models
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_MODELS_REPORT_H_
