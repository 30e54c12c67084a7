// The worst cases (tools/verify/worst_cases.inc and worst_norm_cases.inc), and what belongs to them: entries
// closer to a midpoint of two numbers than a double can tell. If a kernel has no rounding test, or a too
// small window, it rounds about half of them wrongly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "oracle_rows.h"
#include "per_target.h"
#include "scalar_formats.h"
#include "verify/calls.h"
#include "verify/expected.h"
#include "verify/worst_cases.h"

namespace posenc {
namespace {

using tools::Entries;
using tools::WorstCase;
using tools::WorstCases;

// The oracle's row with the result of each worst case.
const std::vector<Entries>& OracleRows() {
  static const std::vector<Entries> rows = [] {
    std::vector<Entries> made;
    for (const WorstCase& worst : WorstCases()) {
      tools::Calls calls(worst.c);
      calls.Prepare(worst.row, 1);
      made.push_back(tools::Expected(worst.c, false, &calls).Compute().entries[0]);
    }
    return made;
  }();
  return rows;
}

TEST(WorstCasesOfTheFile, HaveTheResultOfMpfr) {
  if (!tools::kHaveOracle) GTEST_SKIP() << "built without MPFR";
  for (std::size_t n = 0; n < WorstCases().size(); ++n) {
    const WorstCase& worst = WorstCases()[n];
    EXPECT_EQ(OracleRows()[n][worst.column], worst.right) << std::hex << worst.text;
    EXPECT_NE(worst.wrong, worst.right) << worst.text;
  }
}

// The constants of bounds.h that a test of a kernel uses, and the other words that `by` may have.
std::set<std::string> NamesOfBounds() {
  std::ifstream file(POSENC_SOURCE_DIR "/src/number/bounds.h");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::set<std::string> names = {"256_bits",     "four_steps", "angle",       "twice",
                                 "least_normal", "cosine",     "norm_double", "norm_two_doubles",
                                 "norm_tie",     "norm_ulp"};
  const std::regex constant("constexpr [a-z0-9_:]+ (k[A-Za-z0-9]+)(<[A-Z0-9_]+>)? =");
  for (std::sregex_iterator at(text.begin(), text.end(), constant), end; at != end; ++at)
    names.insert((*at)[1]);
  return names;
}

TEST(WorstCasesOfTheFile, NameWhatMakesThemWrong) {
  const std::set<std::string> known = NamesOfBounds();
  std::map<std::string, int> named;
  for (const WorstCase& worst : WorstCases()) {
    EXPECT_FALSE(worst.by.empty()) << worst.text;
    for (const std::string& name : worst.by) {
      EXPECT_EQ(known.count(name), 1u) << name << ": " << worst.text;
      ++named[name];
    }
  }
  for (const std::string& name : known) {  // a new window needs a line
    if (name.size() > 6 && name.substr(name.size() - 6) == "Window") {
      EXPECT_GT(named[name], 0) << name;
    }
  }
}

class WorstCasesTest : public PerTarget {};

// The row at a position must be the oracle's: alone in a list, and as every row of a run around it, before
// and after the anchor of its group.
template <class T>
void ExpectRow(const Spec& spec, std::int64_t position) {
  constexpr std::size_t kRows = 16;
  SCOPED_TRACE(testing::Message() << Name(spec.layout));
  const std::vector<T> want = OracleRow<T>(spec, static_cast<double>(position));
  const Encoder encoder = Create(spec);
  EXPECT_TRUE(SameBits(WriteAt<T>(encoder, std::vector<std::int64_t>{position}), want));
  for (std::size_t row = 0; row < kRows; ++row) {
    const std::vector<T> run = Write<T>(encoder, position - static_cast<std::int64_t>(row), kRows);
    EXPECT_TRUE(SameBits(&run[row * spec.dim], want.data(), spec.dim)) << "row " << row << " of a run";
  }
}

TEST_P(WorstCasesTest, AreRight) {
  for (std::size_t n = 0; n < WorstCases().size(); ++n) {
    const WorstCase& worst = WorstCases()[n];
    const Entries got = tools::RowOf(worst, target());
    EXPECT_EQ(got[worst.column], worst.right) << std::hex << worst.text;
    std::size_t same = 0;  // columns that are as the oracle's
    while (tools::kHaveOracle && same < got.count() && got[same] == OracleRows()[n][same]) ++same;
    EXPECT_TRUE(!tools::kHaveOracle || same == got.count()) << "column " << same << ": " << worst.text;
  }
}

// Those of encoders at whole positions, also elsewhere in a run. If all pairs have the same frequency, the
// entry is in every lane and in the tail; then every layout is tried.
TEST_P(WorstCasesTest, AreRightInRunsAndLists) {
  for (const WorstCase& worst : WorstCases()) {
    const double position = worst.c.Position(0, worst.row);
    if (worst.c.is_rotary() || worst.c.type == POSENC_F64 || position != std::trunc(position)) continue;
    if (IsReference() && worst.c.encoder.dim > 128) continue;  // slow
    SCOPED_TRACE(worst.text);
    for (const posenc_layout layout : kLayouts) {
      Spec spec(worst.c.encoder);
      spec.target = target();
      spec.layout = layout;
      const auto whole = static_cast<std::int64_t>(position);
      if (worst.c.type == POSENC_F32) ExpectRow<float>(spec, whole);
      if (worst.c.type == POSENC_BF16) ExpectRow<BFloat16>(spec, whole);
      if (worst.c.type == POSENC_F16) ExpectRow<Float16>(spec, whole);
      if (IsReference() || spec.base != 1.0) break;
    }
  }
}

// Adds to zeros, which gives the encoding itself.
TEST_P(WorstCasesTest, AddedAndAddedInBatches) {
  constexpr std::size_t kRows = 4, kRow = 2;
  std::size_t count = 0;
  for (const WorstCase& worst : WorstCases()) {
    const std::size_t dim = worst.c.encoder.dim;
    if (worst.c.is_rotary() || worst.c.type != POSENC_F32 || dim < 1100)
      continue;  // of several chunks of pairs
    ++count;
    Spec spec(worst.c.encoder);
    spec.target = target();
    const Encoder encoder = Create(spec);
    const double position = worst.c.Position(0, worst.row);
    const std::vector<float> want = OracleRow<float>(spec, position);
    const auto whole = static_cast<std::int64_t>(position);
    const std::int64_t firsts[] = {whole - static_cast<std::int64_t>(kRow), whole - 1};
    const std::size_t size = kRows * dim;
    std::vector<float> x(3 * size);
    ASSERT_EQ(encoder.Add(firsts[0], kRows, {x.data(), dim}), POSENC_OK);
    ASSERT_EQ(encoder.AddBatch({2, size, List(firsts)}, 0, kRows, {&x[size], dim}), POSENC_OK);
    for (const std::size_t row : {kRow, kRows + kRow, 2 * kRows + 1}) {
      EXPECT_TRUE(SameBits(&x[row * dim], want.data(), dim)) << "row " << row << ": " << worst.text;
    }
  }
  EXPECT_EQ(count, 4u);
}

constexpr double kHalfPi = 0x1.921fb54442d18p0;

// Compares a run with a list. The position is in the middle.
void ExpectRunIsList(const Spec& spec, std::int64_t position) {
  constexpr std::size_t kRows = 41;
  const Encoder encoder = Create(spec);
  const std::int64_t first = position - static_cast<std::int64_t>(kRows / 2);
  ForEachType([&](auto element) {
    using T = decltype(element);
    EXPECT_TRUE(SameBits(Write<T>(encoder, first, kRows), WriteAt<T>(encoder, Consecutive(first, kRows))));
  });
}

// Near a zero in the first turn the phase is small, but entries are small because of cancellation. The
// absolute error of angle addition is too large for them.
TEST_P(WorstCasesTest, NearZerosOfTheFirstTurn) {
  for (const int quarter_turns : {1, 2, 3, 4}) {
    for (const std::int64_t position : {40, 1000, 30001}) {
      for (const int bits : {16, 24, 30, 40}) {
        SCOPED_TRACE(testing::Message()
                     << quarter_turns << " quarter turns at " << position << " but for 2^-" << bits);
        Spec spec = MakeSpec(33, target(), bits == 24 ? POSENC_SIN_COS : POSENC_INTERLEAVED);
        spec.base = 1.0;
        spec.position_scale =
            quarter_turns * kHalfPi * (1.0 + std::ldexp(1.0, -bits)) / static_cast<double>(position);
        ExpectRunIsList(spec, position);
      }
    }
  }
}

// An entry near a zero, in the same vector as a pair with tiny phases, which is exempt from the test for
// small entries. It is the next pair if frequencies fall, or the one before if they grow.
TEST_P(WorstCasesTest, NearZerosBesideTinyPhases) {
  if (IsReference()) GTEST_SKIP() << kReference << " has neither vectors nor angle addition";
  constexpr double kFactor = 7.5;  // from pair to pair; no other pair comes near a zero
  for (const posenc_layout layout : kLayouts) {
    for (const std::int64_t position : {30011, 70003, 100001, 1000003}) {  // one may be right by chance
      for (const bool grows : {false, true}) {
        for (const int quarter_turns : {1, 2}) {
          SCOPED_TRACE(testing::Message() << quarter_turns << " quarter turns at " << position << ", "
                                          << Name(layout) << ", " << (grows ? "growing" : "falling"));
          Spec spec = MakeSpec(33, target(), layout);
          spec.exponent_dim = 32.0;
          spec.base = std::pow(kFactor, grows ? -16.0 : 16.0);
          spec.position_scale = quarter_turns * kHalfPi * (1.0 + 0x1p-40) / static_cast<double>(position) /
                                (grows ? kFactor : 1.0);
          ExpectRunIsList(spec, position);
        }
      }
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(WorstCasesTest);

}  // namespace
}  // namespace posenc
