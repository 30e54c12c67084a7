// Writes every case on every target, compares each entry with the oracle and digests the first cases.
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

// Work is done in chunks of rows. Threads take them in any order; the oracle's work on one serves all targets
// and all ways.
struct Plan {
  std::vector<Group> groups;
  std::size_t digested = 0;          // the first cases of the only group
  bool are_areas = false;            // in all ways, with a report per target and way; else one per target
  std::vector<std::string> targets;  // each runnable
  bool compare = true;               // entry by entry; else only digests are made
  unsigned threads = 1;
  std::size_t reference_every = 1;  // the slow REFERENCE takes one chunk in so many that are not digested
  std::size_t part = 0, parts = 1;  // of so many, only this part of the chunks
  std::function<void(double fraction)> progress;  // called now and then, by one thread at a time
  std::function<void(unsigned started, unsigned wanted)> fewer_threads;  // called if not all could be started
};

// What became of one target, or of one way on it.
struct Report {
  std::string target;
  posenc_type type = {};  // of the way,
  std::string call = {};  // as this
  Findings found;
  oracle::Distances distances;  // of the right answers for the same entries
  double seconds = 0.0;         // of one processor, for writing
  Digest digest;                // of the plan's digested cases
};

struct GroupReport {
  std::vector<Report> reports;
  Findings found;                            // of all
  std::vector<oracle::Distances> distances;  // of kSharedTypes; a hard entry's origin is the case
};

// A report per group.
std::vector<GroupReport> Verify(const Plan& plan);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_VERIFY_H_
