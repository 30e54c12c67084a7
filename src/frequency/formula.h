// What a spec says about frequencies: the numbers of a formula, and lists.
#ifndef POSENC_SRC_FREQUENCY_FORMULA_H_
#define POSENC_SRC_FREQUENCY_FORMULA_H_

#include <cstddef>
#include <cstring>

#include "frequency/nearest.h"
#include "frequency/rational.h"
#include "posenc/posenc_c.h"

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
  bool are_rounded = false;  // whether reading a value rounds it to float

  double AsGiven(std::size_t i) const { return doubles != nullptr ? Load(doubles, i) : Load(floats, i); }
  double operator[](std::size_t i) const {
    return are_rounded ? static_cast<double>(NearestFloat(AsGiven(i))) : AsGiven(i);
  }
  // Whether rounding to float makes an entry 0 that was not 0.
  bool RoundsToZero(std::size_t i) const { return (*this)[i] == 0.0 && AsGiven(i) != 0.0; }
  std::size_t bytes() const { return count * (doubles != nullptr ? sizeof(double) : sizeof(float)); }
  const void* data() const { return doubles != nullptr ? static_cast<const void*>(doubles) : floats; }

  // Copies the values to copy [count], and refers to the copy from now on. Returns the end of the copy.
  double* MoveTo(double* copy);

 private:
  template <class T>
  static double Load(const T* values, std::size_t i) {
    T value;
    std::memcpy(&value, reinterpret_cast<const unsigned char*>(values) + i * sizeof(value), sizeof(value));
    return static_cast<double>(value);
  }
};

// Checks that a list has one finite frequency for each pair. No list at all is right, too.
// `rounding_takes_it` says whether the spec's phase rounding allows a list.
posenc_status CheckList(const FrequencyList& list, std::size_t pairs, bool rounding_takes_it);

// The frequencies of all pairs of an encoder, or of an axis of a rotary before its scaling:
//
//   w_i = scale * min_timescale * (base / min_timescale)^(-2i / exponent_dim), or scale * list[i]
//
// The formula is from "Attention Is All You Need", section 3.5. Its two timescales are from
// tensor2tensor's get_timing_signal_1d.
struct Formula {
  double base;
  double min_timescale;
  double exponent_dim;
  double scale;  // position_scale; 0 if rows have no pairs
  posenc_unit unit;
  FrequencyList list;     // the caller's frequencies
  FrequencyList factors;  // a rotary's scaling divides frequencies by these

  // What phase roundings need besides: frameworks round the numbers of rotaries at other places, and divide
  // by the factor of POSENC_LINEAR, which is else 1.
  bool is_rotary;
  double linear_factor;

  bool IsListed() const { return list.count != 0; }

  // w_i / divisor, in quarter turns, as a rational number. It is only known to be rational if the unit is
  // turns or half turns.
  RationalStep RationalQuotient(std::size_t entry, double divisor) const;

  // Copies both lists to `copy`, which has room for ListBytes(), and refers to the copies from now on.
  // Returns the end of the copies.
  double* MoveListsTo(double* copy) { return factors.MoveTo(list.MoveTo(copy)); }
  std::size_t ListBytes() const { return (list.count + factors.count) * sizeof(double); }
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_FORMULA_H_
