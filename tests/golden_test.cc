// What published notebooks print, digit for digit, and what the published formulas give, to the last bit: of
// the library on every target, and of the oracle, which most other tests take for right. golden/ says where
// both come from.
#include <gtest/gtest.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "oracle/oracle.h"
#include "oracle/rotary_oracle.h"
#include "per_target.h"
#include "rotary_cases.h"
#include "scalar_formats.h"
#include "spec_words.h"

namespace posenc {
namespace {

// The figures of a golden file in order; lines that begin with # are prose.
std::vector<std::string> Figures(const std::string& file) {
  std::ifstream in(std::string(POSENC_GOLDEN_DIR) + "/" + file);
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

// As NumPy prints float32: the shortest decimal that names the float, at most 8 decimals, at least "0.".
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
                         PhaseRounding rounding = PhaseRounding::kNone) {
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

// The embeddings are known to 4 decimals only, so a sum may lie off by half a unit of the addend and the
// print-out by half a unit of the sum: 1e-4 is all that the print-out implies. (2^-22 covers the
// conversions of a sum below 4 to float.) As it happens, every printed digit comes out.
TEST_P(Golden, Torch4x5AddedToEmbeddings) {
  const auto embeddings = Figures("torch_4x5_embeddings.txt");
  const auto sums = Figures("torch_4x5_sums.txt");
  ASSERT_EQ(embeddings.size(), 20u);
  ASSERT_EQ(sums.size(), 20u);
  std::vector<float> x;
  x.reserve(embeddings.size());
  for (const auto& figure : embeddings) x.push_back(std::strtof(figure.c_str(), nullptr));
  ASSERT_EQ(Create(MakeSpec(4, target())).Add(0, 5, x.data(), 4), Status::kOk);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_LE(std::fabs(double{x[i]} - std::strtod(sums[i].c_str(), nullptr)), 1e-4 + 0x1p-22) << i;
  }
  ExpectPrinted(x, "%.4f", sums);
}

// The notebook's own phases are float32: the table of the real numbers is near, with the
// phase rounding it is the notebook.
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
  const auto table = Table(target(), 6, 10, PhaseRounding::kF32PowDiv);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    EXPECT_EQ(PrintAsNumPy(table[i]), figures[i]) << "figure " << i;
  }
}

// A row of formulas.txt.
struct Row {
  std::string text, preset, rounding;
  std::string settings;              // of what has no preset, or of the preset itself
  std::string more;                  // what is set over it
  std::vector<double> at;            // [axes]
  std::map<std::string, double> of;  // results by name

  // Calls visit(index, result) for those that begin with that letter.
  template <class Visit>
  void ForEach(char letter, const Visit& visit) const {
    for (const auto& [name, result] : of) {
      if (name[0] == letter) visit(std::stoul(name.substr(1)), result);
    }
  }
};

std::vector<Row> Rows(const std::string& noun) {
  std::vector<Row> rows;
  for (const std::string& line : Split(ReadFile("tests/golden/formulas.txt"), '\n')) {
    if (line.rfind(noun, 0) != 0) continue;
    Row& row = rows.emplace_back();
    row.text = line;
    for (const std::string& word : Split(line.substr(noun.size()))) {
      const std::string name = word.substr(0, word.find('=')), text = word.substr(name.size() + 1);
      if (name == "preset") {
        row.preset = text;
      } else if (name == "rounding") {
        row.rounding = text;
      } else if (name == "at") {
        row.at = ParseList<double>(text);
      } else if (name == "A" || std::isdigit(name[1]) != 0) {
        row.of[name] = ParseAs<double>(text);
      } else if (name[0] == '+') {
        row.more += word.substr(1) + " ";
      } else {
        row.settings += word + " ";
      }
    }
  }
  return rows;
}

posenc_spec EncoderOf(const Row& row) {
  posenc_spec spec = EncoderSpec(row.settings);
  if (row.preset.empty()) return spec;
  EXPECT_EQ(posenc_spec_preset(&spec, sizeof(spec), row.preset.c_str(), spec.dim), POSENC_OK);
  return With(spec, row.settings);
}

posenc_rotary_spec RotaryOf(const Row& row) {
  posenc_rotary_spec spec = RotarySpecOf(row.settings);
  if (row.preset.empty()) return spec;
  posenc_rotary_spec preset;
  EXPECT_EQ(posenc_rotary_spec_preset(&preset, sizeof(preset), row.preset.c_str(), spec.head_dim), POSENC_OK);
  EXPECT_EQ(Differences(preset, spec), "") << row.text;
  return With(preset, row.more);
}

TEST_P(Golden, EncodersAreThoseOfTheFormulas) {
  for (const Row& row : Rows("encoder")) {
    SCOPED_TRACE(row.text);
    posenc_spec spec = EncoderOf(row);
    spec.target = target();
    const Encoder encoder = Create(spec);
    const double position = row.at[0];
    ForEachEntryType([&](auto element) {
      using T = decltype(element);
      const std::vector<T> listed = WriteAt<T>(encoder, row.at);
      const auto whole = static_cast<std::int64_t>(std::floor(position));
      const std::vector<T> run = Write<T>(encoder, whole, 1);
      row.ForEach('c', [&](std::size_t column, double want) {
        EXPECT_TRUE(SameBits(listed[column], Nearest<T>(want))) << column << ": " << Value(listed[column]);
        if (static_cast<double>(whole) != position) return;
        EXPECT_TRUE(SameBits(run[column], Nearest<T>(want))) << column << " of a run: " << Value(run[column]);
      });
    });
  }
}

TEST_P(Golden, RotariesAreThoseOfTheFormulas) {
  for (const Row& row : Rows("rotary")) {
    SCOPED_TRACE(row.text);
    posenc_rotary_spec spec = RotaryOf(row);
    spec.target = target();
    const RotaryPtr rotary = CreateRotary(spec);
    ASSERT_NE(rotary, nullptr);
    EXPECT_EQ(posenc_rotary_amplitude(rotary.get()), row.of.at("A"));
    row.ForEach('w', [&](std::size_t i, double want) {
      EXPECT_EQ(posenc_rotary_radians(rotary.get(), i), want) << i;
    });
    const std::size_t pairs = posenc_rotary_frequency_count(rotary.get());
    std::vector<double> cosines(pairs), sines(pairs);
    const posenc_cache cache = {POSENC_CACHE_HALVES, POSENC_F64, cosines.data(), sines.data(), pairs};
    ASSERT_EQ(posenc_rotary_write_at(rotary.get(), POSENC_F64, row.at.data(), 1, &cache, nullptr), POSENC_OK);
    row.ForEach('c', [&](std::size_t i, double want) { EXPECT_EQ(cosines[i], want) << "cosine " << i; });
    row.ForEach('s', [&](std::size_t i, double want) { EXPECT_EQ(sines[i], want) << "sine " << i; });
    std::vector<float> head(spec.head_dim);
    for (std::size_t e = 0; e < head.size(); ++e) head[e] = static_cast<float>(e + 1);
    posenc_heads heads{};
    heads.data = head.data();
    heads.heads = 1;
    ASSERT_EQ(posenc_rotate_at(rotary.get(), POSENC_F64, row.at.data(), 1, POSENC_F32, &heads, 1, nullptr),
              POSENC_OK);
    row.ForEach('e',
                [&](std::size_t e, double want) { EXPECT_EQ(double{head[e]}, want) << "element " << e; });
  }
}

POSENC_INSTANTIATE_PER_TARGET(Golden);

TEST(GoldenFormulas, AreTheOracles) {
  for (const Row& row : Rows("encoder")) {
    SCOPED_TRACE(row.text);
    ForEachEntryType([&](auto element) {
      using T = decltype(element);
      const oracle::Oracle oracle(EncoderOf(row), TypeOf<T>());
      std::vector<double> entries(oracle.dim());
      oracle.Row(row.at[0], entries.data());
      row.ForEach('c', [&](std::size_t column, double want) {
        EXPECT_TRUE(SameBits(Nearest<T>(entries[column]), Nearest<T>(want)))
            << column << ": " << entries[column];
      });
    });
  }
  for (const Row& row : Rows("rotary")) {
    SCOPED_TRACE(row.text);
    const posenc_rotary_spec spec = RotaryOf(row);
    const oracle::RotaryFormula formula(spec);
    oracle::RotaryOracle oracle(spec);
    EXPECT_EQ(formula.Amplitude(), row.of.at("A"));
    row.ForEach('w', [&](std::size_t i, double want) {
      EXPECT_EQ(formula.Radians(i, 200).ToDouble(), want) << i;
      if (i >= formula.pairs()) return;  // the frequency of another axis
      const auto at = [&](std::size_t axis) { return row.at[axis]; };
      const GainedTurn turn(&oracle, i, oracle.PositionOf(i, at), {row.of.at("A"), 1.0, false});
      EXPECT_EQ(turn.Cosine(), row.of.at("c" + std::to_string(i))) << i;
      EXPECT_EQ(turn.Sine(), row.of.at("s" + std::to_string(i))) << i;
    });
  }
}

// The values that members have in the rows of a noun.
template <class S>
std::map<std::string, std::set<std::int32_t>> Values(const std::string& noun, S (*make)(const Row&)) {
  std::map<std::string, std::set<std::int32_t>> values;
  for (const Row& row : Rows(noun)) {
    const S spec = make(row);
    ForEachMember(spec, [&](const char* name, auto member) {
      using Value = std::decay_t<decltype(spec.*member)>;
      if constexpr (std::is_enum_v<Value> || std::is_same_v<Value, std::int32_t>)
        values[name].insert(spec.*member);
    });
  }
  return values;
}

void ExpectPresets(const std::string& noun, std::size_t (*list)(posenc_preset*, std::size_t)) {
  std::set<std::string> in_rows, in_list{""};
  for (const Row& row : Rows(noun)) in_rows.insert(row.preset);
  std::vector<posenc_preset> presets(list(nullptr, 0));
  list(presets.data(), presets.size());
  for (const posenc_preset& preset : presets) EXPECT_TRUE(in_list.insert(preset.name).second) << preset.name;
  EXPECT_EQ(in_rows, in_list);
}

TEST(GoldenFormulas, HaveEveryPresetAndValue) {
  ExpectPresets("encoder", &posenc_spec_presets);
  ExpectPresets("rotary", &posenc_rotary_presets);
  auto encoders = Values("encoder", &EncoderOf);
  EXPECT_EQ(encoders["layout"].size(), 4u);
  EXPECT_EQ(encoders["odd_column"].size(), 4u);
  EXPECT_EQ(encoders["phase_rounding"].size(), 11u);
  EXPECT_EQ(encoders["frequency_unit"].size(), 3u);
  auto rotaries = Values("rotary", &RotaryOf);
  EXPECT_EQ(rotaries["pairing"].size(), 2u);
  EXPECT_EQ(rotaries["output_pairing"].size(), 3u);
  EXPECT_EQ(rotaries["phase_rounding"].size(), 5u);
  EXPECT_EQ(rotaries["unit"].size(), 3u);
  EXPECT_EQ(rotaries["scaling"].size(), 12u);
  EXPECT_EQ(rotaries["axis_order"].size(), 6u);
}

TEST(GoldenFormulas, HaveTheRoundingsOfTheSources) {
  for (const Row& row : Rows("encoder")) {
    if (row.preset.empty()) continue;
    const auto want = ParseAs<posenc_phase_rounding>(row.rounding);
    EXPECT_EQ(posenc_spec_preset_rounding(row.preset.c_str()), want) << row.preset;
    EXPECT_EQ(static_cast<posenc_phase_rounding>(SpecPresetRounding(row.preset.c_str())), want) << row.preset;
  }
}

}  // namespace
}  // namespace posenc
