// The result of one run of posenc verify, and its verdict in one line.
#ifndef POSENC_TOOLS_VERIFY_OUTCOME_H_
#define POSENC_TOOLS_VERIFY_OUTCOME_H_

#include <cstdint>
#include <string>
#include <vector>

#include "posenc/posenc.h"
#include "verify/verify.h"

namespace posenc {
namespace tools {

// The worst cases on one target.
struct WorstReport {
  std::string target;
  std::size_t cases = 0;
  std::vector<std::string> wrong;  // WrongResults (worst_cases.h)
};

struct Outcome {
  std::vector<posenc_target> targets;  // the targets to verify, also those that this CPU cannot run
  GroupReport cases;                   // has a report for each target that this CPU runs
  std::vector<WorstReport> worst;      // for the same targets
  Plan areas;                          // has no groups without --full
  std::vector<GroupReport> area_reports;
  std::uint64_t seed = 0;
  double seconds = 0.0;
  bool right = false;
};

// Whether the entries and the digest of a target are right.
bool IsRight(const Report& report);

// The verdict. It is "right: all bits match the recorded digest", followed by "and no entry differs from"
// `other`. Or it is "wrong: " followed by what differs, for each target and each area. `other` is "MPFR" or
// "REFERENCE"; it is null if entries were not compared.
std::string Verdict(const Outcome& outcome, const std::vector<std::string>& area_names, const char* other);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_OUTCOME_H_
