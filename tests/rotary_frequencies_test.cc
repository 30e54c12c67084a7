// The frequencies of rotary embeddings: for every scaling, with amplitudes, axes and rounded phases, compared
// with the oracle in tables and in all the bits of wide arithmetic.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "frequency/rotary_spec.h"
#include "frequency/rotary_table.h"
#include "frequency/scaled.h"
#include "frequency_steps.h"
#include "oracle/rotary_formula.h"
#include "rotary_cases.h"
#include "spec_words.h"

namespace posenc {
namespace {

using internal::RotaryTable;
using oracle::Real;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int kBits = 2000;  // precision of the frequencies with which posenc's are compared

// A table and the memory that it uses.
struct Made {
  posenc_status status;
  RotaryTable table;
  internal::Scaling scalings[POSENC_MAX_AXES];
  internal::ScaledFrequencies frequencies;
  std::vector<double> memory;
};
std::unique_ptr<Made> Make(const posenc_rotary_spec& spec) {
  auto made = std::make_unique<Made>();
  posenc_rotary_spec checked = spec;
  made->status = internal::CheckSpec(&checked);
  if (made->status == POSENC_OK) made->status = made->frequencies.Plan(checked, made->scalings);
  if (made->status == POSENC_OK) made->status = internal::PlanRotaryTable(made->frequencies, &made->table);
  if (made->status != POSENC_OK) return made;
  made->memory.assign(internal::ArrayBytes(made->table, made->frequencies) / sizeof(double) + 1, kNan);
  internal::FillRotaryTable(made->memory.data(), made->frequencies, &made->table);
  return made;
}

const std::string kLlama3 = "head_dim=128 scaling=llama3 original_length=8192 base=500000 factor=";
const std::string kYarn = "head_dim=128 scaling=yarn base=1e6 original_length=4096 factor=4 ";
const std::string kGptOss = "head_dim=64 scaling=yarn base=150000 original_length=4096 factor=32 truncate=0 ";
const std::string kDeepSeek =
    "head_dim=192 rotary_offset=128 scaling=yarn base=10000 original_length=4096 factor=40 mscale_all_dim=1 ";
const std::string kLongRope =
    "head_dim=96 scaling=longrope factor=32 original_length=4096 factors=" + Steps(1, 0.0125, 48) +
    " long_factors=" + Steps(1.1, 0.7, 48) + " length=";
const std::string kListed =
    "head_dim=96 factor=8 original_length=100 frequencies_f32=" + Steps(1, 0.0125, 48) + " scaling=";
const std::string kDynamic = "head_dim=128 scaling=dynamic_ntk original_length=4096 ";
const std::string kQwen = "head_dim=128 scaling=qwen_ntk original_length=2048 length=";

const std::string kAxial = "head_dim=96 axis_order=axial axes=4 sections=6:21:1:20 scaling=";

const std::vector<std::string>& Cases() {
  static const std::vector<std::string> cases = {
      "head_dim=128",
      "head_dim=2",
      "head_dim=128 rotary_dim=64",
      "head_dim=128 rotary_offset=32",
      "head_dim=64 exponent_dim=256",
      "head_dim=64 exponent_dim=-80.5",
      "head_dim=96 position_scale=-0.7",
      "head_dim=96 position_scale=0",
      "head_dim=128 position_scale=0 base=1e300 exponent_dim=1e-300",
      "head_dim=1024",
      "head_dim=64 unit=turns",
      "head_dim=64 unit=half_turns base=100",
      "head_dim=64 unit=turns position_scale=1e7",
      "head_dim=32 base=0.01",
      "head_dim=32 base=1",
      "head_dim=32 base=1 exponent_dim=1e-300",
      "head_dim=128 scaling=linear factor=8",
      "head_dim=128 scaling=linear factor=2.7",
      "head_dim=128 scaling=linear factor=0.3",
      "head_dim=128 scaling=ntk factor=4",
      "head_dim=2 scaling=ntk factor=4",
      "head_dim=4 scaling=ntk factor=4",
      "head_dim=96 scaling=ntk factor=0.7",
      kDynamic + "factor=2 length=1000",
      kDynamic + "factor=2 length=10001",
      kDynamic + "factor=2.5 length=4097",
      kDynamic + "factor=2.5 length=9000 head_dim=2",
      kQwen + "100",
      kQwen + "2048",
      kQwen + "2049",
      kQwen + "4096",
      kQwen + "4097",
      kQwen + "8191",
      kQwen + "3000.7 original_length=300.3",
      "head_dim=128 scaling=mixed_ntk factor=4",
      "head_dim=2 scaling=mixed_ntk factor=4",
      kYarn + "original_length=32768",
      kYarn + "original_length=32768 factor=1",
      kYarn + "original_length=32768 factor=0.5",
      kGptOss,
      kGptOss + "truncate=1",
      kDeepSeek,
      kDeepSeek + "mscale=0.707 mscale_all_dim=0.707",
      kYarn + "original_length=32768 amplitude=1.25",
      kYarn + "original_length=32768 amplitude_factor=1.1",
      kYarn + "original_length=32768 factor=0.5 amplitude_factor=0.7",
      kYarn + "original_length=32768 amplitude=1.25 amplitude_factor=3",
      kDeepSeek + "mscale=0.707 amplitude_factor=0.9",
      kYarn + "original_length=150 base=10000",          // low is below 0
      kYarn + "original_length=2",                       // low and high are below 0
      kYarn + "original_length=1e12 base=30",            // high is above r - 1
      kYarn + "original_length=1e18 base=2 truncate=0",  // low and high are above r - 1
      kYarn + "original_length=6 base=10000",            // low and high are 0
      kYarn + "head_dim=2",
      kYarn + "original_length=32768 unit=turns",
      kGptOss + "beta_fast=1",  // equal betas
      kYarn + "beta_fast=1",
      kYarn + "scaling=yarn_log factor=16 original_length=8192 beta_fast=8",
      kYarn + "scaling=yarn_log factor=16 original_length=8192 truncate=0",
      kLongRope + "4096",
      kLongRope + "4097",
      kLongRope + "4097 factor=1",
      kLongRope + "9 factor=68719476736",  // the root in its amplitude is exact
      kLongRope + "5000 factors_f32=" + Steps(1, 0.0125, 48) + " long_factors_f32=" + Steps(1.1, 0.7, 48),
      kLlama3 + "8",
      kLlama3 + "32",
      kLlama3 + "0.25",
      kLlama3 + "16 high_freq_factor=1",
      kLlama3 + "16 high_freq_factor=1.5",
      kListed + "llama3 high_freq_factor=90 frequencies=" + Steps(-1.5, 0.07, 48),
      kLlama3 + "8 low_freq_factor=4",  // the ramp is a step
      kLlama3 + "8 unit=turns",
      kLlama3 + "8 position_scale=0.3333333333333333",
      "head_dim=256 scaling=proportional factor=8 proportion=0.25",
      "head_dim=64 scaling=proportional factor=2",
      "head_dim=64 scaling=proportional factor=2 proportion=0",
      "head_dim=40 scaling=proportional factor=2 proportion=0.3",
      kLongRope + "1 scaling=frequency_factors",
      kListed + "none",
      kListed + "none frequencies=" + Steps(1.1, 0.7, 48),
      kListed + "none unit=turns",
      kListed + "linear",
      kListed + "yarn",
      kListed + "yarn_log",
      kListed + "llama3 high_freq_factor=90",
      kListed + "proportional proportion=0.5",
      kListed + "frequency_factors factors=" + Steps(1.1, 0.7, 48),
      "head_dim=8 scaling=frequency_factors factors=1:0.001:1:1",  // a step beyond four quarter turns
      "head_dim=128 axis_order=consecutive axes=3 sections=16:24:24",
      "head_dim=128 axis_order=interleaved axes=3 sections=24:20:20",
      "head_dim=128 axis_order=imrope axes=4 sections=22:20:20:2",
      "head_dim=128 axis_order=alternating axes=3 sections=20:22:22",
      "head_dim=64 axis_order=split axes=2 sections=16:16",
      "head_dim=34 axis_order=split axes=3 sections=6:6:5",
      kListed + "none axis_order=split axes=4 sections=12:12:12:12",
      kLlama3 + "8 axis_order=split axes=2 sections=32:32",
      "head_dim=80 axis_order=axial axes=2 sections=20:20",
      "head_dim=64 axis_order=axial axes=2 sections=16:16 unit=turns base=100",
      "head_dim=128 axis_order=axial axes=4 sections=1:40:22:1 scaling=linear factor=1.7",
      kLlama3 + "8 axis_order=axial axes=4 sections=22:42:0:0",
      kAxial + "ntk factor=4",
      kAxial + "ntk factor=4 sections=0:47:0:1",
      kAxial + "ntk factor=4 sections=24:24 axes=2",
      kAxial + "dynamic_ntk original_length=4096 factor=2 length=10001",
      kAxial + "qwen_ntk original_length=2048 length=4097",
      kAxial + "mixed_ntk factor=4",
      kAxial + "yarn factor=8 original_length=300",
      kAxial + "yarn factor=8 original_length=1e12 base=30",  // high is above r - 1
      kAxial + "yarn factor=8 original_length=300 truncate=0",
      kAxial + "yarn_log factor=8 original_length=300 position_scale=-0.7",
      kAxial + "proportional factor=2 proportion=0.3",
      kAxial + "frequency_factors factors=" + Steps(1.1, 0.7, 48),
      kListed + "yarn axis_order=axial axes=3 sections=6:22:20",
      kListed + "proportional proportion=0.5 axis_order=axial axes=3 sections=6:22:20",
      kAxial + "llama3 factor=8 original_length=8192 unit=half_turns",
      kAxial + "longrope factor=8 original_length=4096 length=5000 factors=" + Steps(1.1, 0.7, 48) +
          " long_factors=" + Steps(2, 0.3, 48),
      kAxial + "frequency_factors unit=turns frequencies_f32=" + Steps(1, 0.0125, 48) +
          " factors=" + Steps(1.1, 0.7, 48),
      kAxial + "none unit=turns frequencies=" + Steps(0.5, 0.25, 48),  // exact frequencies
      kAxial + "yarn factor=4 original_length=300 position_scale=1e6 amplitude=1.25 unit=turns",
      kLongRope + "9999 factor=1.5 axis_order=split axes=3 sections=16:16:16",
  };
  return cases;
}

void ExpectFrequencies(const posenc_rotary_spec& spec, long most_bits) {
  const auto made = Make(spec);
  ASSERT_EQ(made->status, POSENC_OK);
  const internal::Frequencies& exact = *made->table.frequencies.exact;
  const oracle::RotaryFormula formula(spec);
  std::vector<Real> frequencies;
  for (std::size_t i = 0; i < formula.pairs(); ++i) frequencies.push_back(formula.Radians(i, kBits));
  ExpectSteps(made->table.frequencies, frequencies);
  const std::size_t stride = frequencies.size() > 16 ? 5 : 1;
  for (std::size_t i = 0; i < frequencies.size(); i += stride) {
    SCOPED_TRACE(testing::Message() << "pair " << i);
    const Real& w = frequencies[i];
    EXPECT_GE(CorrectBits(exact.Radians(i), w), internal::kFrequencyBits<4>);
    EXPECT_GE(CorrectBits(exact.QuarterTurns<4>(i), StepOf(w)), internal::kFrequencyBits<4>);
    EXPECT_GE(CorrectBits(exact.QuarterTurns<16>(i), StepOf(w)), most_bits);
    if (exact.IsExact()) {
      EXPECT_GE(CorrectBits(exact.QuarterTurns<4>(i), StepOf(w)), 1900);
    }
  }
  EXPECT_EQ(made->table.amplitude, formula.Amplitude());
}

TEST(RotaryFrequencies, AreThoseOfTheFormulas) {
  for (const std::string& words : Cases()) {
    SCOPED_TRACE(words);
    ExpectFrequencies(RotarySpecOf(words), internal::kFrequencyBits<16>);
  }
}

// Steep ramps magnify the errors of logarithms. Their frequencies have a larger error bound in 1,024 bits,
// but not in 256.
TEST(RotaryFrequencies, OfSteepRampsAreAsGood) {
  std::vector<posenc_rotary_spec> specs;
  for (const std::string& words : {kLlama3 + "1e6 base=10000", kLlama3 + "1e6 high_freq_factor=1.5",
                                   kGptOss + "beta_fast=0x1.0000000000001p0", kGptOss + "beta_fast=1",
                                   kGptOss + "factor=1e9", kGptOss + "factor=1e9 scaling=yarn_log",
                                   kGptOss + "base=0x1.00000000004p0 beta_slow=0x1.fffffffffep4"}) {
    specs.push_back(RotarySpecOf(words));
  }
  // A ramp that is one double wide, at pair 30. A pair on the narrowest ramp of YaRN. 64 pi.
  const Real turns =
      oracle::RotaryFormula(RotarySpecOf("head_dim=128")).Radians(30, 300) * 8192.0 / Real::Pi(300) / 2.0;
  specs[0].low_freq_factor = turns.ToDouble();
  specs[0].high_freq_factor = std::nextafter(specs[0].low_freq_factor, 1e300);
  specs[3].original_length = 2.0 * Real::Pi(53).ToDouble() * std::pow(specs[3].base, 2.0 * 9.9996 / 64.0);
  specs[6].original_length = 201.06192982974676;
  for (const posenc_rotary_spec& spec : specs) {
    SCOPED_TRACE(testing::Message() << spec.base << ", " << spec.factor << ", " << spec.original_length);
    EXPECT_TRUE(Make(spec)->scalings[0].is_steep);
    ExpectFrequencies(spec, 700);
  }
  // The specs of models must not get the larger error bound, because it makes wide arithmetic slow.
  for (const std::string& words : Cases()) {
    const posenc_rotary_spec spec = RotarySpecOf(words);
    if (spec.beta_fast != spec.beta_slow) {
      EXPECT_FALSE(Make(spec)->scalings[0].is_steep) << words;
    }
  }
}

// Only scaled frequencies must be in range. Unscaled ones, powers and bases may be far outside it, even
// outside the range of doubles.
TEST(RotaryFrequencies, NeedBeInRangeOnlyScaled) {
  for (const char* words : {
           // Pairs that do not rotate: the last ones, and some between others.
           "head_dim=4 scaling=proportional base=1e300 exponent_dim=1 proportion=0.5",
           "head_dim=64 scaling=proportional base=1e300 exponent_dim=1e-300 proportion=0.04",
           "head_dim=64 scaling=proportional base=1e300 factor=2 exponent_dim=-0.25 proportion=0.04 "
           "axis_order=split axes=2 sections=16:16",
           "head_dim=90 scaling=ntk base=1e-250 factor=1e262",
           "head_dim=512 scaling=ntk base=1e-300 factor=1e300",
           "head_dim=36 scaling=mixed_ntk base=1e-250 factor=1e254",
           "head_dim=36 scaling=mixed_ntk base=1e-250 factor=1.0000152587890625e250 exponent_dim=1e-3",
           "head_dim=90 scaling=dynamic_ntk base=1e-300 factor=1e290 length=1e6 original_length=1",
           // Bases that are 1, or nearly 1.
           "head_dim=34 scaling=dynamic_ntk base=1 exponent_dim=1e-14 length=0x1.00000000000001p12 "
           "original_length=4096",
           "head_dim=8 scaling=ntk base=0.5 factor=0x1.ae89f995ad3adp0 exponent_dim=0.005",
           "head_dim=8 scaling=ntk base=0.5 factor=0x1.ae89f995ad3adp0 exponent_dim=1e-16",
           "head_dim=4 scaling=ntk base=0.25 factor=2 exponent_dim=1e-300",
           "head_dim=6 scaling=ntk base=0.125 factor=4 exponent_dim=5e-324",
           "head_dim=64 scaling=mixed_ntk base=0x1.8p-499 factor=0x1.5555555555555p498 exponent_dim=1e-13",
           "head_dim=4 scaling=frequency_factors base=0x1p1000 exponent_dim=-1 factors=0x1p-1000:0x1p1000 "
           "position_scale=0x1p-1000",
       }) {
    SCOPED_TRACE(words);
    ExpectFrequencies(RotarySpecOf(words), 700);
  }
}

// posenc_rotary_radians of the last pair, or NaN if the spec is refused.
double LastRadians(const std::string& words) {
  const posenc_rotary_spec spec = RotarySpecOf(words);
  posenc_rotary* rotary = nullptr;
  if (posenc_rotary_create(&spec, &rotary) != POSENC_OK) return kNan;
  const double radians = posenc_rotary_radians(rotary, spec.head_dim / 2 - 1);
  posenc_rotary_destroy(rotary);
  return radians;
}

// The exact frequency is a midpoint of two doubles. Some midpoints are at an end of the range, and there the
// second case of each two is out of range.
TEST(RotaryFrequencies, ThatAreTiesRoundToEven) {
  const std::string third = "head_dim=2 scaling=linear factor=3 ",
                    power = "head_dim=4 base=3 exponent_dim=-2 ";
  EXPECT_EQ(LastRadians("head_dim=2 frequencies=1.75 position_scale=0x1.e7516d6896bb4p14"),
            0x1.aa673fbb83e3ep+15);
  EXPECT_EQ(LastRadians("head_dim=2 frequencies=1.75 position_scale=-0x1.e7516d6896bb4p14"),
            -0x1.aa673fbb83e3ep+15);
  // These are midpoints: 3 (2^53 + 1), (2^54 - 1) / 9, and (2^53 + 1) / 3.
  EXPECT_EQ(LastRadians(third + "frequencies=0x19852f0d8ec1p-40 position_scale=0x3c3p-20"), 0x1p-7);
  EXPECT_EQ(LastRadians(third + "frequencies=0x1bp-60 position_scale=0x71c71c71c71c7p-120"), 0x1p-126);
  EXPECT_TRUE(std::isnan(LastRadians(third + "frequencies=0x1bp-60 position_scale=0x71c71c71c71c6p-120")));
  EXPECT_EQ(LastRadians(power + "position_scale=0xaaaaaaaaaaaabp-22"), 0x1p31);
  EXPECT_TRUE(std::isnan(LastRadians(power + "position_scale=0xaaaaaaaaaaaacp-22")));
}

// The frequency lies exactly on the step of Llama 3. The base makes a number of turns for which no number of
// bits could decide.
TEST(RotaryFrequencies, ThatMeetAStepExactlyAreDivided) {
  posenc_rotary_spec spec = RotarySpecOf(
      "head_dim=8 scaling=llama3 factor=8 unit=turns original_length=8 low_freq_factor=2 high_freq_factor=2 "
      "frequencies=0.25:-0.25:0x1.0000000000001p-2:-0x1.0000000000001p-2");
  ExpectFrequencies(spec, internal::kFrequencyBits<16>);
  for (const std::size_t i : {0u, 1u, 2u, 3u}) {
    const double factor = i < 2 ? 8.0 : 1.0;
    EXPECT_EQ(ToDouble(Make(spec)->table.frequencies.exact->QuarterTurns<4>(i)),
              4.0 * spec.frequencies[i] / factor)
        << i;
  }
  for (const double base : {4.0, 16.0, 100.0, 10000.0, 3.0, 1000.0}) {
    // The frequencies are base^(-1/2) or base^(-1/3), and their powers. The step is exactly at w = 1 / base.
    for (const char* dims :
         {"head_dim=4 exponent_dim=4 ", "head_dim=8 exponent_dim=4 ", "head_dim=12 exponent_dim=6 "}) {
      for (const char* unit : {"unit=turns ", "unit=half_turns "}) {
        spec = RotarySpecOf("scaling=llama3 factor=0.3 low_freq_factor=3 high_freq_factor=3 " +
                            std::string(dims) + unit);
        spec.base = base;
        spec.original_length = (spec.unit == POSENC_TURNS ? 1.0 : 2.0) * base * 3.0;
        SCOPED_TRACE(testing::Message() << "base " << base << ", " << dims << unit);
        ExpectFrequencies(spec, 900);
      }
    }
  }
}

// Random numbers from a range.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : random_(seed) {}
  double operator()(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }
  double Exp(double low, double high) { return std::exp((*this)(low, high)); }
  std::size_t Of(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

 private:
  std::mt19937_64 random_;
};

// Random settings of every scaling.
TEST(RotaryFrequencies, OfRandomSpecsAreThoseOfTheFormulas) {
  Uniform uniform(23);
  int made = 0;
  for (int k = 0; k < 300; ++k) {
    posenc_rotary_spec spec =
        RotarySpecOf("factors=" + Steps(1, 0.0125, 48) + " long_factors=" + Steps(1.1, 0.7, 48));
    const std::size_t pairs = 1 + uniform.Of(48);
    spec.head_dim = 2 * pairs;
    spec.factor_count = pairs;
    spec.scaling = static_cast<posenc_scaling>(uniform.Of(12));
    spec.base = uniform.Exp(0.01, 18.0);
    spec.factor = uniform.Exp(-2.0, 5.0);
    spec.exponent_dim = uniform.Of(3) == 0 ? uniform(1.0, 300.0) : 0.0;
    spec.position_scale = uniform.Of(3) == 0 ? uniform(-3.0, 3.0) : 1.0;
    spec.unit = static_cast<posenc_unit>(uniform.Of(3));
    spec.original_length = uniform.Exp(0.1, 14.0);
    spec.length = uniform.Exp(0.1, 14.0);
    spec.beta_slow = uniform.Exp(-1.0, 3.0);
    spec.beta_fast = spec.beta_slow * uniform.Exp(0.0, 4.0);
    spec.low_freq_factor = uniform.Exp(-2.0, 3.0);
    spec.high_freq_factor = spec.low_freq_factor * uniform.Exp(0.01, 3.0);
    spec.mscale = uniform(0.0, 2.0);
    spec.mscale_all_dim = uniform(0.0, 2.0);
    spec.amplitude_factor = uniform.Of(2) == 0 ? uniform(0.5, 2.0) : 1.0;
    spec.proportion = uniform(0.0, 1.0);
    spec.truncate = static_cast<std::int32_t>(uniform.Of(2));
    if (uniform.Of(4) == 0) {
      spec.frequency_count = pairs;
      spec.frequencies = spec.factors;
    }
    if (uniform.Of(3) == 0) {
      spec.axes = 2;
      spec.axis_order = POSENC_AXIAL_AXES;
      spec.exponent_dim = 0.0;
      spec.sections[0] = uniform.Of(pairs + 1);
      spec.sections[1] = pairs - spec.sections[0];
    }
    if (Make(spec)->status != POSENC_OK) continue;
    ++made;
    SCOPED_TRACE(testing::Message() << "spec " << k << ", scaling " << spec.scaling);
    ExpectFrequencies(spec, 900);
  }
  EXPECT_GE(made, 200);
}

TEST(RotaryFrequencies, OfAListInTurnsAreExact) {
  posenc_rotary_spec spec = RotarySpecOf("head_dim=10 unit=turns frequencies=0.25:1:3:0:-0.5");
  const auto made = Make(spec);
  ASSERT_EQ(made->status, POSENC_OK);
  EXPECT_TRUE(made->table.frequencies.exact->IsExact());
  EXPECT_EQ(made->table.frequencies.min_uncancelled, 0.0);
  spec = With(spec, "scaling=linear factor=3");
  EXPECT_FALSE(Make(spec)->table.frequencies.exact->IsExact());
  EXPECT_EQ(Make(spec)->table.frequencies.min_uncancelled, internal::kMinUncancelled);
}

// Each axial axis has the same frequencies, bit for bit, as a rotary for this axis alone.
TEST(RotaryFrequencies, OfAxialAxesAreThoseOfTheirRotaries) {
  for (const std::string& words : std::vector<std::string>{
           "scaling=yarn factor=8 original_length=300 base=500 amplitude=1",
           "unit=turns scaling=mixed_ntk factor=3", "unit=turns base=9 scaling=llama3 factor=8",
           "frequencies=" + Steps(0.5, 0.1, 40) + " position_scale=0.3 scaling=linear factor=2.7",
           "scaling=longrope length=5000 factors_f32=" + Steps(1.1, 0.7, 40) +
               " long_factors_f32=" + Steps(2, 0.3, 40)}) {
    SCOPED_TRACE(words);
    const posenc_rotary_spec spec =
        RotarySpecOf("head_dim=80 axis_order=axial axes=4 sections=5:20:11:4 original_length=4096 " + words);
    const auto made = Make(spec);
    ASSERT_EQ(made->status, POSENC_OK);
    std::size_t pair = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t pairs = spec.sections[k];
      posenc_rotary_spec own = With(spec, "axis_order=consecutive axes=1 sections=0");
      own.head_dim = 2 * pairs;
      if (own.frequencies != nullptr) own.frequencies += pair, own.frequency_count = pairs;
      if (own.factors_f32 != nullptr) {
        own.factors_f32 += pair;
        own.long_factors_f32 += pair;
        own.factor_count = pairs;
      }
      const auto made_own = Make(own);
      ASSERT_EQ(made_own->status, POSENC_OK);
      for (std::size_t i = 0; i < pairs; ++i, ++pair) {
        const internal::FrequencyTable &all = made->table.frequencies, &one = made_own->table.frequencies;
        EXPECT_EQ(all.exact->NearestRadians(pair), one.exact->NearestRadians(i)) << pair;
        EXPECT_EQ(all.unreduced_high[pair], one.unreduced_high[i]) << pair;
        EXPECT_EQ(all.unreduced_low[pair], one.unreduced_low[i]) << pair;
        EXPECT_EQ(all.axes[pair], k) << pair;
      }
    }
  }
}

void ExpectCopies(const std::string& axes) {
  for (const bool are_floats : {false, true}) {
    std::vector<float> frequencies = {0.3f, 0.7f, 1.1f, 1.7f}, floats = {5.0f, 6.0f, 7.0f, 9.0f};
    std::vector<double> doubles(floats.begin(), floats.end());
    posenc_rotary_spec spec = RotarySpecOf(
        "head_dim=8 scaling=longrope original_length=4096 length=5000 factor_count=4 frequency_count=4 " +
        axes);
    spec.frequencies_f32 = frequencies.data();
    if (are_floats) {
      spec.factors_f32 = spec.long_factors_f32 = floats.data();
    } else {
      spec.factors = spec.long_factors = doubles.data();
    }
    const Real exact = oracle::RotaryFormula(spec).Radians(3, kBits);
    const auto made = Make(spec);
    floats.assign(4, -1.0f);
    doubles.assign(4, -1.0);
    frequencies.assign(4, -1.0f);
    ASSERT_EQ(made->status, POSENC_OK);
    EXPECT_GE(CorrectBits(made->table.frequencies.exact->Radians(3), exact), internal::kFrequencyBits<4>);
    EXPECT_GE(CorrectBits(made->table.frequencies.exact->QuarterTurns<16>(3), StepOf(exact)), 900);
  }
}

TEST(RotaryTable, CopiesLists) {
  ExpectCopies("");
  ExpectCopies("axes=2 sections=1:3 axis_order=axial");
}

// Positions [axes] that differ between axes.
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
  for (const std::string& words : Cases()) {
    SCOPED_TRACE(words);
    const posenc_rotary_spec spec = RotarySpecOf(words);
    const oracle::RotaryFormula formula(spec);
    const auto made = Make(spec);
    ASSERT_EQ(made->status, POSENC_OK);
    EXPECT_EQ(made->table.HasMultiples(), spec.axes > 1);
    EXPECT_EQ(made->table.frequencies.axes != nullptr, spec.axes > 1);
    const std::vector<double> position = Positions(spec, 0.1);
    const std::vector<double> multiples = Multiples(made->table, position);
    for (std::size_t i = 0; i < multiples.size(); ++i) {
      const bool is_padding = i >= made->table.frequencies.count;
      EXPECT_EQ(multiples[i], is_padding ? 0.0 : position[formula.axis(i)]) << i;
    }
  }
}

// Checks the phases of a table at a position, for every `stride`-th pair.
void ExpectPhases(const posenc_rotary_spec& spec, const RotaryTable& table, double position,
                  std::size_t stride) {
  const oracle::RotaryFormula formula(spec);
  const std::vector<double> at = Positions(spec, position), phases = Multiples(table, at);
  for (std::size_t i = 0; i < table.frequencies.count; i += stride) {
    const auto want = static_cast<double>(formula.RoundedPhase(i, at[formula.axis(i)]));
    ASSERT_EQ(std::memcmp(&phases[i], &want, sizeof(want)), 0)
        << "rounding " << spec.phase_rounding << ", scaling " << spec.scaling << ", factor " << spec.factor
        << ", pair " << i << " of " << table.frequencies.count << " at " << position << ", base " << spec.base
        << ", exponent_dim " << spec.exponent_dim << ": " << phases[i] << " for " << want;
  }
  for (std::size_t i = table.frequencies.count; i < table.frequencies.padded; ++i) ASSERT_EQ(phases[i], 0.0);
}

std::vector<posenc_rotary_spec> RoundedCases() {
  std::vector<posenc_rotary_spec> cases;
  for (const char* rounding : {"f32_inv_freq", "f32_iterated", "f32_exp", "f64_inv_freq"}) {
    const std::string words = std::string("phase_rounding=") + rounding + " head_dim=";
    for (const double base : {10000.0, 500000.0, 1e6, 10000.1, 1.1, 0.3}) {
      for (const std::size_t dim : {2u, 6u, 10u, 14u, 22u, 26u, 64u, 80u, 128u, POSENC_MAX_ROTARY_DIM + 0u}) {
        for (const double factor : {1.0, 8.0, 2.7, 0.3}) {
          if (dim == POSENC_MAX_ROTARY_DIM && (base != 1e6 || factor == 2.7)) continue;
          posenc_rotary_spec spec = RotarySpecOf(words + std::to_string(dim));
          spec.base = base;
          spec.factor = factor;
          spec.scaling = factor == 1.0 ? POSENC_NO_SCALING : POSENC_LINEAR;
          cases.push_back(spec);
        }
      }
    }
    // Some of these have no exact float.
    for (const char* exponent_dim : {"0x1.1ef554a537e4ap+1", "100.1", "16777217", "-33.3"}) {
      for (const char* dim : {"4", "10"}) {
        cases.push_back(RotarySpecOf(words + dim + " exponent_dim=" + exponent_dim));
      }
    }
    cases.push_back(RotarySpecOf(words + "64 exponent_dim=96.3"));
    cases.push_back(RotarySpecOf(words + "128 axis_order=interleaved axes=3 sections=24:20:20"));
    if (std::string(rounding).find("inv") == std::string::npos) continue;
    cases.push_back(RotarySpecOf(words + "64 axis_order=split axes=2 sections=16:16 exponent_dim=64.7"));
    cases.push_back(RotarySpecOf(words + "64 axis_order=axial axes=2 sections=9:23"));
    cases.push_back(RotarySpecOf(words + "64 axis_order=axial axes=3 sections=9:0:23 base=500.1 "
                                         "scaling=linear factor=2.7"));
  }
  for (const char* more : {"none", "linear", "none axis_order=split axes=2 sections=24:24"}) {
    cases.push_back(RotarySpecOf(kListed + more + " phase_rounding=f32_inv_freq"));
  }
  cases.push_back(RotarySpecOf(kLongRope + "1 scaling=frequency_factors phase_rounding=f32_iterated"));
  // Frequencies and ratios that are subnormal floats. A number of 24 bits would be rounded to them twice.
  for (const char* more : {"f32_exp head_dim=22 base=79.139784109662074 exponent_dim=1",
                           "f32_inv_freq head_dim=22 base=79.139784109662074 exponent_dim=1",
                           "f64_inv_freq head_dim=22 base=79.139784109662074 exponent_dim=1",
                           "f32_iterated head_dim=4 base=154018584 exponent_dim=0.42915683635492308"}) {
    cases.push_back(
        RotarySpecOf(std::string("scaling=linear factor=0.21961480415544046 phase_rounding=") + more));
  }
  // All frequencies are 1, although the rate between frequencies is infinite or 0.
  cases.push_back(RotarySpecOf("phase_rounding=f32_exp head_dim=2 exponent_dim=0x1p-149"));
  cases.push_back(RotarySpecOf("phase_rounding=f32_exp head_dim=6 exponent_dim=0x1p-149 base=1"));
  // Powers of 25 bits, which are midpoints of two floats: squares that round down to even, and cubes that
  // round up.
  const auto tie = [&](double base, double exponent) {
    cases.push_back(RotarySpecOf("head_dim=4 phase_rounding=f32_inv_freq"));
    cases.back().base = base;
    cases.back().exponent_dim = 2.0 / exponent;
  };
  for (double base = 4097.0; base < 4140.0; base += 2.0) tie(base, 2.0);
  for (double base = 259.0; base < 320.0; base += 4.0) tie(base, 3.0);
  return cases;
}

TEST(RoundedPhases, AreThoseOfTheEngines) {
  const Real one(1.0, kBits);
  for (const posenc_rotary_spec& spec : RoundedCases()) {
    const auto made = Make(spec);
    ASSERT_EQ(made->status, POSENC_OK);
    EXPECT_TRUE(made->table.HasMultiples());
    const internal::FrequencyTable& frequencies = made->table.frequencies;
    ExpectSteps(made->table.frequencies, std::vector<Real>(frequencies.count, one));
    EXPECT_FALSE(frequencies.exact->IsExact());
    const std::size_t stride = frequencies.count > 64 ? 73 : frequencies.count > 8 ? 5 : 1;
    for (const double position : {0.0, 1.0, -3.0, 131071.0, 1048575.0, 0x1p31, -0x1p31, 0.1, 1234.5678,
                                  2147483647.0, 16777217.0, 1e-20}) {
      ExpectPhases(spec, made->table, position, stride);
      if (HasFatalFailure()) return;
    }
    const std::size_t last = frequencies.count - 1;  // rounded from the real number
    EXPECT_GE(CorrectBits(made->table.frequencies.exact->Radians(last),
                          oracle::RotaryFormula(spec).Radians(last, kBits)),
              internal::kFrequencyBits<4>);
  }
}

// Random specs with a phase rounding. Every run has the same ones: for others use --gtest_random_seed=N.
TEST(RoundedPhases, OfRandomSpecsAreThoseOfTheEngines) {
  Uniform uniform(static_cast<std::uint64_t>(testing::GTEST_FLAG(random_seed)));
  constexpr posenc_phase_rounding kRoundings[] = {POSENC_F32_INV_FREQ, POSENC_F32_ITERATED, POSENC_F32_EXP,
                                                  POSENC_F64_INV_FREQ};
  int made = 0;
  for (int k = 0; k < 400; ++k) {
    posenc_rotary_spec spec = RotarySpecOf(uniform.Of(2) == 0 ? "scaling=linear" : "");
    const std::size_t pairs = 1 + uniform.Of(48);
    spec.head_dim = 2 * pairs;
    spec.factor = uniform.Exp(-2.0, 5.0);
    spec.phase_rounding = kRoundings[uniform.Of(4)];
    spec.base = uniform.Of(4) == 0 ? 1.0 + uniform.Exp(-30.0, 0.0) : uniform.Exp(-3.0, 20.0);
    if (uniform.Of(4) == 0) spec.base = std::round(spec.base) + 1.0;
    if (uniform.Of(4) != 0) spec.exponent_dim = uniform.Exp(-3.0, 6.0) * (uniform.Of(4) == 0 ? -1.0 : 1.0);
    if (uniform.Of(4) == 0) spec.exponent_dim = 2.0 / static_cast<double>(1 + uniform.Of(3));
    if (spec.phase_rounding == POSENC_F32_INV_FREQ && uniform.Of(4) == 0) {
      spec = With(spec, "frequencies_f32=" + Steps(1, 0.0125, pairs));
    }
    if (spec.phase_rounding == POSENC_F32_ITERATED && uniform.Of(4) == 0) {
      spec = With(spec, "scaling=frequency_factors factors=" + Steps(1.1, 0.7, pairs));
    }
    if (uniform.Of(4) == 0) {
      const bool is_indexed =
          spec.phase_rounding == POSENC_F32_INV_FREQ || spec.phase_rounding == POSENC_F64_INV_FREQ;
      spec.axes = 2;
      spec.axis_order = is_indexed ? POSENC_SPLIT_AXES : POSENC_CONSECUTIVE_AXES;
      spec.sections[0] = pairs - pairs / 2;
      spec.sections[1] = pairs / 2;
    }
    const auto table = Make(spec);
    if (table->status != POSENC_OK) continue;
    ++made;
    for (int n = 0; n < 20; ++n) {
      const double position = n % 4 == 1 ? uniform.Exp(-40.0, 21.0) : std::floor(uniform.Exp(0.0, 21.0));
      ExpectPhases(spec, table->table, n % 3 == 2 ? -position : position, 1);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GE(made, 150);
}

}  // namespace
}  // namespace posenc
