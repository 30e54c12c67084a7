// The frequencies of an encoder or a rotary, as precisely as anyone needs them. A spec becomes a Schedule
// once, and the Schedule evaluates any frequency in 256 or 1,024 bits. No other file knows the formulas of
// the frequencies.
#ifndef POSENC_SRC_FREQUENCY_SCHEDULE_H_
#define POSENC_SRC_FREQUENCY_SCHEDULE_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "frequency/phase_rounding.h"
#include "frequency/rational.h"
#include "number/wide.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

template <class Enum, class... Values>
constexpr bool IsOneOf(Enum value, Values... values) {
  return ((value == values) || ...);
}

// A list of frequencies or factors that the caller gave. It may have any alignment. count is 0 if there is no
// list.
struct FrequencyList {
  const double* doubles;  // the values if they are doubles, else null
  const float* floats;    // the values if they are floats, else null
  std::size_t count;
  posenc_unit unit;
  bool are_rounded = false;  // whether reading a value rounds it to float

  double AsGiven(std::size_t i) const { return doubles != nullptr ? Load(doubles, i) : Load(floats, i); }
  double operator[](std::size_t i) const {
    return are_rounded ? static_cast<double>(NearestFloat(AsGiven(i))) : AsGiven(i);
  }
  // Whether rounding to float makes an entry 0 that was not 0.
  bool Vanishes(std::size_t i) const { return (*this)[i] == 0.0 && AsGiven(i) != 0.0; }
  std::size_t bytes() const { return count * (doubles != nullptr ? sizeof(double) : sizeof(float)); }
  // Copies the values to copy [count], and refers to the copy from now on. Returns the end of the copy.
  double* MoveTo(double* copy);
  const void* data() const { return doubles != nullptr ? static_cast<const void*>(doubles) : floats; }

 private:
  template <class T>
  static double Load(const T* values, std::size_t i) {
    T value;
    std::memcpy(&value, reinterpret_cast<const unsigned char*>(values) + i * sizeof(value), sizeof(value));
    return static_cast<double>(value);
  }
};

FrequencyList ListOf(const posenc_spec& spec);

struct Scaling;
struct Schedule;

// How a rotary's schedule is evaluated, with its axes and its scaling (scaling.h). The functions are called
// through pointers, so that a statically linked program without rotaries does not contain them.
struct ScalingCalls {
  const Schedule& (*own)(const Schedule& schedule, std::size_t* pair);  // Schedule::Own
  // w_i in quarter turns. The schedule and the entry come from `own`.
  Wide256 (*in_256_bits)(const Schedule& own, std::size_t entry);
  Wide1024 (*in_1024_bits)(const Schedule& own, std::size_t entry);
  RationalStep (*rational)(const Schedule& own, std::size_t entry);
  // Writes w_i of all pairs as sums of two doubles, high + low [pairs], for FrequencyTable (table.h).
  void (*fill)(const Schedule& schedule, double* high, double* low);
};

// The frequencies of all pairs, in the unit of the list (which counts without a list, too):
//
//   w_i = scale * min_timescale * (base / min_timescale)^(-2i / exponent_dim), or scale * list[i]
//
// The formula is from "Attention Is All You Need", section 3.5. Its two timescales are from
// tensor2tensor's get_timing_signal_1d. For a rotary with a scaling, the scaling's formula uses the same
// members.
struct Schedule {
  double base;
  double min_timescale;
  double exponent_dim;
  double scale;               // position_scale; 0 if rows have no pairs
  FrequencyList list;         // the caller's frequencies
  FrequencyList factors;      // a rotary's scaling divides frequencies by these
  const Scaling* scaling;     // null for encoders
  const ScalingCalls* calls;  // null for encoders
  bool is_exact;              // whether QuarterTurns has no error

  // The ratio of neighbouring frequencies, w_{i+1} / w_i; unused with a list or a scaling.
  Wide256 log_ratio;            // its logarithm, -2 ln(base / min_timescale) / exponent_dim
  bool is_binary;               // whether it is a power of two
  std::int64_t ratio_exponent;  // the exponent of that power

  // w_i in radians and in quarter turns. The relative error is below 2^-kFrequencyBits<kLimbs>. Some scalings
  // are less precise in 1,024 bits: their error is below 2^-700 (scaling.h).
  template <int kLimbs>
  Wide<kLimbs> Radians(std::size_t i) const;
  template <int kLimbs>
  Wide<kLimbs> QuarterTurns(std::size_t i) const;  // without an error if IsExact()

  // The double nearest to w_i in radians, ties to even.
  double NearestRadians(std::size_t i) const;

  // QuarterTurns(i) as a rational number. It is only known to be rational if the unit is turns or half turns.
  RationalStep RationalQuarterTurns(std::size_t i) const;

  // The same for an unscaled frequency, from list[entry] or from the base, divided by `divisor`.
  RationalStep RationalQuotient(std::size_t entry, double divisor) const;

  // The schedule that evaluates a pair: for axial axes the schedule of the pair's axis, else this one. *pair
  // is a pair of the whole rotary before the call; afterwards it is the pair's entry, the i of formulas and
  // lists, in the schedule that is returned.
  const Schedule& Own(std::size_t* pair) const {
    return scaling == nullptr ? *this : calls->own(*this, pair);
  }

  // If a step or phase in 1,024 bits may be rational, and agrees with a known angle in at least this number
  // of bits, then it is that angle.
  int KnownBits() const { return scaling == nullptr ? 870 : 600; }

  bool IsListed() const { return list.count != 0; }
  bool IsExact() const { return is_exact; }

 private:
  template <int kLimbs>
  Wide<kLimbs> Unscaled(std::size_t i) const;  // w_i in the list's unit, before a scaling
};
template <int kLimbs>
inline constexpr int kFrequencyBits = 64 * kLimbs - 36;

// The range of |w_i| in radians. w_i may also be 0.
inline constexpr double kMinFrequency = 0x1p-126;
inline constexpr double kMaxFrequency = 0x1p31;

inline constexpr double kMaxStep = 4.0;  // in quarter turns; tables store larger steps modulo eight

// Converts a frequency to quarter turns. The result is exact unless the unit is radians.
template <int kLimbs>
inline Wide<kLimbs> InQuarterTurns(Wide<kLimbs> frequency, posenc_unit unit) {
  if (unit == POSENC_RADIANS) return Multiply(frequency, QuarterTurnsPerRadian<kLimbs>());
  frequency.exponent += unit == POSENC_TURNS ? 2 : 1;
  return frequency;
}

// The number of pairs of a row, where half a pair counts as one. At least 1, even for rows without pairs.
std::size_t PairCount(const posenc_spec& spec);

// base and exponent_dim as the phase rounding uses them: some roundings first round them to float.
double BaseOf(const posenc_spec& spec);
double ExponentDimOf(const posenc_spec& spec);

// Checks that a list has one finite frequency for each pair. No list at all is right, too.
// `rounding_takes_it` says whether the spec's phase rounding allows a list.
posenc_status CheckList(const FrequencyList& list, std::size_t pairs, bool rounding_takes_it);

// Check each member of a spec by itself, and the members that clash. Other files check the rest: the range of
// frequencies (CheckRange, PlanRotaryTable), struct_size (spec/versioned.h), target (kernel/targets.h), an
// encoder's columns (call/columns.cc) and padding (api/encoder.cc). A rotary's rotary_dim and exponent_dim
// are set if they are 0, which means the default. Members that the scaling does not use may have any value
// except NaN.
posenc_status CheckSpec(const posenc_spec& spec);
posenc_status CheckSpec(posenc_rotary_spec* spec);

// Checks that all frequencies are in range. The spec has passed CheckSpec. Without a schedule, estimates
// decide in nanoseconds, and a frequency within a millionth of a limit passes. Sets *has_large if some |w_i|
// may exceed four quarter turns. Changes the schedule's scale.
posenc_status CheckRange(const posenc_spec& spec, Schedule* schedule, bool* has_large);

// Turns a spec that has passed CheckRange into a schedule, and checks its frequencies again, this time
// exactly. The schedule refers to the caller's list.
posenc_status MakeSchedule(const posenc_spec& spec, Schedule* schedule);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_SCHEDULE_H_
