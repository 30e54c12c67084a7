// The phases of PhaseRounding, each step by MPFR as posenc_c.h words it.
#ifndef POSENC_TOOLS_ORACLE_RECIPES_H_
#define POSENC_TOOLS_ORACLE_RECIPES_H_

#include <cstddef>

#include "oracle/number.h"
#include "posenc/posenc.h"

namespace posenc {
namespace oracle {

// w_i, or what positions are divided by; of kF32Iterated the ratio.
Number RecipeFactor(const posenc_spec& spec, std::size_t pair);

// In radians, of a position with its offset; exact.
double RecipePhase(const posenc_spec& spec, const Number& factor, std::size_t pair, double position);

}  // namespace oracle
}  // namespace posenc

#endif  // POSENC_TOOLS_ORACLE_RECIPES_H_
