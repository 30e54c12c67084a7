// Rounds real numbers that MPFR knows closely.
#ifndef POSENC_TOOLS_ORACLE_ROUNDING_H_
#define POSENC_TOOLS_ORACLE_ROUNDING_H_

#include <cstdint>

#include "oracle/distances.h"
#include "oracle/number.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace oracle {

// Rounds v, which differs from the real number by at most 2^error, if that decides the rounding.
bool Round(posenc_type type, const Number& v, mpfr_exp_t error, Rounding* out);

// Rounds v, which is the real number: ties to even, and 0 to +0.
void RoundExact(posenc_type type, const Number& v, Rounding* out);

}  // namespace oracle
}  // namespace posenc

#endif  // POSENC_TOOLS_ORACLE_ROUNDING_H_
