// Rows of golden files, which say what published formulas give, to the last bit. posenc and the oracle must
// give the same. golden/formulas.py describes the columns of a row.
#ifndef POSENC_TESTS_GOLDEN_ROWS_H_
#define POSENC_TESTS_GOLDEN_ROWS_H_

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "oracle/oracle.h"
#include "oracle/rotary_oracle.h"
#include "per_target.h"
#include "rotary_cases.h"
#include "scalar_formats.h"
#include "spec_words.h"

namespace posenc {

struct GoldenRow {
  std::string text, preset, rounding;  // preset and rounding only in rows of presets
  std::string settings;                // the text of a spec
  std::string more;                    // members that are set after the preset
  std::vector<double> at;              // [axes]
  std::map<std::string, double> of;    // results by name

  // Calls visit(index, result) for each result whose name begins with this letter.
  template <class Visit>
  void ForEach(char letter, const Visit& visit) const {
    for (const auto& [name, result] : of) {
      if (name[0] == letter) visit(std::stoul(name.substr(1)), result);
    }
  }
};

// The rows of a file in the source tree that begin with this noun, encoder or rotary.
inline std::vector<GoldenRow> GoldenRows(const std::string& file, const std::string& noun) {
  std::vector<GoldenRow> rows;
  for (const std::string& line : Split(ReadFile(file), '\n')) {
    if (line.rfind(noun, 0) != 0) continue;
    GoldenRow& row = rows.emplace_back();
    row.text = line;
    for (const std::string& word : Split(line.substr(noun.size()))) {
      const std::string name = word.substr(0, word.find('=')), text = word.substr(name.size() + 1);
      if (name == "preset") {
        row.preset = text;
      } else if (name == "rounding") {
        row.rounding = text;
      } else if (name == "at") {
        row.at = ListOf<double>(text);
      } else if (name == "A" || std::isdigit(name[1]) != 0) {
        row.of[name] = NumberOf<double>(text);
      } else if (name[0] == '+') {
        row.more += word.substr(1) + " ";
      } else {
        row.settings += word + " ";
      }
    }
  }
  EXPECT_FALSE(rows.empty()) << file << " " << noun;
  return rows;
}

inline void ExpectEncoder(const GoldenRow& row, posenc_spec spec, const char* target) {
  SCOPED_TRACE(row.text);
  spec.target = target;
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

inline void ExpectRotary(const GoldenRow& row, posenc_rotary_spec spec, const char* target) {
  SCOPED_TRACE(row.text);
  spec.target = target;
  const RotaryPtr rotary = CreateRotary(spec);
  ASSERT_NE(rotary, nullptr);
  EXPECT_EQ(posenc_rotary_amplitude(rotary.get()), row.of.at("A"));
  row.ForEach(
      'w', [&](std::size_t i, double want) { EXPECT_EQ(posenc_rotary_radians(rotary.get(), i), want) << i; });
  const std::size_t pairs = posenc_rotary_frequency_count(rotary.get());
  std::vector<double> cosines(pairs), sines(pairs);
  const posenc_cache cache = {POSENC_CACHE_HALVES, POSENC_F64, cosines.data(), sines.data(), pairs};
  ASSERT_EQ(
      posenc_write_cache_at(rotary.get(), PointerTo(List(POSENC_F64, row.at.data())), 1, &cache, nullptr),
      POSENC_OK);
  row.ForEach('c', [&](std::size_t i, double want) { EXPECT_EQ(cosines[i], want) << "cosine " << i; });
  row.ForEach('s', [&](std::size_t i, double want) { EXPECT_EQ(sines[i], want) << "sine " << i; });
  std::vector<float> head(spec.head_dim);
  for (std::size_t e = 0; e < head.size(); ++e) head[e] = static_cast<float>(e + 1);
  posenc_heads heads{};
  heads.type = POSENC_F32;
  heads.data = head.data();
  heads.heads = 1;
  ASSERT_EQ(posenc_rotate_at(rotary.get(), PointerTo(List(POSENC_F64, row.at.data())), 1, &heads, 1, nullptr),
            POSENC_OK);
  row.ForEach('e', [&](std::size_t e, double want) { EXPECT_EQ(double{head[e]}, want) << "element " << e; });
}

inline void ExpectOracle(const GoldenRow& row, const posenc_spec& spec) {
  SCOPED_TRACE(row.text);
  ForEachEntryType([&](auto element) {
    using T = decltype(element);
    const oracle::Oracle oracle(spec, TypeOf<T>());
    std::vector<double> entries(oracle.dim());
    oracle.Row(row.at[0], entries.data());
    row.ForEach('c', [&](std::size_t column, double want) {
      EXPECT_TRUE(SameBits(Nearest<T>(entries[column]), Nearest<T>(want)))
          << column << ": " << entries[column];
    });
  });
}

inline void ExpectOracle(const GoldenRow& row, const posenc_rotary_spec& spec) {
  SCOPED_TRACE(row.text);
  const oracle::RotaryFormula formula(spec);
  oracle::RotaryOracle oracle(spec);
  EXPECT_EQ(formula.Amplitude(), row.of.at("A"));
  row.ForEach('w', [&](std::size_t i, double want) {
    EXPECT_EQ(formula.Radians(i, 200).ToDouble(), want) << i;
    if (i >= formula.pairs()) return;  // the frequency belongs to another axis
    const auto at = [&](std::size_t axis) { return row.at[axis]; };
    const ScaledAngle angle(&oracle, i, oracle.PositionOf(i, at), {row.of.at("A"), 1.0, false});
    EXPECT_EQ(angle.Cosine(), row.of.at("c" + std::to_string(i))) << i;
    EXPECT_EQ(angle.Sine(), row.of.at("s" + std::to_string(i))) << i;
  });
}

}  // namespace posenc

#endif  // POSENC_TESTS_GOLDEN_ROWS_H_
