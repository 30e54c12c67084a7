// Digest cases of rotary embeddings that differ in their frequencies: scalings, axes, phase roundings, units
// and lists. Each is a cache of doubles, which shows its angles, and a rotation.
#include <cmath>
#include <cstddef>
#include <iterator>

#include "command/require.h"
#include "verify/rotary_cases.h"

namespace posenc {
namespace tools {
namespace {

using Cases = std::vector<RotaryCase>;

// Lists of 32 and more.
struct Lists {
  double factors[64], long_factors[64], frequencies[64];
  float factors_f32[64], frequencies_f32[64];

  Lists() {
    for (int i = 0; i < 64; ++i) {
      factors[i] = 1.0 + 0.0625 * i;
      long_factors[i] = 1.1 + 0.7 * i;
      factors_f32[i] = 1.0f + 0.3f * static_cast<float>(i);
      frequencies[i] = std::ldexp(1.0 + i, -i) * (i % 5 == 4 ? -1.0 : 1.0);
      frequencies_f32[i] = std::ldexp(1.0f + static_cast<float>(i), -(i / 2 + 6));
    }
  }
};
const Lists& AllLists() {
  static const Lists lists;
  return lists;
}

void AddSpec(const posenc_rotary_spec& spec, Cases* cases) {
  const bool is_rounded = spec.phase_rounding != POSENC_NO_PHASE_ROUNDING;
  RotaryCase c;
  c.spec = spec;
  c.call = RotaryCall::kWriteCache;
  c.type = POSENC_F64;
  SetPositions({1, 77, 4096, 0x1p31, -12345}, POSENC_I64, &c);
  cases->push_back(c);
  c.call = RotaryCall::kRotate;
  c.type = POSENC_F32;
  c.k_heads = 0;
  SetPositions({4096, 0x1p31, -12345}, POSENC_I64, &c);
  c.seed = static_cast<std::uint32_t>(cases->size());
  if (is_rounded) SetPositions({0, 16777217, 4096}, POSENC_I32, &c);
  cases->push_back(c);
}

posenc_rotary_spec Preset(const char* name, std::size_t head_dim) {
  posenc_rotary_spec spec;
  Require(posenc_rotary_spec_preset(&spec, sizeof(spec), name, head_dim));
  return spec;
}

posenc_rotary_spec Scaled(posenc_scaling scaling, double factor, double length, double original_length) {
  posenc_rotary_spec spec = MakeRotarySpec(64);
  spec.scaling = scaling;
  spec.factor = factor;
  spec.length = length;
  spec.original_length = original_length;
  return spec;
}

// Those without lists.
std::vector<posenc_rotary_spec> ScaledBy(double factor) {
  std::vector<posenc_rotary_spec> specs;
  for (int scaling = POSENC_LINEAR; scaling <= POSENC_PROPORTIONAL; ++scaling) {
    if (scaling == POSENC_LONGROPE) continue;
    specs.push_back(Scaled(scaling, factor, 40000, 8192));
    specs.back().proportion = 0.3;
  }
  return specs;
}

posenc_rotary_spec LongRope(double length) {
  posenc_rotary_spec spec = Scaled(POSENC_LONGROPE, 32, length, 4096);
  spec.factors = AllLists().factors;
  spec.long_factors = AllLists().long_factors;
  spec.factor_count = 32;
  return spec;
}

posenc_rotary_spec FrequencyFactors() {
  posenc_rotary_spec spec = Scaled(POSENC_FREQUENCY_FACTORS, 1, 0, 0);
  spec.factors_f32 = AllLists().factors_f32;
  spec.factor_count = 32;
  return spec;
}

posenc_rotary_spec Listed(posenc_scaling scaling, posenc_unit unit) {
  posenc_rotary_spec spec = Scaled(scaling, 8, 0, 512);
  spec.frequencies = AllLists().frequencies;
  spec.frequency_count = 32;
  spec.unit = unit;
  return spec;
}

void AddScalings(Cases* cases) {
  for (const double factor : {8.0, 3.7}) {
    for (const posenc_rotary_spec& spec : ScaledBy(factor)) AddSpec(spec, cases);
  }
  for (const double length : {100.0, 8192.0, 8193.0, 16384.0, 1e6}) {
    AddSpec(Scaled(POSENC_DYNAMIC_NTK, 2.5, length, 8192), cases);
    AddSpec(Scaled(POSENC_QWEN_NTK, 1, length, 8192), cases);
  }
  for (const bool truncate : {true, false}) {  // ramps in the middle, at both ends, and of one pair
    for (const double length : {4096.0, 50.0, 1e9}) {
      posenc_rotary_spec spec = Scaled(POSENC_YARN, 16, 0, length);
      spec.truncate = truncate ? 1 : 0;
      spec.mscale = 0.707;
      spec.mscale_all_dim = 0.3;
      AddSpec(spec, cases);
      spec.beta_slow = spec.beta_fast;
      if (truncate) AddSpec(spec, cases);
    }
  }
  for (const char* name : {"gpt_oss", "telechat3", "deepseek_v3", "mistral4", "llama3_2", "hunyuan_vl"}) {
    AddSpec(Preset(name, 128), cases);
  }
  posenc_rotary_spec steep = Scaled(POSENC_LLAMA3, 1e6, 0, 8192);
  for (const double low : {4.0 - 0x1p-50, 4.0}) {
    steep.low_freq_factor = low;
    AddSpec(steep, cases);
  }
}

void AddListed(Cases* cases) {
  for (const double length : {4096.0, 4097.0, 131072.0}) AddSpec(LongRope(length), cases);
  AddSpec(FrequencyFactors(), cases);
  for (const posenc_scaling scaling : {POSENC_NO_SCALING, POSENC_LINEAR, POSENC_LLAMA3, POSENC_YARN}) {
    for (const posenc_unit unit : {POSENC_RADIANS, POSENC_HALF_TURNS, POSENC_TURNS}) {
      AddSpec(Listed(scaling, unit), cases);
    }
  }
}

// Whole quarters of turns, where cosines and sines are 0, and eighths, where sums are.
void AddQuarters(Cases* cases) {
  static constexpr double kTurns[] = {0.25, 0.125, 0.5, 1.0, -0.25, 0.75, 3.0, 0.0625};
  RotaryCase c;
  c.spec = MakeRotarySpec(16);
  c.spec.frequencies = kTurns;
  c.spec.frequency_count = std::size(kTurns);
  c.spec.unit = POSENC_TURNS;
  c.first = -9;
  c.rows = 19;
  for (const posenc_type type : {POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64}) {
    c.call = RotaryCall::kWriteCache;
    c.type = type;
    cases->push_back(c);
    c.call = RotaryCall::kRotate;
    for (const posenc_arithmetic arithmetic : {POSENC_EXACT, POSENC_FAST}) {
      c.spec.arithmetic = arithmetic;
      for (const Inputs inputs : {Inputs::kNormal, Inputs::kTiny, Inputs::kSpecial}) {
        c.inputs = inputs;
        c.inverse = inputs == Inputs::kTiny;
        c.seed = static_cast<std::uint32_t>(cases->size());
        if (type != POSENC_F64) cases->push_back(c);
      }
    }
    c.inverse = false;
    c.spec.arithmetic = POSENC_EXACT;
  }
}

void AddAxes(Cases* cases) {
  for (const char* name :
       {"qwen2_vl", "qwen3_vl", "ernie_vl", "pixtral", "qwen2_vl_vision", "llama4_vision"}) {
    AddSpec(Preset(name, 128), cases);
  }
  // Quarters and eighths of turns, which are exact; patches; and an axis without pairs.
  RotaryCase patches;
  patches.spec = Preset("dinov3", 64);
  patches.inputs = Inputs::kMiddle;
  SetPositions({0.125, -0.25, 0.5, 1, 0, -0.0714285746216774, 0.3333333432674408}, POSENC_F32, &patches);
  cases->push_back(patches);
  patches.call = RotaryCall::kWriteCache;
  for (const posenc_type type : {POSENC_F32, POSENC_F64}) {
    patches.type = type;
    cases->push_back(patches);
  }
  posenc_rotary_spec imrope = Preset("qwen3_vl", 128);
  imrope.axes = 4;
  imrope.axis_order = POSENC_IMROPE_AXES;
  imrope.sections[0] = 22;
  imrope.sections[3] = 2;
  AddSpec(imrope, cases);
  posenc_rotary_spec spec = MakeRotarySpec(24);
  spec.axes = 4;
  spec.sections[0] = 5;
  spec.sections[1] = 4;
  spec.sections[3] = 3;
  AddSpec(spec, cases);
}

void AddPhaseRoundings(Cases* cases) {
  const Lists& lists = AllLists();
  for (const posenc_phase_rounding rounding :
       {POSENC_F32_INV_FREQ, POSENC_F32_ITERATED, POSENC_F32_EXP, POSENC_F64_INV_FREQ}) {
    for (const double base : {10000.0, 500000.1}) {
      posenc_rotary_spec spec = Scaled(POSENC_NO_SCALING, 8, 0, 0);
      spec.phase_rounding = rounding;
      spec.base = base;
      spec.rotary_dim = 54;
      AddSpec(spec, cases);
      spec.scaling = POSENC_LINEAR;
      spec.factor = base == 10000.0 ? 8 : 3.3;
      AddSpec(spec, cases);
    }
  }
  posenc_rotary_spec own = Scaled(POSENC_NO_SCALING, 1, 0, 0);
  own.phase_rounding = POSENC_F32_INV_FREQ;
  own.frequencies_f32 = lists.frequencies_f32;
  own.frequency_count = 32;
  AddSpec(own, cases);
  posenc_rotary_spec divided = Scaled(POSENC_FREQUENCY_FACTORS, 1, 0, 0);
  divided.phase_rounding = POSENC_F32_ITERATED;
  divided.factors = lists.long_factors;
  divided.factor_count = 32;
  AddSpec(divided, cases);
  posenc_rotary_spec axes = Preset("qwen2_vl", 128);
  axes.phase_rounding = POSENC_F32_ITERATED;
  AddSpec(axes, cases);
}

void AddMembers(Cases* cases) {
  for (const double scale : {0.25, -3.1, 0x1p-100, 1e6, 0.0}) {
    posenc_rotary_spec spec = MakeRotarySpec(16);
    spec.position_scale = scale;
    AddSpec(spec, cases);
  }
  posenc_rotary_spec spec = MakeRotarySpec(30);
  spec.exponent_dim = 64;
  AddSpec(spec, cases);
  spec.exponent_dim = -100.0;
  spec.base = 3;
  AddSpec(spec, cases);
}

// Thirds of quarter turns and other rational angles, by each scaling that divides; amplitudes that make ties.
void AddKnownAngles(Cases* cases) {
  static constexpr double kTurns[] = {1.0, 0.5, 0.25, 3.0, -1.0, 5.0, 7.0, 0.125};
  for (const posenc_scaling scaling : {POSENC_LINEAR, POSENC_PROPORTIONAL, POSENC_LLAMA3, POSENC_YARN}) {
    for (const double factor : {3.0, 24.0}) {
      RotaryCase c;
      c.spec = MakeRotarySpec(16);
      c.spec.frequencies = kTurns;
      c.spec.frequency_count = std::size(kTurns);
      c.spec.unit = POSENC_TURNS;
      c.spec.scaling = scaling;
      c.spec.factor = factor;
      c.spec.proportion = 1.0;
      c.spec.original_length = 8.0;
      c.spec.amplitude = factor == 3.0 ? 1.0 + 3 * 0x1p-24 : 1.0;
      c.first = -12;
      c.rows = 25;
      c.q_heads = 8;
      for (const posenc_type type : {POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64}) {
        c.call = RotaryCall::kWriteCache;
        c.type = type;
        cases->push_back(c);
        if (type == POSENC_F64) continue;
        c.call = RotaryCall::kRotate;
        c.inputs = Inputs::kTiny;
        c.seed = static_cast<std::uint32_t>(cases->size());
        cases->push_back(c);
      }
    }
  }
}

}  // namespace

std::vector<posenc_rotary_spec> EveryScaling() {
  constexpr std::size_t kDim = 16;
  std::vector<posenc_rotary_spec> specs = ScaledBy(3.7);
  specs.push_back(Scaled(POSENC_NO_SCALING, 1, 0, 0));
  specs.push_back(Scaled(POSENC_YARN, 16, 0, 4096));
  specs.back().truncate = 0;
  specs.back().mscale = 0.707;
  specs.back().mscale_all_dim = 0.3;
  specs.push_back(LongRope(4096));
  specs.push_back(LongRope(131072));
  specs.push_back(FrequencyFactors());
  specs.push_back(Listed(POSENC_NO_SCALING, POSENC_RADIANS));
  for (int order = POSENC_CONSECUTIVE_AXES; order <= POSENC_IMROPE_AXES; ++order) {
    specs.push_back(Scaled(POSENC_YARN, 8, 0, 1024));
    posenc_rotary_spec& spec = specs.back();
    spec.axis_order = order;
    spec.axes = 3;
    const bool is_even = order == POSENC_SPLIT_AXES || order == POSENC_IMROPE_AXES;
    spec.sections[0] = is_even ? 3 : 4;
    spec.sections[1] = is_even ? 3 : 2;
    spec.sections[2] = 2;
    if (order == POSENC_AXIAL_AXES) spec.scaling = POSENC_NO_SCALING;
  }
  for (posenc_rotary_spec& spec : specs) {
    spec.head_dim = kDim;
    if (spec.factor_count != 0) spec.factor_count = kDim / 2;
    if (spec.frequency_count != 0) spec.frequency_count = kDim / 2;
  }
  return specs;
}

void AppendSchedules(std::vector<RotaryCase>* cases) {
  AddScalings(cases);
  AddListed(cases);
  AddQuarters(cases);
  AddAxes(cases);
  AddPhaseRoundings(cases);
  AddMembers(cases);
  AddKnownAngles(cases);
}

}  // namespace tools
}  // namespace posenc
