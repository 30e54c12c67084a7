#include "number/exact.h"

#include "verify/outcome.h"

#include <cinttypes>
#include <cstdio>

namespace posenc {
namespace tools {
namespace {

std::string Hexadecimal(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016" PRIx64, value);
  return text;
}

// "3 of 4800 entries differ from MPFR", or an empty text if no entry differs.
std::string TextOf(const Findings& found, const char* other) {
  if (found.right()) return "";
  if (found.mismatches == 0) return "entries are farther from " + std::string(other) + " than half an ULP";
  return std::to_string(found.mismatches) + " of " + std::to_string(found.entries) + " entries differ from " +
         other;
}

}  // namespace

bool IsRight(const Report& report) { return report.found.right() && report.digest.value() == kGoldenDigest; }

std::string Verdict(const Outcome& outcome, const std::vector<std::string>& area_names, const char* other) {
  std::string wrong;
  const auto say = [&](const std::string& where, const std::string& what) {
    if (!what.empty()) wrong += (wrong.empty() ? "" : "; ") + where + ": " + what;
  };
  for (const Report& report : outcome.cases.reports) {
    say(report.target, TextOf(report.found, other));
    if (report.digest.value() == kGoldenDigest) continue;
    say(report.target, "the digest is " + Hexadecimal(report.digest.value()) + ", and " +
                           Hexadecimal(kGoldenDigest) + " is recorded");
  }
  for (const WorstReport& worst : outcome.worst) {
    const std::size_t count = worst.wrong.size();
    say(worst.target, count == 0 ? ""
                                 : std::to_string(count) + " of " + std::to_string(worst.cases) +
                                       " worst cases have wrong results");
  }
  for (std::size_t a = 0; a < outcome.area_reports.size(); ++a) {
    say(area_names[a], TextOf(outcome.area_reports[a].found, other));
  }
  if (!wrong.empty()) return "wrong: " + wrong;
  return std::string("right: all bits match the recorded digest") +
         (other == nullptr ? "" : ", and no entry differs from " + std::string(other));
}

}  // namespace tools
}  // namespace posenc
