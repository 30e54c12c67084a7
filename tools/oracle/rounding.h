// Rounds MPFR numbers, which approximate real numbers, to the types of entries.
#ifndef POSENC_TOOLS_ORACLE_ROUNDING_H_
#define POSENC_TOOLS_ORACLE_ROUNDING_H_

#include <cstdint>

#include "oracle/distances.h"
#include "oracle/number.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace oracle {

// Rounds the real number that v approximates with an error of at most 2^error. Returns false if the error is
// too large to be certain of the rounding.
bool Round(posenc_type type, const Number& v, mpfr_exp_t error, Rounding* out);

// Rounds v, which is exact: ties to even, and 0 to +0.
void RoundExact(posenc_type type, const Number& v, Rounding* out);

}  // namespace oracle
}  // namespace posenc

#endif  // POSENC_TOOLS_ORACLE_ROUNDING_H_
