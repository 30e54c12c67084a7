// Presets of encoders and of rotaries: their list, their names, and what each preset sets.
// golden_presets_test.cc tests what they write and how they rotate.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "per_target.h"
#include "posenc/models.h"
#include "refusal.h"
#include "rotary_cases.h"
#include "spec/versioned.h"
#include "spec_words.h"
#include "untouched.h"

namespace posenc {
namespace {

struct Encoders {
  using Spec = posenc_spec;
  static constexpr auto kList = &posenc_spec_presets;
  static constexpr auto kPreset = &posenc_spec_preset;
  static constexpr const char *kDocument = "docs/conventions.md", *kName = "fairseq", *kOther = "llama3";
  static constexpr double kBase = 10000;
  static constexpr std::size_t kBadDims[] = {0, std::size_t{POSENC_MAX_DIM} + 1, SIZE_MAX};
  static Refusal BadDim() { return {POSENC_BAD_ARGUMENT, "dim of a preset must be 1 .. 16777216"}; }
  static Refusal BadSize() {
    return {POSENC_BAD_STRUCT, "the argument struct_size must be sizeof(posenc_spec)"};
  }
};

struct Rotaries {
  using Spec = posenc_rotary_spec;
  static constexpr auto kList = &posenc_rotary_presets;
  static constexpr auto kPreset = &posenc_rotary_spec_preset;
  static constexpr const char *kDocument = "docs/rotary-presets.md", *kName = "gpt_oss", *kOther = "fairseq";
  static constexpr double kBase = 150000;
  static constexpr std::size_t kBadDims[] = {0, 1, POSENC_MAX_HEAD_DIM + 1, SIZE_MAX};
  static Refusal BadDim() { return {POSENC_BAD_ARGUMENT, "head_dim of a preset must be 2 .. 65536"}; }
  static Refusal BadSize() {
    return {POSENC_BAD_STRUCT, "the argument struct_size must be sizeof(posenc_rotary_spec)"};
  }
};

template <class Noun>
std::vector<posenc_preset> AllPresets() {
  std::vector<posenc_preset> presets(Noun::kList(nullptr, 0));
  EXPECT_EQ(Noun::kList(presets.data(), presets.size()), presets.size());
  return presets;
}

template <class Noun>
class Presets : public testing::Test {};
using Nouns = testing::Types<Encoders, Rotaries>;
TYPED_TEST_SUITE(Presets, Nouns, );

TYPED_TEST(Presets, AreAStableList) {
  const std::vector<posenc_preset> all = AllPresets<TypeParam>();
  std::vector<posenc_preset> first(3);
  EXPECT_EQ(TypeParam::kList(first.data(), first.size()), all.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].name, all[i].name);
  std::vector<posenc_preset> more(all.size() + 1, {"x", "y", "z"});
  EXPECT_EQ(TypeParam::kList(more.data(), more.size()), all.size());
  EXPECT_STREQ(more.back().name, "x");
}

// Each preset has a row in the document's table.
TYPED_TEST(Presets, AreInTheDocument) {
  const std::vector<std::string> lines = Split(ReadFile(TypeParam::kDocument), '\n');
  for (const posenc_preset& preset : AllPresets<TypeParam>()) {
    for (const std::string text : {preset.name, preset.formula, preset.source}) {
      EXPECT_FALSE(text.empty()) << preset.name;
      EXPECT_EQ(text.find_first_of("\n\t|"), std::string::npos) << preset.name;
    }
    const std::string begin = std::string("| `") + preset.name + "` | " + preset.formula + " | ";
    const auto row = std::find_if(lines.begin(), lines.end(),
                                  [&](const std::string& line) { return line.rfind(begin, 0) == 0; });
    ASSERT_NE(row, lines.end()) << preset.name;
    EXPECT_NE(row->find(std::string("| ") + preset.source + " |"), std::string::npos) << *row;
  }
}

TYPED_TEST(Presets, RefuseWhatIsNone) {
  using S = typename TypeParam::Spec;
  S spec = Untouched<S>();
  EXPECT_EQ(TypeParam::kPreset(nullptr, sizeof(spec), TypeParam::kName, 64, nullptr),
            Refusal(POSENC_NULL, "spec must not be null"));
  EXPECT_EQ(TypeParam::kPreset(&spec, sizeof(spec), nullptr, 64, nullptr),
            Refusal(POSENC_NULL, "name of the preset must not be null"));
  const std::string name = TypeParam::kName;
  for (const std::string& none : {std::string(), name.substr(1), name.substr(0, name.size() - 1), name + " ",
                                  "F" + name.substr(1), std::string(TypeParam::kOther)}) {
    EXPECT_EQ(TypeParam::kPreset(&spec, sizeof(spec), none.c_str(), 64, nullptr),
              Refusal(POSENC_BAD_ARGUMENT, "no preset has that name for this kind of spec"))
        << none;
  }
  for (const std::size_t size :
       {std::size_t{0}, internal::kFirstSize<decltype(spec)> - 1, std::size_t{4097}}) {
    EXPECT_EQ(TypeParam::kPreset(&spec, size, TypeParam::kName, 64, nullptr), TypeParam::BadSize());
  }
  for (const std::size_t dim : TypeParam::kBadDims) {
    for (const posenc_preset& preset : AllPresets<TypeParam>()) {
      EXPECT_EQ(TypeParam::kPreset(&spec, sizeof(spec), preset.name, dim, nullptr), TypeParam::BadDim())
          << preset.name << dim;
    }
  }
  EXPECT_TRUE(IsUntouched(spec));
}

// If a name is wrong, the report suggests the nearest preset, of either kind.
TEST(PresetReports, SuggestTheNearestName) {
  const struct {
    bool is_rotary;
    const char *name, *text;
  } cases[] = {
      {false, "fairsec", "no encoder preset is called \"fairsec\"; did you mean \"fairseq\"?"},
      {false, "lama3", "no encoder preset is called \"lama3\"; did you mean \"llama3\", a rotary preset?"},
      {false, "llama3", "\"llama3\" is a rotary preset: posenc_rotary_spec_preset takes it"},
      {true, "llama_3", "no rotary preset is called \"llama_3\"; did you mean \"llama3\"?"},
      {true, "fairseq", "\"fairseq\" is an encoder preset: posenc_spec_preset takes it"},
      {true, "fairsec",
       "no rotary preset is called \"fairsec\"; did you mean \"fairseq\", an encoder preset?"},
      {true, "", "no rotary preset is called \"\": posenc_rotary_presets lists them"},
      {false, "nothing like it\n",
       "no encoder preset is called \"nothing like it\\x0a\": posenc_spec_presets lists them"},
  };
  for (const auto& c : cases) {
    posenc_model_report report;
    std::memset(&report, 0x5A, sizeof(report));
    Spec spec;
    RotarySpec rotary;
    EXPECT_EQ(
        c.is_rotary ? RotaryPreset(&rotary, c.name, 64, &report) : SpecPreset(&spec, c.name, 64, &report),
        Refusal(POSENC_BAD_ARGUMENT, "no preset has that name"));
    EXPECT_STREQ(report.text, c.text);
    EXPECT_EQ(report.key, c.name);
  }
  const std::string long_name(100000, 'a');
  posenc_model_report report;
  Spec spec;
  EXPECT_EQ(SpecPreset(&spec, long_name.c_str(), 64, &report), Refusal(rule::unknown_preset));
  EXPECT_LT(std::strlen(report.text), sizeof(report.text) - 1);
  // The report repeats the sentences of other refusals. It is empty if a call succeeds.
  EXPECT_EQ(SpecPreset(&spec, "fairseq", 0, &report), Refusal(POSENC_BAD_ARGUMENT, report.text));
  EXPECT_STRNE(report.text, "");
  EXPECT_EQ(SpecPreset(&spec, "fairseq", 64, &report), POSENC_OK);
  EXPECT_STREQ(report.text, "");
}

// Whoever has the wrong head_dim reads the nearest ones that the preset takes.
TEST(PresetReports, NameTheHeadDimThatSuits) {
  const std::string sections = "\", whose sections need head_dim ",
                    rotates =
                        "\", whose rotary_dim must be even, at most 16384 and within the head, as with "
                        "head_dim ";
  const struct {
    const char* name;
    std::size_t head_dim;
    std::string end;
  } cases[] = {
      {"qwen2_vl", 64, sections + "128"},    {"qwen2_vl", 130, sections + "128"},
      {"dinov3", 66, sections + "64 or 68"}, {"llama", 127, rotates + "126 or 128"},
      {"llama", 65536, rotates + "16384"},   {"gpt_j", 62, rotates + "64"},
      {"gpt_neox", 7, rotates + "8"},        {"gpt_neox", 12, rotates + "11 or 16"},
  };
  for (const auto& c : cases) {
    posenc_model_report report;
    RotarySpec spec;
    EXPECT_EQ(RotaryPreset(&spec, c.name, c.head_dim, &report),
              c.end.rfind(sections, 0) == 0 ? rule::preset_sections : rule::preset_rotary_dim);
    EXPECT_EQ(report.text,
              "head_dim " + std::to_string(c.head_dim) + " does not suit the preset \"" + c.name + c.end);
  }
}

// A preset starts from the defaults. spec_init_test.cc tests the sizes.
TYPED_TEST(Presets, LaterVersionsGetZerosForWhatIsUnknown) {
  struct {
    typename TypeParam::Spec spec;
    unsigned char more[24];
  } longer;
  std::memset(&longer, 0x5A, sizeof(longer));
  EXPECT_EQ(TypeParam::kPreset(&longer.spec, sizeof(longer), TypeParam::kName, 64, nullptr), POSENC_OK);
  EXPECT_EQ(longer.spec.struct_size, sizeof(longer));
  EXPECT_EQ(longer.spec.base, TypeParam::kBase);
  for (const unsigned char byte : longer.more) EXPECT_EQ(byte, 0);
}

TYPED_TEST(Presets, WriteNoMoreThanTheSize) {
  using S = typename TypeParam::Spec;
  for (std::size_t size = 0; size <= sizeof(S) + 16; ++size) {
    SCOPED_TRACE(size);
    std::vector<unsigned char> bytes(sizeof(S) + 32, 0x5A);  // aligned, as operator new allocates it
    auto* const spec = reinterpret_cast<S*>(bytes.data());
    const bool is_size = internal::IsStructSize<S>(size);
    EXPECT_EQ(TypeParam::kPreset(spec, size, TypeParam::kName, 64, nullptr),
              is_size ? Refusal(POSENC_OK) : TypeParam::BadSize());
    EXPECT_TRUE(std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(is_size ? size : 0), bytes.end(),
                            [](unsigned char byte) { return byte == 0x5A; }));
  }
}

// The settings of a preset also allow the source's rounding.
TEST(PresetsOfEncoders, AdmitTheirRoundings) {
  for (const posenc_preset& preset : AllPresets<Encoders>()) {
    for (const std::size_t dim : {1u, 2u, 3u, 5u, 8u, 64u, 65u, 320u}) {
      Spec spec;
      ASSERT_EQ(SpecPreset(&spec, preset.name, dim), POSENC_OK);
      EXPECT_EQ(spec.phase_rounding, POSENC_NO_PHASE_ROUNDING);
      spec.phase_rounding = posenc_spec_preset_rounding(preset.name);
      if (spec.phase_rounding != POSENC_NO_PHASE_ROUNDING) Create(spec);
    }
  }
  EXPECT_EQ(posenc_spec_preset_rounding("fairse"), -1);
  EXPECT_EQ(posenc_spec_preset_rounding(nullptr), -1);
}

TEST(PresetsOfEncoders, SetNothingElse) {
  const std::vector<std::string> set = Split(
      "dim base exponent_dim position_scale layout frequency_count unit odd_column position_offset "
      "has_padding padding_position input_first");
  for (const posenc_preset& preset : AllPresets<Encoders>()) {
    posenc_spec spec = Untouched<posenc_spec>();
    ASSERT_EQ(posenc_spec_preset(&spec, sizeof(spec), preset.name, POSENC_MAX_DIM, nullptr), POSENC_OK);
    EXPECT_EQ(spec.dim, std::size_t{POSENC_MAX_DIM});
    for (const std::string& name : Split(Differences(spec, EncoderSpec("")))) {
      EXPECT_EQ(std::count(set.begin(), set.end(), name), 1) << preset.name << " sets " << name;
    }
  }
}

TEST(PresetsOfEncoders, AreTheSameInCpp) {
  for (const posenc_preset& preset : AllPresets<Encoders>()) {
    posenc_spec c = Untouched<posenc_spec>();
    Spec spec;
    ASSERT_EQ(posenc_spec_preset(&c, sizeof(c), preset.name, 65, nullptr), POSENC_OK);
    ASSERT_EQ(SpecPreset(&spec, preset.name, 65), POSENC_OK);
    EXPECT_EQ(Differences<posenc_spec>(spec, c), "") << preset.name;
  }
  Spec cpp = MakeSpec(7);
  EXPECT_EQ(SpecPreset(nullptr, "fairseq", 64), Refusal(POSENC_NULL, "spec must not be null"));
  EXPECT_EQ(SpecPreset(&cpp, "fairse", 64), Refusal(POSENC_BAD_ARGUMENT, "no preset has that name"));
  EXPECT_EQ(cpp.dim, 7u);
}

// Creation refuses frequencies that are powers of two beyond 2^31, and presets without the caller's list.
TEST(PresetsOfEncoders, AreRefusedByCreationForTheirReason) {
  const Refusal range(POSENC_MEMBERS_CLASH,
                      "each frequency times position_scale must be 0 or 2^-126 .. 2^31"),
      list(POSENC_MEMBERS_CLASH, "so frequencies or frequencies_f32 must be set");
  const struct {
    const char* name;
    std::size_t dim;
    Refusal want;
  } cases[] = {{"nerf", 65, POSENC_OK},        {"nerf", 66, range},           {"nerf_paper", 60, POSENC_OK},
               {"nerf_paper", 62, range},      {"gaussian_fourier", 8, list}, {"edm_fourier", 8, list},
               {"linear_pixel_bands", 8, list}};
  for (const auto& c : cases) {
    posenc_spec spec = EncoderSpec("");
    ASSERT_EQ(posenc_spec_preset(&spec, sizeof(spec), c.name, c.dim, nullptr), POSENC_OK);
    posenc_encoder* encoder = nullptr;
    EXPECT_EQ(posenc_encoder_create(&spec, &encoder), c.want) << c.name << c.dim;
    posenc_encoder_destroy(encoder);
  }
}

posenc_rotary_spec Preset(const char* name, std::size_t head_dim) {
  auto spec = Untouched<posenc_rotary_spec>();
  EXPECT_EQ(posenc_rotary_spec_preset(&spec, sizeof(spec), name, head_dim, nullptr), POSENC_OK) << name;
  return spec;
}

TEST(PresetsOfRotaries, AreRefusedUntilTheCallerCompletesThem) {
  posenc_rotary* rotary = nullptr;
  posenc_rotary_spec spec = Preset("phi3_longrope", 96);
  EXPECT_EQ(posenc_rotary_create(&spec, &rotary),
            Refusal(POSENC_MEMBERS_CLASH, "needs factors or factors_f32"));
  spec = Preset("grok1_yarn_log", 128);
  EXPECT_EQ(posenc_rotary_create(&spec, &rotary), Refusal(rule::scaling_original_length));
}

// The report of a refusal ends with a head_dim that the preset takes.
void ExpectSuggestion(const char* name, std::size_t head_dim) {
  if (head_dim < 2 || head_dim > POSENC_MAX_HEAD_DIM) return;
  RotarySpec spec;
  posenc_model_report report;
  EXPECT_NE(RotaryPreset(&spec, name, head_dim, &report), POSENC_OK);
  const std::string text = report.text;
  const std::string last = text.substr(text.rfind(' ') + 1);
  EXPECT_EQ(RotaryPreset(&spec, name, std::strtoul(last.c_str(), nullptr, 10)), POSENC_OK) << text;
}

// A preset either fits a head or refuses it.
TEST(PresetsOfRotaries, FollowTheHead) {
  const std::size_t head_dims[] = {0,   1,   2,   3,   4,   30,  62,  63,   64,   80,   88,    96,
                                   127, 128, 160, 192, 256, 512, 576, 2048, 2050, 8192, 65536, 65537};
  for (const posenc_preset& preset : AllPresets<Rotaries>()) {
    for (const std::size_t head_dim : head_dims) {
      SCOPED_TRACE(preset.name + (" " + std::to_string(head_dim)));
      posenc_rotary_spec spec = Untouched<posenc_rotary_spec>();
      const posenc_status status =
          posenc_rotary_spec_preset(&spec, sizeof(spec), preset.name, head_dim, nullptr);
      if (status != POSENC_OK) {
        EXPECT_EQ(status, Refusal(POSENC_BAD_ARGUMENT, "head_dim "));
        EXPECT_TRUE(IsUntouched(spec));
        ExpectSuggestion(preset.name, head_dim);
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

TEST(PresetsOfRotaries, SharesAndSectionsFollowTheHead) {
  EXPECT_EQ(Preset("glm", 64).rotary_dim, 32u);
  EXPECT_EQ(Preset("gpt_neox", 128).rotary_dim, 32u);
  EXPECT_EQ(Preset("deepseek_v3", 64).rotary_offset, 0u);
  EXPECT_EQ(Preset("deepseek_v3", 576).rotary_offset, 512u);  // absorbed, after the latent part
  EXPECT_EQ(Preset("dinov3", 128).sections[1], 32u);
  posenc_rotary_spec spec = Untouched<posenc_rotary_spec>();
  const auto status = [&](const char* name, std::size_t head_dim) {
    return posenc_rotary_spec_preset(&spec, sizeof(spec), name, head_dim, nullptr);
  };
  const Refusal sections(POSENC_BAD_ARGUMENT, "head_dim does not suit the preset: its sections"),
      rotates(POSENC_BAD_ARGUMENT,
              "head_dim does not suit the preset: the elements that rotate must be even"),
      size(POSENC_BAD_ARGUMENT, "head_dim of a preset must be 2 .. 65536");
  EXPECT_EQ(status("qwen2_vl", 64), sections);
  EXPECT_EQ(status("glm4v", 64), sections);
  EXPECT_EQ(status("dinov3", 66), sections);
  EXPECT_EQ(status("gpt_j", 62), rotates);
  EXPECT_EQ(status("llama", 127), rotates);
  EXPECT_EQ(status("llama", 0), size);
  EXPECT_EQ(status("llama", 65537), size);
  EXPECT_TRUE(IsUntouched(spec));
}

TEST(PresetsOfRotaries, AreTheSameInCpp) {
  const posenc_rotary_spec want = Preset("qwen3_vl", 128);
  RotarySpec spec;
  EXPECT_EQ(RotaryPreset(&spec, "qwen3_vl", 128), POSENC_OK);
  EXPECT_EQ(Differences<posenc_rotary_spec>(spec, want), "");
  EXPECT_EQ(RotaryPreset(&spec, "none", 128), Refusal(POSENC_BAD_ARGUMENT, "no preset has that name"));
  EXPECT_EQ(RotaryPreset(&spec, "qwen3_vl", 64),
            Refusal(POSENC_BAD_ARGUMENT, "its sections must add up to half"));
  EXPECT_EQ(RotaryPreset(&spec, nullptr, 128), Refusal(POSENC_NULL, "name of the preset must not be null"));
  EXPECT_EQ(RotaryPreset(nullptr, "llama", 128), Refusal(POSENC_NULL, "spec must not be null"));
  EXPECT_EQ(Differences<posenc_rotary_spec>(spec, want), "");
}

}  // namespace
}  // namespace posenc
