// What posenc verify writes and compares.
#ifndef POSENC_TOOLS_VERIFY_CASES_H_
#define POSENC_TOOLS_VERIFY_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "verify/case.h"

namespace posenc {
namespace tools {

// Cases that are reported together.
struct Group {
  std::string name;  // if empty, the first case's label is one
  std::vector<Case> cases;
};

// The digest covers these in this order, which must stay as it is: append to them, and count kDigestVersion
// up. First encodings, then rotary embeddings.
std::vector<Case> DigestCases();

// Whole tables of usual sizes: what `verify` adds.
std::vector<Case> TableCases();

// What --full adds, to be written in all ways: all of the everyday domain, what it costs at small positions,
// and random runs, chosen by the seed, at its edges; rotations of random and of hard elements, and caches of
// every scaling, too. Needs MPFR.
std::vector<Group> FullAreas(std::uint64_t seed);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_CASES_H_
