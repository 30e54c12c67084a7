// The frequencies of an encoder as the kernels read them.
#ifndef POSENC_SRC_FREQUENCIES_H_
#define POSENC_SRC_FREQUENCIES_H_

#include <cstddef>

#include "posenc/posenc.h"
#include "schedule.h"

namespace posenc {
namespace internal {

struct DoubleDouble {
  double high, low;  // the value is high + low, |low| <= ulp(high) / 2
};

// Entries of the arrays past `count` are zero (divisors: one), so that kernels may load whole vectors.
inline constexpr std::size_t kPadding = 64;

// Rows on either side of an anchor, and the rotations of a pair: to each of them and to two more anchors.
inline constexpr std::size_t kReach = 8;
inline constexpr std::size_t kRotations = kReach + 2;

struct FrequencyTable {
  bool owned;         // the memory is ours, not the caller's
  std::size_t first;  // of the schedule's pairs, in a view of some of them; else 0
  std::size_t count;
  Recipe recipe;
  Schedule schedule;
  bool steps_are_reduced;

  // Recipe::kExact: the phase steps in quarter turns, w_i * 2/pi, as high + low with a relative error
  // below 2^-kTableBits. For integer positions, and half-integers as anchors of a run of rows, steps beyond
  // four quarter turns are kept modulo eight.
  const double* high;
  const double* low;

  // The steps themselves, for other positions: the same arrays if no step is that large.
  const double* whole_high;
  const double* whole_low;

  // Phases of which the reduction leaves less than this are not accurate: kMaxCancellation; 0 if the steps,
  // and with them the phases, are exact.
  double max_cancellation;

  // Recipe::kExact: [kRotations][2][padded], cosines and sines of w s for the steps s of the run-of-rows
  // kernel (rotate-inl.h); null if the target does not use them.
  const double* rotations;
  std::size_t padded;

  // Recipe::kF32PowDiv: the q_i.
  const float* divisors;
};
inline constexpr int kTableBits = 97;

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCIES_H_
