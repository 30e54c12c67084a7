// posenc's promise: every entry is correctly rounded, on every target. All entries of all cases are compared
// with MPFR, bit by bit. At the end the test prints for each target how many it compared.
//
// The oracle computes each case once. Targets and layouts share the result, because the targets of a case run
// one after another. The reference computes every entry in 256-bit arithmetic, so it gets a sample only.
#include <gtest/gtest.h>

#include <cstdio>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "accuracy_cases.h"
#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

// The blocks of the last requested case.
const std::vector<Block>& Solved(const Case& c) {
  static std::string name;
  static std::vector<Block> blocks;
  if (name != c.name) {
    blocks = c.make();
    for (Block& block : blocks) block.Solve(c.type);
    name = c.name;
  }
  return blocks;
}

struct Count {
  std::size_t entries = 0, mismatches = 0;
};

std::map<std::string, Count>& Counts() {
  static std::map<std::string, Count> counts;
  return counts;
}

class Accuracy : public testing::TestWithParam<std::tuple<Case, posenc_target>> {
 protected:
  void SetUp() override {
    if (target().runnable == 0) GTEST_SKIP() << "this CPU cannot run " << target().name;
  }
  static const Case& GetCase() { return std::get<0>(GetParam()); }
  static const posenc_target& target() { return std::get<1>(GetParam()); }
};

std::string Describe(const Block& block, posenc_type type, posenc_layout layout, std::size_t k, double got) {
  Spec spec = block.spec;
  spec.layout = layout;
  const oracle::Oracle oracle(spec, type);
  const auto position = static_cast<double>(block.positions[k / spec.dim]);
  const std::size_t column = k % spec.dim;
  char text[400];
  std::snprintf(text, sizeof(text),
                "dim %zu, %s, base %g, scale %a: position %.0f, column %zu: %a, exact %s: %g ULP", spec.dim,
                Name(layout), spec.base, spec.position_scale, position, column, got,
                oracle.Exact(position, column).c_str(), oracle.Ulp(got, position, column));
  return text;
}

// Counts entries that differ from the oracle's, and describes the first of them.
template <class T>
std::size_t Mismatches(const Block& block, const Encoder& encoder) {
  const std::vector<T> got = block.Got<T>(encoder);
  const std::size_t dim = encoder.dim();
  Spec spec;
  spec.dim = dim;
  spec.layout = encoder.layout();
  const std::vector<oracle::Entry> entries = oracle::EntriesOf(spec);
  std::size_t mismatches = 0;
  for (std::size_t column = 0; column < dim; ++column) {
    const oracle::Entry& entry = entries[column];
    for (std::size_t r = 0; r < block.positions.size(); ++r) {
      const T value = got[r * dim + column];
      if (SameBits(value, Nearest<T>(block.Want(r, entry)))) continue;
      if (mismatches++ != 0) continue;
      ADD_FAILURE() << Describe(block, TypeOf<T>(), encoder.layout(), r * dim + column,
                                static_cast<double>(Value(value)));
    }
  }
  EXPECT_EQ(mismatches, 0u) << "of " << got.size();
  return mismatches;
}

std::size_t Mismatches(posenc_type type, const Block& block, const Encoder& encoder) {
  static_assert(internal::kAreAllSummands<POSENC_F32, POSENC_BF16, POSENC_F16>);
  if (type == POSENC_BF16) return Mismatches<BFloat16>(block, encoder);
  if (type == POSENC_F16) return Mismatches<Float16>(block, encoder);
  return Mismatches<float>(block, encoder);
}

// A sample that the reference has time for, in one layout: small blocks, and one block out of 53. (53 is
// coprime to the number of blocks for a dim.)
bool InSampleOfReference(const Block& block, std::size_t index, std::size_t layout) {
  const std::size_t entries = block.positions.size() * block.spec.dim;
  return (index % 53 == 0 || entries < 1500) && entries < 200000 && index / 53 % 3 == layout;
}

TEST_P(Accuracy, EveryEntryIsCorrectlyRounded) {
  const bool is_reference = std::string(target().name) == kReference;
  const std::vector<Block>& blocks = Solved(GetCase());
  Count& count = Counts()[target().name];
  std::size_t compared = 0;
  for (std::size_t b = 0; b < blocks.size() && !HasFailure(); ++b) {
    for (std::size_t l = 0; l < std::size(kLayouts); ++l) {
      if (is_reference && !InSampleOfReference(blocks[b], b, l)) continue;
      Spec spec = blocks[b].spec;
      spec.target = target().name;
      spec.layout = kLayouts[l];
      if (spec.layout == POSENC_INTERLEAVED_COS_SIN && spec.dim % 2 != 0)
        continue;  // the last column is another one
      count.mismatches += Mismatches(GetCase().type, blocks[b], Create(spec));
      compared += blocks[b].positions.size() * spec.dim;
    }
  }
  count.entries += compared;
  if (is_reference && compared == 0) GTEST_SKIP() << "too slow for " << kReference;
  EXPECT_GT(compared, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    , Accuracy, testing::Combine(testing::ValuesIn(AccuracyCases()), testing::ValuesIn(CompiledTargets())),
    [](const auto& param_info) {
      return std::get<0>(param_info.param).name + "_" + std::get<1>(param_info.param).name;
    });

class Summary : public testing::Environment {
 public:
  void TearDown() override {
    for (const posenc_target& target : CompiledTargets()) {
      const Count count = Counts()[target.name];
      std::printf("accuracy: %-10s %12zu entries compared, %zu mismatches%s\n", target.name, count.entries,
                  count.mismatches,
                  target.runnable == 0                     ? " (this CPU cannot run it)"
                  : std::string(target.name) == kReference ? " (a sample: it is slow)"
                                                           : "");
    }
  }
};

const testing::Environment* const kSummary = testing::AddGlobalTestEnvironment(new Summary);

}  // namespace
}  // namespace posenc
