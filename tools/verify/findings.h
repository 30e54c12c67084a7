// What was compared, and what was found.
#ifndef POSENC_TOOLS_VERIFY_FINDINGS_H_
#define POSENC_TOOLS_VERIFY_FINDINGS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/rows.h"
#include "posenc/accuracy.h"
#include "verify/trial.h"

namespace posenc {
namespace tools {

// A mismatch in words, and where it is.
struct Example {
  std::size_t number, row, column;  // of the case in its group
  std::string text;
};
inline constexpr std::size_t kMaxExamples = 10;

struct Findings {
  std::uint64_t entries = 0;
  std::uint64_t mismatches = 0;
  double worst_ulp = 0.0;  // of the entries that were measured
  internal::Tally tally;
  std::vector<Example> examples;  // the first ones

  bool right() const { return mismatches == 0 && worst_ulp <= kMaxUlp; }
  Findings& operator+=(const Findings& other);
};

// Compares rows from that one on, bit by bit. Examples get the number of the case.
Findings Compare(Trial* trial, const Way& way, const Entries& expected, const Entries& got,
                 const std::string& target, std::size_t number, std::size_t row);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_FINDINGS_H_
