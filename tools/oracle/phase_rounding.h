// Computes the phases of each phase rounding with MPFR, step by step, as docs/conventions.md describes them.
#ifndef POSENC_TOOLS_ORACLE_PHASE_ROUNDING_H_
#define POSENC_TOOLS_ORACLE_PHASE_ROUNDING_H_

#include <cstddef>

#include "oracle/number.h"
#include "posenc/posenc.h"

namespace posenc {
namespace oracle {

// What the phase rounding multiplies positions by (w_i) or divides them by. For F32_ITERATED it is the ratio
// of two successive frequencies.
Number PhaseFactor(const posenc_spec& spec, std::size_t pair);

// The rounded phase, in radians. The offset has been added to the position. The result is exact.
double RoundedPhase(const posenc_spec& spec, const Number& factor, std::size_t pair, double position);

}  // namespace oracle
}  // namespace posenc

#endif  // POSENC_TOOLS_ORACLE_PHASE_ROUNDING_H_
