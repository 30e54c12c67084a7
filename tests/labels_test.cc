// The labels for the cases of posenc verify. tools/same-bits uses them to compare two commits.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "verify/calls.h"
#include "verify/cases.h"
#include "verify/digest.h"
#include "verify/rows.h"

namespace posenc {
namespace tools {

namespace {

constexpr std::uint64_t kSeed = 20260101;

// A case can be made again from its label alone. So nothing else influences it, such as its place among the
// cases.
TEST(Labels, TheDigestsCasesAreMadeAgainOfTheirLabels) {
  Digest digest;
  for (const Case& c : DigestCases()) {
    std::vector<Case> made;
    AppendRows({c.label.c_str()}, 0, &made);
    ASSERT_EQ(made.size(), 1u) << c.label;
    ASSERT_EQ(made[0].label, c.label);
    const Handle handle(made[0], nullptr);
    Calls calls(made[0]);
    calls.Prepare(0, made[0].rows);
    Entries entries;
    double seconds;
    calls.Call(made[0], handle, &entries, &seconds);
    digest.Append(entries.LittleEndian(entries.count()));
  }
  EXPECT_EQ(digest.value(), kGoldenDigest);
}

// Cases of --full are large, so they are not computed here.
TEST(Labels, AreasHaveCasesOfDifferentLabels) {
  std::map<std::string, std::string> area_of;
  for (const Group& area : FullAreas(kSeed)) {
    for (const Case& c : area.cases) {
      const auto [at, is_new] = area_of.emplace(c.label, area.name);
      EXPECT_TRUE(is_new) << c.label << " of " << area.name << " and of " << at->second;
    }
  }
  EXPECT_GT(area_of.size(), 2600u);
}

// The random numbers of an area depend on the seed and on the area's label.
TEST(Labels, SeedsMakeOtherAreas) {
  const std::vector<Group> areas = FullAreas(kSeed), same = FullAreas(kSeed), others = FullAreas(kSeed + 1);
  std::size_t different = 0;
  for (std::size_t a = 0; a < areas.size(); ++a) {
    for (std::size_t k = 0; k < areas[a].cases.size(); ++k) {
      const Case &c = areas[a].cases[k], &again = same[a].cases[k];
      EXPECT_EQ(c.label, again.label);
      EXPECT_EQ(c.positions, again.positions);
      different += c.label != others[a].cases[k].label ? 1 : 0;
    }
  }
  EXPECT_GT(different, 2560u);
}

}  // namespace
}  // namespace tools
}  // namespace posenc
