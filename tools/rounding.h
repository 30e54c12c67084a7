// Rounds real numbers that MPFR knows closely.
#ifndef POSENC_TOOLS_ROUNDING_H_
#define POSENC_TOOLS_ROUNDING_H_

#include <cstdint>

#include "distances.h"
#include "format.h"
#include "number.h"

namespace posenc {
namespace oracle {

// Rounds v, which differs from the real number by at most 2^error, if that decides the rounding.
bool Round(Format format, const Number& v, mpfr_exp_t error, Rounding* out);

}  // namespace oracle
}  // namespace posenc

#endif  // POSENC_TOOLS_ROUNDING_H_
