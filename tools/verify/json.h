// The report of posenc verify as a JSON file, for archives and for tools/sum-reports.
#ifndef POSENC_TOOLS_VERIFY_JSON_H_
#define POSENC_TOOLS_VERIFY_JSON_H_

#include <cstdint>
#include <vector>

#include "command/output_file.h"
#include "posenc/posenc.h"
#include "verify/verify.h"

namespace posenc {
namespace tools {

#ifdef POSENC_HAVE_JSON
inline constexpr bool kHaveJson = true;
#else
inline constexpr bool kHaveJson = false;
#endif

// All that one posenc verify found.
struct Outcome {
  std::vector<Target> targets;  // all that were asked for
  GroupReport cases;            // reports are of the runnable ones
  Plan areas;                   // no groups unless --full
  std::vector<GroupReport> area_reports;
  std::uint64_t seed = 0;
  double seconds = 0.0;
  bool right = false;
};

void WriteJson(const Outcome& outcome, OutputFile* file);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_JSON_H_
