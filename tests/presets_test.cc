// Presets of both nouns: what the list of them, and each, must be. What they write and rotate is in
// golden_test. And the functions that set a spec's defaults, which presets start from.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "spec/versioned.h"
#include "per_target.h"
#include "rotary_cases.h"
#include "spec_words.h"

namespace posenc {
namespace {

struct Encoders {
  using Spec = posenc_spec;
  static constexpr auto kList = &posenc_spec_presets;
  static constexpr auto kInit = &posenc_spec_init;
  static constexpr auto kPreset = &posenc_spec_preset;
  static constexpr auto kMemorySize = &posenc_encoder_memory_size;
  static constexpr std::size_t kPastSizes[] = {sizeof(posenc_spec)};
  static constexpr const char *kDocument = "docs/conventions.md", *kName = "fairseq", *kOther = "llama3";
  static constexpr std::size_t kBadDims[] = {0, std::size_t{POSENC_MAX_DIM} + 1, SIZE_MAX};
  static constexpr posenc_status kBadDim = POSENC_BAD_DIM;
  static constexpr const char* kDefaults = "base=10000 position_scale=1 min_timescale=1";
};

struct Rotaries {
  using Spec = posenc_rotary_spec;
  static constexpr auto kList = &posenc_rotary_presets;
  static constexpr auto kInit = &posenc_rotary_spec_init;
  static constexpr auto kPreset = &posenc_rotary_spec_preset;
  static constexpr auto kMemorySize = &posenc_rotary_memory_size;
  static constexpr std::size_t kPastSizes[] = {sizeof(posenc_rotary_spec)};
  static constexpr const char *kDocument = "docs/rotary.md", *kName = "gpt_oss", *kOther = "fairseq";
  static constexpr std::size_t kBadDims[] = {0, 1, POSENC_MAX_HEAD_DIM + 1, SIZE_MAX};
  static constexpr posenc_status kBadDim = POSENC_BAD_HEAD_DIM;
  static constexpr const char* kDefaults =
      "output_pairing=SAME_PAIRING base=10000 position_scale=1 factor=1 beta_fast=32 beta_slow=1 mscale=1 "
      "low_freq_factor=1 high_freq_factor=4 proportion=1 truncate=1 axes=1";
};

// What a failure must leave as it was.
template <class S>
S Untouched() {
  S spec;
  std::memset(&spec, 0x5A, sizeof(spec));
  return spec;
}

template <class S>
bool IsUntouched(const S& spec) {
  const S want = Untouched<S>();
  return std::memcmp(&spec, &want, sizeof(want)) == 0;
}

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

// A row of a table each.
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
  EXPECT_EQ(TypeParam::kInit(nullptr, sizeof(spec)), POSENC_NULL_POINTER);
  EXPECT_EQ(TypeParam::kPreset(nullptr, sizeof(spec), TypeParam::kName, 64), POSENC_NULL_POINTER);
  EXPECT_EQ(TypeParam::kPreset(&spec, sizeof(spec), nullptr, 64), POSENC_NULL_POINTER);
  const std::string name = TypeParam::kName;
  for (const std::string& none : {std::string(), name.substr(1), name.substr(0, name.size() - 1), name + " ",
                                  "F" + name.substr(1), std::string(TypeParam::kOther)}) {
    EXPECT_EQ(TypeParam::kPreset(&spec, sizeof(spec), none.c_str(), 64), POSENC_UNKNOWN_PRESET) << none;
  }
  for (const std::size_t size :
       {std::size_t{0}, internal::kFirstSize<decltype(spec)> - 1, std::size_t{4097}}) {
    EXPECT_EQ(TypeParam::kInit(&spec, size), POSENC_BAD_STRUCT_SIZE);
    EXPECT_EQ(TypeParam::kPreset(&spec, size, TypeParam::kName, 64), POSENC_BAD_STRUCT_SIZE);
  }
  for (const std::size_t dim : TypeParam::kBadDims) {
    for (const posenc_preset& preset : AllPresets<TypeParam>()) {
      EXPECT_EQ(TypeParam::kPreset(&spec, sizeof(spec), preset.name, dim), TypeParam::kBadDim)
          << preset.name << dim;
    }
  }
  EXPECT_TRUE(IsUntouched(spec));
}

TYPED_TEST(Presets, StartFromTheDefaultsOfTheHeader) {
  using S = typename TypeParam::Spec;
  S spec = Untouched<S>(), zeros;
  std::memset(&zeros, 0, sizeof(zeros));
  ASSERT_EQ(TypeParam::kInit(&spec, sizeof(spec)), POSENC_OK);
  EXPECT_EQ(Differences(spec, With(zeros, TypeParam::kDefaults)), "");
  EXPECT_EQ(spec.struct_size, sizeof(spec));
}

// Every other size ends inside a member (sizeof - 1 has seven bytes of a pointer), or puts the second of some
// specs where it is not aligned.
TYPED_TEST(Presets, HaveTheSizesOfVersionsOnly) {
  using S = typename TypeParam::Spec;
  constexpr std::size_t kMost = 4096;
  S good;
  ASSERT_EQ(TypeParam::kPreset(&good, sizeof(good), TypeParam::kName, 64), POSENC_OK);
  std::vector<std::size_t> sizes(sizeof(S) + 17);
  std::iota(sizes.begin(), sizes.end(), std::size_t{0});
  for (std::size_t size = kMost - 16; size <= kMost + 16; ++size) sizes.push_back(size);
  std::size_t right = 0;
  for (const std::size_t size : sizes) {
    SCOPED_TRACE(size);
    const bool is_past =
        std::count(std::begin(TypeParam::kPastSizes), std::end(TypeParam::kPastSizes), size) != 0;
    const bool is_later = size > sizeof(S) && size <= kMost && size % alignof(S) == 0;
    const posenc_status want = is_past || is_later ? POSENC_OK : POSENC_BAD_STRUCT_SIZE;
    right += want == POSENC_OK ? 1 : 0;
    for (const bool is_preset : {false, true}) {
      std::vector<unsigned char> bytes(kMost + 32, 0x5A);  // aligned, as all of operator new's memory is
      auto* const spec = reinterpret_cast<S*>(bytes.data());
      EXPECT_EQ(
          is_preset ? TypeParam::kPreset(spec, size, TypeParam::kName, 64) : TypeParam::kInit(spec, size),
          want);
      const std::size_t written = want == POSENC_OK ? size : 0;
      EXPECT_TRUE(std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(written), bytes.end(),
                              [](unsigned char byte) { return byte == 0x5A; }));
    }
    if (size < sizeof(std::size_t)) continue;
    std::vector<unsigned char> bytes(
        size);  // no byte more, which AddressSanitizer would report if it were read
    std::memcpy(bytes.data(), &good, std::min(size, sizeof(good)));
    std::memcpy(bytes.data() + offsetof(S, struct_size), &size, sizeof(size));
    std::size_t memory = 0;
    EXPECT_EQ(TypeParam::kMemorySize(reinterpret_cast<const S*>(bytes.data()), &memory), want);
    EXPECT_EQ(memory != 0, want == POSENC_OK);
  }
  EXPECT_EQ(right, std::size(TypeParam::kPastSizes) + 16 / alignof(S) + 16 / alignof(S) + 1);
}

// A caller of a later version, whose spec is longer.
TYPED_TEST(Presets, LaterVersionsGetZerosForWhatIsUnknown) {
  for (const bool is_preset : {false, true}) {
    struct {
      typename TypeParam::Spec spec;
      unsigned char more[24];
    } longer;
    std::memset(&longer, 0x5A, sizeof(longer));
    EXPECT_EQ(is_preset ? TypeParam::kPreset(&longer.spec, sizeof(longer), TypeParam::kName, 64)
                        : TypeParam::kInit(&longer.spec, sizeof(longer)),
              POSENC_OK);
    EXPECT_EQ(longer.spec.struct_size, sizeof(longer));
    EXPECT_EQ(longer.spec.base,
              is_preset && sizeof(longer.spec) == sizeof(posenc_rotary_spec) ? 150000 : 10000);
    for (const unsigned char byte : longer.more) EXPECT_EQ(byte, 0);
    if constexpr (std::is_same_v<TypeParam, Rotaries>) {
      auto copy = Untouched<posenc_rotary_spec>();
      EXPECT_EQ(internal::CopySpec<posenc_rotary_spec>(&longer.spec, &copy), POSENC_OK);
      EXPECT_EQ(copy.struct_size, sizeof(longer));
      EXPECT_EQ(Differences(copy, longer.spec), "");
      for (unsigned char& byte : longer.more) {
        byte = 1;
        EXPECT_EQ(internal::CopySpec<posenc_rotary_spec>(&longer.spec, &copy), POSENC_UNKNOWN_MEMBERS);
        byte = 0;
      }
    }
  }
}

// With the source's rounding, too, an encoder comes of it: the settings admit it.
TEST(PresetsOfEncoders, AdmitTheirRoundings) {
  for (const posenc_preset& preset : AllPresets<Encoders>()) {
    for (const std::size_t dim : {1u, 2u, 3u, 5u, 8u, 64u, 65u, 320u}) {
      Spec spec;
      ASSERT_EQ(SpecPreset(&spec, preset.name, dim), Status::kOk);
      EXPECT_EQ(spec.phase_rounding, PhaseRounding::kNone);
      spec.phase_rounding = SpecPresetRounding(preset.name);
      if (spec.phase_rounding != PhaseRounding::kNone) Create(spec);
    }
  }
  EXPECT_EQ(posenc_spec_preset_rounding("fairse"), -1);
  EXPECT_EQ(posenc_spec_preset_rounding(nullptr), -1);
  EXPECT_EQ(SpecPresetRounding("fairse"), PhaseRounding::kNone);
}

TEST(PresetsOfEncoders, SetNothingElse) {
  const std::vector<std::string> set = Split(
      "dim base exponent_dim position_scale layout frequency_count frequency_unit odd_column position_offset "
      "has_padding padding_position input_first");
  for (const posenc_preset& preset : AllPresets<Encoders>()) {
    posenc_spec spec = Untouched<posenc_spec>();
    ASSERT_EQ(posenc_spec_preset(&spec, sizeof(spec), preset.name, POSENC_MAX_DIM), POSENC_OK);
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
    ASSERT_EQ(posenc_spec_preset(&c, sizeof(c), preset.name, 65), POSENC_OK);
    ASSERT_EQ(SpecPreset(&spec, preset.name, 65), Status::kOk);
    EXPECT_EQ(Differences<posenc_spec>(spec, c), "") << preset.name;
  }
  Spec cpp = MakeSpec(7);
  EXPECT_EQ(SpecPreset(nullptr, "fairseq", 64), Status::kNullPointer);
  EXPECT_EQ(SpecPreset(&cpp, "fairse", 64), Status::kUnknownPreset);
  EXPECT_EQ(cpp.dim, 7u);
}

// Powers of two leave the range of frequencies at 2^31; lists are the caller's.
TEST(PresetsOfEncoders, AreRefusedByCreationForTheirReason) {
  const struct {
    const char* name;
    std::size_t dim;
    posenc_status status;
  } cases[] = {{"nerf", 65, POSENC_OK},
               {"nerf", 66, POSENC_FREQUENCY_OUT_OF_RANGE},
               {"nerf_paper", 60, POSENC_OK},
               {"nerf_paper", 62, POSENC_FREQUENCY_OUT_OF_RANGE},
               {"gaussian_fourier", 8, POSENC_BAD_FREQUENCIES},
               {"edm_fourier", 8, POSENC_BAD_FREQUENCIES},
               {"linear_pixel_bands", 8, POSENC_BAD_FREQUENCIES}};
  for (const auto& c : cases) {
    posenc_spec spec = EncoderSpec("");
    ASSERT_EQ(posenc_spec_preset(&spec, sizeof(spec), c.name, c.dim), POSENC_OK);
    posenc_encoder* encoder = nullptr;
    EXPECT_EQ(posenc_encoder_create(&spec, &encoder), c.status) << c.name << c.dim;
    posenc_encoder_destroy(encoder);
  }
}

posenc_rotary_spec Preset(const char* name, std::size_t head_dim) {
  auto spec = Untouched<posenc_rotary_spec>();
  EXPECT_EQ(posenc_rotary_spec_preset(&spec, sizeof(spec), name, head_dim), POSENC_OK) << name;
  return spec;
}

TEST(PresetsOfRotaries, AreRefusedUntilTheCallerCompletesThem) {
  posenc_rotary* rotary = nullptr;
  posenc_rotary_spec spec = Preset("phi3_longrope", 96);
  EXPECT_EQ(posenc_rotary_create(&spec, &rotary), POSENC_BAD_FACTOR_LIST);
  spec = Preset("grok1_yarn_log", 128);
  EXPECT_EQ(posenc_rotary_create(&spec, &rotary), POSENC_BAD_LENGTH);
}

// EXPECTED_INV_FREQ of transformers, tests/utils/test_modeling_rope_utils.py: Llama of 2048 positions,
// scaled.
TEST(PresetsOfRotaries, ScaleAsTheTestsOfTransformersState) {
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
    posenc_rotary_spec spec = With(Preset("llama", 128), "factor=10 original_length=2048 length=16384");
    spec.scaling = want.scaling;
    const RotaryPtr rotary = CreateRotary(spec);
    for (std::size_t k = 0; k < std::size(kShown); ++k) {
      EXPECT_NEAR(posenc_rotary_radians(rotary.get(), kShown[k]) / want.radians[k], 1, 5e-5) << kShown[k];
    }
  }
}

// For any head a preset either fits or refuses.
TEST(PresetsOfRotaries, FollowTheHead) {
  const std::size_t head_dims[] = {0,   1,   2,   3,   4,   30,  62,  63,   64,   80,   88,    96,
                                   127, 128, 160, 192, 256, 512, 576, 2048, 2050, 8192, 65536, 65537};
  for (const posenc_preset& preset : AllPresets<Rotaries>()) {
    for (const std::size_t head_dim : head_dims) {
      SCOPED_TRACE(preset.name + (" " + std::to_string(head_dim)));
      posenc_rotary_spec spec = Untouched<posenc_rotary_spec>();
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

TEST(PresetsOfRotaries, SharesAndSectionsFollowTheHead) {
  EXPECT_EQ(Preset("glm", 64).rotary_dim, 32u);
  EXPECT_EQ(Preset("gpt_neox", 128).rotary_dim, 32u);
  EXPECT_EQ(Preset("deepseek_v3", 64).rotary_offset, 0u);
  EXPECT_EQ(Preset("deepseek_v3", 576).rotary_offset, 512u);  // absorbed, after the latent
  EXPECT_EQ(Preset("dinov3", 128).sections[1], 32u);
  posenc_rotary_spec spec = Untouched<posenc_rotary_spec>();
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

TEST(RotarySpec, IsCopiedOnlyOfItsSize) {
  auto spec = Untouched<posenc_rotary_spec>(), copy = spec;
  EXPECT_EQ(internal::CopySpec<posenc_rotary_spec>(nullptr, &copy), POSENC_NULL_POINTER);
  for (const std::size_t size :
       {std::size_t{0}, internal::kFirstSize<posenc_rotary_spec> - 1, std::size_t{4097}}) {
    spec.struct_size = size;
    EXPECT_EQ(internal::CopySpec<posenc_rotary_spec>(&spec, &copy), POSENC_BAD_STRUCT_SIZE);
  }
  EXPECT_TRUE(IsUntouched(copy));
}

}  // namespace
}  // namespace posenc
