// What a spec says of the frequencies, checked and as wide as anything needs them. The only place where
// exponent conventions live.
#ifndef POSENC_SRC_FREQUENCY_SCHEDULE_H_
#define POSENC_SRC_FREQUENCY_SCHEDULE_H_

#include <cstddef>
#include <cstdint>

#include "frequency/rational.h"
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
  bool are_rounded = false;  // to float

  double operator[](std::size_t i) const;
  std::size_t bytes() const { return count * (doubles != nullptr ? sizeof(double) : sizeof(float)); }
  const void* data() const { return doubles != nullptr ? static_cast<const void*>(doubles) : floats; }
};

FrequencyList ListOf(const posenc_spec& spec);

struct RotarySchedule;

// The steps of a rotary embedding, in quarter turns. Called through pointers only, so that a static program
// that rotates nothing links none of it.
struct RotarySteps {
  const RotarySchedule* schedule;
  Wide256 (*in_256_bits)(const RotarySchedule&, std::size_t i);
  Wide1024 (*in_1024_bits)(const RotarySchedule&, std::size_t i);
  RationalStep (*rational)(const RotarySchedule&, std::size_t i);
  bool are_exact;
};

// w_i = scale * least * exp(i * log_ratio), (base / least)^(-2i / exponent_dim) by the exp trick; or scale
// times a listed one; times the unit.
struct Schedule {
  double base;
  double least;  // min_timescale
  double exponent_dim;
  double scale;
  FrequencyList list;  // its unit counts without a list too
  Wide256 log_ratio;   // -2 ln(base / least) / exponent_dim; the other widths compute it anew
  bool is_binary;      // the ratio is 2^ratio_exponent
  std::int64_t ratio_exponent;
  RotarySteps rotary;  // instead of all that, unless its schedule is null

  // Relative errors below 2^-kFrequencyBits<kLimbs>.
  template <int kLimbs>
  Wide<kLimbs> Radians(std::size_t i) const;  // w_i
  template <int kLimbs>
  Wide<kLimbs> QuarterTurns(std::size_t i) const;  // w_i * 2/pi; exact if IsExact()

  // Not rational unless frequencies are in turns or half turns.
  RationalStep RationalQuarterTurns(std::size_t i) const;

  bool IsListed() const { return list.count != 0; }
  bool IsRotary() const { return rotary.schedule != nullptr; }
  bool IsExact() const {
    return IsRotary() ? rotary.are_exact : (IsListed() || is_binary) && list.unit != POSENC_RADIANS;
  }

 private:
  template <int kLimbs>
  Wide<kLimbs> Counted(std::size_t i) const;  // w_i in its unit
};
template <int kLimbs>
inline constexpr int kFrequencyBits = 64 * kLimbs - 36;

// Whether a row has a sine or cosine. A frequency of rows without is 0.
bool HasPairs(const posenc_spec& spec);

// Pairs of a row, half ones too, but at least 1: some rows have none.
std::size_t PairCount(const posenc_spec& spec);

// base and exponent_dim as the phase rounding takes them: some recipes round them to float.
double BaseOf(const posenc_spec& spec);
double ExponentDimOf(const posenc_spec& spec);

// Whether a spec is right, as far as estimates tell in nanoseconds: a frequency within a millionth of the
// limits of the range passes. (Its struct_size, layout and target are not looked at.) *has_large becomes
// whether some |w_i| may exceed four quarter turns.
posenc_status EstimateSchedule(const posenc_spec& spec, bool* has_large);

// Of a spec that EstimateSchedule has passed; its list is not copied.
posenc_status MakeSchedule(const posenc_spec& spec, Schedule* schedule);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_SCHEDULE_H_
