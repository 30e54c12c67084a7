// The angles of near_quarter_turns.h as inputs of an encoder: position * scale * frequency.
#ifndef POSENC_TOOLS_VERIFY_HARD_ANGLES_H_
#define POSENC_TOOLS_VERIFY_HARD_ANGLES_H_

#include <cmath>
#include <cstdint>
#include <vector>

#include "verify/near_quarter_turns.h"

namespace posenc {
namespace tools {

struct HardAngle {
  double position, scale;
  double frequency;  // a listed frequency, or the base with i = 1 and exponent_dim = -2: base^(-2i /
                     // exponent_dim)
  bool is_integer;   // whether the position is an integer
};

// All angles, in the order of kNearQuarterTurns. The integers there are multiplied by powers of two, so that
// positions and frequencies are in range.
inline std::vector<HardAngle> HardAngles() {
  constexpr int kFrequencyShift = 40;
  std::vector<HardAngle> angles;
  for (const NearQuarterTurn& t : kNearQuarterTurns) {
    const auto a = static_cast<double>(t.a), b = static_cast<double>(t.b), c = static_cast<double>(t.c);
    const bool is_integer = a < 0x1p31;
    const int shift = is_integer ? 0 : 30 - std::ilogb(a);
    angles.push_back({std::ldexp(a, shift), std::ldexp(b, kFrequencyShift - shift - t.s),
                      std::ldexp(c, -kFrequencyShift), is_integer});
  }
  return angles;
}

// The hard angles that were reported first. The first one has a listed frequency, and the others have a base.
inline std::vector<HardAngle> ReportedAngles() {
  return {{0x1.87ffb6daa07c4p+30, 0x1.75deab83dccc1p+12, 0x1.097ab46a94729p+17, false},
          {0x1.8238f51019ad7p+30, 0x1.9a93e95ac5d61p-124, 0x1.4a3b477d25e79p+153, false},
          {2121464482.0, 0x1.bf0def74c5b5fp-62, 0x1.c6b5d2407d4dcp+91, true}};
}

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_HARD_ANGLES_H_
