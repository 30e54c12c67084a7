// Presets of encoders: what each writes against its source's formula in MPFR (preset_formulas.h), on every
// target, in every type; and what a preset must be.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "oracle/rounding.h"
#include "per_target.h"
#include "posenc/accuracy.h"
#include "preset_formulas.h"

namespace posenc {
namespace {

using oracle::Number;
using oracle::Real;
using preset_formulas::Column;
using preset_formulas::Columns;
using preset_formulas::Kind;

std::vector<posenc_preset> AllPresets() {
  std::vector<posenc_preset> presets(posenc_spec_presets(nullptr, 0));
  EXPECT_EQ(posenc_spec_presets(presets.data(), presets.size()), presets.size());
  return presets;
}

// What a failure must leave as it was.
posenc_spec Untouched() {
  posenc_spec spec;
  std::memset(&spec, 0x5A, sizeof(spec));
  return spec;
}

bool IsUntouched(const posenc_spec& spec) {
  const posenc_spec want = Untouched();
  return std::memcmp(&spec, &want, sizeof(want)) == 0;
}

// What frequencies are multiplied by, besides the position.
enum class Unit { kNone, kPi, kTwoPi };

struct Golden {
  const char* name;
  preset_formulas::Source source;
  posenc_phase_rounding rounding;
  double first = 0;        // the position that the source calls 0
  double padding = 0;      // if not 0: zero there
  double time_factor = 1;  // of positions
  Unit unit = Unit::kNone;
  bool is_listed = false;
};

constexpr posenc_phase_rounding kNone = POSENC_NO_PHASE_ROUNDING;

const Golden kGolden[] = {
    {"attention_is_all_you_need", preset_formulas::Paper, kNone},
    {"annotated_transformer", preset_formulas::Tutorial, POSENC_F32_EXP},
    {"pytorch_tutorial", preset_formulas::Tutorial, POSENC_F32_EXP},
    {"opennmt_py", preset_formulas::Tutorial, POSENC_F32_EXP},
    {"d2l", preset_formulas::Paper, POSENC_F32_POW_DIV},
    {"keras_hub", preset_formulas::Paper, kNone},
    {"hf_distilbert", preset_formulas::Paper, POSENC_F64_POW_DIV},
    {"tatp22", preset_formulas::Tatp22, POSENC_F32_INV_FREQ},
    {"conformer", preset_formulas::Tutorial, POSENC_F32_EXP},
    {"tensorflow_tutorial", preset_formulas::PaperInHalves, kNone},
    {"hf_marian", preset_formulas::PaperInHalves, POSENC_F64_POW_DIV},
    {"transformer_xl", preset_formulas::PaperInHalves, POSENC_F32_INV_FREQ},
    {"tensor2tensor", preset_formulas::TimingSignal, POSENC_F32_LOG_INCREMENT},
    {"tensor2tensor_nd", preset_formulas::TimingSignal, POSENC_F32_LOG_INCREMENT},
    {"maxtext", preset_formulas::TimingSignal, POSENC_F32_LOG_INCREMENT},
    {"flax", preset_formulas::TimingSignal, kNone},
    {"opennmt_tf", preset_formulas::TimingSignal, POSENC_F32_EXP, 1},
    {"ctranslate2", preset_formulas::TimingSignal, POSENC_F32_LOG_INCREMENT, 1},
    {"fairseq", preset_formulas::TimingSignal, POSENC_F32_EXP, 0, 1},
    {"hf_speech_to_text", preset_formulas::TimingSignal, POSENC_F32_EXP, 0, 1},
    {"hf_m2m_100", preset_formulas::TimingSignal, POSENC_F32_EXP, 0, 1},
    {"whisper", preset_formulas::TimingSignal, POSENC_F32_EXP},
    {"gemma_cpp", preset_formulas::TimingSignal, POSENC_F32_LOG_INCREMENT},
    {"marian", preset_formulas::Marian, POSENC_F32_LOG_INCREMENT},
    {"ddpm", preset_formulas::TimingSignal, POSENC_F32_EXP},
    {"diffusers_timestep", preset_formulas::TimingSignal, POSENC_F32_LOG_DIV},
    {"diffusers_unet", preset_formulas::Timestep, POSENC_F32_LOG_DIV},
    {"guided_diffusion", preset_formulas::Timestep, POSENC_F32_LOG_DIV},
    {"stable_diffusion", preset_formulas::Timestep, POSENC_F32_LOG_DIV},
    {"dit", preset_formulas::Timestep, POSENC_F32_LOG_DIV},
    {"flux", preset_formulas::Timestep, kNone, 0, 0, 1000},
    {"ggml_timestep", preset_formulas::Timestep, POSENC_F32_LOG_DIV},
    {"stable_diffusion_cpp", preset_formulas::Timestep, POSENC_F64_INV_FREQ},
    {"edm", preset_formulas::Timestep, kNone},
    {"edm_song", preset_formulas::TimingSignal, kNone},
    {"wan", preset_formulas::Timestep, POSENC_F64_POW_MUL},
    {"gaussian_fourier", preset_formulas::Fourier, kNone, 0, 0, 1, Unit::kTwoPi, true},
    {"edm_fourier", preset_formulas::FourierCosinesFirst, kNone, 0, 0, 1, Unit::kTwoPi, true},
    {"nerf", preset_formulas::NerfCode, kNone},
    {"nerf_paper", preset_formulas::NerfPaper, kNone, 0, 0, 1, Unit::kPi},
    {"pixel_bands", preset_formulas::PixelBands, kNone, 0, 0, 1, Unit::kPi},
    {"linear_pixel_bands", preset_formulas::Fourier, kNone, 0, 0, 1, Unit::kPi, true},
    {"mae", preset_formulas::GridAxis, POSENC_F32_INV_FREQ},
    {"timm", preset_formulas::GridAxis, POSENC_F32_INV_FREQ},
    {"diffusers_2d", preset_formulas::GridAxis, kNone},
    {"diffusers_3d", preset_formulas::GridAxis, kNone},
    {"detr", preset_formulas::Paper, POSENC_F32_POW_DIV, 1},
    {"detr_normalized", preset_formulas::Paper, kNone, 0, 0, 1, Unit::kTwoPi},
};

const Golden* Find(const char* name) {
  for (const Golden& golden : kGolden) {
    if (std::strcmp(golden.name, name) == 0) return &golden;
  }
  return nullptr;
}

constexpr posenc_type kTypes[] = {POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64};
constexpr std::size_t kDims[] = {1, 2, 3, 5, 8, 64, 65, 320};

// Runs from -3 to 4, and others: fractions of timesteps and coordinates, and far ones.
constexpr double kFirst = -3;
constexpr std::size_t kRun = 8;
const std::vector<double> kPositions = {-3,   -2, -1,    0,       1,     2,      3,         4,
                                        0.75, -1, -0.25, 999.375, -1234, 8191.5, 2147483646};

// sin or cos of position * w, rounded; false if so few bits do not decide.
bool Round(const Golden& golden, const Column& column, double position, posenc_type type, int bits,
           std::uint64_t* out) {
  oracle::Rounding rounding;
  Number value(bits);
  if (column.kind == Kind::kZero || (golden.padding != 0 && position == golden.padding)) {
    *out = 0;
    return true;
  }
  if (column.kind == Kind::kInput) {
    mpfr_set_d(value, position, MPFR_RNDN);
    oracle::RoundExact(type, value, &rounding);
    *out = rounding.bits;
    return true;
  }
  const Real x = column.w * (Real(position, bits) + golden.first) * golden.time_factor;
  Real phase = x;
  if (golden.unit != Unit::kNone) {
    const Real quarters = x * (golden.unit == Unit::kPi ? 2.0 : 4.0);
    if (quarters.exact() && quarters == quarters.Floor()) {  // a sine and cosine of 0, 1 or -1
      const Real turns = quarters / 4.0;
      const auto quadrant = static_cast<int>(((turns - turns.Floor()) * 4.0).ToDouble());
      const int sines[] = {0, 1, 0, -1, 0};
      mpfr_set_si(value, sines[quadrant + (column.kind == Kind::kCosine ? 1 : 0)], MPFR_RNDN);
      oracle::RoundExact(type, value, &rounding);
      *out = rounding.bits;
      return true;
    }
    phase = x * Real::Pi(bits) * (golden.unit == Unit::kPi ? 1.0 : 2.0);
  }
  if (phase.is_zero()) {
    mpfr_set_si(value, column.kind == Kind::kCosine ? 1 : 0, MPFR_RNDN);
    oracle::RoundExact(type, value, &rounding);
    *out = rounding.bits;
    return true;
  }
  (column.kind == Kind::kSine ? mpfr_sin : mpfr_cos)(value, phase.get(), MPFR_RNDN);
  const mpfr_exp_t error = mpfr_get_exp(phase.get()) - bits + 16;
  if (!oracle::Round(type, value, error, &rounding)) return false;
  *out = rounding.bits;
  return true;
}

// [positions, d] of each type.
using Rows = std::map<posenc_type, std::vector<std::uint64_t>>;

Rows Expected(const Golden& golden, std::size_t d) {
  Rows rows;
  const Columns few = golden.source(d, 200), many = golden.source(d, 1500);
  EXPECT_EQ(few.size(), d);
  for (const posenc_type type : kTypes) {
    for (const double position : kPositions) {
      for (std::size_t j = 0; j < d; ++j) {
        std::uint64_t bits = 0;
        if (!Round(golden, few[j], position, type, 200, &bits)) {
          EXPECT_TRUE(Round(golden, many[j], position, type, 1500, &bits));
        }
        rows[type].push_back(bits);
      }
    }
  }
  return rows;
}

// The same where presets have the same formula.
const Rows& SharedRows(const Golden& golden, std::size_t d) {
  using Key = std::tuple<preset_formulas::Source, double, double, double, Unit, std::size_t>;
  static std::map<Key, Rows> rows;
  const Key key{golden.source, golden.first, golden.padding, golden.time_factor, golden.unit, d};
  const auto found = rows.find(key);
  return found != rows.end() ? found->second : rows.emplace(key, Expected(golden, d)).first->second;
}

std::uint64_t BitsAt(const std::vector<unsigned char>& bytes, posenc_type type, std::size_t i) {
  const unsigned char* at = bytes.data() + i * TraitsOf(type).size;
  std::uint16_t u16;
  std::uint32_t u32;
  std::uint64_t u64;
  switch (TraitsOf(type).size) {
    case 2:
      std::memcpy(&u16, at, sizeof(u16));
      return u16;
    case 4:
      std::memcpy(&u32, at, sizeof(u32));
      return u32;
    default:
      std::memcpy(&u64, at, sizeof(u64));
      return u64;
  }
}

class Presets : public PerTarget {
 protected:
  // Compares the list, then the run at its beginning.
  void ExpectRows(const Golden& golden, const posenc_spec& spec) const {
    posenc_encoder* encoder = nullptr;
    ASSERT_EQ(posenc_encoder_create(&spec, &encoder), POSENC_OK);
    std::size_t mismatches = 0;
    for (const posenc_type type : kTypes) {
      const std::vector<std::uint64_t>& want = SharedRows(golden, spec.dim).at(type);
      std::vector<unsigned char> got(want.size() * TraitsOf(type).size);
      EXPECT_EQ(posenc_write_at(encoder, POSENC_F64, kPositions.data(), kPositions.size(), type, got.data(),
                                spec.dim, nullptr),
                POSENC_OK);
      for (std::size_t i = 0; i < want.size(); ++i) mismatches += BitsAt(got, type, i) == want[i] ? 0 : 1;
      EXPECT_EQ(posenc_write(encoder, static_cast<std::int64_t>(kFirst), kRun, type, got.data(), spec.dim),
                POSENC_OK);
      for (std::size_t i = 0; i < kRun * spec.dim; ++i) {
        mismatches += BitsAt(got, type, i) == want[i] ? 0 : 1;
      }
    }
    EXPECT_EQ(mismatches, 0u) << golden.name << ", dim " << spec.dim;
    posenc_encoder_destroy(encoder);
  }
};

POSENC_INSTANTIATE_PER_TARGET(Presets);

// Powers of two leave the range of frequencies at 2^31.
bool IsInRange(const Golden& golden, std::size_t dim) {
  if (golden.source == preset_formulas::NerfCode) return dim <= 1 + 2 * 32;
  if (golden.source == preset_formulas::NerfPaper) return dim <= 2 * 30;
  return true;
}

TEST_P(Presets, WriteWhatTheirSourcesSay) {
  for (const Golden& golden : kGolden) {
    for (const std::size_t dim : kDims) {
      if (IsReference() && dim > 65) continue;  // slow
      SCOPED_TRACE(golden.name + (", dim " + std::to_string(dim)));
      posenc_spec spec = Untouched();
      ASSERT_EQ(posenc_spec_preset(&spec, sizeof(spec), golden.name, dim), POSENC_OK);
      spec.target = target();
      posenc_encoder* encoder = nullptr;
      if (!IsInRange(golden, dim)) {
        EXPECT_EQ(posenc_encoder_create(&spec, &encoder), POSENC_FREQUENCY_OUT_OF_RANGE);
        continue;
      }
      const std::vector<double> list = preset_formulas::Listed(dim);
      if (golden.is_listed) {
        EXPECT_EQ(posenc_encoder_create(&spec, &encoder), POSENC_BAD_FREQUENCIES);
        EXPECT_EQ(spec.frequency_count, list.size());
        spec.frequencies = list.data();
      }
      ExpectRows(golden, spec);
    }
  }
}

TEST(PresetList, EachIsInTheGoldenValuesOnce) {
  std::set<std::string> names;
  for (const posenc_preset& preset : AllPresets()) {
    EXPECT_NE(Find(preset.name), nullptr) << preset.name;
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
  }
  EXPECT_EQ(names.size(), std::size(kGolden));
}

TEST(PresetList, RoundingsAreThoseOfTheSources) {
  for (const Golden& golden : kGolden) {
    EXPECT_EQ(posenc_spec_preset_rounding(golden.name), golden.rounding) << golden.name;
    EXPECT_EQ(static_cast<posenc_phase_rounding>(SpecPresetRounding(golden.name)), golden.rounding);
  }
  EXPECT_EQ(posenc_spec_preset_rounding("fairse"), -1);
  EXPECT_EQ(posenc_spec_preset_rounding(nullptr), -1);
  EXPECT_EQ(SpecPresetRounding("fairse"), PhaseRounding::kNone);
}

// With the source's rounding, too, an encoder comes of it: the settings admit it.
TEST(PresetList, RoundingsCanBeSet) {
  for (const Golden& golden : kGolden) {
    for (const std::size_t dim : kDims) {
      if (golden.rounding == kNone) continue;
      SCOPED_TRACE(golden.name + (", dim " + std::to_string(dim)));
      Spec spec;
      ASSERT_EQ(SpecPreset(golden.name, dim, &spec), Status::kOk);
      EXPECT_EQ(spec.phase_rounding, PhaseRounding::kNone);
      spec.phase_rounding = SpecPresetRounding(golden.name);
      Create(spec);
    }
  }
}

TEST(PresetList, IsStable) {
  const std::vector<posenc_preset> all = AllPresets();
  std::vector<posenc_preset> first(3);
  EXPECT_EQ(posenc_spec_presets(first.data(), first.size()), all.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].name, all[i].name);
  std::vector<posenc_preset> more(all.size() + 1, {"x", "y", "z"});
  EXPECT_EQ(SpecPresets(more.data(), more.size()), all.size());
  EXPECT_STREQ(more.back().name, "x");
  for (const posenc_preset& preset : all) {
    for (const std::string text : {preset.name, preset.formula, preset.source}) {
      EXPECT_FALSE(text.empty()) << preset.name;
      EXPECT_EQ(text.find_first_of("\n\t|"), std::string::npos) << preset.name;
    }
  }
}

TEST(PresetList, IsInTheDocument) {
  std::ifstream file(POSENC_GOLDEN_DIR "/../../docs/conventions.md");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const posenc_preset& preset : AllPresets()) {
    const std::size_t row = text.find(std::string("| `") + preset.name + "` | " + preset.formula + " | ");
    ASSERT_NE(row, std::string::npos) << preset.name;
    const std::string line = text.substr(row, text.find('\n', row) - row);
    EXPECT_NE(line.find(std::string("| ") + preset.source + " |"), std::string::npos) << line;
  }
}

TEST(SpecPreset, RefusesWhatIsNone) {
  posenc_spec spec = Untouched();
  EXPECT_EQ(posenc_spec_preset(nullptr, sizeof(spec), "fairseq", 64), POSENC_NULL_POINTER);
  EXPECT_EQ(posenc_spec_preset(&spec, sizeof(spec), nullptr, 64), POSENC_NULL_POINTER);
  for (const char* name : {"", "fairse", "fairseq ", "Fairseq", "llama3"}) {
    EXPECT_EQ(posenc_spec_preset(&spec, sizeof(spec), name, 64), POSENC_UNKNOWN_PRESET);
  }
  for (const std::size_t size : {std::size_t{0}, sizeof(spec) - 1, std::size_t{4097}}) {
    EXPECT_EQ(posenc_spec_preset(&spec, size, "fairseq", 64), POSENC_BAD_STRUCT_SIZE);
  }
  for (const std::size_t dim : {std::size_t{0}, std::size_t{POSENC_MAX_DIM} + 1, SIZE_MAX}) {
    for (const posenc_preset& preset : AllPresets()) {
      EXPECT_EQ(posenc_spec_preset(&spec, sizeof(spec), preset.name, dim), POSENC_BAD_DIM);
    }
  }
  EXPECT_TRUE(IsUntouched(spec));

  Spec cpp = MakeSpec(7);
  EXPECT_EQ(SpecPreset("fairseq", 64, nullptr), Status::kNullPointer);
  EXPECT_EQ(SpecPreset("fairse", 64, &cpp), Status::kUnknownPreset);
  EXPECT_EQ(cpp.dim, 7u);
}

// All else has its default.
TEST(SpecPreset, SetsNothingElse) {
  posenc_spec want;
  ASSERT_EQ(posenc_spec_init(&want, sizeof(want)), POSENC_OK);
  for (const posenc_preset& preset : AllPresets()) {
    SCOPED_TRACE(preset.name);
    posenc_spec got = Untouched();
    ASSERT_EQ(posenc_spec_preset(&got, sizeof(got), preset.name, POSENC_MAX_DIM), POSENC_OK);
    EXPECT_EQ(got.struct_size, sizeof(got));
    EXPECT_EQ(got.dim, std::size_t{POSENC_MAX_DIM});
    EXPECT_EQ(got.phase_rounding, want.phase_rounding);
    EXPECT_EQ(got.min_timescale, want.min_timescale);
    EXPECT_EQ(got.nan_rows, 0);
    EXPECT_EQ(got.lists_only, 0);
    EXPECT_EQ(got.target, nullptr);
    EXPECT_EQ(got.frequencies, nullptr);
    EXPECT_EQ(got.frequencies_f32, nullptr);
  }
}

// A caller of a later version, whose spec is longer.
TEST(SpecPreset, LaterVersionsGetZerosForWhatIsUnknown) {
  struct {
    posenc_spec spec;
    unsigned char more[24];
  } longer;
  std::memset(&longer, 0x5A, sizeof(longer));
  ASSERT_EQ(posenc_spec_preset(&longer.spec, sizeof(longer), "ctranslate2", 64), POSENC_OK);
  EXPECT_EQ(longer.spec.struct_size, sizeof(longer));
  EXPECT_EQ(longer.spec.position_offset, 1);
  for (const unsigned char byte : longer.more) EXPECT_EQ(byte, 0);
}

// C++ and C have the same members, each of which some preset sets.
TEST(SpecPreset, IsTheSameInCpp) {
  for (const posenc_preset& preset : AllPresets()) {
    SCOPED_TRACE(preset.name);
    posenc_spec c = Untouched();
    Spec spec;
    ASSERT_EQ(posenc_spec_preset(&c, sizeof(c), preset.name, 65), POSENC_OK);
    ASSERT_EQ(SpecPreset(preset.name, 65, &spec), Status::kOk);
    const posenc_spec back = ToC(spec);
    EXPECT_EQ(back.dim, c.dim);
    EXPECT_EQ(back.base, c.base);
    EXPECT_EQ(back.exponent_dim, c.exponent_dim);
    EXPECT_EQ(back.position_scale, c.position_scale);
    EXPECT_EQ(back.layout, c.layout);
    EXPECT_EQ(back.frequency_count, c.frequency_count);
    EXPECT_EQ(back.frequency_unit, c.frequency_unit);
    EXPECT_EQ(back.odd_column, c.odd_column);
    EXPECT_EQ(back.min_timescale, c.min_timescale);
    EXPECT_EQ(back.position_offset, c.position_offset);
    EXPECT_EQ(back.has_padding, c.has_padding);
    EXPECT_EQ(back.padding_position, c.padding_position);
    EXPECT_EQ(back.input_first, c.input_first);
  }
}

// What no preset sets.
TEST(SpecPreset, AllMembersComeBackFromC) {
  const double list[] = {1.0};
  const float floats[] = {1.0f};
  posenc_spec c;
  ASSERT_EQ(posenc_spec_init(&c, sizeof(c)), POSENC_OK);
  c.phase_rounding = POSENC_F32_LIST;
  c.target = "REFERENCE";
  c.frequencies = list;
  c.frequencies_f32 = floats;
  c.frequency_count = 1;
  c.nan_rows = c.lists_only = 1;
  c.min_timescale = 3.0;
  c.table_rows = UINT64_MAX;
  const posenc_spec back = ToC(FromC(c));
  EXPECT_EQ(back.phase_rounding, c.phase_rounding);
  EXPECT_EQ(back.target, c.target);
  EXPECT_EQ(back.frequencies, c.frequencies);
  EXPECT_EQ(back.frequencies_f32, c.frequencies_f32);
  EXPECT_EQ(back.nan_rows, 1);
  EXPECT_EQ(back.lists_only, 1);
  EXPECT_EQ(back.min_timescale, 3.0);
  EXPECT_EQ(back.table_rows, UINT64_MAX);
}

}  // namespace
}  // namespace posenc
