// The worst cases: inputs that are hard to round, each with the right result and a wrong one. They are data:
// worst_cases.inc lists them and describes its language.
#ifndef POSENC_TOOLS_VERIFY_WORST_CASES_H_
#define POSENC_TOOLS_VERIFY_WORST_CASES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "command/entries.h"
#include "verify/case.h"

namespace posenc {
namespace tools {

struct WorstCase {
  std::string text;  // the words of the line and of its group
  Case c;
  std::size_t row = 0, column = 0;     // where the result is among those of the case
  std::uint64_t right = 0, wrong = 0;  // bits of the case's type
  std::vector<std::string> by;         // what makes the result wrong if it is missing
  std::string from;                    // where the input comes from
};

// All worst cases, in the order of the file. A line that is not well-formed aborts the program.
const std::vector<WorstCase>& WorstCases();

// The row with the result, as a target writes it: [columns].
Entries RowOf(const WorstCase& worst, const char* target);

// A sentence for each worst case whose result is wrong on the target. It shows the line, which names what
// may be missing.
std::vector<std::string> WrongResults(const std::string& target);

// An angle close to a multiple of pi/2, as an input of an encoder: position * scale * frequency.
struct HardAngle {
  double position, scale;
  double frequency;  // a listed frequency, or the base with i = 1 and exponent_dim = -2: base^(-2i /
                     // exponent_dim)
  bool is_integer;   // whether the position is an integer
};

// The angles of the worst cases that come from near_quarter_turns, and of those that were reported.
std::vector<HardAngle> HardAngles();
std::vector<HardAngle> ReportedAngles();

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_WORST_CASES_H_
