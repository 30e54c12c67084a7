// The rotations and caches that posenc verify writes.
#ifndef POSENC_TOOLS_VERIFY_ROTARY_CASES_H_
#define POSENC_TOOLS_VERIFY_ROTARY_CASES_H_

#include <cstdint>
#include <vector>

#include "verify/rotary_case.h"

namespace posenc {
namespace tools {

// Rotations in every type, pairing and arithmetic, of elements of every kind; caches of every layout and
// type, and rotations by them; then every scaling, order of axes, phase rounding and unit, and the angles
// that cancel most.
std::vector<RotaryCase> RotaryDigestCases();

// The part of them that rotary_schedules.cc makes: what differs in its frequencies.
void AppendSchedules(std::vector<RotaryCase>* cases);

// Each scaling, each variant of one that has other constants, a list, and each order of axes: with few pairs.
std::vector<posenc_rotary_spec> EveryScaling();

std::vector<RotaryCase> RotaryTableCases();
std::vector<Group> RotaryAreas(std::uint64_t seed);  // of rotation, and of caches

// Positions of a list: across the range of integers; of no special kind, tiny ones, and others beside
// multiples of pi/2.
std::vector<double> FarPositions();
std::vector<double> RealPositions();

// The case at these positions, the same on all axes but for a shift.
void SetPositions(const std::vector<double>& positions, posenc_type list, RotaryCase* c);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_ROTARY_CASES_H_
