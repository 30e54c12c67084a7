// Compares entries with their expected values, and counts what was found.
#ifndef POSENC_TOOLS_VERIFY_FINDINGS_H_
#define POSENC_TOOLS_VERIFY_FINDINGS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/rows.h"
#include "posenc/accuracy.h"
#include "verify/runner.h"

namespace posenc {
namespace tools {

// A mismatch: its description, and where it is.
struct Example {
  std::size_t number, row, column;  // number: the index of the case in its group
  std::string text;
};
inline constexpr std::size_t kMaxExamples = 10;

struct Findings {
  std::uint64_t entries = 0;
  std::uint64_t mismatches = 0;
  double worst_ulp = 0.0;  // the largest error of the entries that were measured
  internal::Tally tally;
  std::vector<Example> examples;  // the first mismatches

  bool right() const { return mismatches == 0 && worst_ulp <= kMaxUlp; }
  Findings& operator+=(const Findings& other);
};

// Compares the rows from `row` on, bit by bit. `number` is the index of the case, for examples.
Findings Compare(Runner* runner, const Variant& variant, const Entries& expected, const Entries& got,
                 const std::string& target, std::size_t number, std::size_t row);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_FINDINGS_H_
