// The frequencies of a spec as exact numbers, for encoders and rotaries alike. Either spec is lowered to a
// Schedule once, which evaluates any frequency in 256 or 1,024 bits. The only place with exponent
// conventions.
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

// A list of a caller's, of frequencies or factors, at any alignment; its count is 0 if there is none.
struct FrequencyList {
  const double* doubles;  // either these
  const float* floats;    // or these
  std::size_t count;
  posenc_unit unit;
  bool are_rounded = false;  // to float, when they are read

  double AsGiven(std::size_t i) const { return doubles != nullptr ? Load(doubles, i) : Load(floats, i); }
  double operator[](std::size_t i) const {
    return are_rounded ? static_cast<double>(NearestFloat(AsGiven(i))) : AsGiven(i);
  }
  // Whether rounding makes an entry 0.
  bool Vanishes(std::size_t i) const { return (*this)[i] == 0.0 && AsGiven(i) != 0.0; }
  std::size_t bytes() const { return count * (doubles != nullptr ? sizeof(double) : sizeof(float)); }
  // Becomes a copy of itself at copy [count], doubles. Returns where the copy ends.
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

// What a rotary's axes and scaling (scaling.h) make of a schedule. They are called through pointers only, so
// that a static program that rotates nothing does not link them.
struct ScalingCalls {
  const Schedule& (*own)(const Schedule& schedule, std::size_t* pair);  // Schedule::Own
  // w_i in quarter turns, of a schedule and an entry that `own` gave.
  Wide256 (*in_256_bits)(const Schedule& own, std::size_t entry);
  Wide1024 (*in_1024_bits)(const Schedule& own, std::size_t entry);
  RationalStep (*rational)(const Schedule& own, std::size_t entry);
  // w_i of all pairs, high + low [pairs], as tables have them (table.h).
  void (*fill)(const Schedule& schedule, double* high, double* low);
};

// w_i = scale * min_timescale * (base / min_timescale)^(-2i / exponent_dim), or scale * list[i], in the
// list's unit; after "Attention Is All You Need", section 3.5, with the two timescales of tensor2tensor's
// get_timing_signal_1d. If there is a scaling, it makes a rotary's frequencies from the same members.
struct Schedule {
  double base;
  double min_timescale;
  double exponent_dim;
  double scale;            // position_scale; 0 if rows have no pairs
  FrequencyList list;      // its unit counts without a list too
  FrequencyList factors;   // which a rotary's scaling divides by
  const Scaling* scaling;  // null for encoders
  const ScalingCalls* calls;
  bool is_exact;
  // Of the ratio of neighbours, unless there is a list or a scaling: its logarithm,
  // -2 ln(base / min_timescale) / exponent_dim; and its exponent, if it is a power of two.
  Wide256 log_ratio;
  bool is_binary;
  std::int64_t ratio_exponent;

  // w_i in radians and in quarter turns. Relative errors below 2^-kFrequencyBits<kLimbs>; of a scaling's
  // 1,024 bits at worst 2^-700 (scaling.h).
  template <int kLimbs>
  Wide<kLimbs> Radians(std::size_t i) const;
  template <int kLimbs>
  Wide<kLimbs> QuarterTurns(std::size_t i) const;  // without an error if IsExact()

  // The double nearest to w_i in radians, ties to even.
  double NearestRadians(std::size_t i) const;

  // QuarterTurns(i) as a rational number; not known to be one unless frequencies are in turns or half turns.
  RationalStep RationalQuarterTurns(std::size_t i) const;

  // The same for an unscaled frequency, which list[entry] or the base gives, divided by `divisor`.
  RationalStep RationalQuotient(std::size_t entry, double divisor) const;

  // The schedule that evaluates a pair, of its axis if axes have schedules of their own; *pair becomes i of
  // formulas and of lists there.
  const Schedule& Own(std::size_t* pair) const {
    return scaling == nullptr ? *this : calls->own(*this, pair);
  }

  // Of a step or phase in 1,024 bits that may be rational: if it agrees with a known angle in so many bits,
  // it is that angle.
  int KnownBits() const { return scaling == nullptr ? 870 : 600; }

  bool IsListed() const { return list.count != 0; }
  bool IsExact() const { return is_exact; }

 private:
  template <int kLimbs>
  Wide<kLimbs> Unscaled(std::size_t i) const;  // w_i in its unit, without a scaling
};
template <int kLimbs>
inline constexpr int kFrequencyBits = 64 * kLimbs - 36;

// The range of |w_i| in radians; w_i may also be 0.
inline constexpr double kMinFrequency = 0x1p-126;
inline constexpr double kMaxFrequency = 0x1p31;

inline constexpr double kMaxStep = 4.0;  // in quarter turns; tables keep larger steps modulo eight

// A frequency in quarter turns; exact unless the unit is radians.
template <int kLimbs>
inline Wide<kLimbs> InQuarterTurns(Wide<kLimbs> frequency, posenc_unit unit) {
  if (unit == POSENC_RADIANS) return Multiply(frequency, QuarterTurnsPerRadian<kLimbs>());
  frequency.exponent += unit == POSENC_TURNS ? 2 : 1;
  return frequency;
}

// Pairs of a row, half ones too; at least 1, though some rows have none.
std::size_t PairCount(const posenc_spec& spec);

// base and exponent_dim as a phase rounding takes them: some round them to float.
double BaseOf(const posenc_spec& spec);
double ExponentDimOf(const posenc_spec& spec);

// Whether a list has a finite frequency for each pair, or there is none.
posenc_status CheckList(const FrequencyList& list, std::size_t pairs, bool rounding_takes_it);

// What a valid spec is, but for what its frequencies decide (schedule.cc, rotary_checks.cc). Of an encoder's
// spec struct_size, layout, target and flags are not looked at, of a rotary's struct_size and target. A
// rotary's rotary_dim and exponent_dim are set if they are 0, the default. Settings that a scaling does not
// use may be anything but a NaN.
posenc_status CheckSpec(const posenc_spec& spec);
posenc_status CheckSpec(posenc_rotary_spec* spec);

// Whether all frequencies of a spec that CheckSpec has passed are in range. Without a schedule, estimates
// decide in nanoseconds, and a frequency within a millionth of a limit passes. *has_large becomes whether
// some |w_i| may exceed four quarter turns. Changes the schedule's scale.
posenc_status CheckRange(const posenc_spec& spec, Schedule* schedule, bool* has_large);

// Lowers a spec that CheckRange has passed, and checks it again, exactly. The list is not copied.
posenc_status MakeSchedule(const posenc_spec& spec, Schedule* schedule);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_SCHEDULE_H_
