// posenc on every target, and the oracle that most other tests rely on, give what published notebooks print,
// digit by digit, and what published formulas give, to the last bit. golden/ says where both come from.
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "golden_rows.h"
#include "per_target.h"
#include "rotary_cases.h"
#include "spec_words.h"

namespace posenc {
namespace {

// The figures of a golden file, in order. Lines that begin with # are comments.
std::vector<std::string> Figures(const std::string& file) {
  std::ifstream in(POSENC_SOURCE_DIR "/tests/golden/" + file);
  EXPECT_TRUE(in.is_open()) << file;
  std::vector<std::string> figures;
  for (std::string line; std::getline(in, line);) {
    if (line[0] == '#') continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) figures.push_back(word);
  }
  return figures;
}

std::string Print(const char* format, float value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, static_cast<double>(value));
  return text;
}

// Prints a float32 as NumPy does: the shortest decimal that identifies the float, with at most 8 decimals and
// at least "0.".
std::string PrintAsNumPy(float value) {
  char shortest[64];
  const auto end = std::to_chars(shortest, shortest + sizeof(shortest), value, std::chars_format::fixed).ptr;
  std::string text(shortest, end);
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return text + '.';
  if (text.size() - point - 1 <= 8) return text;
  text = Print("%.8f", value);
  return text.erase(text.find_last_not_of('0') + 1);
}

std::vector<float> Table(const char* target, std::size_t dim, std::size_t rows,
                         posenc_phase_rounding rounding = POSENC_NO_PHASE_ROUNDING) {
  Spec spec = MakeSpec(dim, target);
  spec.phase_rounding = rounding;
  return Write(Create(spec), 0, rows);
}

void ExpectPrinted(const std::vector<float>& table, const char* format,
                   const std::vector<std::string>& figures) {
  ASSERT_LE(figures.size(), table.size());
  for (std::size_t i = 0; i < figures.size(); ++i) {
    EXPECT_EQ(Print(format, table[i]), figures[i]) << "figure " << i;
  }
}

class Golden : public PerTarget {};

TEST_P(Golden, TorchTables) {
  struct Printed {
    const char* file;
    std::size_t dim, rows, figures;
    const char* format;
  };
  for (const Printed& printed :
       {Printed{"torch_6x10.txt", 6, 10, 60, "%.4f"}, Printed{"torch_11x5.txt", 11, 6, 64, "%.4e"},
        Printed{"torch_4x5.txt", 4, 5, 20, "%.4f"}}) {
    SCOPED_TRACE(printed.file);
    const auto figures = Figures(printed.file);
    ASSERT_EQ(figures.size(), printed.figures);
    ExpectPrinted(Table(target(), printed.dim, printed.rows), printed.format, figures);
  }
}

// The embeddings are known to 4 decimals only. So a sum may be wrong by half a unit from the addend, and by
// half a unit from the print-out: 1e-4 is all that the print-out promises. (2^-22 covers the conversions of a
// sum below 4 to float.) In fact every printed digit is equal.
TEST_P(Golden, Torch4x5AddedToEmbeddings) {
  const auto embeddings = Figures("torch_4x5_embeddings.txt");
  const auto sums = Figures("torch_4x5_sums.txt");
  ASSERT_EQ(embeddings.size(), 20u);
  ASSERT_EQ(sums.size(), 20u);
  std::vector<float> x;
  x.reserve(embeddings.size());
  for (const auto& figure : embeddings) x.push_back(std::strtof(figure.c_str(), nullptr));
  ASSERT_EQ(Create(MakeSpec(4, target())).Add(0, 5, {x.data(), 4}), POSENC_OK);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_LE(std::fabs(double{x[i]} - std::strtod(sums[i].c_str(), nullptr)), 1e-4 + 0x1p-22) << i;
  }
  ExpectPrinted(x, "%.4f", sums);
}

// The notebook computes phases in float32. The exact table is near it, and the table with the same phase
// rounding equals it.
TEST_P(Golden, NumPy6x10IsNearTheUnroundedPhases) {
  const auto figures = Figures("numpy_6x10.txt");
  ASSERT_EQ(figures.size(), 60u);
  const auto table = Table(target(), 6, 10);
  int different = 0;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    EXPECT_NEAR(double{table[i]}, std::strtod(figures[i].c_str(), nullptr), 1e-7) << "figure " << i;
    different += PrintAsNumPy(table[i]) != figures[i];
  }
  EXPECT_EQ(different, 10);
}

TEST_P(Golden, NumPy6x10IsF32PowDiv) {
  const auto figures = Figures("numpy_6x10.txt");
  ASSERT_EQ(figures.size(), 60u);
  const auto table = Table(target(), 6, 10, POSENC_F32_POW_DIV);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    EXPECT_EQ(PrintAsNumPy(table[i]), figures[i]) << "figure " << i;
  }
}

std::vector<GoldenRow> Rows(const std::string& noun) { return GoldenRows("tests/golden/formulas.txt", noun); }

posenc_spec EncoderOf(const GoldenRow& row) { return WithText(EncoderSpec(""), row.settings); }
posenc_rotary_spec RotaryOf(const GoldenRow& row) { return WithText(RotarySpecOf(""), row.settings); }

TEST_P(Golden, EncodersAreThoseOfTheFormulas) {
  for (const GoldenRow& row : Rows("encoder")) ExpectEncoder(row, EncoderOf(row), target());
}

TEST_P(Golden, RotariesAreThoseOfTheFormulas) {
  for (const GoldenRow& row : Rows("rotary")) ExpectRotary(row, RotaryOf(row), target());
}

POSENC_INSTANTIATE_PER_TARGET(Golden);

TEST(GoldenFormulas, AreTheOracles) {
  for (const GoldenRow& row : Rows("encoder")) ExpectOracle(row, EncoderOf(row));
  for (const GoldenRow& row : Rows("rotary")) ExpectOracle(row, RotaryOf(row));
}

// The values that choices have in the rows of a noun.
template <class S>
std::map<std::string, std::set<std::int32_t>> Values(const std::string& noun, S (*make)(const GoldenRow&)) {
  std::map<std::string, std::set<std::int32_t>> values;
  for (const GoldenRow& row : Rows(noun)) {
    const S spec = make(row);
    for (const internal::Member& member : internal::MembersOf<S>()) {
      if (member.kind == internal::Kind::kChoice)
        values[member.name].insert(internal::ChoiceIn(member, spec));
    }
  }
  return values;
}

TEST(GoldenFormulas, HaveEveryValue) {
  auto encoders = Values("encoder", &EncoderOf);
  EXPECT_EQ(encoders["layout"].size(), 4u);
  EXPECT_EQ(encoders["odd_column"].size(), 4u);
  EXPECT_EQ(encoders["phase_rounding"].size(), 11u);
  EXPECT_EQ(encoders["unit"].size(), 3u);
  auto rotaries = Values("rotary", &RotaryOf);
  EXPECT_EQ(rotaries["pairing"].size(), 2u);
  EXPECT_EQ(rotaries["output_pairing"].size(), 3u);
  EXPECT_EQ(rotaries["phase_rounding"].size(), 5u);
  EXPECT_EQ(rotaries["unit"].size(), 3u);
  EXPECT_EQ(rotaries["scaling"].size(), 12u);
  EXPECT_EQ(rotaries["axis_order"].size(), 6u);
}

// EXPECTED_INV_FREQ in transformers' tests/utils/test_modeling_rope_utils.py: scaled frequencies for a head
// of 128 and 2048 positions.
TEST(GoldenScalings, AreThoseOfTheTestsOfTransformers) {
  constexpr std::size_t kShown[6] = {1, 20, 31, 32, 40, 63};
  const struct {
    posenc_scaling scaling;
    double radians[6];  // of the pairs that the page shows
  } stated[] = {
      {POSENC_NO_SCALING, {8.6596e-01, 5.6234e-02, 1.1548e-02, 1.0000e-02, 3.1623e-03, 1.1548e-04}},
      {POSENC_DYNAMIC_NTK, {8.0931e-01, 1.4531e-02, 1.4176e-03, 1.1473e-03, 2.1115e-04, 1.6265e-06}},
      {POSENC_YARN, {8.6596e-01, 4.8136e-02, 5.3120e-03, 4.2400e-03, 4.3007e-04, 1.1548e-05}},
      {POSENC_LLAMA3, {8.6596e-01, 5.6234e-02, 1.0730e-02, 7.7785e-03, 3.4539e-04, 1.1548e-05}},
  };
  for (const auto& want : stated) {
    SCOPED_TRACE(want.scaling);
    posenc_rotary_spec spec = RotarySpecOf("head_dim=128 factor=10 original_length=2048 length=16384");
    spec.scaling = want.scaling;
    const RotaryPtr rotary = CreateRotary(spec);
    for (std::size_t k = 0; k < std::size(kShown); ++k) {
      EXPECT_NEAR(posenc_rotary_radians(rotary.get(), kShown[k]) / want.radians[k], 1, 5e-5) << kShown[k];
    }
  }
}

}  // namespace
}  // namespace posenc
