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

struct RotarySchedule;

// The steps of a rotary embedding, in quarter turns. Called through pointers only, so that a static program
// that rotates nothing links none of it.
struct RotarySteps {
  const RotarySchedule* schedule;
  Wide256 (*in_256_bits)(const RotarySchedule&, std::size_t i);
  Wide1024 (*in_1024_bits)(const RotarySchedule&, std::size_t i);
  bool are_exact;
};

// w_i = scale * exp(i * log_ratio): base^(-2i / exponent_dim) by the exp trick; or scale times a listed one.
struct Schedule {
  double base;
  double exponent_dim;
  double scale;
  FrequencyList list;
  Wide256 log_ratio;   // -2 ln(base) / exponent_dim; the other widths compute it anew
  RotarySteps rotary;  // instead of all that, unless its schedule is null

  // Relative errors below 2^-kFrequencyBits<kLimbs>.
  template <int kLimbs>
  Wide<kLimbs> Radians(std::size_t i) const;  // w_i
  template <int kLimbs>
  Wide<kLimbs> QuarterTurns(std::size_t i) const;  // w_i * 2/pi; exact if IsExact()

  bool IsListed() const { return list.count != 0; }
  bool IsRotary() const { return rotary.schedule != nullptr; }
  bool IsExact() const { return IsRotary() ? rotary.are_exact : IsListed() && list.unit != POSENC_RADIANS; }
};
template <int kLimbs>
inline constexpr int kFrequencyBits = 64 * kLimbs - 36;

std::size_t PairCount(std::size_t dim);

// Whether a spec is right, as far as estimates tell in nanoseconds: a frequency within a millionth of the
// limits of the range passes. (Its struct_size, layout and target are not looked at.) *has_large becomes
// whether some |w_i| may exceed four quarter turns.
posenc_status EstimateSchedule(const posenc_spec& spec, bool* has_large);

// Of a spec that EstimateSchedule has passed; its list is not copied.
posenc_status MakeSchedule(const posenc_spec& spec, Schedule* schedule);

// The nearest number of a type, ties to even. What 256 bits cannot tell from a midpoint is one: a quotient,
// or a power with an integer for exponent.
double NearestOrTie(Wide256 x, posenc_type type);

// [PairCount(spec.dim)]: the q_i of POSENC_F32_POW_DIV, which are floats.
void FillDivisors(const posenc_spec& spec, double* divisors);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_SCHEDULE_H_
