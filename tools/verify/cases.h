// Lists the cases that posenc verify writes and compares.
#ifndef POSENC_TOOLS_VERIFY_CASES_H_
#define POSENC_TOOLS_VERIFY_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "verify/case.h"

namespace posenc {
namespace tools {

// Cases that are reported together, or are a test.
struct Group {
  std::string name;  // if empty, reports show the label of the first case
  std::vector<Case> cases;
};

// The cases of the digest: encodings, then rotary embeddings, then rotary embeddings with norms. If they or
// their order change, increase kDigestVersion.
std::vector<Group> DigestGroups();
std::vector<Case> DigestCases();

// Whole tables, which `verify` compares unless it runs with --quick.
std::vector<Group> TableGroups();
std::vector<Case> TableCases();

// The areas of --full, whose cases are written in all variants: all positions in common use, small positions,
// and random runs (chosen by `seed`) at the edges of the range; rotations of random and of hard elements; and
// caches with every scaling. Needs MPFR.
std::vector<Group> FullAreas(std::uint64_t seed);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_CASES_H_
