// Writes every case on every target, compares each entry with the oracle, and computes the digest.
#ifndef POSENC_TOOLS_VERIFY_VERIFY_H_
#define POSENC_TOOLS_VERIFY_VERIFY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "oracle/distances.h"
#include "verify/cases.h"
#include "verify/digest.h"
#include "verify/findings.h"

namespace posenc {
namespace tools {

// What to verify. The work is divided into chunks of rows, which threads take in any order. For each chunk,
// the oracle computes the expected entries once, for all targets and all variants.
struct Plan {
  std::vector<Group> groups;
  std::size_t digested = 0;  // this many cases are digested, from the first on; for a single group
  bool are_areas = false;    // write all variants, and report each target and variant, not only each target
  std::vector<std::string> targets;  // targets that this CPU runs
  bool compare = true;               // compare each entry; otherwise only the digest is computed
  unsigned threads = 1;
  std::size_t reference_every =
      1;  // REFERENCE is slow and takes every n-th chunk of those that are not digested
  std::size_t part = 0, parts = 1;                // take only part `part` of `parts` of the chunks
  std::function<void(double fraction)> progress;  // called now and then, by one thread at a time
  std::function<void(unsigned started, unsigned wanted)> fewer_threads;  // called if not all could be started
};

// The result for one target or, in an area, for one variant on a target.
struct Report {
  std::string target;
  posenc_type type = {};  // the type of the variant; only in areas
  std::string call = {};  // the name of the variant; only in areas
  Findings found;
  oracle::Distances distances;  // how far the expected entries are from the exact values
  double seconds = 0.0;         // processor time for writing
  Digest digest;                // the digest of the plan's digested cases
};

struct GroupReport {
  std::vector<Report> reports;
  Findings found;  // the sum of all reports
  std::vector<oracle::Distances>
      distances;  // for each of kSharedTypes; the origin of a hard entry is its case
};

// Carries out the plan. Returns a report for each group.
std::vector<GroupReport> Verify(const Plan& plan);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_VERIFY_H_
