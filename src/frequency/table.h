// The frequencies of an encoding as the kernels read them.
#ifndef POSENC_SRC_FREQUENCY_TABLE_H_
#define POSENC_SRC_FREQUENCY_TABLE_H_

#include <cstddef>

#include "frequency/rational.h"
#include "frequency/recipe.h"
#include "frequency/schedule.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

inline bool IsWhole(double position) {
  return static_cast<double>(static_cast<std::int64_t>(position)) == position;
}

// Entries of the arrays past `count` are zero, so that kernels may load whole vectors.
inline constexpr std::size_t kPadding = 64;

// Rows on either side of an anchor, and the offsets of a pair: to each of them and to two more anchors.
inline constexpr std::size_t kReach = 8;
inline constexpr std::size_t kOffsets = kReach + 2;

// The arrays are described once, by ForEachArray in table.cc, and lie behind one another in one block of
// memory.
struct FrequencyTable {
  Schedule schedule;  // what the steps were made of, for the last resort
  Recipe recipe;      // of rounded phases; each step is one radian then
  std::size_t first;  // of the schedule's pairs, in a slice of them; else 0
  std::size_t count;
  std::size_t padded;
  bool is_listed;
  bool steps_are_reduced;
  bool has_offsets;

  // Phases of which the reduction leaves less than this are not accurate: kMaxCancellation; 0 if the steps,
  // and with them the phases, are exact.
  double max_cancellation;

  // The first so many pairs have steps of at least kLeastQuick, which are neither exact nor a recipe's.
  std::size_t usual;

  // The caller's frequencies, if it gave some.
  double* listed;

  // The phase steps in quarter turns, w_i * 2/pi, as high + low with a relative error below 2^-kTableBits.
  // For integer positions, and half-integers as anchors of a run of rows, steps beyond four quarter turns are
  // kept modulo eight.
  double* high;
  double* low;

  // The steps themselves, for other positions: the same arrays if no step is that large.
  double* whole_high;
  double* whole_low;

  RationalStep* rational;  // the same steps, if they are in turns; else null
  bool has_rational;

  // [kOffsets][2][padded], cosines and sines of w s for the offsets s of angle addition
  // (kernel/anchors-inl.h); null unless has_offsets.
  double* offsets;
  float* float_offsets;  // [kReach][2][padded], the first kReach of them as floats

  double* recipe_values;  // that the recipe has

  // phases [pairs] of a recipe, of the pairs from i on.
  void FillPhases(double position, std::size_t i, std::size_t pairs, double* phases) const {
    recipe.Fill(position, first + i, pairs, phases);
  }

  // The phase of pair i at a multiple, in twenty-fourths of a turn, where that is known (rational.h); else
  // -1.
  int KnownAngleAt(std::size_t i, double multiple) const {
    return rational == nullptr || multiple == 0.0 ? -1 : KnownAngle(rational[i], multiple);
  }

  // Of `pairs` pairs from pair i on the first so many are worth trying with fewer terms at that position.
  std::size_t QuickPairs(double position, std::size_t i, std::size_t pairs) const;

  // The pairs first .. first + count - 1.
  FrequencyTable Slice(std::size_t first_pair, std::size_t pairs) const;
};
inline constexpr int kTableBits = 97;
inline constexpr double kMaxStep = 4.0;  // in quarter turns; larger steps are reduced

// A table without its schedule and its arrays, in nanoseconds; for the caller to set: has_offsets.
posenc_status PlanTable(const posenc_spec& spec, FrequencyTable* table);

// Of the arrays, all of them.
std::size_t ArrayBytes(const FrequencyTable& table);

// Puts the arrays into memory [ArrayBytes(*table)], which is aligned for doubles, and fills all but the
// offsets; the table has its schedule.
void FillTable(const posenc_spec& spec, void* memory, FrequencyTable* table);

// For other nouns: sets the pointers into memory, which becomes zero but for the pairs' offsets; and, once
// high and low are the whole steps, reduces them and sees whether they are exact.
void PlaceArrays(void* memory, FrequencyTable* table);
void FinishSteps(FrequencyTable* table);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_TABLE_H_
