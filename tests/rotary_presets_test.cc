// Presets of rotary embeddings: each against values written down from its source, not from the table, and
// what it turns by against its formula in decimals; all against what a preset must be. And
// posenc_rotary_spec_init, which they start from.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/rotary_spec.h"
#include "posenc/posenc.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace {

std::vector<posenc_preset> AllPresets() {
  std::vector<posenc_preset> presets(posenc_rotary_presets(nullptr, 0));
  EXPECT_EQ(posenc_rotary_presets(presets.data(), presets.size()), presets.size());
  return presets;
}

// What a failure must leave as it was.
posenc_rotary_spec Untouched() {
  posenc_rotary_spec spec;
  std::memset(&spec, 0x5A, sizeof(spec));
  return spec;
}

bool IsUntouched(const posenc_rotary_spec& spec) {
  const posenc_rotary_spec want = Untouched();
  return std::memcmp(&spec, &want, sizeof(want)) == 0;
}

posenc_rotary_spec Preset(const char* name, std::size_t head_dim) {
  posenc_rotary_spec spec = Untouched();
  EXPECT_EQ(posenc_rotary_spec_preset(&spec, sizeof(spec), name, head_dim), POSENC_OK) << name;
  return spec;
}

// Of a head as the family has it: which elements turn, how they are paired, and the base.
struct Golden {
  const char* name;
  std::size_t head_dim, rotary_dim, rotary_offset;
  posenc_pairing pairing, output_pairing;
  double base;
};

constexpr posenc_pairing kHalf = POSENC_HALF_SPLIT, kPairs = POSENC_NEIGHBOURS, kSame = POSENC_SAME_PAIRING;

constexpr Golden kGolden[] = {
    {"rope", 64, 64, 0, kPairs, kSame, 10000},
    {"gpt_j", 256, 64, 0, kPairs, kSame, 10000},
    {"codegen", 256, 64, 0, kPairs, kSame, 10000},
    {"gpt_neox", 96, 24, 0, kHalf, kSame, 10000},
    {"llama", 128, 128, 0, kHalf, kSame, 10000},
    {"codellama", 128, 128, 0, kHalf, kSame, 1000000},
    {"llama3", 128, 128, 0, kHalf, kSame, 500000},
    {"llama3_2", 64, 64, 0, kHalf, kSame, 500000},
    {"llama4", 128, 128, 0, kPairs, kSame, 500000},
    {"llama4_vision", 88, 88, 0, kPairs, kSame, 10000},
    {"mistral", 128, 128, 0, kHalf, kSame, 10000},
    {"mistral_v0_2", 128, 128, 0, kHalf, kSame, 1000000},
    {"mixtral", 128, 128, 0, kHalf, kSame, 1000000},
    {"ministral3", 128, 128, 0, kHalf, kSame, 1000000},
    {"mistral4", 128, 64, 64, kPairs, kHalf, 10000},
    {"pixtral", 64, 64, 0, kHalf, kSame, 10000},
    {"qwen", 128, 128, 0, kHalf, kSame, 10000},
    {"qwen2", 128, 128, 0, kHalf, kSame, 1000000},
    {"yarn_qwen2_5", 128, 128, 0, kHalf, kSame, 1000000},
    {"qwen3", 128, 128, 0, kHalf, kSame, 1000000},
    {"qwen2_vl", 128, 128, 0, kHalf, kSame, 1000000},
    {"qwen2_vl_vision", 80, 80, 0, kHalf, kSame, 10000},
    {"qwen3_vl", 128, 128, 0, kHalf, kSame, 5000000},
    {"phi", 64, 32, 0, kHalf, kSame, 10000},
    {"phi_2", 80, 32, 0, kHalf, kSame, 10000},
    {"phi3", 96, 96, 0, kHalf, kSame, 10000},
    {"phi3_longrope", 96, 96, 0, kHalf, kSame, 10000},
    {"phi4", 128, 128, 0, kHalf, kSame, 250000},
    {"gemma", 256, 256, 0, kHalf, kSame, 10000},
    {"gemma2", 256, 256, 0, kHalf, kSame, 10000},
    {"gemma3_local", 256, 256, 0, kHalf, kSame, 10000},
    {"gemma3_global", 256, 256, 0, kHalf, kSame, 1000000},
    {"gemma4_local", 256, 256, 0, kHalf, kSame, 10000},
    {"gemma4_global", 512, 512, 0, kHalf, kSame, 1000000},
    {"deepseek_v2", 192, 64, 128, kPairs, kSame, 10000},
    {"deepseek_v3", 192, 64, 128, kPairs, kHalf, 10000},
    {"gpt_oss", 64, 64, 0, kHalf, kSame, 150000},
    {"grok1", 128, 128, 0, kHalf, kSame, 10000},
    {"grok1_yarn_log", 128, 128, 0, kHalf, kSame, 10000},
    {"telechat3", 128, 128, 0, kHalf, kSame, 1000000},
    {"chatglm", 128, 64, 0, kPairs, kSame, 10000},
    {"glm", 128, 64, 0, kPairs, kSame, 10000},
    {"glm4", 128, 64, 0, kPairs, kSame, 10000},
    {"glm4v", 128, 64, 0, kPairs, kSame, 10000},
    {"ernie", 128, 128, 0, kPairs, kSame, 500000},
    {"ernie_vl", 128, 128, 0, kPairs, kSame, 500000},
    {"baichuan", 128, 128, 0, kHalf, kSame, 10000},
    {"cohere", 128, 128, 0, kPairs, kSame, 8000000},
    {"cohere2", 128, 128, 0, kPairs, kSame, 50000},
    {"dinov3", 64, 64, 0, kHalf, kSame, 100},
    {"falcon", 64, 64, 0, kHalf, kSame, 10000},
    {"falcon3", 256, 256, 0, kHalf, kSame, 1000042},
    {"granite", 128, 128, 0, kHalf, kSame, 10000},
    {"helium", 128, 128, 0, kPairs, kSame, 100000},
    {"hunyuan_vl", 128, 128, 0, kHalf, kSame, 10000},
    {"internlm2", 128, 128, 0, kHalf, kSame, 1000000},
    {"modernbert_global", 64, 64, 0, kHalf, kSame, 160000},
    {"modernbert_local", 64, 64, 0, kHalf, kSame, 10000},
    {"nomic_bert", 64, 64, 0, kHalf, kSame, 1000},
    {"olmo", 128, 128, 0, kHalf, kSame, 10000},
    {"olmo2", 128, 128, 0, kHalf, kSame, 500000},
    {"smollm3", 128, 128, 0, kHalf, kSame, 2000000},
    {"stablelm", 80, 20, 0, kHalf, kSame, 10000},
    {"starcoder2", 128, 128, 0, kHalf, kSame, 100000},
};

// The scalings of those that have one.
struct GoldenScaling {
  const char* name;
  posenc_scaling scaling;
  double factor, length, original_length;
};

constexpr GoldenScaling kScalings[] = {
    {"llama3", POSENC_LLAMA3, 8, 0, 8192},
    {"llama3_2", POSENC_LLAMA3, 32, 0, 8192},
    {"ministral3", POSENC_YARN, 16, 0, 16384},
    {"mistral4", POSENC_YARN, 128, 0, 8192},
    {"qwen", POSENC_QWEN_NTK, 1, 8192, 8192},
    {"yarn_qwen2_5", POSENC_YARN, 4, 0, 32768},
    {"phi3_longrope", POSENC_LONGROPE, 32, 131072, 4096},
    {"gemma3_global", POSENC_LINEAR, 8, 0, 0},
    {"gemma4_global", POSENC_PROPORTIONAL, 1, 0, 0},
    {"deepseek_v2", POSENC_YARN, 40, 0, 4096},
    {"deepseek_v3", POSENC_YARN, 40, 0, 4096},
    {"gpt_oss", POSENC_YARN, 32, 0, 4096},
    {"grok1_yarn_log", POSENC_YARN_LOG, 1, 0, 0},
    {"telechat3", POSENC_YARN, 4, 0, 8192},
    {"hunyuan_vl", POSENC_NTK, 1000, 0, 0},
    {"internlm2", POSENC_DYNAMIC_NTK, 2, 32768, 32768},
};

// The axes of those that have several, for the heads of kGolden.
struct GoldenAxes {
  const char* name;
  std::size_t axes;
  posenc_axis_order order;
  std::size_t sections[POSENC_MAX_AXES];
};

constexpr GoldenAxes kAxes[] = {
    {"llama4_vision", 2, POSENC_AXIAL_AXES, {22, 22}},
    {"pixtral", 2, POSENC_SPLIT_AXES, {16, 16}},
    {"qwen2_vl", 3, POSENC_CONSECUTIVE_AXES, {16, 24, 24}},
    {"qwen2_vl_vision", 2, POSENC_AXIAL_AXES, {20, 20}},
    {"qwen3_vl", 3, POSENC_INTERLEAVED_AXES, {24, 20, 20}},
    {"glm4v", 3, POSENC_CONSECUTIVE_AXES, {8, 12, 12}},
    {"ernie_vl", 3, POSENC_ALTERNATING_AXES, {20, 22, 22}},  // time, y, x
    {"dinov3", 2, POSENC_AXIAL_AXES, {16, 16}},
    {"hunyuan_vl", 4, POSENC_CONSECUTIVE_AXES, {16, 16, 16, 16}},
};

template <class Row, std::size_t kCount>
const Row* Find(const Row (&rows)[kCount], const char* name) {
  for (const Row& row : rows) {
    if (std::strcmp(row.name, name) == 0) return &row;
  }
  return nullptr;
}

TEST(RotaryPresets, EachIsInTheGoldenValuesOnce) {
  std::set<std::string> names;
  for (const posenc_preset& preset : AllPresets()) {
    EXPECT_NE(Find(kGolden, preset.name), nullptr) << preset.name;
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
  }
  EXPECT_EQ(names.size(), std::size(kGolden));
}

TEST(RotaryPresets, HaveTheBasesOfTheirSources) {
  for (const Golden& want : kGolden) {
    SCOPED_TRACE(want.name);
    const posenc_rotary_spec got = Preset(want.name, want.head_dim);
    EXPECT_EQ(got.struct_size, sizeof(got));
    EXPECT_EQ(got.head_dim, want.head_dim);
    EXPECT_EQ(got.rotary_dim, want.rotary_dim);
    EXPECT_EQ(got.rotary_offset, want.rotary_offset);
    EXPECT_EQ(got.pairing, want.pairing);
    EXPECT_EQ(got.output_pairing, want.output_pairing);
    EXPECT_EQ(got.base, want.base);
    EXPECT_EQ(got.unit, std::strcmp(want.name, "dinov3") == 0 ? POSENC_TURNS : POSENC_RADIANS);
  }
}

TEST(RotaryPresets, HaveTheScalingsOfTheirSources) {
  for (const Golden& golden : kGolden) {
    SCOPED_TRACE(golden.name);
    const posenc_rotary_spec got = Preset(golden.name, golden.head_dim);
    const GoldenScaling none = {golden.name, POSENC_NO_SCALING, 1, 0, 0};
    const GoldenScaling* found = Find(kScalings, golden.name);
    const GoldenScaling& want = found == nullptr ? none : *found;
    EXPECT_EQ(got.scaling, want.scaling);
    EXPECT_EQ(got.factor, want.factor);
    EXPECT_EQ(got.length, want.length);
    EXPECT_EQ(got.original_length, want.original_length);
    EXPECT_EQ(got.beta_fast, 32);
    EXPECT_EQ(got.beta_slow, 1);
    EXPECT_EQ(got.low_freq_factor, 1);
    EXPECT_EQ(got.high_freq_factor, 4);
    EXPECT_EQ(got.proportion, std::strcmp(golden.name, "gemma4_global") == 0 ? 0.25 : 1.0);
    EXPECT_EQ(got.truncate, std::strcmp(golden.name, "gpt_oss") == 0 ? 0 : 1);
  }
}

TEST(RotaryPresets, HaveTheAmplitudesOfTheirSources) {
  const struct {
    const char* name;
    double mscale, mscale_all_dim;
  } ratios[] = {{"deepseek_v2", 0.707, 0.707},
                {"deepseek_v3", 1, 1},
                {"ministral3", 1, 1},
                {"mistral4", 1, 1},
                {"telechat3", 0.7, 0}};  // 0.07 ln f + 1
  for (const Golden& golden : kGolden) {
    SCOPED_TRACE(golden.name);
    const posenc_rotary_spec got = Preset(golden.name, golden.head_dim);
    const auto* want = Find(ratios, golden.name);
    EXPECT_EQ(got.mscale, want == nullptr ? 1 : want->mscale);
    EXPECT_EQ(got.mscale_all_dim, want == nullptr ? 0 : want->mscale_all_dim);
    EXPECT_EQ(got.amplitude, 0);
  }
}

TEST(RotaryPresets, HaveTheAxesOfTheirSources) {
  for (const Golden& golden : kGolden) {
    SCOPED_TRACE(golden.name);
    const posenc_rotary_spec got = Preset(golden.name, golden.head_dim);
    const GoldenAxes one = {golden.name, 1, POSENC_CONSECUTIVE_AXES, {}};
    const GoldenAxes* found = Find(kAxes, golden.name);
    const GoldenAxes& want = found == nullptr ? one : *found;
    EXPECT_EQ(got.axes, want.axes);
    EXPECT_EQ(got.axis_order, want.order);
    for (std::size_t k = 0; k < POSENC_MAX_AXES; ++k) EXPECT_EQ(got.sections[k], want.sections[k]);
  }
}

// All else has its default; nor is any list a preset's.
TEST(RotaryPresets, SetNothingElse) {
  posenc_rotary_spec want;
  ASSERT_EQ(posenc_rotary_spec_init(&want, sizeof(want)), POSENC_OK);
  for (const Golden& golden : kGolden) {
    SCOPED_TRACE(golden.name);
    const posenc_rotary_spec got = Preset(golden.name, golden.head_dim);
    EXPECT_EQ(got.arithmetic, want.arithmetic);
    EXPECT_EQ(got.phase_rounding, want.phase_rounding);
    EXPECT_EQ(got.exponent_dim, want.exponent_dim);
    EXPECT_EQ(got.position_scale, want.position_scale);
    EXPECT_EQ(got.factor_count + got.frequency_count, 0u);
    EXPECT_EQ(got.factors, nullptr);
    EXPECT_EQ(got.factors_f32, nullptr);
    EXPECT_EQ(got.long_factors, nullptr);
    EXPECT_EQ(got.long_factors_f32, nullptr);
    EXPECT_EQ(got.frequencies, nullptr);
    EXPECT_EQ(got.frequencies_f32, nullptr);
    EXPECT_EQ(got.target, nullptr);
  }
}

// Sets what only the caller knows.
void Complete(posenc_rotary_spec* spec) {
  static double factors[48], long_factors[48];
  posenc_rotary* rotary = nullptr;
  if (spec->scaling == POSENC_LONGROPE) {
    EXPECT_EQ(posenc_rotary_create(spec, &rotary), POSENC_BAD_FACTOR_LIST);
    for (int i = 0; i < 48; ++i) {
      factors[i] = 1 + i / 16.0;
      long_factors[i] = 1.5 + i;
    }
    spec->factors = factors;
    spec->long_factors = long_factors;
    spec->factor_count = std::size(factors);
  }
  if (spec->scaling == POSENC_YARN_LOG) {
    EXPECT_EQ(posenc_rotary_create(spec, &rotary), POSENC_BAD_LENGTH);
    spec->original_length = 8192;
    spec->factor = 16;
  }
}

TEST(RotaryPresets, CanBeCreated) {
  for (const Golden& golden : kGolden) {
    SCOPED_TRACE(golden.name);
    posenc_rotary_spec spec = Preset(golden.name, golden.head_dim);
    posenc_rotary* rotary = nullptr;
    Complete(&spec);
    ASSERT_EQ(posenc_rotary_create(&spec, &rotary), POSENC_OK);
    EXPECT_EQ(posenc_rotary_frequency_count(rotary), golden.rotary_dim / 2);
    posenc_rotary_destroy(rotary);
  }
}

// What heads of kGolden turn by.
struct Turns {
  const char* name;
  double length;  // 0: the preset's
  double amplitude;
  std::vector<std::pair<std::size_t, double>> radians;  // some pairs, the last too
};

TEST(RotaryPresets, TurnByTheirFormulas) {
  const Turns turns[] = {
#include "golden/rotary_presets.inc"
  };
  std::set<std::string> names;
  for (const Turns& want : turns) {
    SCOPED_TRACE(want.name + (" of length " + std::to_string(want.length)));
    const Golden* golden = Find(kGolden, want.name);
    ASSERT_NE(golden, nullptr);
    posenc_rotary_spec spec = Preset(want.name, golden->head_dim);
    Complete(&spec);
    if (want.length != 0) spec.length = want.length;
    posenc_rotary* rotary = nullptr;
    ASSERT_EQ(posenc_rotary_create(&spec, &rotary), POSENC_OK);
    EXPECT_EQ(posenc_rotary_amplitude(rotary), want.amplitude);
    EXPECT_EQ(posenc_rotary_frequency_count(rotary), want.radians.back().first + 1);
    for (const auto& pair : want.radians) {
      EXPECT_EQ(posenc_rotary_radians(rotary, pair.first), pair.second) << pair.first;
    }
    posenc_rotary_destroy(rotary);
    names.insert(want.name);
  }
  for (const posenc_preset& preset : AllPresets()) EXPECT_EQ(names.count(preset.name), 1u) << preset.name;
}

// transformers, modeling_rope_utils.py: 0.1 * mscale * math.log(factor) + 1, or a ratio of two, and
// math.sqrt(1 + math.log(factor) / math.log(max_position_embeddings)); vLLM, telechat3_scaling_rope.py:
// 0.07 * math.log(scale) + 1. All as Python prints them.
TEST(RotaryPresets, HaveTheAmplitudesThatPythonComputes) {
  const std::pair<const char*, double> amplitudes[] = {{"gpt_oss", 1.3465735902799727},
                                                       {"yarn_qwen2_5", 1.138629436111989},
                                                       {"telechat3", 1.0970406052783923},
                                                       {"phi3_longrope", 1.1902380714238083},
                                                       {"deepseek_v2", 1.0},
                                                       {"deepseek_v3", 1.0},
                                                       {"ministral3", 1.0},
                                                       {"mistral4", 1.0}};
  for (const auto& want : amplitudes) {
    SCOPED_TRACE(want.first);
    posenc_rotary_spec spec = Preset(want.first, Find(kGolden, want.first)->head_dim);
    Complete(&spec);
    posenc_rotary* rotary = nullptr;
    ASSERT_EQ(posenc_rotary_create(&spec, &rotary), POSENC_OK);
    EXPECT_EQ(posenc_rotary_amplitude(rotary), want.second);
    posenc_rotary_destroy(rotary);
  }
}

// EXPECTED_INV_FREQ of transformers, tests/utils/test_modeling_rope_utils.py: Llama of 2048 positions,
// scaled.
TEST(RotaryPresets, ScaleAsTheTestsOfTransformersState) {
  constexpr std::size_t kShown[6] = {1, 20, 31, 32, 40, 63};
  const struct {
    posenc_scaling scaling;
    double radians[6];  // of the pairs shown
  } stated[] = {
      {POSENC_NO_SCALING, {8.6596e-01, 5.6234e-02, 1.1548e-02, 1.0000e-02, 3.1623e-03, 1.1548e-04}},
      {POSENC_DYNAMIC_NTK, {8.0931e-01, 1.4531e-02, 1.4176e-03, 1.1473e-03, 2.1115e-04, 1.6265e-06}},
      {POSENC_YARN, {8.6596e-01, 4.8136e-02, 5.3120e-03, 4.2400e-03, 4.3007e-04, 1.1548e-05}},
      {POSENC_LLAMA3, {8.6596e-01, 5.6234e-02, 1.0730e-02, 7.7785e-03, 3.4539e-04, 1.1548e-05}},
  };
  for (const auto& want : stated) {
    SCOPED_TRACE(want.scaling);
    posenc_rotary_spec spec = Preset("llama", 128);
    spec.scaling = want.scaling;
    spec.factor = 10;
    spec.original_length = 2048;
    spec.length = 16384;
    posenc_rotary* rotary = nullptr;
    ASSERT_EQ(posenc_rotary_create(&spec, &rotary), POSENC_OK);
    for (std::size_t k = 0; k < std::size(kShown); ++k) {
      EXPECT_NEAR(posenc_rotary_radians(rotary, kShown[k]) / want.radians[k], 1, 5e-5) << kShown[k];
    }
    posenc_rotary_destroy(rotary);
  }
}

// For any head a preset either fits or refuses.
TEST(RotaryPresets, FollowTheHead) {
  const std::size_t head_dims[] = {0,   1,   2,   3,   4,   30,  62,  63,   64,   80,   88,    96,
                                   127, 128, 160, 192, 256, 512, 576, 2048, 2050, 8192, 65536, 65537};
  for (const posenc_preset& preset : AllPresets()) {
    for (const std::size_t head_dim : head_dims) {
      SCOPED_TRACE(preset.name + (" " + std::to_string(head_dim)));
      posenc_rotary_spec spec = Untouched();
      const posenc_status status = posenc_rotary_spec_preset(&spec, sizeof(spec), preset.name, head_dim);
      if (status != POSENC_OK) {
        EXPECT_EQ(status, POSENC_BAD_HEAD_DIM);
        EXPECT_TRUE(IsUntouched(spec));
        continue;
      }
      EXPECT_EQ(spec.head_dim, head_dim);
      EXPECT_EQ(spec.rotary_dim % 2, 0u);
      EXPECT_TRUE(spec.rotary_dim >= 2 && spec.rotary_dim <= POSENC_MAX_ROTARY_DIM);
      EXPECT_LE(spec.rotary_offset + spec.rotary_dim, head_dim);
      const std::size_t* s = spec.sections;
      EXPECT_EQ(s[0] + s[1] + s[2] + s[3], spec.axes == 1 ? 0 : spec.rotary_dim / 2);
    }
  }
}

TEST(RotaryPresets, SharesAndSectionsFollowTheHead) {
  EXPECT_EQ(Preset("glm", 64).rotary_dim, 32u);
  EXPECT_EQ(Preset("gpt_neox", 128).rotary_dim, 32u);
  EXPECT_EQ(Preset("deepseek_v3", 64).rotary_offset, 0u);
  EXPECT_EQ(Preset("deepseek_v3", 576).rotary_offset, 512u);  // absorbed, after the latent
  EXPECT_EQ(Preset("dinov3", 128).sections[1], 32u);
  posenc_rotary_spec spec = Untouched();
  const auto status = [&](const char* name, std::size_t head_dim) {
    return posenc_rotary_spec_preset(&spec, sizeof(spec), name, head_dim);
  };
  EXPECT_EQ(status("qwen2_vl", 64), POSENC_BAD_HEAD_DIM);
  EXPECT_EQ(status("glm4v", 64), POSENC_BAD_HEAD_DIM);
  EXPECT_EQ(status("dinov3", 66), POSENC_BAD_HEAD_DIM);
  EXPECT_EQ(status("gpt_j", 62), POSENC_BAD_HEAD_DIM);
  EXPECT_EQ(status("llama", 127), POSENC_BAD_HEAD_DIM);
  EXPECT_EQ(status("llama", 0), POSENC_BAD_HEAD_DIM);
  EXPECT_EQ(status("llama", 65537), POSENC_BAD_HEAD_DIM);
  EXPECT_TRUE(IsUntouched(spec));
}

TEST(RotaryPresets, RefuseWhatIsNone) {
  posenc_rotary_spec spec = Untouched();
  EXPECT_EQ(posenc_rotary_spec_preset(nullptr, sizeof(spec), "llama", 128), POSENC_NULL_POINTER);
  EXPECT_EQ(posenc_rotary_spec_preset(&spec, sizeof(spec), nullptr, 128), POSENC_NULL_POINTER);
  for (const char* name : {"", "llam", "llama ", "Llama", "llama5"}) {
    EXPECT_EQ(posenc_rotary_spec_preset(&spec, sizeof(spec), name, 128), POSENC_UNKNOWN_PRESET);
  }
  for (const std::size_t size : {std::size_t{0}, sizeof(spec) - 1, std::size_t{4097}}) {
    EXPECT_EQ(posenc_rotary_spec_preset(&spec, size, "llama", 128), POSENC_BAD_STRUCT_SIZE);
  }
  EXPECT_TRUE(IsUntouched(spec));
}

TEST(RotaryPresets, TheListIsStable) {
  const std::vector<posenc_preset> all = AllPresets();
  std::vector<posenc_preset> first(3);
  EXPECT_EQ(posenc_rotary_presets(first.data(), first.size()), all.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].name, all[i].name);
  std::vector<posenc_preset> more(all.size() + 1, {"x", "y", "z"});
  EXPECT_EQ(posenc_rotary_presets(more.data(), more.size()), all.size());
  EXPECT_STREQ(more.back().name, "x");
  for (const posenc_preset& preset : all) {
    for (const std::string text : {preset.name, preset.formula, preset.source}) {
      EXPECT_FALSE(text.empty()) << preset.name;
      EXPECT_EQ(text.find('\n'), std::string::npos) << preset.name;
      EXPECT_EQ(text.find('|'), std::string::npos) << preset.name;  // a cell of docs/rotary.md
    }
  }
}

TEST(RotaryPresets, AreInTheDocument) {
  std::ifstream file(POSENC_GOLDEN_DIR "/../../docs/rotary.md");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const posenc_preset& preset : AllPresets()) {
    const std::string row =
        std::string("| `") + preset.name + "` | " + preset.formula + " | " + preset.source + " |\n";
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
}

// A caller of a later version, whose spec is longer.
struct Longer {
  posenc_rotary_spec spec;
  unsigned char more[24];
};

TEST(RotarySpec, LaterVersionsGetZerosForWhatIsUnknown) {
  for (const char* name : {"", "gpt_oss"}) {
    Longer longer;
    std::memset(&longer, 0x5A, sizeof(longer));
    EXPECT_EQ(*name == '\0' ? posenc_rotary_spec_init(&longer.spec, sizeof(longer))
                            : posenc_rotary_spec_preset(&longer.spec, sizeof(longer), name, 64),
              POSENC_OK);
    EXPECT_EQ(longer.spec.struct_size, sizeof(longer));
    for (const unsigned char byte : longer.more) EXPECT_EQ(byte, 0);

    posenc_rotary_spec copy = Untouched();
    EXPECT_EQ(internal::CopyRotarySpec(&longer.spec, &copy), POSENC_OK);
    EXPECT_EQ(copy.struct_size, sizeof(longer));
    EXPECT_EQ(copy.base, longer.spec.base);
    EXPECT_EQ(copy.truncate, longer.spec.truncate);
    for (unsigned char& byte : longer.more) {
      byte = 1;
      EXPECT_EQ(internal::CopyRotarySpec(&longer.spec, &copy), POSENC_BAD_STRUCT_SIZE);
      byte = 0;
    }
  }
}

TEST(RotarySpec, RefusesSizesThatAreNone) {
  posenc_rotary_spec spec = Untouched(), copy = Untouched();
  EXPECT_EQ(posenc_rotary_spec_init(nullptr, sizeof(spec)), POSENC_NULL_POINTER);
  EXPECT_EQ(internal::CopyRotarySpec(nullptr, &copy), POSENC_NULL_POINTER);
  for (const std::size_t size : {std::size_t{0}, sizeof(spec) - 1, std::size_t{4097}}) {
    EXPECT_EQ(posenc_rotary_spec_init(&spec, size), POSENC_BAD_STRUCT_SIZE);
  }
  EXPECT_TRUE(IsUntouched(spec));
  ASSERT_EQ(posenc_rotary_spec_init(&spec, sizeof(spec)), POSENC_OK);
  for (const std::size_t size : {std::size_t{0}, sizeof(spec) - 1, std::size_t{4097}}) {
    spec.struct_size = size;
    EXPECT_EQ(internal::CopyRotarySpec(&spec, &copy), POSENC_BAD_STRUCT_SIZE);
  }
  EXPECT_TRUE(IsUntouched(copy));
}

TEST(RotarySpec, DefaultsAreThoseOfTheHeader) {
  posenc_rotary_spec spec = Untouched();
  ASSERT_EQ(posenc_rotary_spec_init(&spec, sizeof(spec)), POSENC_OK);
  EXPECT_EQ(spec.struct_size, sizeof(spec));
  EXPECT_EQ(spec.head_dim + spec.rotary_dim + spec.rotary_offset, 0u);
  EXPECT_EQ(spec.pairing, POSENC_HALF_SPLIT);
  EXPECT_EQ(spec.output_pairing, POSENC_SAME_PAIRING);
  EXPECT_EQ(spec.arithmetic, POSENC_EXACT);
  EXPECT_EQ(spec.phase_rounding, POSENC_NO_PHASE_ROUNDING);
  EXPECT_EQ(spec.base, 10000);
  EXPECT_EQ(spec.exponent_dim, 0);
  EXPECT_EQ(spec.position_scale, 1);
  EXPECT_EQ(spec.unit, POSENC_RADIANS);
  EXPECT_EQ(spec.scaling, POSENC_NO_SCALING);
  EXPECT_EQ(spec.factor, 1);
  EXPECT_EQ(spec.length, 0);
  EXPECT_EQ(spec.original_length, 0);
  EXPECT_EQ(spec.beta_fast, 32);
  EXPECT_EQ(spec.beta_slow, 1);
  EXPECT_EQ(spec.mscale, 1);
  EXPECT_EQ(spec.mscale_all_dim, 0);
  EXPECT_EQ(spec.low_freq_factor, 1);
  EXPECT_EQ(spec.high_freq_factor, 4);
  EXPECT_EQ(spec.proportion, 1);
  EXPECT_EQ(spec.amplitude, 0);
  EXPECT_EQ(spec.truncate, 1);
  EXPECT_EQ(spec.axes, 1u);
  EXPECT_EQ(spec.axis_order, POSENC_CONSECUTIVE_AXES);
}

}  // namespace
}  // namespace posenc
