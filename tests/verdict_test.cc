// The line with which posenc verify sums up its findings. tests/cli has the line for a correct library.
#include <gtest/gtest.h>

#include <string>

#include "verify/outcome.h"

namespace posenc {
namespace tools {
namespace {

// The FNV-1a hash of nothing, which is not the recorded digest.
constexpr char kNothing[] = "the digest is cbf29ce484222325, and e833b82e7f344298 is recorded";

Report ReportOf(const std::string& target, std::uint64_t entries, std::uint64_t mismatches) {
  Report report;
  report.target = target;
  report.found.entries = entries;
  report.found.mismatches = mismatches;
  return report;
}

TEST(Verdict, IsRightIfNothingDiffers) {
  EXPECT_EQ(Verdict({}, {}, nullptr), "right: all bits match the recorded digest");
  EXPECT_EQ(Verdict({}, {}, "MPFR"),
            "right: all bits match the recorded digest, and no entry differs from MPFR");
}

TEST(Verdict, NamesEachTargetAndWhatDiffers) {
  Outcome outcome;
  outcome.cases.reports = {ReportOf("AVX2", 4800, 0), ReportOf("SSE4", 4800, 3)};
  EXPECT_EQ(Verdict(outcome, {}, "MPFR"),
            std::string("wrong: AVX2: ") + kNothing +
                "; SSE4: 3 of 4800 entries differ from MPFR; SSE4: " + kNothing);
  outcome.cases.reports = {ReportOf("REFERENCE", 9, 0)};
  outcome.cases.reports[0].found.worst_ulp = 0.75;
  EXPECT_EQ(Verdict(outcome, {}, "MPFR"),
            std::string("wrong: REFERENCE: entries are farther from MPFR than half an ULP; REFERENCE: ") +
                kNothing);
}

TEST(Verdict, CountsWorstCases) {
  Outcome outcome;
  outcome.worst = {{"AVX2", 400, {}}, {"SSE4", 400, {"a sentence", "another"}}};
  EXPECT_EQ(Verdict(outcome, {}, nullptr), "wrong: SSE4: 2 of 400 worst cases have wrong results");
}

TEST(Verdict, NamesAreas) {
  Outcome outcome;
  outcome.area_reports.resize(2);
  outcome.area_reports[1].found = ReportOf("", 80, 5).found;
  EXPECT_EQ(Verdict(outcome, {"rotation", "caches"}, "MPFR"),
            "wrong: caches: 5 of 80 entries differ from MPFR");
}

}  // namespace
}  // namespace tools
}  // namespace posenc
