// What a Spec says of the frequencies, checked and as exact as anything needs them. The only place where
// exponent conventions live.
#ifndef POSENC_SRC_SCHEDULE_H_
#define POSENC_SRC_SCHEDULE_H_

#include <cstddef>

#include "posenc/posenc.h"
#include "wide.h"

namespace posenc {
namespace internal {

// w_i = scale * exp(i * log_ratio): base^(-2i / exponent_dim) by the exp trick; or scale times a listed one.
struct Schedule {
  Wide log_ratio;  // -2 ln(base) / exponent_dim
  Wide scale;
  FrequencyList list;  // of count 0 if there is none

  // Relative errors below 2^-kFrequencyBits.
  Wide Radians(std::size_t i) const;       // w_i
  Wide QuarterTurns(std::size_t i) const;  // w_i * 2/pi; exact if IsExact()

  bool IsListed() const { return list.count != 0; }
  bool IsExact() const { return IsListed() && list.unit != FrequencyUnit::kRadians; }
  double Listed(std::size_t i) const;
};
inline constexpr int kFrequencyBits = 220;

std::size_t PairCount(std::size_t dim);

// Of a spec, whose target alone is not looked at; *largest is the largest |w_i|.
Status MakeSchedule(const Spec& spec, Schedule* schedule, double* largest);

// [PairCount(spec.dim)]: the q_i of Recipe::kF32PowDiv.
void FillDivisors(const Spec& spec, float* divisors);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_SCHEDULE_H_
