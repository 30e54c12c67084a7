// What a spec says of the frequencies, checked and as wide as anything needs them. The only place where
// exponent conventions live.
#ifndef POSENC_SRC_FREQUENCY_SCHEDULE_H_
#define POSENC_SRC_FREQUENCY_SCHEDULE_H_

#include <cstddef>

#include "number/wide.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// A caller's frequencies, of any alignment; of count 0 if there are none.
struct FrequencyList {
  const double* doubles;  // either these
  const float* floats;    // or these
  std::size_t count;
  posenc_unit unit;

  double operator[](std::size_t i) const;
  std::size_t bytes() const { return count * (doubles != nullptr ? sizeof(double) : sizeof(float)); }
  const void* data() const { return doubles != nullptr ? static_cast<const void*>(doubles) : floats; }
};

// w_i = scale * exp(i * log_ratio): base^(-2i / exponent_dim) by the exp trick; or scale times a listed one.
struct Schedule {
  Wide log_ratio;  // -2 ln(base) / exponent_dim
  Wide scale;
  FrequencyList list;

  // Relative errors below 2^-kFrequencyBits.
  Wide Radians(std::size_t i) const;       // w_i
  Wide QuarterTurns(std::size_t i) const;  // w_i * 2/pi; exact if IsExact()

  bool IsListed() const { return list.count != 0; }
  bool IsExact() const { return IsListed() && list.unit != POSENC_RADIANS; }
};
inline constexpr int kFrequencyBits = 220;

std::size_t PairCount(std::size_t dim);

// Of a spec, whose struct_size, layout and target are not looked at; *largest is the largest |w_i|.
posenc_status MakeSchedule(const posenc_spec& spec, Schedule* schedule, double* largest);

// [PairCount(spec.dim)]: the q_i of POSENC_F32_POW_DIV, which are floats.
void FillDivisors(const posenc_spec& spec, double* divisors);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_SCHEDULE_H_
