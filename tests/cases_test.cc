// The cases of `posenc verify`: every target writes them, and every entry is compared with MPFR, bit by bit.
// Each group of rows (tools/verify/row_groups.h) is a test for each target. At the end the program prints for
// each target how many entries it compared.
//
// The oracle computes each group once, for all targets, because the targets of a group run one after another.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command/require.h"
#include "per_target.h"
#include "posenc/accuracy.h"
#include "verify/cases.h"
#include "verify/verify.h"

namespace posenc {
namespace tools {

void Require(posenc_status status) {
  if (status != POSENC_OK) throw std::runtime_error(posenc_status_message(status));
}

namespace {

struct Parameter {
  const Group* group;
  posenc_target target;
};

void PrintTo(const Parameter& parameter, std::ostream* os) {
  *os << parameter.group->name << "_" << parameter.target.name;
}

// REFERENCE is slow and takes one chunk of tables in so many.
constexpr std::size_t kReferenceEvery = 16;

// The targets that are tested with this group: those that this CPU runs and --gtest_filter does not leave
// out.
std::vector<std::string> WantedTargets(const Group& group) {
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  const testing::TestSuite& suite = *tests.current_test_suite();
  std::vector<std::string> wanted;
  for (const posenc_target& target : RunnableTargets()) {
    const std::string name = "/" + group.name + "_" + target.name;
    for (int i = 0; i < suite.total_test_count(); ++i) {
      const testing::TestInfo& test = *suite.GetTestInfo(i);
      const std::string_view its = test.name();
      if (test.should_run() && its.substr(its.find('/')) == name) wanted.emplace_back(target.name);
    }
  }
  return wanted;
}

// The reports for a group, of all its targets. The last ones are kept.
const std::vector<Report>& ReportsOf(const Group& group, bool are_tables) {
  static std::string name;
  static std::vector<Report> reports;
  if (name == group.name) return reports;
  Plan plan;
  plan.groups = {group};
  plan.targets = WantedTargets(group);
  plan.reference_every = are_tables ? kReferenceEvery : 1;
  plan.progress = [](double) {};
  plan.fewer_threads = [](unsigned, unsigned) {};
  reports = Verify(plan).front().reports;
  name = group.name;
  return reports;
}

std::map<std::string, std::uint64_t>& Compared() {
  static std::map<std::string, std::uint64_t> entries;
  return entries;
}

class Cases : public testing::TestWithParam<Parameter> {
 protected:
  void SetUp() override {
    if (target().runnable == 0) GTEST_SKIP() << "this CPU cannot run " << target().name;
  }
  static const Group& group() { return *GetParam().group; }
  static const posenc_target& target() { return GetParam().target; }

  static void ExpectNoMismatch(bool are_tables) {
    const std::vector<Report>& reports = ReportsOf(group(), are_tables);
    const auto report = std::find_if(reports.begin(), reports.end(),
                                     [](const Report& r) { return r.target == target().name; });
    ASSERT_NE(report, reports.end());
    const Findings& found = report->found;
    Compared()[target().name] += found.entries;
    for (const Example& example : found.examples) ADD_FAILURE() << example.text;
    EXPECT_EQ(found.mismatches, 0u) << "of " << found.entries;
    EXPECT_LE(found.worst_ulp, kMaxUlp);
    if (found.entries == 0 && target().name == std::string(kReference)) GTEST_SKIP() << "slow";
    EXPECT_GT(found.entries, 0u);
  }
};

// All targets for each group that `is_wanted`. The groups live on.
std::vector<Parameter> ParametersOf(std::vector<Group> groups, bool (*is_wanted)(const Case&)) {
  static std::deque<Group> kept;
  std::vector<Parameter> parameters;
  for (Group& group : groups) {
    if (!is_wanted(group.cases.front())) continue;
    kept.push_back(std::move(group));
    for (const posenc_target& target : CompiledTargets()) parameters.push_back({&kept.back(), target});
  }
  return parameters;
}

#define POSENC_INSTANTIATE(Prefix, Suite, groups, is_wanted)                                  \
  INSTANTIATE_TEST_SUITE_P(Prefix, Suite, testing::ValuesIn(ParametersOf(groups, is_wanted)), \
                           [](const auto& param_info) { return testing::PrintToString(param_info.param); })

TEST_P(Cases, HaveTheExpectedEntries) { ExpectNoMismatch(false); }

POSENC_INSTANTIATE(Encodings, Cases, DigestGroups(), [](const Case& c) { return !c.is_rotary(); });
POSENC_INSTANTIATE(Rotaries, Cases, DigestGroups(), [](const Case& c) { return c.is_rotary(); });

class Tables : public Cases {};

TEST_P(Tables, HaveTheExpectedEntries) { ExpectNoMismatch(true); }

POSENC_INSTANTIATE(, Tables, TableGroups(), [](const Case&) { return true; });

class Summary : public testing::Environment {
 public:
  void TearDown() override {
    for (const posenc_target& target : CompiledTargets()) {
      std::printf("compared: %-10s %12llu entries%s\n", target.name,
                  static_cast<unsigned long long>(Compared()[target.name]),
                  target.runnable == 0 ? " (this CPU cannot run it)" : "");
    }
  }
};

const testing::Environment* const kSummary = testing::AddGlobalTestEnvironment(new Summary);

}  // namespace
}  // namespace tools
}  // namespace posenc
