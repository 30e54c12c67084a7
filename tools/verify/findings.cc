#include "number/exact.h"

#include "verify/findings.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace posenc {
namespace tools {

// How many mismatches of a comparison are measured in ULP. A broken target has millions of them.
constexpr std::uint64_t kMaxMeasured = 1000;

Findings& Findings::operator+=(const Findings& other) {
  entries += other.entries;
  mismatches += other.mismatches;
  worst_ulp = std::max(worst_ulp, other.worst_ulp);
  tally += other.tally;
  examples.insert(examples.end(), other.examples.begin(), other.examples.end());
  std::sort(examples.begin(), examples.end(), [](const Example& a, const Example& b) {
    return std::tie(a.number, a.row, a.column) < std::tie(b.number, b.row, b.column);
  });
  if (examples.size() > kMaxExamples) examples.resize(kMaxExamples);
  return *this;
}

Findings Compare(Runner* runner, const Variant& variant, const Entries& expected, const Entries& got,
                 const std::string& target, std::size_t number, std::size_t row) {
  const std::size_t columns = variant.as.columns();
  Findings found;
  found.entries = got.count();
  if (std::memcmp(got.data(), expected.data(), got.bytes()) == 0) return found;
  for (std::size_t i = 0; i < got.count(); ++i) {
    if (got[i] == expected[i]) continue;
    const std::size_t r = row + i / columns, column = i % columns;
    if (++found.mismatches <= kMaxMeasured) {
      found.worst_ulp = std::max(found.worst_ulp, runner->Ulp(variant, r, column, got[i]));
    }
    if (found.mismatches > kMaxExamples) continue;
    found.examples.push_back(
        {number, r, column, target + ": " + runner->Explain(variant, r, column, got[i], expected[i])});
  }
  return found;
}

}  // namespace tools
}  // namespace posenc
