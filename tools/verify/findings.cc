#include "verify/findings.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <tuple>

#include "oracle/format.h"

namespace posenc {
namespace tools {

// A broken target has mismatches by the million; so many errors of a comparison are measured.
constexpr std::uint64_t kMaxMeasured = 1000;

Findings& Findings::operator+=(const Findings& other) {
  entries += other.entries;
  mismatches += other.mismatches;
  worst_ulp = std::max(worst_ulp, other.worst_ulp);
  tally += other.tally;
  examples.insert(examples.end(), other.examples.begin(), other.examples.end());
  std::sort(examples.begin(), examples.end(), [](const Example& a, const Example& b) {
    return std::tie(a.subject, a.row, a.column) < std::tie(b.subject, b.row, b.column);
  });
  if (examples.size() > kMaxExamples) examples.resize(kMaxExamples);
  return *this;
}

Findings Compare(Trial* trial, const Way& way, const Entries& expected, const Entries& got,
                 const std::string& target, std::size_t subject, std::size_t row, std::size_t columns) {
  Findings found;
  found.entries = got.count();
  if (std::memcmp(got.data(), expected.data(), got.bytes()) == 0) return found;
  for (std::size_t i = 0; i < got.count(); ++i) {
    if (got[i] == expected[i]) continue;
    const std::size_t r = row + i / columns, column = i % columns;
    if (++found.mismatches <= kMaxMeasured) {
      found.worst_ulp = std::max(found.worst_ulp, trial->Ulp(way, r, column, got[i]));
    }
    if (found.mismatches > kMaxExamples) continue;
    const std::string text = target + ": " + trial->Place(way, r, column) + ": got " +
                             ShowEntry(way.type, got[i]) + ", expected " + ShowEntry(way.type, expected[i]);
    found.examples.push_back({subject, r, column, text + "; " + trial->Exact(way, r, column)});
  }
  return found;
}

std::string ShowEntry(posenc_type type, std::uint64_t bits) {
  char text[64];
  std::snprintf(text, sizeof(text), "0x%0*llx (%.*g)", static_cast<int>(2 * TraitsOf(type).size),
                static_cast<unsigned long long>(bits), type == POSENC_F64 ? 17 : 9,
                oracle::Unpack(type, bits));
  return text;
}

}  // namespace tools
}  // namespace posenc
