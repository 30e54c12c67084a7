// Presets of encoders and of rotaries have the columns and frequencies of their sources, to the last bit.
// golden/presets.py computes them.
#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "golden_rows.h"
#include "per_target.h"
#include "posenc/models.h"
#include "rotary_cases.h"
#include "spec_words.h"

namespace posenc {
namespace {

std::vector<GoldenRow> Rows(const std::string& noun) {
  return GoldenRows("tests/models/golden/presets.txt", noun);
}

posenc_spec EncoderOf(const GoldenRow& row) {
  posenc_spec spec = WithText(EncoderSpec(""), row.settings);
  EXPECT_EQ(posenc_spec_preset(&spec, sizeof(spec), row.preset.c_str(), spec.dim, nullptr), POSENC_OK);
  return WithText(spec, row.settings);
}

posenc_rotary_spec RotaryOf(const GoldenRow& row) {
  const posenc_rotary_spec spec = WithText(RotarySpecOf(""), row.settings);
  posenc_rotary_spec preset;
  EXPECT_EQ(posenc_rotary_spec_preset(&preset, sizeof(preset), row.preset.c_str(), spec.head_dim, nullptr),
            POSENC_OK);
  EXPECT_EQ(Differences(preset, spec), "") << row.text;
  return WithText(preset, row.more);
}

class GoldenPresets : public PerTarget {};

TEST_P(GoldenPresets, EncodersAreThoseOfTheirSources) {
  for (const GoldenRow& row : Rows("encoder")) ExpectEncoder(row, EncoderOf(row), target());
}

TEST_P(GoldenPresets, RotariesAreThoseOfTheirSources) {
  for (const GoldenRow& row : Rows("rotary")) ExpectRotary(row, RotaryOf(row), target());
}

POSENC_INSTANTIATE_PER_TARGET(GoldenPresets);

TEST(GoldenPresetRows, AreTheOracles) {
  for (const GoldenRow& row : Rows("encoder")) ExpectOracle(row, EncoderOf(row));
  for (const GoldenRow& row : Rows("rotary")) ExpectOracle(row, RotaryOf(row));
}

void ExpectPresets(const std::string& noun, std::size_t (*list)(posenc_preset*, std::size_t)) {
  std::set<std::string> in_rows, in_list;
  for (const GoldenRow& row : Rows(noun)) in_rows.insert(row.preset);
  std::vector<posenc_preset> presets(list(nullptr, 0));
  list(presets.data(), presets.size());
  for (const posenc_preset& preset : presets) EXPECT_TRUE(in_list.insert(preset.name).second) << preset.name;
  EXPECT_EQ(in_rows, in_list);
}

TEST(GoldenPresetRows, HaveEveryPreset) {
  ExpectPresets("encoder", &posenc_spec_presets);
  ExpectPresets("rotary", &posenc_rotary_presets);
}

TEST(GoldenPresetRows, HaveTheRoundingsOfTheSources) {
  for (const GoldenRow& row : Rows("encoder")) {
    const auto want = WithText(EncoderSpec(""), "phase_rounding=" + row.rounding);
    EXPECT_EQ(posenc_spec_preset_rounding(row.preset.c_str()), want.phase_rounding) << row.preset;
  }
}

}  // namespace
}  // namespace posenc
