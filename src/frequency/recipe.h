// The phases of frameworks, step by step, as posenc_phase_rounding names them for encoders.
#ifndef POSENC_SRC_FREQUENCY_RECIPE_H_
#define POSENC_SRC_FREQUENCY_RECIPE_H_

#include <cstddef>

#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

struct Recipe {
  posenc_phase_rounding rounding;  // POSENC_NO_PHASE_ROUNDING: none
  double scale;                    // what phases are multiplied by at last
  float ratio;                     // POSENC_F32_ITERATED: of t_{i+1} and t_i
  double* values;                  // [pairs]: w_i, or what positions are divided by; unused if iterated

  bool IsNone() const { return rounding == POSENC_NO_PHASE_ROUNDING; }

  // phases [count] in radians, of the pairs first .. first + count - 1 at a position.
  void Fill(double position, std::size_t first, std::size_t count, double* phases) const;
};

// Of a spec that MakeSchedule has passed. values [PairCount(spec)] become the recipe's, unless it is
// iterated.
Recipe MakeRecipe(const posenc_spec& spec, double* values);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_RECIPE_H_
