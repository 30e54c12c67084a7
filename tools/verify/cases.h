// What posenc verify writes and compares.
#ifndef POSENC_TOOLS_VERIFY_CASES_H_
#define POSENC_TOOLS_VERIFY_CASES_H_

#include <cstdint>
#include <vector>

#include "verify/case.h"

namespace posenc {
namespace tools {

// All layouts and operations, odd dims, bases, scales and the ends of the range, for float32 and then for the
// 16-bit types; then positions that are no integers and listed frequencies, in all types; then what later
// versions appended. The digest covers them in this order, which must stay as it is: append to them, and
// count kDigestVersion up.
std::vector<Case> DigestCases();

// Whole tables of usual sizes: what `verify` adds.
std::vector<Case> TableCases();

// Areas of positions and pairs, to be written in all ways, which --full adds: all of the everyday domain,
// what it costs at small positions, and random runs, chosen by the seed, at its edges.
std::vector<Group> FullAreas(std::uint64_t seed);

// The part of DigestCases that special_cases.cc makes, in its order.
void AppendSpecialCases(std::vector<Case>* cases);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_CASES_H_
