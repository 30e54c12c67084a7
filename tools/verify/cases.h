// What posenc verify writes and compares.
#ifndef POSENC_TOOLS_VERIFY_CASES_H_
#define POSENC_TOOLS_VERIFY_CASES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "verify/subject.h"

namespace posenc {
namespace tools {

using Subjects = std::vector<std::shared_ptr<const Subject>>;

// The digest covers these in this order, which must stay as it is: append to them, and count kDigestVersion
// up. First encodings, then rotary embeddings.
Subjects DigestSubjects();

// Whole tables of usual sizes: what `verify` adds.
Subjects TableSubjects();

// What --full adds, to be written in all ways: all of the everyday domain, what it costs at small positions,
// and random runs, chosen by the seed, at its edges; rotations of random and of hard elements, and caches of
// every scaling, too. Needs MPFR.
std::vector<Group> FullAreas(std::uint64_t seed);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_CASES_H_
