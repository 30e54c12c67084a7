// All that one posenc verify found, and what that means in one line.
#ifndef POSENC_TOOLS_VERIFY_OUTCOME_H_
#define POSENC_TOOLS_VERIFY_OUTCOME_H_

#include <cstdint>
#include <string>
#include <vector>

#include "posenc/posenc.h"
#include "verify/verify.h"

namespace posenc {
namespace tools {

struct Outcome {
  std::vector<posenc_target> targets;  // all that were asked for
  GroupReport cases;                   // reports are of the runnable ones
  Plan areas;                          // no groups unless --full
  std::vector<GroupReport> area_reports;
  std::uint64_t seed = 0;
  double seconds = 0.0;
  bool right = false;
};

// Whether a target's entries of the digest's cases are right, and their digest.
bool IsRight(const Report& report);

// "right: all bits match the recorded digest", and that no entry differs from the judge's ("MPFR", or null if
// none was asked); or "wrong: " and what differs, for each target and each area.
std::string Verdict(const Outcome& outcome, const std::vector<std::string>& area_names, const char* judge);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_OUTCOME_H_
