// Writes the report of posenc verify as a JSON file, for archives and for tools/sum-reports.
#ifndef POSENC_TOOLS_VERIFY_JSON_H_
#define POSENC_TOOLS_VERIFY_JSON_H_

#include "command/output_file.h"
#include "verify/outcome.h"

namespace posenc {
namespace tools {

#ifdef POSENC_HAVE_JSON
inline constexpr bool kHaveJson = true;
#else
inline constexpr bool kHaveJson = false;
#endif

void WriteJson(const Outcome& outcome, OutputFile* file);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_JSON_H_
