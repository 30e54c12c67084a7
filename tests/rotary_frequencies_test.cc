// The frequencies of rotary embeddings, of every scaling, their amplitudes, axes and rounded phases, against
// MPFR; and what specs are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "number/bounds.h"
#include "rotary_formulas.h"
#include "wide_number.h"

namespace posenc {
namespace formulas {
namespace {

using internal::RotarySchedule;
using internal::RotaryTable;
using oracle::Number;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

posenc_rotary_spec Scaled(std::size_t head_dim, posenc_scaling scaling, double factor) {
  posenc_rotary_spec spec = Spec(head_dim);
  spec.scaling = scaling;
  spec.factor = factor;
  return spec;
}

posenc_rotary_spec Llama3(double factor, double base = 500000.0) {
  posenc_rotary_spec spec = Scaled(128, POSENC_LLAMA3, factor);
  spec.base = base;
  spec.original_length = 8192.0;
  return spec;
}

posenc_rotary_spec Yarn(double factor, double original_length, posenc_scaling scaling = POSENC_YARN) {
  posenc_rotary_spec spec = Scaled(128, scaling, factor);
  spec.base = 1e6;
  spec.original_length = original_length;
  return spec;
}

posenc_rotary_spec GptOss() {
  posenc_rotary_spec spec = Yarn(32.0, 4096.0);
  spec.head_dim = 64;
  spec.base = 150000.0;
  spec.truncate = 0;
  return spec;
}

posenc_rotary_spec DeepSeekV3() {
  posenc_rotary_spec spec = Yarn(40.0, 4096.0);
  spec.head_dim = 192;
  spec.rotary_offset = 128;
  spec.base = 10000.0;
  spec.mscale_all_dim = 1.0;
  return spec;
}

posenc_rotary_spec Stretched(posenc_scaling scaling, double factor, double length, double original_length) {
  posenc_rotary_spec spec = Scaled(128, scaling, factor);
  spec.length = length;
  spec.original_length = original_length;
  return spec;
}

// Factors of both of Phi-3's lists look like these.
constexpr std::size_t kListed = 48;
struct Lists {
  std::vector<double> doubles, long_doubles;
  std::vector<float> floats, long_floats;
};
const Lists& Factors() {
  static const Lists lists = [] {
    Lists made;
    for (std::size_t i = 0; i < kListed; ++i) {
      made.doubles.push_back(1.0 + static_cast<double>(i * i) * 0.0125);
      made.long_doubles.push_back(1.1 * std::exp(static_cast<double>(i) * 0.09));
      made.floats.push_back(static_cast<float>(made.doubles.back()));
      made.long_floats.push_back(static_cast<float>(made.long_doubles.back()));
    }
    return made;
  }();
  return lists;
}

// Every other one negative.
std::vector<double> NegativeFactors() {
  std::vector<double> list = Factors().doubles;
  for (std::size_t i = 0; i < list.size(); i += 2) list[i] = -list[i];
  return list;
}

posenc_rotary_spec LongRope(double length) {
  posenc_rotary_spec spec = Stretched(POSENC_LONGROPE, 32.0, length, 4096.0);
  spec.head_dim = 2 * kListed;
  spec.factor_count = kListed;
  spec.factors = Factors().doubles.data();
  spec.long_factors = Factors().long_doubles.data();
  return spec;
}

posenc_rotary_spec Listed(posenc_scaling scaling = POSENC_NO_SCALING) {
  posenc_rotary_spec spec = Scaled(2 * kListed, scaling, 8.0);
  spec.original_length = 100.0;
  spec.frequency_count = kListed;
  spec.frequencies_f32 = Factors().floats.data();
  return spec;
}

posenc_rotary_spec WithAxes(posenc_rotary_spec spec, posenc_axis_order order,
                            const std::vector<std::size_t>& sections) {
  spec.axes = sections.size();
  spec.axis_order = order;
  for (std::size_t k = 0; k < sections.size(); ++k) spec.sections[k] = sections[k];
  return spec;
}

posenc_rotary_spec With(posenc_rotary_spec spec, const std::function<void(posenc_rotary_spec&)>& change) {
  change(spec);
  return spec;
}

struct Case {
  const char* name;
  posenc_rotary_spec spec;
};
using S = posenc_rotary_spec;

std::vector<Case> Cases() {
  return {
      {"default", Spec(128)},
      {"one pair", Spec(2)},
      {"GLM: half of the head", With(Spec(128), [](S& s) { s.rotary_dim = 64; })},
      {"offset", With(Spec(128), [](S& s) { s.rotary_offset = 32; })},
      {"exponent_dim", With(Spec(64), [](S& s) { s.exponent_dim = 256.0; })},
      {"negative exponent_dim", With(Spec(64), [](S& s) { s.exponent_dim = -80.5; })},
      {"position_scale", With(Spec(96), [](S& s) { s.position_scale = -0.7; })},
      {"position_scale 0", With(Spec(96), [](S& s) { s.position_scale = 0.0; })},
      {"position_scale 0 of anything", With(Spec(128),
                                            [](S& s) {
                                              s.position_scale = 0.0;
                                              s.base = 1e300;
                                              s.exponent_dim = 1e-300;
                                            })},
      {"largest", Spec(POSENC_MAX_ROTARY_DIM)},
      {"turns", With(Spec(64), [](S& s) { s.unit = POSENC_TURNS; })},
      {"half turns, base 100", With(Spec(64),
                                    [](S& s) {
                                      s.unit = POSENC_HALF_TURNS;
                                      s.base = 100.0;
                                    })},
      {"turns, large", With(Spec(64),
                            [](S& s) {
                              s.unit = POSENC_TURNS;
                              s.position_scale = 1e7;
                            })},
      {"base below 1", With(Spec(32), [](S& s) { s.base = 0.01; })},
      {"base 1", With(Spec(32), [](S& s) { s.base = 1.0; })},
      {"base 1, any exponents", With(Spec(32),
                                     [](S& s) {
                                       s.base = 1.0;
                                       s.exponent_dim = 1e-300;
                                     })},
      {"linear", Scaled(128, POSENC_LINEAR, 8.0)},
      {"linear, inexact", Scaled(128, POSENC_LINEAR, 2.7)},
      {"linear, below 1", Scaled(128, POSENC_LINEAR, 0.3)},
      {"NTK", Scaled(128, POSENC_NTK, 4.0)},
      {"NTK, one pair", Scaled(2, POSENC_NTK, 4.0)},
      {"NTK, two pairs", Scaled(4, POSENC_NTK, 4.0)},
      {"NTK, below 1", Scaled(96, POSENC_NTK, 0.7)},
      {"dynamic NTK, short", Stretched(POSENC_DYNAMIC_NTK, 2.0, 1000.0, 4096.0)},
      {"dynamic NTK", Stretched(POSENC_DYNAMIC_NTK, 2.0, 10001.0, 4096.0)},
      {"dynamic NTK, by one", Stretched(POSENC_DYNAMIC_NTK, 2.5, 4097.0, 4096.0)},
      {"dynamic NTK, one pair",
       With(Stretched(POSENC_DYNAMIC_NTK, 2.5, 9e3, 4e3), [](S& s) { s.head_dim = 2; })},
      {"Qwen, short", Stretched(POSENC_QWEN_NTK, 1.0, 100.0, 2048.0)},
      {"Qwen, as long", Stretched(POSENC_QWEN_NTK, 1.0, 2048.0, 2048.0)},
      {"Qwen, longer by one", Stretched(POSENC_QWEN_NTK, 1.0, 2049.0, 2048.0)},
      {"Qwen, twice", Stretched(POSENC_QWEN_NTK, 1.0, 4096.0, 2048.0)},
      {"Qwen, twice and one", Stretched(POSENC_QWEN_NTK, 1.0, 4097.0, 2048.0)},
      {"Qwen, just below", Stretched(POSENC_QWEN_NTK, 1.0, 8191.0, 2048.0)},
      {"Qwen, fractions", Stretched(POSENC_QWEN_NTK, 1.0, 3000.7, 300.3)},
      {"mixed NTK", Scaled(128, POSENC_MIXED_NTK, 4.0)},
      {"mixed NTK, one pair", Scaled(2, POSENC_MIXED_NTK, 4.0)},
      {"YaRN, Qwen 2.5", Yarn(4.0, 32768.0)},
      {"YaRN, factor 1", Yarn(1.0, 32768.0)},
      {"YaRN, below 1", Yarn(0.5, 32768.0)},
      {"YaRN, gpt-oss", GptOss()},
      {"YaRN, truncated", With(GptOss(), [](S& s) { s.truncate = 1; })},
      {"YaRN, DeepSeek V3", DeepSeekV3()},
      {"YaRN, DeepSeek V2", With(DeepSeekV3(), [](S& s) { s.mscale = s.mscale_all_dim = 0.707; })},
      {"YaRN, attention_factor", With(Yarn(4.0, 32768.0), [](S& s) { s.amplitude = 1.25; })},
      {"YaRN, low below 0", With(Yarn(4.0, 150.0), [](S& s) { s.base = 1e4; })},
      {"YaRN, both below 0", Yarn(4.0, 2.0)},
      {"YaRN, high above r - 1", With(Yarn(4.0, 1e12), [](S& s) { s.base = 30.0; })},
      {"YaRN, both above, real", With(Yarn(4.0, 1e18),
                                      [](S& s) {
                                        s.base = 2.0;
                                        s.truncate = 0;
                                      })},
      {"YaRN, low and high 0", With(Yarn(4.0, 6.0), [](S& s) { s.base = 1e4; })},
      {"YaRN, one pair", With(Yarn(4.0, 4096.0), [](S& s) { s.head_dim = 2; })},
      {"YaRN, turns", With(Yarn(4.0, 32768.0), [](S& s) { s.unit = POSENC_TURNS; })},
      {"YaRN, equal betas", With(GptOss(), [](S& s) { s.beta_fast = s.beta_slow; })},
      {"YaRN, equal betas, truncated", With(Yarn(4.0, 4096.0), [](S& s) { s.beta_fast = s.beta_slow; })},
      {"YaRN, Grok 1", With(Yarn(16.0, 8192.0, POSENC_YARN_LOG), [](S& s) { s.beta_fast = 8.0; })},
      {"YaRN log, real", With(Yarn(16.0, 8192.0, POSENC_YARN_LOG), [](S& s) { s.truncate = 0; })},
      {"LongRoPE, short", LongRope(4096.0)},
      {"LongRoPE, long", LongRope(4097.0)},
      {"LongRoPE, factor 1", With(LongRope(4097.0), [](S& s) { s.factor = 1.0; })},
      {"LongRoPE, exact root", With(LongRope(9.0), [](S& s) { s.factor = 4096.0 * 4096.0 * 4096.0; })},
      {"LongRoPE, floats", With(LongRope(5000.0),
                                [](S& s) {
                                  s.factors = s.long_factors = nullptr;
                                  s.factors_f32 = Factors().floats.data();
                                  s.long_factors_f32 = Factors().long_floats.data();
                                })},
      {"Llama 3.1", Llama3(8.0)},
      {"Llama 3.2", Llama3(32.0)},
      {"Llama 3, below 1", Llama3(0.25)},
      {"Llama 4 Scout", With(Llama3(16.0), [](S& s) { s.high_freq_factor = 1.0; })},
      {"Llama 3, a narrow ramp", With(Llama3(16.0), [](S& s) { s.high_freq_factor = 1.5; })},
      {"Llama 3, negative frequencies", With(Listed(POSENC_LLAMA3),
                                             [](S& s) {
                                               static const std::vector<double> list = NegativeFactors();
                                               s.high_freq_factor = 90.0;
                                               s.frequencies_f32 = nullptr;
                                               s.frequencies = list.data();
                                             })},
      {"Llama 3, a step", With(Llama3(8.0), [](S& s) { s.low_freq_factor = s.high_freq_factor; })},
      {"Llama 3, turns", With(Llama3(8.0), [](S& s) { s.unit = POSENC_TURNS; })},
      {"Llama 3, position_scale", With(Llama3(8.0), [](S& s) { s.position_scale = 1.0 / 3.0; })},
      {"proportional, Gemma", With(Scaled(256, POSENC_PROPORTIONAL, 8.0), [](S& s) { s.proportion = 0.25; })},
      {"proportional, all", Scaled(64, POSENC_PROPORTIONAL, 2.0)},
      {"proportional, none", With(Scaled(64, POSENC_PROPORTIONAL, 2.0), [](S& s) { s.proportion = 0.0; })},
      {"proportional, three tenths",
       With(Scaled(40, POSENC_PROPORTIONAL, 2.0), [](S& s) { s.proportion = 0.3; })},
      {"factors", With(LongRope(1.0), [](S& s) { s.scaling = POSENC_FREQUENCY_FACTORS; })},
      {"list", Listed()},
      {"list of doubles", With(Listed(),
                               [](S& s) {
                                 s.frequencies = Factors().long_doubles.data();
                                 s.frequencies_f32 = nullptr;
                               })},
      {"list in turns", With(Listed(), [](S& s) { s.unit = POSENC_TURNS; })},
      {"list, linear", Listed(POSENC_LINEAR)},
      {"list, YaRN", Listed(POSENC_YARN)},
      {"list, YaRN log", Listed(POSENC_YARN_LOG)},
      {"list, Llama 3", With(Listed(POSENC_LLAMA3), [](S& s) { s.high_freq_factor = 90.0; })},
      {"list, proportional", With(Listed(POSENC_PROPORTIONAL), [](S& s) { s.proportion = 0.5; })},
      {"list, factors", With(Listed(POSENC_FREQUENCY_FACTORS),
                             [](S& s) {
                               s.factor_count = kListed;
                               s.factors = Factors().long_doubles.data();
                             })},
      {"Qwen2-VL", WithAxes(Spec(128), POSENC_CONSECUTIVE_AXES, {16, 24, 24})},
      {"Qwen3-VL", WithAxes(Spec(128), POSENC_INTERLEAVED_AXES, {24, 20, 20})},
      {"Qwen3-VL in ggml", WithAxes(Spec(128), POSENC_IMROPE_AXES, {22, 20, 20, 2})},
      {"ERNIE 4.5 VL", WithAxes(Spec(128), POSENC_ALTERNATING_AXES, {20, 22, 22})},
      {"Pixtral", WithAxes(Spec(64), POSENC_SPLIT_AXES, {16, 16})},
      {"split unevenly", WithAxes(Spec(34), POSENC_SPLIT_AXES, {6, 6, 5})},
      {"split, list", WithAxes(Listed(), POSENC_SPLIT_AXES, {12, 12, 12, 12})},
      {"split, Llama 3", WithAxes(Llama3(8.0), POSENC_SPLIT_AXES, {32, 32})},
      {"axial", WithAxes(Spec(80), POSENC_AXIAL_AXES, {20, 20})},
      {"axial, DINOv3", With(WithAxes(Spec(64), POSENC_AXIAL_AXES, {16, 16}),
                             [](S& s) {
                               s.unit = POSENC_TURNS;
                               s.base = 100.0;
                             })},
      {"axial, unlike axes", WithAxes(Scaled(128, POSENC_LINEAR, 1.7), POSENC_AXIAL_AXES, {1, 40, 22, 1})},
      {"axial, Llama 3", WithAxes(Llama3(8.0), POSENC_AXIAL_AXES, {22, 42, 0, 0})},
      {"split, factors",
       WithAxes(With(LongRope(9999.0), [](S& s) { s.factor = 1.5; }), POSENC_SPLIT_AXES, {16, 16, 16})},
      {"an axis without pairs", WithAxes(Spec(64), POSENC_CONSECUTIVE_AXES, {11, 11, 10, 0})},
  };
}

// In quarter turns.
Real StepOf(const Real& radians) { return radians * 2.0 / Pi(); }

Real ModuloEight(const Real& step) { return step - Real::Of(&mpfr_rint_round, step / 8.0) * 8.0; }

// high + low is good to kTableBits; modulo eight too, but for what is all but 0 there.
void ExpectWhole(double high, double low, const Real& step) {
  Number sum = ToNumber(high);
  mpfr_add_d(sum, sum, low, MPFR_RNDN);
  EXPECT_GE(CorrectBits(sum, step.number()), internal::kTableBits) << high << " + " << low;
  EXPECT_EQ(high + low, high);
}
void ExpectReduced(double high, double low, const Real& step) {
  if (std::fabs(step.AsDouble()) < 4.0) return ExpectWhole(high, low, step);
  const Real error = ModuloEight(Real(high) + low - step), bound = ModuloEight(step) * 0x1p-97;
  const bool is_good = mpfr_cmpabs(error.number(), bound.number()) <= 0 ||
                       mpfr_cmpabs(error.number(), (step * 0x1p-240).number()) <= 0;
  EXPECT_TRUE(is_good) << high << " + " << low << " for " << step.AsDouble();
  EXPECT_EQ(high + low, high);
  EXPECT_LE(std::fabs(high), 4.0);
}

void ExpectTable(const RotaryTable& table, const std::vector<Real>& frequencies) {
  const internal::FrequencyTable& steps = table.frequencies;
  ASSERT_EQ(steps.count, frequencies.size());
  ASSERT_EQ(steps.padded, steps.count + internal::kPadding);
  for (std::size_t i = 0; i < steps.count; ++i) {
    SCOPED_TRACE(testing::Message() << "pair " << i);
    const Real whole = StepOf(frequencies[i]);
    ExpectWhole(steps.whole_high[i], steps.whole_low[i], whole);
    ExpectReduced(steps.high[i], steps.low[i], whole);
  }
  for (std::size_t i = steps.count; i < steps.padded; ++i) {
    ASSERT_EQ(steps.high[i], 0.0);
    ASSERT_EQ(steps.low[i], 0.0);
    ASSERT_EQ(steps.whole_high[i], 0.0);
    ASSERT_EQ(steps.whole_low[i], 0.0);
  }
}

template <int kLimbs>
long Bits(const internal::Wide<kLimbs>& got, const Real& exact) {
  return CorrectBits(ToNumber(got), exact.number());
}

void ExpectFrequencies(const posenc_rotary_spec& spec, long most_bits) {
  const auto made = Make(spec);
  ASSERT_EQ(made->status, POSENC_OK);
  const RotarySchedule& schedule = made->table.schedule;
  const internal::Schedule& last_resort = made->table.frequencies.schedule;
  std::vector<Real> frequencies;
  for (std::size_t i = 0; i < made->table.frequencies.count; ++i) frequencies.push_back(FrequencyOf(spec, i));
  ExpectTable(made->table, frequencies);
  const std::size_t stride = frequencies.size() > 16 ? 5 : 1;
  for (std::size_t i = 0; i < frequencies.size(); i += stride) {
    SCOPED_TRACE(testing::Message() << "pair " << i);
    const Real& w = frequencies[i];
    EXPECT_GE(Bits(schedule.Radians<4>(i), w), internal::kFrequencyBits<4>);
    EXPECT_GE(Bits(schedule.Radians<16>(i), w), most_bits);
    EXPECT_GE(Bits(last_resort.Radians<4>(i), w), internal::kFrequencyBits<4>);
    EXPECT_GE(Bits(last_resort.QuarterTurns<4>(i), StepOf(w)), internal::kFrequencyBits<4>);
    EXPECT_GE(Bits(last_resort.QuarterTurns<16>(i), StepOf(w)), most_bits);
    if (last_resort.IsExact()) {
      EXPECT_GE(Bits(last_resort.QuarterTurns<4>(i), StepOf(w)), 1900);
    }
  }
  EXPECT_EQ(schedule.amplitude, AmplitudeOf(spec).AsDouble());
}

TEST(RotaryFrequencies, AreThoseOfTheFormulas) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    ExpectFrequencies(c.spec, internal::kFrequencyBits<16>);
  }
}

// Ramps that magnify the errors of logarithms: those promise less in 1,024 bits, but not in 256.
TEST(RotaryFrequencies, OfSteepRampsAreAsGood) {
  const auto next = [](double x) { return std::nextafter(x, 1e300); };
  const Case cases[] = {
      {"Llama 3", With(Llama3(1e6),
                       [&](S& s) {
                         s.low_freq_factor =
                             (FrequencyOf(Spec(128), 30) * s.original_length / 2.0 / Pi()).AsDouble();
                         s.high_freq_factor = next(s.low_freq_factor);
                         s.base = 10000.0;
                       })},
      {"Llama 3, wider", With(Llama3(1e6), [](S& s) { s.high_freq_factor = 1.5; })},
      {"YaRN", With(GptOss(), [&](S& s) { s.beta_fast = next(s.beta_slow); })},
      {"YaRN, a pair on the least ramp",
       With(GptOss(),
            [](S& s) {
              s.beta_fast = s.beta_slow;
              s.original_length = (Pi() * 2.0 * Pow(s.base, Real(2.0 * 9.9996) / 64.0)).AsDouble();
            })},
      {"YaRN, far", With(GptOss(), [](S& s) { s.factor = 1e9; })},
      {"YaRN log, far", With(GptOss(),
                             [](S& s) {
                               s.factor = 1e9;
                               s.scaling = POSENC_YARN_LOG;
                             })},
      {"YaRN, base next to 1", With(GptOss(),
                                    [](S& s) {
                                      s.base = 1.0 + 0x1p-46;
                                      s.original_length = 201.06192982974676;  // 64 pi
                                      s.beta_slow = s.beta_fast - 0x1p-42;
                                    })},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const auto made = Make(c.spec);
    ASSERT_EQ(made->status, POSENC_OK);
    EXPECT_TRUE(made->table.schedule.is_steep);
    ExpectFrequencies(c.spec, 700);
  }
  // Those of models are not, lest the last resort be slow.
  for (const Case& c : Cases()) {
    if (std::strstr(c.name, "equal betas") == nullptr) {
      EXPECT_FALSE(Make(c.spec)->table.schedule.is_steep) << c.name;
    }
  }
}

// Unscaled frequencies, powers and bases may be far out of the range of frequencies, and of doubles.
TEST(RotaryFrequencies, NeedBeInRangeOnlyScaled) {
  const auto of = [](posenc_scaling scaling, std::size_t dim, double base, double factor,
                     double exponent_dim) {
    posenc_rotary_spec spec = Scaled(dim, scaling, factor);
    spec.base = base;
    spec.exponent_dim = exponent_dim;
    return spec;
  };
  static const double factors[] = {0x1p-1000, 0x1p1000};
  const Case cases[] = {
      {"pairs that do not turn",
       With(of(POSENC_PROPORTIONAL, 4, 1e300, 1.0, 1.0), [](S& s) { s.proportion = 0.5; })},
      {"pairs that do not turn, farther",
       With(of(POSENC_PROPORTIONAL, 64, 1e300, 1.0, 1e-300), [](S& s) { s.proportion = 0.04; })},
      {"pairs between them that do not turn", With(of(POSENC_PROPORTIONAL, 64, 1e300, 2.0, -0.25),
                                                   [](S& s) {
                                                     s.proportion = 0.04;
                                                     s = WithAxes(s, POSENC_SPLIT_AXES, {16, 16});
                                                   })},
      {"NTK", of(POSENC_NTK, 90, 1e-250, 1e262, 0.0)},
      {"NTK, farther", of(POSENC_NTK, 512, 1e-300, 1e300, 0.0)},
      {"mixed NTK", of(POSENC_MIXED_NTK, 36, 1e-250, 1e254, 0.0)},
      {"mixed NTK, large exponents", of(POSENC_MIXED_NTK, 36, 1e-250, 0x1.0001p0 * 1e250, 1e-3)},
      {"dynamic NTK", With(of(POSENC_DYNAMIC_NTK, 90, 1e-300, 1e290, 0.0),
                           [](S& s) {
                             s.length = 1e6;
                             s.original_length = 1.0;
                           })},
      {"dynamic NTK, a base of nearly 1", With(of(POSENC_DYNAMIC_NTK, 34, 1.0, 1.0, 1e-14),
                                               [](S& s) {
                                                 s.length = 4096.0 + 0x1p-40;
                                                 s.original_length = 4096.0;
                                               })},
      {"a base of nearly 1", of(POSENC_NTK, 8, 0.5, 0x1.ae89f995ad3adp0, 0.005)},
      {"a base of nearly 1, far larger exponents", of(POSENC_NTK, 8, 0.5, 0x1.ae89f995ad3adp0, 1e-16)},
      {"a base of 1", of(POSENC_NTK, 4, 0.25, 2.0, 1e-300)},
      {"a base of 1, more pairs", of(POSENC_NTK, 6, 0.125, 4.0, 5e-324)},
      {"mixed NTK, a base of nearly 1", of(POSENC_MIXED_NTK, 64, 0x1.8p-499, 0x1.5555555555555p498, 1e-13)},
      {"factors that are far apart", With(of(POSENC_FREQUENCY_FACTORS, 4, 0x1p1000, 1.0, -1.0),
                                          [](S& s) {
                                            s.factor_count = 2;
                                            s.factors = factors;
                                            s.position_scale = 0x1p-1000;
                                          })},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ExpectFrequencies(c.spec, 700);
  }
}

// posenc_rotary_radians of the last pair; NaN where the spec is refused.
double LastRadians(const posenc_rotary_spec& spec) {
  posenc_rotary* rotary = nullptr;
  if (posenc_rotary_create(&spec, &rotary) != POSENC_OK) return kNan;
  const double radians = posenc_rotary_radians(rotary, spec.head_dim / 2 - 1);
  posenc_rotary_destroy(rotary);
  return radians;
}

// Midpoints of two doubles, also at both ends of the range.
TEST(RotaryFrequencies, ThatAreTiesRoundToEven) {
  static const double one[] = {1.75}, divided[] = {28059810762433.0 * 0x1p-40}, least[] = {27.0 * 0x1p-60};
  posenc_rotary_spec spec = Spec(2);
  spec.frequency_count = 1;
  spec.frequencies = one;
  for (const double sign : {1.0, -1.0}) {
    spec.position_scale = sign * 0x1.e7516d6896bb4p+14;
    EXPECT_EQ(LastRadians(spec), sign * 0x1.aa673fbb83e3ep+15);
  }
  spec.scaling = POSENC_LINEAR;
  spec.factor = 3.0;
  spec.frequencies = divided;
  spec.position_scale = 963.0 * 0x1p-20;  // 2^53 + 1, times 3
  EXPECT_EQ(LastRadians(spec), 0x1p-7);
  spec.frequencies = least;
  spec.position_scale = 2001599834386887.0 * 0x1p-120;  // (2^54 - 1) / 9
  EXPECT_EQ(LastRadians(spec), 0x1p-126);
  spec.position_scale = 2001599834386886.0 * 0x1p-120;
  EXPECT_TRUE(std::isnan(LastRadians(spec)));
  spec = Spec(4);
  spec.base = 3.0;
  spec.exponent_dim = -2.0;
  spec.position_scale = 3002399751580331.0 * 0x1p-22;  // (2^53 + 1) / 3
  EXPECT_EQ(LastRadians(spec), 0x1p31);
  spec.position_scale = 3002399751580332.0 * 0x1p-22;
  EXPECT_TRUE(std::isnan(LastRadians(spec)));
}

// On a step of Llama 3, where a base makes a number of turns that no number of bits shows.
TEST(RotaryFrequencies, ThatMeetAStepExactlyAreDivided) {
  static const double list[] = {0.25, -0.25, 0x1.0000000000001p-2, -0x1.0000000000001p-2};
  posenc_rotary_spec spec = Scaled(8, POSENC_LLAMA3, 8.0);
  spec.unit = POSENC_TURNS;
  spec.original_length = 8.0;
  spec.low_freq_factor = spec.high_freq_factor = 2.0;
  spec.frequency_count = 4;
  spec.frequencies = list;
  ExpectFrequencies(spec, internal::kFrequencyBits<16>);
  for (const std::size_t i : {0u, 1u, 2u, 3u}) {
    const double factor = i < 2 ? 8.0 : 1.0;
    EXPECT_EQ(ToDouble(Make(spec)->table.schedule.QuarterTurns<4>(i)), 4.0 * list[i] / factor) << i;
  }
  for (const double base : {4.0, 16.0, 100.0, 10000.0, 3.0, 1000.0}) {
    for (const std::size_t dim : {4u, 8u, 12u}) {
      for (const posenc_unit unit : {POSENC_TURNS, POSENC_HALF_TURNS}) {
        const double exponent = dim == 12 ? 6.0 : 4.0;  // base^(-1/2) or base^(-1/3), and their powers
        spec = With(Scaled(dim, POSENC_LLAMA3, 0.3), [&](S& s) {
          s.base = base;
          s.exponent_dim = exponent;
          s.unit = unit;
          s.original_length = (unit == POSENC_TURNS ? 1.0 : 2.0) * base * 3.0;
          s.low_freq_factor = s.high_freq_factor = 3.0;  // exactly where w is 1 / base
        });
        SCOPED_TRACE(testing::Message() << "base " << base << ", dim " << dim << ", unit " << unit);
        ExpectFrequencies(spec, 900);
      }
    }
  }
}

// Any settings of any scaling.
TEST(RotaryFrequencies, OfRandomSpecsAreThoseOfTheFormulas) {
  std::mt19937_64 random(23);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  int made = 0;
  for (int k = 0; k < 300; ++k) {
    posenc_rotary_spec spec = Spec(2 * (1 + static_cast<std::size_t>(random() % kListed)));
    const std::size_t pairs = spec.head_dim / 2;
    spec.scaling = static_cast<posenc_scaling>(random() % 12);
    spec.base = std::exp(uniform(0.01, 18.0));
    spec.factor = std::exp(uniform(-2.0, 5.0));
    spec.exponent_dim = random() % 3 == 0 ? uniform(1.0, 300.0) : 0.0;
    spec.position_scale = random() % 3 == 0 ? uniform(-3.0, 3.0) : 1.0;
    spec.unit = static_cast<posenc_unit>(random() % 3);
    spec.original_length = std::exp(uniform(0.1, 14.0));
    spec.length = std::exp(uniform(0.1, 14.0));
    spec.beta_slow = std::exp(uniform(-1.0, 3.0));
    spec.beta_fast = spec.beta_slow * std::exp(uniform(0.0, 4.0));
    spec.low_freq_factor = std::exp(uniform(-2.0, 3.0));
    spec.high_freq_factor = spec.low_freq_factor * std::exp(uniform(0.01, 3.0));
    spec.mscale = uniform(0.0, 2.0);
    spec.mscale_all_dim = uniform(0.0, 2.0);
    spec.proportion = uniform(0.0, 1.0);
    spec.truncate = static_cast<std::int32_t>(random() % 2);
    spec.factor_count = pairs;
    spec.factors = Factors().doubles.data();
    spec.long_factors = Factors().long_doubles.data();
    if (random() % 4 == 0) {
      spec.frequency_count = pairs;
      spec.frequencies = Factors().doubles.data();
    }
    if (Make(spec)->status != POSENC_OK) continue;
    ++made;
    SCOPED_TRACE(testing::Message() << "spec " << k << ", scaling " << spec.scaling);
    ExpectFrequencies(spec, 900);
  }
  EXPECT_GE(made, 200);
}

TEST(RotaryFrequencies, OfAListInTurnsAreExact) {
  const std::vector<double> turns = {0.25, 1.0, 3.0, 0.0, -0.5};
  posenc_rotary_spec spec = Spec(10);
  spec.frequency_count = turns.size();
  spec.frequencies = turns.data();
  spec.unit = POSENC_TURNS;
  const auto made = Make(spec);
  ASSERT_EQ(made->status, POSENC_OK);
  EXPECT_TRUE(made->table.frequencies.schedule.IsExact());
  EXPECT_EQ(made->table.frequencies.max_cancellation, 0.0);
  spec.scaling = POSENC_LINEAR;
  spec.factor = 3.0;
  EXPECT_FALSE(Make(spec)->table.frequencies.schedule.IsExact());
  EXPECT_EQ(Make(spec)->table.frequencies.max_cancellation, internal::kMaxCancellation);
}

TEST(RotaryTable, CopiesLists) {
  for (const bool are_floats : {false, true}) {
    posenc_rotary_spec spec = LongRope(5000.0);
    const Real exact = FrequencyOf(Listed(), 7) / Factors().long_floats[7];
    std::vector<float> factors = Factors().long_floats, frequencies = Factors().floats;
    std::vector<double> doubles(factors.begin(), factors.end());
    spec.frequency_count = kListed;
    spec.frequencies_f32 = frequencies.data();
    if (are_floats) {
      spec.factors = spec.long_factors = nullptr;
      spec.factors_f32 = spec.long_factors_f32 = factors.data();
    } else {
      spec.factors = spec.long_factors = doubles.data();
    }
    const auto made = Make(spec);
    factors.assign(kListed, -1.0f);
    doubles.assign(kListed, -1.0);
    frequencies.assign(kListed, -1.0f);
    ASSERT_EQ(made->status, POSENC_OK);
    EXPECT_GE(Bits(made->table.schedule.Radians<4>(7), exact), internal::kFrequencyBits<4>);
    EXPECT_GE(Bits(made->table.frequencies.schedule.QuarterTurns<16>(7), StepOf(exact)), 900);
  }
}

// Positions [axes] that tell axes apart.
std::vector<double> Positions(const posenc_rotary_spec& spec, double first) {
  std::vector<double> positions;
  for (std::size_t k = 0; k < spec.axes; ++k) positions.push_back(first / static_cast<double>(1 + k));
  return positions;
}

std::vector<double> Multiples(const RotaryTable& table, const std::vector<double>& position) {
  std::vector<double> multiples(table.frequencies.padded, kNan);
  table.FillMultiples(position.data(), multiples.data());
  return multiples;
}

TEST(RotaryTable, MultiplesAreThePositionsOfAxes) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    const auto made = Make(c.spec);
    ASSERT_EQ(made->status, POSENC_OK);
    EXPECT_EQ(made->table.HasMultiples(), c.spec.axes > 1);
    EXPECT_EQ(made->table.axes != nullptr, c.spec.axes > 1);
    const std::vector<double> position = Positions(c.spec, 0.1);
    const std::vector<double> multiples = Multiples(made->table, position);
    for (std::size_t i = 0; i < multiples.size(); ++i) {
      const bool is_padding = i >= made->table.frequencies.count;
      EXPECT_EQ(multiples[i], is_padding ? 0.0 : position[AxisOf(c.spec, i)]) << i;
    }
  }
}

// The axes that the projects' own code gives, written out.
TEST(RotaryTable, AxesAreThoseOfTheProjects) {
  const auto axes = [](const posenc_rotary_spec& spec) {
    std::string digits;
    const auto made = Make(spec);
    for (std::size_t i = 0; i < made->table.frequencies.count; ++i) {
      digits += static_cast<char>('0' + made->table.axes[i]);
    }
    return digits;
  };
  EXPECT_EQ(axes(WithAxes(Spec(16), POSENC_CONSECUTIVE_AXES, {2, 3, 3})), "00111222");
  EXPECT_EQ(axes(WithAxes(Spec(20), POSENC_INTERLEAVED_AXES, {4, 3, 3})), "0120120120");
  EXPECT_EQ(axes(WithAxes(Spec(20), POSENC_INTERLEAVED_AXES, {6, 2, 2})), "0120120000");
  EXPECT_EQ(axes(WithAxes(Spec(20), POSENC_ALTERNATING_AXES, {4, 3, 3})), "1212120000");
  EXPECT_EQ(axes(WithAxes(Spec(20), POSENC_IMROPE_AXES, {4, 2, 2, 2})), "0120120330");
  EXPECT_EQ(axes(WithAxes(Spec(10), POSENC_SPLIT_AXES, {3, 2})), "00011");
}

posenc_rotary_spec Rounded(posenc_phase_rounding rounding, posenc_rotary_spec spec) {
  spec.phase_rounding = rounding;
  return spec;
}

std::vector<Case> RoundedCases() {
  std::vector<Case> cases;
  for (const posenc_phase_rounding rounding :
       {POSENC_F32_INV_FREQ, POSENC_F32_ITERATED, POSENC_F32_EXP, POSENC_F64_INV_FREQ}) {
    for (const double base : {10000.0, 500000.0, 1e6, 10000.1, 1.1, 0.3}) {
      for (const std::size_t dim : {2u, 6u, 10u, 14u, 22u, 26u, 64u, 80u, 128u, POSENC_MAX_ROTARY_DIM + 0u}) {
        for (const double factor : {1.0, 8.0, 2.7, 0.3}) {
          if (dim == POSENC_MAX_ROTARY_DIM && (base != 1e6 || factor == 2.7)) continue;
          posenc_rotary_spec spec = Scaled(dim, factor == 1.0 ? POSENC_NO_SCALING : POSENC_LINEAR, factor);
          spec.base = base;
          cases.push_back({"plain", Rounded(rounding, spec)});
        }
      }
    }
    cases.push_back({"exponent_dim", Rounded(rounding, With(Spec(64), [](S& s) { s.exponent_dim = 96.3; }))});
    // That a float does not hold.
    for (const double exponent_dim : {0x1.1ef554a537e4ap+1, 100.1, 16777217.0, -33.3}) {
      for (const std::size_t dim : {4u, 10u}) {
        cases.push_back({"exponent_dim",
                         Rounded(rounding, With(Spec(dim), [&](S& s) { s.exponent_dim = exponent_dim; }))});
      }
    }
    cases.push_back({"axes", Rounded(rounding, WithAxes(Spec(128), POSENC_INTERLEAVED_AXES, {24, 20, 20}))});
  }
  for (const posenc_phase_rounding rounding : {POSENC_F32_INV_FREQ, POSENC_F64_INV_FREQ}) {
    cases.push_back({"split", Rounded(rounding, With(WithAxes(Spec(64), POSENC_SPLIT_AXES, {16, 16}),
                                                     [](S& s) { s.exponent_dim = 64.7; }))});
    cases.push_back({"axial", Rounded(rounding, WithAxes(Spec(64), POSENC_AXIAL_AXES, {9, 23}))});
  }
  cases.push_back({"list", Rounded(POSENC_F32_INV_FREQ, Listed())});
  cases.push_back({"list, linear", Rounded(POSENC_F32_INV_FREQ, Listed(POSENC_LINEAR))});
  cases.push_back(
      {"list, split", Rounded(POSENC_F32_INV_FREQ, WithAxes(Listed(), POSENC_SPLIT_AXES, {24, 24}))});
  cases.push_back({"factors", Rounded(POSENC_F32_ITERATED, With(LongRope(1.0), [](S& s) {
                                        s.scaling = POSENC_FREQUENCY_FACTORS;
                                      }))});
  // Ties of pow, of 25 bits: squares to be rounded down to even, cubes to be rounded up.
  const auto tie = [&](double base, double exponent) {
    posenc_rotary_spec spec = Spec(4);
    spec.base = base;
    spec.exponent_dim = 2.0 / exponent;
    cases.push_back({"tie", Rounded(POSENC_F32_INV_FREQ, spec)});
  };
  for (double base = 4097.0; base < 4140.0; base += 2.0) tie(base, 2.0);
  for (double base = 259.0; base < 320.0; base += 4.0) tie(base, 3.0);
  return cases;
}

TEST(RoundedPhases, AreThoseOfTheEngines) {
  constexpr double kPositions[] = {0.0,     1.0, -3.0,      131071.0,     1048575.0,  0x1p31,
                                   -0x1p31, 0.1, 1234.5678, 2147483647.0, 16777217.0, 1e-20};
  for (const Case& c : RoundedCases()) {
    const auto made = Make(c.spec);
    SCOPED_TRACE(testing::Message() << c.name << ", rounding " << c.spec.phase_rounding << ", base "
                                    << c.spec.base << ", dim " << c.spec.head_dim << ", factor "
                                    << c.spec.factor);
    ASSERT_EQ(made->status, POSENC_OK);
    EXPECT_TRUE(made->table.HasMultiples());
    const internal::FrequencyTable& frequencies = made->table.frequencies;
    ExpectTable(made->table, std::vector<Real>(frequencies.count, 1.0));
    EXPECT_GE(Bits(frequencies.schedule.QuarterTurns<16>(0), StepOf(1.0)), internal::kFrequencyBits<16>);
    EXPECT_FALSE(frequencies.schedule.IsExact());
    const std::size_t stride = frequencies.count > 64 ? 73 : frequencies.count > 8 ? 5 : 1;
    for (const double position : kPositions) {
      const std::vector<double> at = Positions(c.spec, position);
      const std::vector<double> phases = Multiples(made->table, at);
      for (std::size_t i = 0; i < frequencies.count; i += stride) {
        const double want = RoundedPhaseOf(c.spec, i, at[AxisOf(c.spec, i)], RoundedFactorOf(c.spec, i));
        ASSERT_EQ(std::memcmp(&phases[i], &want, sizeof(want)), 0)
            << "pair " << i << " at " << position << ": " << phases[i] << " for " << want;
      }
      for (std::size_t i = frequencies.count; i < frequencies.padded; ++i) ASSERT_EQ(phases[i], 0.0);
    }
    const std::size_t last = frequencies.count - 1;  // of the real number, all the same
    EXPECT_GE(Bits(made->table.schedule.Radians<4>(last), FrequencyOf(c.spec, last)),
              internal::kFrequencyBits<4>);
  }
}

// Any spec that takes a phase rounding. (With --gtest_shuffle and --gtest_random_seed=N: others.)
TEST(RoundedPhases, OfRandomSpecsAreThoseOfTheEngines) {
  std::mt19937_64 random(static_cast<std::uint64_t>(testing::UnitTest::GetInstance()->random_seed()));
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  int made = 0, compared = 0;
  for (int k = 0; k < 400; ++k) {
    posenc_rotary_spec spec =
        Scaled(2 * (1 + static_cast<std::size_t>(random() % kListed)),
               random() % 2 == 0 ? POSENC_LINEAR : POSENC_NO_SCALING, std::exp(uniform(-2.0, 5.0)));
    const std::size_t pairs = spec.head_dim / 2;
    constexpr posenc_phase_rounding kRoundings[] = {POSENC_F32_INV_FREQ, POSENC_F32_ITERATED, POSENC_F32_EXP,
                                                    POSENC_F64_INV_FREQ};
    spec.phase_rounding = kRoundings[random() % 4];
    spec.base = random() % 4 == 0 ? 1.0 + std::exp(uniform(-30.0, 0.0)) : std::exp(uniform(-3.0, 20.0));
    if (random() % 4 == 0) spec.base = std::round(spec.base) + 1.0;
    if (random() % 4 != 0)
      spec.exponent_dim = std::exp(uniform(-3.0, 6.0)) * (random() % 4 == 0 ? -1.0 : 1.0);
    if (random() % 4 == 0) spec.exponent_dim = 2.0 / static_cast<double>(1 + random() % 3);
    if (spec.phase_rounding == POSENC_F32_INV_FREQ && random() % 4 == 0) {
      spec.frequency_count = pairs;
      spec.frequencies_f32 = Factors().floats.data();
    }
    if (spec.phase_rounding == POSENC_F32_ITERATED && random() % 4 == 0) {
      spec.scaling = POSENC_FREQUENCY_FACTORS;
      spec.factor_count = pairs;
      spec.factors = Factors().long_doubles.data();
    }
    if (random() % 4 == 0) {
      const bool is_indexed =
          spec.phase_rounding == POSENC_F32_INV_FREQ || spec.phase_rounding == POSENC_F64_INV_FREQ;
      const std::size_t second = pairs / 2;
      spec =
          WithAxes(spec, is_indexed ? POSENC_SPLIT_AXES : POSENC_CONSECUTIVE_AXES, {pairs - second, second});
    }
    const auto table = Make(spec);
    if (table->status != POSENC_OK) continue;
    ++made;
    std::vector<double> factors;
    for (std::size_t i = 0; i < pairs; ++i) factors.push_back(RoundedFactorOf(spec, i));
    for (int n = 0; n < 20; ++n) {
      double position = std::floor(std::exp(uniform(0.0, 21.0)));
      if (n % 4 == 1) position = std::exp(uniform(-40.0, 21.0));
      const std::vector<double> at = Positions(spec, n % 3 == 2 ? -position : position);
      const std::vector<double> phases = Multiples(table->table, at);
      for (std::size_t i = 0; i < pairs; ++i) {
        const double want = RoundedPhaseOf(spec, i, at[AxisOf(spec, i)], factors[i]);
        ASSERT_EQ(std::memcmp(&phases[i], &want, sizeof(want)), 0)
            << "rounding " << spec.phase_rounding << ", scaling " << spec.scaling << ", pair " << i << " of "
            << pairs << " at " << position << ", base " << spec.base << ", exponent_dim " << spec.exponent_dim
            << ": " << phases[i] << " for " << want;
      }
      compared += static_cast<int>(pairs);
    }
  }
  EXPECT_GE(made, 150);
  RecordProperty("phases", compared);
}

// A specification that passes, changes of it that pass too, and one that is refused.
struct Refusal {
  const char* name;
  posenc_rotary_spec spec;
  std::vector<std::function<void(S&)>> passing;
  std::vector<std::function<void(S&)>> refused;
  posenc_status status;
};

// A member that must be positive and finite.
std::vector<std::function<void(S&)>> NotPositive(double S::*member) {
  std::vector<std::function<void(S&)>> changes;
  for (const double bad : {0.0, -1.0, kInfinity, kNan}) {
    changes.push_back([=](S& s) { s.*member = bad; });
  }
  return changes;
}

template <class T>
std::function<void(S&)> Set(T S::*member, T value) {
  return [=](S& s) { s.*member = value; };
}

std::function<void(S&)> SetAxes(posenc_axis_order order, const std::vector<std::size_t>& sections) {
  return [=](S& s) { s = WithAxes(s, order, sections); };
}

std::function<void(S&)> SetFactor(std::size_t i, float factor, bool is_long) {
  static std::vector<std::vector<float>> lists;
  lists.reserve(64);  // their data stay
  lists.push_back(Factors().floats);
  lists.back()[i] = factor;
  const float *list = lists.back().data(), *other = Factors().floats.data();
  return [=](S& s) {
    s.factors = s.long_factors = nullptr;
    s.factors_f32 = is_long ? other : list;
    s.long_factors_f32 = is_long ? list : other;
  };
}

std::vector<Refusal> Refusals() {
  const std::size_t max_head = POSENC_MAX_HEAD_DIM, max_turning = POSENC_MAX_ROTARY_DIM;
  const auto rounded = [](posenc_phase_rounding rounding) { return Rounded(rounding, Spec(128)); };
  static std::vector<double> bad_frequencies(kListed, 1.0);
  bad_frequencies[kListed - 1] = kNan;
  std::vector<Refusal> cases = {
      {"head_dim",
       With(Spec(2), Set(&S::rotary_dim, std::size_t{2})),
       {Set(&S::head_dim, std::size_t{3}), Set(&S::head_dim, max_head)},
       {Set(&S::head_dim, std::size_t{0}), Set(&S::head_dim, std::size_t{1}),
        Set(&S::head_dim, max_head + 1)},
       POSENC_BAD_HEAD_DIM},
      {"rotary_dim",
       Spec(max_turning),
       {Set(&S::rotary_dim, max_turning), Set(&S::rotary_dim, std::size_t{2}),
        Set(&S::rotary_offset, max_turning - 2)},
       {Set(&S::rotary_dim, std::size_t{3}), Set(&S::rotary_dim, max_turning + 2),
        Set(&S::rotary_offset, std::size_t{1}), Set(&S::rotary_offset, max_turning),
        Set(&S::rotary_offset, ~std::size_t{0}), Set(&S::head_dim, max_turning - 1),
        Set(&S::head_dim, max_turning + 2), Set(&S::rotary_dim, ~std::size_t{1})},
       POSENC_BAD_ROTARY_DIM},
      {"rotary_dim and offset",
       With(Spec(128), [](S& s) { s.rotary_dim = 64; }),
       {Set(&S::rotary_offset, std::size_t{64})},
       {Set(&S::rotary_offset, std::size_t{65}), Set(&S::rotary_offset, std::size_t{66}),
 Set(&S::rotary_offset, std::size_t{129}), Set(&S::rotary_offset, ~std::size_t{0})},
       POSENC_BAD_ROTARY_DIM},
      {"pairing",
       Spec(128),
       {Set(&S::pairing, posenc_pairing{POSENC_NEIGHBOURS}),
        Set(&S::output_pairing, posenc_pairing{POSENC_HALF_SPLIT})},
       {Set(&S::pairing, posenc_pairing{POSENC_SAME_PAIRING}), Set(&S::pairing, posenc_pairing{-1}),
        Set(&S::output_pairing, posenc_pairing{3}), Set(&S::output_pairing, posenc_pairing{-1})},
       POSENC_BAD_PAIRING},
      {"arithmetic",
       Spec(128),
       {Set(&S::arithmetic, posenc_arithmetic{POSENC_FAST})},
       {Set(&S::arithmetic, posenc_arithmetic{2}), Set(&S::arithmetic, posenc_arithmetic{-1})},
       POSENC_BAD_ARITHMETIC},
      {"base", Spec(128), {Set(&S::base, 0.5)}, NotPositive(&S::base), POSENC_BAD_BASE},
      {"base of YaRN",
       Yarn(4.0, 4096.0),
       {Set(&S::base, 1.0 + 0x1p-40)},
       {Set(&S::base, 1.0), Set(&S::base, 0.5)},
       POSENC_BAD_BASE},
      {"base of a rounding",
       rounded(POSENC_F32_INV_FREQ),
       {Set(&S::base, 1e30)},
       {[](S& s) {
         s.base = 1e39;
         s.exponent_dim = 1e4;
       }},
       POSENC_BAD_BASE},
      {"exponent_dim",
       Spec(128),
       {Set(&S::exponent_dim, 256.0)},
       {Set(&S::exponent_dim, kInfinity), Set(&S::exponent_dim, kNan)},
       POSENC_BAD_EXPONENT_DIM},
      {"exponent_dim of axes",
       WithAxes(Spec(64), POSENC_AXIAL_AXES, {16, 16}),
       {Set(&S::axis_order, posenc_axis_order{POSENC_AXIAL_AXES})},
       {Set(&S::exponent_dim, 64.0)},
       POSENC_BAD_EXPONENT_DIM},
      {"position_scale",
       Spec(128),
       {Set(&S::position_scale, -2.0), Set(&S::position_scale, 0.0)},
       {Set(&S::position_scale, kInfinity), Set(&S::position_scale, kNan)},
       POSENC_BAD_POSITION_SCALE},
      {"position_scale of a rounding",
       rounded(POSENC_F32_EXP),
       {Set(&S::position_scale, 1.0)},
       {Set(&S::position_scale, 2.0)},
       POSENC_BAD_POSITION_SCALE},
      {"unit",
       Spec(128),
       {Set(&S::unit, posenc_unit{POSENC_TURNS})},
       {Set(&S::unit, posenc_unit{3}), Set(&S::unit, posenc_unit{-1})},
       POSENC_BAD_FREQUENCIES},
      {"unit of a rounding",
       rounded(POSENC_F32_ITERATED),
       {Set(&S::unit, posenc_unit{POSENC_RADIANS})},
       {Set(&S::unit, posenc_unit{POSENC_TURNS})},
       POSENC_BAD_FREQUENCIES},
      {"frequencies",
       Listed(),
       {[](S& s) {
          s.frequencies = Factors().doubles.data();
          s.frequencies_f32 = nullptr;
        },
        [](S& s) {
          s.frequencies_f32 = nullptr;
          s.frequency_count = 0;
        }},
       {Set(&S::frequency_count, std::size_t{0}), Set(&S::frequency_count, kListed - 1),
        Set(&S::frequency_count, kListed + 1),
        Set(&S::frequencies_f32, static_cast<const float*>(nullptr)),
        Set(&S::frequencies, static_cast<const double*>(Factors().doubles.data())),
        [](S& s) {
          s.frequencies_f32 = nullptr;
          s.frequencies = bad_frequencies.data();
        }},
       POSENC_BAD_FREQUENCIES},
      {"frequencies of a rounding",
       Rounded(POSENC_F32_INV_FREQ, Listed()),
       {Set(&S::scaling, posenc_scaling{POSENC_LINEAR})},
       {Set(&S::phase_rounding, posenc_phase_rounding{POSENC_F32_ITERATED}),
        Set(&S::phase_rounding, posenc_phase_rounding{POSENC_F32_EXP}),
        Set(&S::phase_rounding, posenc_phase_rounding{POSENC_F64_INV_FREQ}),
        [](S& s) {
          s.frequencies = Factors().doubles.data();
          s.frequencies_f32 = nullptr;
        }},
       POSENC_BAD_FREQUENCIES},
      {"phase_rounding",
       Spec(128),
       {Set(&S::phase_rounding, posenc_phase_rounding{POSENC_F64_INV_FREQ})},
       {Set(&S::phase_rounding, posenc_phase_rounding{POSENC_F32_POW_DIV}),
        Set(&S::phase_rounding, posenc_phase_rounding{POSENC_F32_LOG_DIV}),
        Set(&S::phase_rounding, posenc_phase_rounding{POSENC_F32_LIST}),
        Set(&S::phase_rounding, posenc_phase_rounding{-1})},
       POSENC_BAD_PHASE_ROUNDING},
      {"scaling",
       Spec(128),
       {Set(&S::scaling, posenc_scaling{POSENC_PROPORTIONAL})},
       {Set(&S::scaling, posenc_scaling{12}), Set(&S::scaling, posenc_scaling{-1})},
       POSENC_BAD_SCALING},
      {"scaling of a list",
       With(Listed(), Set(&S::length, 200.0)),
       {Set(&S::scaling, posenc_scaling{POSENC_YARN})},
       {Set(&S::scaling, posenc_scaling{POSENC_NTK}), Set(&S::scaling, posenc_scaling{POSENC_DYNAMIC_NTK}),
        Set(&S::scaling, posenc_scaling{POSENC_QWEN_NTK}),
        Set(&S::scaling, posenc_scaling{POSENC_MIXED_NTK})},
       POSENC_BAD_SCALING},
      {"scaling of a rounding",
       Rounded(POSENC_F32_ITERATED,
               With(LongRope(1.0), Set(&S::scaling, posenc_scaling{POSENC_FREQUENCY_FACTORS}))),
       {Set(&S::scaling, posenc_scaling{POSENC_LINEAR}), Set(&S::scaling, posenc_scaling{POSENC_NO_SCALING})},
       {Set(&S::scaling, posenc_scaling{POSENC_LONGROPE}), Set(&S::scaling, posenc_scaling{POSENC_NTK}),
        Set(&S::scaling, posenc_scaling{POSENC_YARN}), [](S& s) {
          s.scaling = POSENC_FREQUENCY_FACTORS;
          s.phase_rounding = POSENC_F32_INV_FREQ;
        }},
       POSENC_BAD_SCALING},
      {"what dynamic NTK makes of the factor",
       Stretched(POSENC_DYNAMIC_NTK, 2.0, 1e4, 4096.0),
       {Set(&S::factor, 1e30), Set(&S::length, 1e30)},
       {[](S& s) {
         s.factor = 1e300;
         s.length = 1e300;
       }},
       POSENC_BAD_FACTOR},
      {"what Qwen makes of the lengths",
       Stretched(POSENC_QWEN_NTK, 1.0, 1e4, 4096.0),
       {Set(&S::factor, 0.0), Set(&S::length, 1e30)},
       {[](S& s) {
         s.length = 1e300;
         s.original_length = 1e-300;
       }},
       POSENC_BAD_FACTOR},
      {"LongRoPE's length that divides",
       LongRope(5000.0),
       {Set(&S::original_length, 1.5),
        [](S& s) {
          s.original_length = 1.0;
          s.amplitude = 1.5;
        },
        [](S& s) {
          s.original_length = 1.0;
          s.factor = 1.0;
        }},
       {Set(&S::original_length, 1.0), Set(&S::original_length, 0.5)},
       POSENC_BAD_LENGTH},
      {"betas that are exchanged",
       Yarn(4.0, 4096.0),
       {Set(&S::beta_fast, 1.0)},
       {Set(&S::beta_fast, 0.999), Set(&S::beta_slow, 32.001)},
       POSENC_BAD_BETA},
      {"mscale",
       Yarn(4.0, 4096.0),
       {Set(&S::mscale, 0.0), Set(&S::mscale_all_dim, 1.0),
        [](S& s) {
          s.mscale = -1.0;
          s.amplitude = 1.0;
        }},
       {Set(&S::mscale, -1.0), Set(&S::mscale, kInfinity), Set(&S::mscale, kNan),
        Set(&S::mscale_all_dim, -1.0), Set(&S::mscale_all_dim, kInfinity), Set(&S::mscale_all_dim, kNan)},
       POSENC_BAD_MSCALE},
      {"freq factors that are exchanged",
       Llama3(8.0),
       {Set(&S::low_freq_factor, 3.999), Set(&S::low_freq_factor, 4.0)},
       {Set(&S::low_freq_factor, 4.001), Set(&S::high_freq_factor, 0.5)},
       POSENC_BAD_FREQ_FACTOR},
      {"proportion",
       Scaled(128, POSENC_PROPORTIONAL, 1.0),
       {Set(&S::proportion, 0.0), Set(&S::proportion, 0.5)},
       {Set(&S::proportion, -0.001), Set(&S::proportion, 1.001), Set(&S::proportion, kNan)},
       POSENC_BAD_PROPORTION},
      {"factors",
       LongRope(5000.0),
       {SetFactor(3, 1e-9f, false), SetFactor(3, 1e-9f, true)},
       {Set(&S::factor_count, kListed - 1), Set(&S::factor_count, std::size_t{0}),
        Set(&S::factors, static_cast<const double*>(nullptr)),
        Set(&S::long_factors, static_cast<const double*>(nullptr)),
        Set(&S::factors_f32, static_cast<const float*>(Factors().floats.data())),
        Set(&S::long_factors_f32, static_cast<const float*>(Factors().floats.data())),
        [](S& s) {
          s.long_factors = nullptr;
          s.long_factors_f32 = Factors().floats.data();
        },
        SetFactor(kListed - 1, 0.0f, false), SetFactor(0, -1.0f, false),
        SetFactor(1, static_cast<float>(kNan), false), SetFactor(1, static_cast<float>(kInfinity), false),
        SetFactor(1, static_cast<float>(kNan), true)},
       POSENC_BAD_FACTOR_LIST},
      {"axes",
       Spec(40),
       {SetAxes(POSENC_INTERLEAVED_AXES, {8, 6, 6}), SetAxes(POSENC_ALTERNATING_AXES, {8, 6, 6}),
        SetAxes(POSENC_SPLIT_AXES, {7, 7, 6}), SetAxes(POSENC_AXIAL_AXES, {5, 5, 5, 5}),
        SetAxes(POSENC_CONSECUTIVE_AXES, {0, 20}), SetAxes(POSENC_IMROPE_AXES, {7, 6, 5, 2})},
       {Set(&S::axes, std::size_t{0}), Set(&S::axes, std::size_t{5}), Set(&S::axes, std::size_t{2}),
        Set(&S::axis_order, posenc_axis_order{6}), Set(&S::axis_order, posenc_axis_order{-1}),
        SetAxes(POSENC_CONSECUTIVE_AXES, {20}), SetAxes(POSENC_CONSECUTIVE_AXES, {10, 9}),
        SetAxes(POSENC_CONSECUTIVE_AXES, {10, 11}), SetAxes(POSENC_CONSECUTIVE_AXES, {11, ~std::size_t{0}, 10}),
        SetAxes(POSENC_INTERLEAVED_AXES, {6, 8, 6}), SetAxes(POSENC_INTERLEAVED_AXES, {6, 6, 8}),
        SetAxes(POSENC_ALTERNATING_AXES, {8, 7, 5}), SetAxes(POSENC_ALTERNATING_AXES, {8, 5, 7}),
        SetAxes(POSENC_IMROPE_AXES, {8, 6, 5, 1}), SetAxes(POSENC_IMROPE_AXES, {6, 6, 8, 0}),
        SetAxes(POSENC_SPLIT_AXES, {6, 7, 7}), SetAxes(POSENC_SPLIT_AXES, {11, 9}),
        [](S& s) {
          s = WithAxes(s, POSENC_CONSECUTIVE_AXES, {10, 5});
          s.sections[2] = 5;
        }},
       POSENC_BAD_AXES},
      {"axes of a rounding",
       rounded(POSENC_F32_EXP),
       {SetAxes(POSENC_CONSECUTIVE_AXES, {32, 32}), [](S& s) { s.axis_order = POSENC_AXIAL_AXES; }},
       {SetAxes(POSENC_SPLIT_AXES, {32, 32}), SetAxes(POSENC_AXIAL_AXES, {32, 32}),
        [](S& s) {
          s.phase_rounding = POSENC_F32_ITERATED;
          s = WithAxes(s, POSENC_AXIAL_AXES, {32, 32});
        }},
       POSENC_BAD_AXES},
      {"amplitude",
       Spec(128),
       {Set(&S::amplitude, 0x1p-64), Set(&S::amplitude, 0x1p64)},
       {Set(&S::amplitude, -1.0), Set(&S::amplitude, 0x0.fffffp-64), Set(&S::amplitude, 0x1.00001p64),
        Set(&S::amplitude, kInfinity), Set(&S::amplitude, kNan)},
       POSENC_BAD_AMPLITUDE},
      {"the scaling's amplitude",
       Yarn(4.0, 4096.0),
       {Set(&S::mscale, 1e20)},
       {Set(&S::mscale, 2e20), Set(&S::mscale, 1e308), Set(&S::mscale_all_dim, 2e20)},
       POSENC_BAD_AMPLITUDE},
      {"frequencies' range",
       Spec(4),
       {Set(&S::base, 0x1p252), Set(&S::base, 0x1p-62), Set(&S::position_scale, 0x1p31)},
       {Set(&S::base, 0x1.00001p252), Set(&S::base, 0x0.fffffp-62), Set(&S::position_scale, 0x1.00001p31),
        Set(&S::exponent_dim, 1e-300), Set(&S::exponent_dim, 1e-310), Set(&S::position_scale, 1e-300)},
       POSENC_FREQUENCY_OUT_OF_RANGE},
      {"listed frequencies' range",
       Listed(POSENC_LINEAR),
       {Set(&S::factor, 1e30)},
       {Set(&S::factor, 1e39), Set(&S::factor, 1e-15), Set(&S::factor, 1e-310)},
       POSENC_FREQUENCY_OUT_OF_RANGE},
      {"exponents that cancel",
       With(Scaled(8, POSENC_NTK, 0x1.ae89f995ad3adp0), Set(&S::base, 0.5)),  // 2^(3/4): base 1, nearly
       {Set(&S::exponent_dim, 0.01), Set(&S::exponent_dim, 0.005)},
       {Set(&S::exponent_dim, 1e-20), Set(&S::exponent_dim, 1e-300), Set(&S::exponent_dim, 5e-324)},
       POSENC_FREQUENCY_OUT_OF_RANGE},
      {"exponent_dim of a rounding, as a float",
       Rounded(POSENC_F32_ITERATED, With(Spec(2), Set(&S::exponent_dim, 1e-45))),
       {Set(&S::exponent_dim, 1e38), Set(&S::phase_rounding, posenc_phase_rounding{POSENC_F32_EXP}),
        Set(&S::phase_rounding, posenc_phase_rounding{POSENC_F32_INV_FREQ}),
        [](S& s) {
          s.phase_rounding = POSENC_F64_INV_FREQ;
          s.exponent_dim = 1e-300;
        }},
       {Set(&S::exponent_dim, 0x1p-150), Set(&S::exponent_dim, 0x1.ffffffp127),
        Set(&S::exponent_dim, -0x1.ffffffp127),
        [](S& s) {
          s.phase_rounding = POSENC_F32_EXP;
          s.exponent_dim = -1e-46;
        }},
       POSENC_BAD_EXPONENT_DIM},
      {"truncate",
       Spec(128),
       {Set(&S::truncate, std::int32_t{0})},
       {Set(&S::truncate, std::int32_t{2}), Set(&S::truncate, std::int32_t{-1})},
       POSENC_BAD_FLAG},
      {"factors that a rounding makes zero or infinite",
       Rounded(POSENC_F32_ITERATED, With(LongRope(1.0), Set(&S::scaling, posenc_scaling{POSENC_FREQUENCY_FACTORS}))),
       {SetFactor(2, 1e30f, false)},
       {[](S& s) {
         static std::vector<double> factors(kListed, 1.0);
         factors[kListed - 1] = 0x1.ffffffp127;  // to the next float, which is infinite
         s.base = 0.5;
         s.exponent_dim = 4.7;  // frequencies that such a factor keeps in range
         s.factors = factors.data();
       }},
       POSENC_BAD_FACTOR_LIST},
  };
  for (const posenc_scaling scaling : {POSENC_LINEAR, POSENC_NTK, POSENC_DYNAMIC_NTK, POSENC_MIXED_NTK,
                                       POSENC_YARN, POSENC_YARN_LOG, POSENC_LLAMA3, POSENC_PROPORTIONAL}) {
    cases.push_back({"factor",
                     Stretched(scaling, 4.0, 5000.0, 4096.0),
                     {Set(&S::factor, 0.5)},
                     NotPositive(&S::factor),
                     POSENC_BAD_FACTOR});
  }
  cases.push_back({"LongRoPE's factor",
                   LongRope(5000.0),
                   {Set(&S::factor, 0.5)},
                   NotPositive(&S::factor),
                   POSENC_BAD_FACTOR});
  cases.push_back({"LongRoPE's factor without use",
                   With(LongRope(5000.0), Set(&S::amplitude, 1.5)),
                   {Set(&S::factor, 0.0)},
                   {Set(&S::factor, kNan)},
                   POSENC_BAD_FACTOR});
  for (const posenc_scaling scaling : {POSENC_DYNAMIC_NTK, POSENC_QWEN_NTK, POSENC_LONGROPE}) {
    posenc_rotary_spec spec = With(LongRope(5000.0), Set(&S::scaling, scaling));
    cases.push_back({"length", spec, {Set(&S::length, 0.5)}, NotPositive(&S::length), POSENC_BAD_LENGTH});
    cases.push_back({"original_length",
                     spec,
                     {Set(&S::original_length, 1.5)},
                     NotPositive(&S::original_length),
                     POSENC_BAD_LENGTH});
  }
  for (const posenc_scaling scaling : {POSENC_YARN, POSENC_YARN_LOG, POSENC_LLAMA3}) {
    cases.push_back({"original_length",
                     Yarn(4.0, 4096.0, scaling),
                     {Set(&S::length, -1.0)},
                     NotPositive(&S::original_length),
                     POSENC_BAD_LENGTH});
  }
  for (const posenc_scaling scaling : {POSENC_YARN, POSENC_YARN_LOG}) {
    const posenc_rotary_spec spec = Yarn(4.0, 4096.0, scaling);
    cases.push_back(
        {"beta_fast", spec, {Set(&S::beta_fast, 64.0)}, NotPositive(&S::beta_fast), POSENC_BAD_BETA});
    cases.push_back(
        {"beta_slow", spec, {Set(&S::beta_slow, 0.5)}, NotPositive(&S::beta_slow), POSENC_BAD_BETA});
  }
  cases.push_back({"low_freq_factor",
                   Llama3(8.0),
                   {Set(&S::low_freq_factor, 0.5)},
                   NotPositive(&S::low_freq_factor),
                   POSENC_BAD_FREQ_FACTOR});
  cases.push_back({"high_freq_factor",
                   Llama3(8.0),
                   {Set(&S::high_freq_factor, 9.0)},
                   NotPositive(&S::high_freq_factor),
                   POSENC_BAD_FREQ_FACTOR});
  return cases;
}

TEST(RotarySpecs, AreRefusedForTheirReason) {
  for (const Refusal& c : Refusals()) {
    EXPECT_EQ(Make(c.spec)->status, POSENC_OK) << c.name;
    for (std::size_t k = 0; k < c.passing.size(); ++k) {
      EXPECT_EQ(Make(With(c.spec, c.passing[k]))->status, POSENC_OK) << c.name << ", passing " << k;
    }
    for (std::size_t k = 0; k < c.refused.size(); ++k) {
      EXPECT_EQ(Make(With(c.spec, c.refused[k]))->status, c.status) << c.name << ", refused " << k;
    }
  }
}

// What no scaling uses may be anything but a NaN.
TEST(RotarySpecs, MayHaveSettingsWithoutUse) {
  const std::pair<double S::*, posenc_status> members[] = {
      {&S::factor, POSENC_BAD_FACTOR},
      {&S::length, POSENC_BAD_LENGTH},
      {&S::original_length, POSENC_BAD_LENGTH},
      {&S::beta_fast, POSENC_BAD_BETA},
      {&S::beta_slow, POSENC_BAD_BETA},
      {&S::mscale, POSENC_BAD_MSCALE},
      {&S::mscale_all_dim, POSENC_BAD_MSCALE},
      {&S::low_freq_factor, POSENC_BAD_FREQ_FACTOR},
      {&S::high_freq_factor, POSENC_BAD_FREQ_FACTOR},
      {&S::proportion, POSENC_BAD_PROPORTION},
  };
  for (const auto& member : members) {
    for (const double value : {0.0, -1.0, kInfinity, 1e-310}) {
      EXPECT_EQ(Make(With(Spec(128), Set(member.first, value)))->status, POSENC_OK) << value;
    }
    EXPECT_EQ(Make(With(Spec(128), Set(member.first, kNan)))->status, member.second);
  }
  posenc_rotary_spec spec = Spec(128);
  spec.factor_count = 3;
  EXPECT_EQ(Make(spec)->status, POSENC_OK);
}

}  // namespace
}  // namespace formulas
}  // namespace posenc
