#include "number/exact.h"

#include "verify/cases.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "verify/rows.h"
#include "verify/worst_cases.h"

namespace posenc {
namespace tools {
namespace {

using Cases = std::vector<Case>;
using Rows = std::vector<const char*>;

Rows Encodings() {
  return {
      // float32, with all layouts, scales, a phase rounding, lists and sums. Each base is written around 0,
      // around the powers of two where float positions or phases lose precision, and at both ends of the
      // range.
      "$each_dim",
      "dim=128 $bases at=-48..47,4048..4143,65488..65583,1048528..1048623,16777168..16777263,"
      "-16777264..-16777169,-2147483648..-2147483553,2147483553..2147483648",
      "dim=512 at=0..511", "dim=1024 at=65536..65567",
      "dim=96 position_scale=0.001,-3.5,0x1p-20,0x1.000003p-20,1048576,0 at=-5..26",
      "dim=320 layout=cos_sin exponent_dim=318 at=0..47", "$rounded", "$integers", "$sums",

      // Types of 16 bits: they have another window of the rounding test, other store functions, and other
      // subnormal numbers.
      "type=bf16,f16 {$each_dim"
      "|dim=128 $bases at=-48..47,1048576..1048639,2147483585..2147483648"
      "|dim=96 position_scale=1e-3,-0x1p-10,0x1p-14,-0x1.8p-17,0x1p-23,-0x1p-25,0x1.000003p-26,0x1p-100 "
      "at=-9..38"
      "|$rounded|$integers|$sums|operation=add dim=64 at=0..15 scale=30000}",

      // Positions that are fractions.
      "$layouts dim=1,2,11,64 at=f64:fractions_24 $all_types",
      "base=10000,500000,0.5 dim=32 at=f64:small,f64:large $all_types",
      "dim=8 at=f64:small $all_types",  // with frequencies 10^-i
      "dim=16 position_scale=1e6,-0x1.8p-100 at=f64:fractions_40,f64:large,f64:eighths $all_types",
      "dim=16 phase_rounding=f32_pow_div at=f64:fractions_40 $all_types",

      // Listed frequencies. For some of them, the angle of a step is exact: with few digits, with all digits,
      // up to the largest exact angle, and beyond it.
      "dim=15 frequencies=1:-0.1:0:0x1p-126:5:3e8:0.0625:0x1.921fb54442d18p1 unit=radians,half_turns,turns "
      "at=f64:eighths,f64:small,f64:large $all_types",
      "dim=12 frequencies=0x1.00001da5161d5p+9:0x1.fffffffffffffp+9:0x1p10:-0x1.23456789abcdfp+8:"
      "0x1.edcba98765432p-3:0x1.3p-4,0x1.00001da5161d5p+16:0x1.8p17:1:0x1.0000000000001p+10:-0x1.fp26:0.1 "
      "unit=half_turns,turns at=f64:large,f64:fractions_40 $all_types",
      "dim=73 frequencies_f32=halving_37 unit=radians,half_turns,turns {layout=interleaved at=1000..1129|"
      "layout=sin_cos at=-2147483648..-2147483519|layout=cos_sin at=1000..1129} position_scale=1,-0.3 "
      "$all_types",

      // Sums of special values.
      "operation=add inputs=special $layouts scale=0,-0,inf,-inf,nan,1,-2.5,0x1p-130,3e38 "
      "{dim=67 at=-5..18|dim=35 at=f64:0:0.37:-1e9:77:0x1p-140} $all_types",
      // Positions that are floats, and positions that are NaN or out of range.
      "dim=38 at=f32:floats $layouts operation=write,add $all_types",
      "nan_rows=1 $layouts {operation=write|operation=add inputs=special} lists_only=0,1 dim=19 "
      "at=f64:1.5:nan:inf:-3:0x1.0000000000001p31:-0x1.0000000000001p31:-inf:0x1p31,"
      "f32:-nan:0.5:inf:-inf:0x1.000002p31:-0x1p31:7,"
      "i64:5:2147483649:-0x1p31:-2147483649:0x1p62:-0x1p63:0 $all_types",
      "lists_only=1 dim=134 at=100000..100039 $layouts operation=write,add $all_types",
      // A base that is not a float.
      "base=10000.1 phase_rounding=f32_pow_div dim=64 at=0..39,16777213..16777236,f64:0.5:1000000.3:-77.7 "
      "$all_types"};
}

Rows MoreEncodings() {
  return {
      "base=10000.1 exponent_dim=62 dim=64 "
      "phase_rounding=f32_exp,f32_log_div,f32_inv_freq,f32_iterated,f64_inv_freq,f64_pow_div,f64_pow_mul "
      "position_scale=1,0.3 at=0..39,16777213..16777236,f64:0.5:1000000.3:-77.7:-0x1p31:999 $all_types",
      // Rows with other columns than pairs: padding, odd columns and the position. In runs that contain the
      // padding, and in lists.
      "padding_position=9 position_offset=3 "
      "{layout=interleaved odd_column=half_pair,zero_last,cosine_last"
      "|layout=sin_cos,cos_sin odd_column=half_pair,zero_last,zero_middle,cosine_last"
      "|layout=interleaved_cos_sin odd_column=half_pair,zero_last,cosine_last} "
      "input_first=0,1 operation=write,add dim=1,2,5,67,68 "
      "at=-4..15,f64:9:0.375:-1e-3:65519.5:9:1000000000.5:-9:0 $all_types",
      "min_timescale=0.3 exponent_dim=64 dim=66 at=-5..18,f64:0.5:1000000.3:-77.7 $all_types",
      // Frequencies from a base, in turns: powers of two as in NeRF, thirds of a turn, and others.
      "unit=half_turns,turns {base=2 exponent_dim=-2|base=0.5,3,100 exponent_dim=24} dim=24 "
      "at=-9..14,f64:0.5:0x1.5555555555555p-2:0.1:-0.75:1:3 $all_types",
      // The phase rounding that also takes min_timescale.
      "base=10000.1 exponent_dim=64 phase_rounding=f32_log_increment dim=66 position_scale=1,0.3 "
      "min_timescale=1,0.3 at=0..23,16777213..16777236,f64:0.5:1000000.3:-77.7:-0x1p31:999 $all_types",
      // Bases that make angles of thirds of quarter turns.
      "unit=turns {base=3,6,12 exponent_dim=2|base=9 exponent_dim=4} dim=16 "
      "at=-9..30,f64:0.5:0.125:27:-0.75:729:1e9 $all_types"};
}

Rows Rotations() {
  return {// Numbers of pairs around the vector lengths, and heads that rotate only a part.
          "operation=rotate {head_dim=2,4,6,10,16,30 at=-3..4|head_dim=34,64,66,130 at=-3..0} $four_pairings",
          "operation=rotate head_dim=48 rotary_dim=34 rotary_offset=0,1,14 at=1000..1002 $four_pairings",
          "operation=rotate head_dim=64 {base=10000 {at=i64:far $two_pairings|at=f64:real $types}"
          "|base=500000,1e7,0.5 at=i64:far,f64:real $types}",
          // Elements of each kind. Also at position 0, where the cosine is 1 and the sine 0, so that results
          // are ties.
          "operation=rotate inputs=special,cancelling,middle,tiny,large,any {head_dim=32 q_heads=5 "
          "at=i64:far $two_pairings"
          "|head_dim=16 at=0..0 q_heads=20 amplitude=1,1.5,0x1.8p-20,1.25 $types}",
          // Amplitudes and scales whose product is not a double.
          "operation=rotate head_dim=22 at=i64:far {amplitude=1 {scale=0x1.6a09e667f3bcdp-4,0.1|"
          "scale=0x1p-64 inverse=1|scale=0x1p34}|amplitude=1.3465735902799727,0x1p30 inverse=1 "
          "scale=0x1.6a09e667f3bcdp-4,0.1,0x1p-64,0x1p34} $two_pairings",
          "operation=rotate head_dim=34 arithmetic=fast at=i64:far inputs=every,special "
          "{amplitude=1|amplitude=1.3465735902799727 scale=0.1 inverse=1} $four_pairings",
          // Rotation by a cache, with consecutive rows and with a list of rows.
          "operation=rotate_cached head_dim=40 rotary_dim=36 cache_type=f32,bf16,f16 {at=0..8|scale=0.3 "
          "{at=i32:0:1:2:3:4:5:6:7:8|inverse=1 at=i64:0:1:2:3:4:5:6:7:8}} $two_pairings",
          "operation=cache head_dim=66 cache_layout=halves,duplicated,cos_sin,pairs $all_types "
          "{at=-5..6|amplitude=1.3465735902799727 pairing=neighbours at=i64:far,f64:real}"};
}

Rows Schedules() {
  return {
      // Scalings. The ramp of YaRN is in the middle, at both ends, or only one pair wide. The ramp of Llama 3
      // is steep.
      "operation=rotate head_dim=64 length=40000 original_length=8192 proportion=0.3 factor=8,3.7 $scalings "
      "$shown",
      "operation=rotate head_dim=64 length=100,8192,8193,16384,1e6 original_length=8192 "
      "{scaling=dynamic_ntk factor=2.5|scaling=qwen_ntk} $shown",
      "operation=rotate head_dim=64 scaling=yarn factor=16 mscale=0.707 mscale_all_dim=0.3 {truncate=1 "
      "original_length=4096,50,1e9 beta_slow=1,32|truncate=0 original_length=4096,50,1e9} $shown",
      // Specs of models: YaRN with each setting that models use, also with elements that are not rotated; and
      // NTK with four axes.
      "operation=rotate head_dim=128 {scaling=yarn {base=150000 factor=32 original_length=4096 truncate=0"
      "|base=1e6 factor=4 original_length=8192 mscale=0.7"
      "|rotary_offset=64 pairing=neighbours output_pairing=half_split mscale_all_dim=1 "
      "{factor=40 original_length=4096|factor=128 original_length=8192}}"
      "|base=500000 scaling=llama3 factor=32 original_length=8192"
      "|scaling=ntk factor=1000 sections=16:16:16:16} $shown",
      "operation=rotate head_dim=64 scaling=llama3 factor=1e6 original_length=8192 "
      "low_freq_factor=0x1.ffffffffffffep1,4 $shown",
      "operation=rotate head_dim=64 {$longrope length=4096,4097,131072|$frequency_factors|"
      "factor=8 original_length=512 frequencies=signed_64 scaling=none,linear,llama3,yarn "
      "unit=radians,half_turns,turns} $shown",

      // Whole quarter turns, where a cosine or a sine is 0, and eighths of turns, where a sum may be 0.
      "operation=rotate head_dim=16 unit=turns frequencies=0.25:0.125:0.5:1:-0.25:0.75:3:0.0625 at=-9..9 "
      "{$types {operation=cache|arithmetic=exact,fast {inputs=normal|inputs=tiny inverse=1|inputs=special}}"
      "|type=f64 operation=cache}",

      // Several axes, in each order.
      "operation=rotate head_dim=128 {base=1e6 sections=16:24:24"
      "|base=5e6 axis_order=interleaved sections=24:20:20"
      "|base=500000 axis_order=alternating sections=20:22:22 pairing=neighbours"
      "|axis_order=split sections=32:32|axis_order=axial sections=32:32 pairing=half_split,neighbours} "
      "$shown",
      // Positions of patches: some angles are quarters and eighths of turns, which are exact.
      "head_dim=64 base=100 unit=turns axis_order=axial sections=16:16 inputs=middle "
      "at=f32:0.125:-0.25:0.5:1:0:-0.0714285746216774:0.3333333432674408 "
      "{operation=rotate seed=1|operation=cache type=f32,f64}",
      "operation=rotate head_dim=128 base=5e6 axis_order=imrope sections=22:20:20:2 $shown",
      "operation=rotate head_dim=24 sections=5:4:0:3 $shown",  // an axis without pairs

      "operation=rotate head_dim=64 rotary_dim=54 factor=8 "
      "phase_rounding=f32_inv_freq,f32_iterated,f32_exp,f64_inv_freq {base=10000 scaling=none,linear|"
      "base=500000.1 {scaling=none|scaling=linear factor=3.3}} $shown_rounded",
      "operation=rotate head_dim=64 {phase_rounding=f32_inv_freq frequencies_f32=slow_64|"
      "phase_rounding=f32_iterated scaling=frequency_factors factors=long_factors_64} $shown_rounded",
      "operation=rotate head_dim=128 base=1e6 sections=16:24:24 phase_rounding=f32_iterated "
      "$shown_rounded",

      "operation=rotate {head_dim=16 position_scale=0.25,-3.1,0x1p-100,1e6,0"
      "|head_dim=30 {exponent_dim=64|exponent_dim=-100 base=3}} $shown",

      // Thirds of quarter turns and other rational angles, with each scaling that divides frequencies; and
      // amplitudes that make ties.
      "operation=rotate head_dim=16 q_heads=8 unit=turns frequencies=1:0.5:0.25:3:-1:5:7:0.125 at=-12..12 "
      "original_length=8 scaling=linear,proportional,llama3,yarn "
      "{factor=3 amplitude=0x1.000003p0|factor=24 amplitude=1} "
      "{$types {operation=cache|inputs=tiny}|type=f64 operation=cache}",

      "operation=cache head_dim=66 cache_layout=halves_twice $all_types "
      "{at=-5..6|amplitude=1.3465735902799727 pairing=neighbours at=i64:far,f64:real}",

      // Axial axes: each axis scales by its own number of pairs.
      "operation=rotate head_dim=128 pairing=neighbours axis_order=axial sections=8:28:28 original_length=64 "
      "{scaling=yarn,ntk,mixed_ntk factor=3|scaling=proportional proportion=0.5} $shown",

      // Heads so large that the library rotates them in several pieces.
      "operation=rotate head_dim=1032 rotary_dim=1030 rotary_offset=2 at=i64:far {$two_pairings"
      "|arithmetic=fast $two_pairings|pairing=neighbours output_pairing=half_split in_place=0 $types}",

      // Axial axes with lists of frequencies, and a piece that ends within an axis.
      "operation=rotate axis_order=axial {head_dim=20 sections=3:5:2 {unit=radians,half_turns "
      "frequencies=0.5:0.25:3:1:0.1:0.01:0.001:0.0001:2:0.75 $shown|phase_rounding=f32_inv_freq "
      "frequencies_f32=0.5:0.25:3:1:0.1:0.01:0.001:0.0001:2:0.75 $shown_rounded}"
      "|head_dim=1032 rotary_dim=1030 sections=200:315 at=i64:far $two_pairings}"};
}

constexpr std::pair<const char*, posenc_type> kTypes[] = {
    {"f32", POSENC_F32}, {"bf16", POSENC_BF16}, {"f16", POSENC_F16}, {"f64", POSENC_F64}};

void LabelNumber(const char* key, double number, Case* c) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.17g", number);
  c->Label(key, text);
}

void LabelPosition(double position, Case* c) {
  char text[32];
  std::snprintf(text, sizeof(text), "f64:%.17g", position);
  c->Label("at", text);
}

// A case with this angle. The frequency is the only listed one, or the frequency of pair 1 with a base. If
// the case is a run, the position is in the middle.
Case EncodingOf(const HardAngle& angle, bool listed, bool run) {
  Case c;
  c.encoder.dim = listed ? 2 : 4;
  c.Label("dim", std::to_string(c.encoder.dim));
  c.encoder.position_scale = angle.scale;
  LabelNumber("position_scale", angle.scale, &c);
  if (listed) {
    c.encoder.frequencies = &angle.frequency;
    c.encoder.frequency_count = 1;
    LabelNumber("frequencies", angle.frequency, &c);
  } else {
    c.encoder.exponent_dim = -2.0;
    c.encoder.base = angle.frequency;
    LabelNumber("exponent_dim", -2.0, &c);
    LabelNumber("base", angle.frequency, &c);
  }
  c.rows = run ? 5 : 1;
  if (run) {
    c.first = static_cast<std::int64_t>(angle.position) - 2;
    c.Label("at", std::to_string(c.first) + ".." + std::to_string(c.first + 4));
  } else {
    c.list = POSENC_F64;
    c.positions = {angle.position};
    LabelPosition(angle.position, &c);
  }
  return c;
}

// Appends all hard angles as listed frequencies, and some of each kind also with a base or as a run.
void AppendHardEncodings(Cases* cases) {
  static const std::vector<HardAngle> angles = HardAngles(), reported = ReportedAngles();
  const auto append = [&](const HardAngle& angle, bool listed, bool run) {
    Case c = EncodingOf(angle, listed, run);
    for (const auto& [word, type] : kTypes) {
      c.type = type;
      c.Label("type", word);
      cases->push_back(c);
    }
  };
  std::size_t integers = 0;
  for (std::size_t n = 0; n < angles.size(); ++n) {
    append(angles[n], true, false);
    if (n % 4 == 0) append(angles[n], false, false);
    if (!angles[n].is_integer) continue;
    ++integers;
    if (integers % 4 == 0) append(angles[n], integers % 8 == 0, true);
  }
  for (std::size_t n = 0; n < reported.size(); ++n) {
    append(reported[n], n == 0, false);
    if (reported[n].is_integer) append(reported[n], n == 0, true);
  }
}

// Appends every third hard angle as a rotation of 20 heads with a single pair, and as a cache.
void AppendHardRotations(std::uint32_t seed, Cases* cases) {
  static const std::vector<HardAngle> angles = HardAngles();
  for (std::size_t n = 0; n < angles.size(); n += 3) {
    Case c;
    c.operation = Operation::kRotate;
    c.Label("operation", "rotate");
    c.rotary.head_dim = 2;
    c.Label("head_dim", "2");
    c.rotary.frequencies = &angles[n].frequency;
    c.rotary.frequency_count = 1;
    LabelNumber("frequencies", angles[n].frequency, &c);
    c.rotary.position_scale = angles[n].scale;
    LabelNumber("position_scale", angles[n].scale, &c);
    c.q_heads = 20;
    c.Label("q_heads", "20");
    c.rows = 1;
    c.list = POSENC_F64;
    c.positions = {angles[n].position};
    LabelPosition(angles[n].position, &c);
    for (const auto& [word, type] : kTypes) {
      c.type = type;
      c.Label("type", word);
      c.seed = seed++;
      c.Label("seed", std::to_string(c.seed));
      if (type == POSENC_F64) {
        c.operation = Operation::kWriteCache;
        c.Label("operation", "cache");
      }
      cases->push_back(c);
    }
  }
}

}  // namespace

std::vector<Case> DigestCases() {
  Cases cases;
  AppendRows(Encodings(), 0, &cases);
  AppendHardEncodings(&cases);
  AppendRows(MoreEncodings(), 0, &cases);
  const std::size_t begin = cases.size();
  const auto seed = [&] { return static_cast<std::uint32_t>(cases.size() - begin); };
  AppendRows(Rotations(), seed(), &cases);
  AppendHardRotations(seed(), &cases);
  AppendRows(Schedules(), seed(), &cases);
  return cases;
}

std::vector<Case> TableCases() {
  Cases cases;
  AppendRows({"dim=512 at=0..5119", "dim=768 at=0..4095", "dim=1024 at=0..8191",
              "dim=128 $bases at=-8192..8191,2147475457..2147483648",
              "dim=512 at=0..511 phase_rounding=f32_pow_div", "$large_sum",
              "type=bf16,f16 {$large_sum|dim=512 at=0..5119|dim=128 {base=500000 at=-8192..8191|"
              "base=1e7 at=2147475457..2147483648}}"},
             0, &cases);
  AppendRows({"operation=rotate head_dim=128 base=10000,500000 q_heads=16 k_heads=4 "
              "at=0..63,131072..131135,2147483585..2147483648 $two_pairings"},
             0, &cases);
  return cases;
}

}  // namespace tools
}  // namespace posenc
