// What verify_cases.h has no words for: positions that are doubles, listed frequencies, rows of doubles. The
// last part of the digest.
#ifndef POSENC_TOOLS_VERIFY_DOUBLES_H_
#define POSENC_TOOLS_VERIFY_DOUBLES_H_

#include <vector>

#include "verify.h"

namespace posenc {
namespace tools {

// Writes every case in every type on each target of the plan, compares each entry if the plan says so, and
// continues the digests. One thread, as it takes a second.
void VerifyDoubles(const Plan& plan, std::vector<Report>* reports);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_DOUBLES_H_
