#include "number/exact.h"

#include "verify/row_groups.h"

namespace posenc {
namespace tools {

std::vector<RowGroup> RotaryRows() {
  return {
      {"Rotations",
       {// Numbers of pairs around the vector lengths, and heads that rotate only a part.
        "operation=rotate {head_dim=2,4,6,10,16,30 at=-3..4|head_dim=34,64,66,130 at=-3..0} $four_pairings",
        "operation=rotate head_dim=48 rotary_dim=34 rotary_offset=0,1,14 at=1000..1002 $four_pairings",
        "operation=rotate head_dim=64 {base=10000 {at=i64:far $two_pairings|at=f64:real "
        "$types}|base=500000,1e7,0.5 at=i64:far,f64:real $types}",
        // Elements of each kind. Also at position 0, where the cosine is 1 and the sine 0, so that results
        // are ties.
        "operation=rotate inputs=special,cancelling,middle,tiny,large,any {head_dim=32 q_heads=5 at=i64:far "
        "$two_pairings|head_dim=16 at=0..0 q_heads=20 amplitude=1,1.5,0x1.8p-20,1.25 $types}",
        // Amplitudes and scales whose product is not a double.
        "operation=rotate head_dim=22 at=i64:far {amplitude=1 {scale=0x1.6a09e667f3bcdp-4,0.1|scale=0x1p-64 "
        "inverse=1|scale=0x1p34}|amplitude=1.3465735902799727,0x1p30 inverse=1 "
        "scale=0x1.6a09e667f3bcdp-4,0.1,0x1p-64,0x1p34} $two_pairings",
        "operation=rotate head_dim=34 arithmetic=fast at=i64:far inputs=every,special "
        "{amplitude=1|amplitude=1.3465735902799727 scale=0.1 inverse=1} $four_pairings",
        // Rotation by a cache, with consecutive rows and with a list of rows.
        "operation=rotate_cached head_dim=40 rotary_dim=36 cache_type=f32,bf16,f16 {at=0..8|scale=0.3 "
        "{at=i32:0:1:2:3:4:5:6:7:8|inverse=1 at=i64:0:1:2:3:4:5:6:7:8}} $two_pairings",
        "operation=cache head_dim=66 cache_layout=halves,duplicated,cos_sin,pairs $all_types "
        "{at=-5..6|amplitude=1.3465735902799727 pairing=neighbours at=i64:far,f64:real}"}},

      {"Schedules",
       {// Scalings. The ramp of YaRN is in the middle, at both ends, or only one pair wide. The ramp of
        // Llama 3 is steep.
        "operation=rotate head_dim=64 length=40000 original_length=8192 proportion=0.3 factor=8,3.7 "
        "$scalings $shown",
        "operation=rotate head_dim=64 length=100,8192,8193,16384,1e6 original_length=8192 "
        "{scaling=dynamic_ntk factor=2.5|scaling=qwen_ntk} $shown",
        "operation=rotate head_dim=64 scaling=yarn factor=16 mscale=0.707 mscale_all_dim=0.3 {truncate=1 "
        "original_length=4096,50,1e9 beta_slow=1,32|truncate=0 original_length=4096,50,1e9} $shown",
        // Specs of models: YaRN with each setting that models use, also with elements that are not rotated;
        // and NTK with four axes.
        "operation=rotate head_dim=128 {scaling=yarn {base=150000 factor=32 original_length=4096 "
        "truncate=0|base=1e6 factor=4 original_length=8192 mscale=0.7|rotary_offset=64 pairing=neighbours "
        "output_pairing=half_split mscale_all_dim=1 {factor=40 original_length=4096|factor=128 "
        "original_length=8192}}|base=500000 scaling=llama3 factor=32 original_length=8192|scaling=ntk "
        "factor=1000 sections=16:16:16:16} $shown",
        "operation=rotate head_dim=64 scaling=llama3 factor=1e6 original_length=8192 "
        "low_freq_factor=0x1.ffffffffffffep1,4 $shown",
        "operation=rotate head_dim=64 {$longrope length=4096,4097,131072|$frequency_factors|factor=8 "
        "original_length=512 frequencies=signed_64 scaling=none,linear,llama3,yarn "
        "unit=radians,half_turns,turns} $shown",

        // Whole quarter turns, where a cosine or a sine is 0, and eighths of turns, where a sum may be 0.
        "operation=rotate head_dim=16 unit=turns frequencies=0.25:0.125:0.5:1:-0.25:0.75:3:0.0625 at=-9..9 "
        "{$types {operation=cache|arithmetic=exact,fast {inputs=normal|inputs=tiny "
        "inverse=1|inputs=special}}|type=f64 operation=cache}",

        // Several axes, in each order.
        "operation=rotate head_dim=128 {base=1e6 sections=16:24:24|base=5e6 axis_order=interleaved "
        "sections=24:20:20|base=500000 axis_order=alternating sections=20:22:22 "
        "pairing=neighbours|axis_order=split sections=32:32|axis_order=axial sections=32:32 "
        "pairing=half_split,neighbours} $shown",
        // Positions of patches: some angles are quarters and eighths of turns, which are exact.
        "head_dim=64 base=100 unit=turns axis_order=axial sections=16:16 inputs=middle "
        "at=f32:0.125:-0.25:0.5:1:0:-0.0714285746216774:0.3333333432674408 {operation=rotate "
        "seed=1|operation=cache type=f32,f64}",
        "operation=rotate head_dim=128 base=5e6 axis_order=imrope sections=22:20:20:2 $shown",
        "operation=rotate head_dim=24 sections=5:4:0:3 $shown",  // an axis without pairs

        "operation=rotate head_dim=64 rotary_dim=54 factor=8 "
        "phase_rounding=f32_inv_freq,f32_iterated,f32_exp,f64_inv_freq {base=10000 "
        "scaling=none,linear|base=500000.1 {scaling=none|scaling=linear factor=3.3}} $shown_rounded",
        "operation=rotate head_dim=64 {phase_rounding=f32_inv_freq "
        "frequencies_f32=slow_64|phase_rounding=f32_iterated scaling=frequency_factors "
        "factors=long_factors_64} $shown_rounded",
        "operation=rotate head_dim=128 base=1e6 sections=16:24:24 phase_rounding=f32_iterated $shown_rounded",

        "operation=rotate {head_dim=16 position_scale=0.25,-3.1,0x1p-100,1e6,0|head_dim=30 "
        "{exponent_dim=64|exponent_dim=-100 base=3}} $shown",

        // Thirds of quarter turns and other rational angles, with each scaling that divides frequencies;
        // and amplitudes that make ties.
        "operation=rotate head_dim=16 q_heads=8 unit=turns frequencies=1:0.5:0.25:3:-1:5:7:0.125 at=-12..12 "
        "original_length=8 scaling=linear,proportional,llama3,yarn {factor=3 "
        "amplitude=0x1.000003p0|factor=24 amplitude=1} {$types {operation=cache|inputs=tiny}|type=f64 "
        "operation=cache}",

        "operation=cache head_dim=66 cache_layout=halves_twice $all_types "
        "{at=-5..6|amplitude=1.3465735902799727 pairing=neighbours at=i64:far,f64:real}",

        // Axial axes: each axis scales by its own number of pairs.
        "operation=rotate head_dim=128 pairing=neighbours axis_order=axial sections=8:28:28 "
        "original_length=64 {scaling=yarn,ntk,mixed_ntk factor=3|scaling=proportional proportion=0.5} $shown",

        // Heads so large that the library rotates them in several pieces.
        "operation=rotate head_dim=1032 rotary_dim=1030 rotary_offset=2 at=i64:far "
        "{$two_pairings|arithmetic=fast $two_pairings|pairing=neighbours output_pairing=half_split "
        "in_place=0 $types}",

        // Axial axes with lists of frequencies, and a piece that ends within an axis.
        "operation=rotate axis_order=axial {head_dim=20 sections=3:5:2 {unit=radians,half_turns "
        "frequencies=0.5:0.25:3:1:0.1:0.01:0.001:0.0001:2:0.75 $shown|phase_rounding=f32_inv_freq "
        "frequencies_f32=0.5:0.25:3:1:0.1:0.01:0.001:0.0001:2:0.75 $shown_rounded}|head_dim=1032 "
        "rotary_dim=1030 sections=200:315 at=i64:far $two_pairings}",

        "operation=rotate head_dim=64 scaling=yarn factor=16 original_length=4096 amplitude_factor=1.25 "
        "$shown"},
       841},

      // Elements that are unusual: all of them, or one pair in each head, which comes to be in each lane of
      // the longest vectors. Some tokens are consecutive, so that their angles are added, and some are not.
      {"Elements",
       {"operation=rotate head_dim=34 q_heads=2 k_heads=0 "
        "at=f64:0:1:2:1000:1001:1002:0x1p-1000:-0x1p-1074:0.5 "
        "inputs=tiny,large,few,equal,zeros,smallest,largest,nans,infinities,bits {amplitude=1 "
        "scale=1,0.75,0x1.4p-20|amplitude=1.3465735902799727 scale=0.1 inverse=1|amplitude=0x1.8p40} "
        "$two_pairings",
        "operation=rotate head_dim=72 q_heads=36 k_heads=0 rare=36 $types {at=17..18 "
        "inputs=tiny,large,few,zeros,smallest,largest,nans,infinities,bits"
        // Sines and cosines so small that angle addition may give them the wrong sign.
        "|at=1..8 frequencies=near_eighths inputs=infinities}",
        "operation=rotate head_dim=120 q_heads=2 k_heads=0 rare=29 at=f64:0:1:-131071:0.5:0x1p31 "
        "inputs=cancelling,middle,tiny,large,equal,smallest,special {amplitude=1 "
        "scale=1,0x1p-64|amplitude=1.3465735902799727 scale=0.1 inverse=1} $two_pairings",
        "operation=rotate head_dim=202 q_heads=1 k_heads=0 at=f64:1:0x1p31:1e-3 "
        "inputs=middle,cancelling,zeros {amplitude=1|amplitude=1.3465735902799727 scale=0.1} $two_pairings",
        "operation=rotate type=bf16,f16 head_dim=64 q_heads=60 at=f64:1:131071:-7:0.5 inputs=around_one"}},

      // Positions of every size, and consecutive ones; other amplitudes and frequencies.
      {"RotatedPositions",
       {"operation=rotate head_dim=80 q_heads=1 at=f64:rotary {amplitude=1|amplitude=1.3465735902799727 "
        "inverse=1|scale=0x1p-64|amplitude=0x1.fffffffcp63|amplitude=0.1} $two_pairings",
        "operation=rotate {head_dim=64|head_dim=6 frequencies=1e9:3e8:7e6} q_heads=1 at=f64:nearly_runs "
        "{amplitude=1|amplitude=1.3465735902799727 scale=0.1} $two_pairings",
        "operation=rotate amplitude=1.3465735902799727 at=f64:rotary {head_dim=64 base=1e6 "
        "position_scale=0.3 exponent_dim=77.5|head_dim=10 q_heads=17 frequencies=1:0.1:0:-0.25:1e-6} "
        "$two_pairings"}},

      // Sums that are midpoints of two numbers, or 0: at angle 0, at quarter turns, and at eighths of a
      // turn; and sums next to midpoints at angles so small that only thousands of bits show that they are
      // not 0.
      {"Ties",
       {"operation=rotate head_dim=20 q_heads=17 at=f64:0:-0 inputs=few,equal,every $types "
        "{amplitude=1,1.5,0.5,0.25,1.25,0x1.000001p0,0x1.01p0,0x1.ffep-1,0x1.000001p-63|amplitude=1,1.25 "
        "scale=0x1.fffffffffffffp-1}",
        "operation=rotate head_dim=8 q_heads=1 k_heads=0 inverse=0,1 base=16 unit=turns "
        "at=f64:eighths_of_turns amplitude=1,1.5,1.25,0x1.000001p0,0x1.ffep-1 inputs=few,equal,every $types",
        "operation=rotate head_dim=12 q_heads=1 k_heads=0 "
        "at=f64:0x1p-1000:-0x1p-1000:0x1p-70:-0x1p-130:0x1p-260:0x1p-511:0x1p-600:-0x1p-800:-0x1p-1074:"
        "0x1.8p-513 amplitude=1,0.75,0x1.000001p0 inputs=few,smallest,every $types",
        // The angles are so small that 256 bits may not decide. The smallest float16 is too large for them.
        "operation=rotate type=f32,bf16 head_dim=2 q_heads=47 "
        "at=f64:0x1p-130:-0x1p-130:0x1p-125:-0x1p-140:0x1p-140 inputs=smallest",
        // Rational frequencies that are not binary fractions: 1, 1/3, 1/9 and 1/27 of a turn. Elements only
        // change places or signs, so infinities meet zeros.
        "operation=rotate head_dim=8 q_heads=3 k_heads=0 inverse=0,1 base=81 unit=turns at=f64:thirds "
        "inputs=bits,infinities $types"}},

      // Next to whole quarter turns, an amplitude with few digits makes midpoints that only the smaller
      // term decides. At odd eighths of a turn, elements of the same size cancel. With the last frequency,
      // 8 times the sine is half an ulp of 1, and the cosine is less than 1. Times 3, or times 2 sqrt(1/2),
      // the long scales are next to midpoints.
      {"BesideKnownAngles",
       {"operation=rotate head_dim=28 q_heads=4 k_heads=0 inverse=0,1 unit=turns "
        "frequencies=0x1.5555555555555p-4:0x1.aaaaaaaaaaaabp-2:0x1.5555555555555p-3:0x1.ffffffffffffep-3:"
        "0x1.0000000000002p-2:-0x1.ffffffffffffep-3:0x1.0000000000001p-1:0x1.fffffffffffffp-1:0.125:-0.375:"
        "0x1.0000000000001p-3:0.25:0x1p-60:0x1.45f306dde27b3p-30 at=f64:1:2:3:6:9:33:0x1.8p22:-3:0.5 "
        "inputs=few,equal {$types scale=1,0.75,0.6875,0x1.8p20,0.1|type=f32 "
        "scale=0x1.555556aaaaaabp-2,0x1.6a09e7d1fda33p-1,0x1.5555595555555p-2,0x1.6a09eaa611700p-1,"
        "0x1.55555c0000000p-2,0x1.6a09ed7a253cdp-1,0x1.55555eaaaaaabp-2,0x1.6a09f04e3909ap-1,"
        "0x1.5555615555555p-2,0x1.6a09f3224cd67p-1,0x1.5555640000000p-2,0x1.6a09f5f660a34p-1|type=bf16 "
        "scale=0x1.56aaaaaaaaaabp-2,0x1.6b73f04e5bb08p-1,0x1.5955555555555p-2,0x1.6e48041b2b980p-1,"
        "0x1.5c00000000000p-2,0x1.711c17e7fb7f7p-1,0x1.5eaaaaaaaaaabp-2,0x1.73f02bb4cb66fp-1,"
        "0x1.6155555555555p-2,0x1.76c43f819b4e6p-1,0x1.6400000000000p-2,0x1.7998534e6b35ep-1|type=f16 "
        "scale=0x1.5580000000000p-2,0x1.6a3727a4c0bb4p-1,0x1.55d5555555555p-2,0x1.6a91aa1e5ab83p-1,"
        "0x1.562aaaaaaaaabp-2,0x1.6aec2c97f4b52p-1,0x1.5680000000000p-2,0x1.6b46af118eb20p-1,"
        "0x1.56d5555555555p-2,0x1.6ba1318b28aefp-1,0x1.572aaaaaaaaabp-2,0x1.6bfbb404c2abep-1}"}},

      // Pairs that do not rotate, at position 0 or with frequency 0, among others and alone; and pairs of
      // zeros. Some amplitudes have exact products, or products that are midpoints with few or many digits.
      {"StillPairs",
       {"operation=rotate head_dim=202 frequencies=mostly_0 q_heads=1 at=f64:3:0x1p31:0.5:0 "
        "inputs=few,equal,zeros,smallest {amplitude=1 "
        "scale=1,0.75,0x1.ffffffep-1,0x1.fffffffp-1,0x1.0000000000001p0,0.1,0x1.4p63|amplitude=0x1.000001p0,"
        "0x1.8p-63|amplitude=0x1.ffep-1 scale=0x1.001p0|amplitude=0.75 "
        "scale=0x1.0000000000001p0|amplitude=0x1.80000006p-1 scale=0x1.fffffff8p-1} $types",
        // Products of the scale and an odd number are so close to a midpoint of the type that doubles
        // cannot decide.
        "operation=rotate head_dim=74 frequencies=0 at=3..3 inputs=few {type=f32 "
        "scale=0x1.5555595555555p-2,0x1.5555595555554p-2,0x1.5555595555556p-2,0x1.2492512492492p-3,"
        "0x1.2492512492491p-3,0x1.2492512492493p-3,0x1.745d2745d1746p-4,0x1.745d2745d1745p-4,"
        "0x1.745d2745d1747p-4,0x1.47ae347ae147bp-5,0x1.47ae347ae147ap-5,0x1.47ae347ae147cp-5|type=f16 "
        "scale=0x1.55d5555555555p-2,0x1.55d5555555554p-2,0x1.55d5555555556p-2,0x1.2592492492492p-3,"
        "0x1.2592492492491p-3,0x1.2592492492493p-3,0x1.765d1745d1746p-4,0x1.765d1745d1745p-4,"
        "0x1.765d1745d1747p-4,0x1.4bae147ae147bp-5,0x1.4bae147ae147ap-5,0x1.4bae147ae147cp-5|type=bf16 "
        "scale=0x1.5955555555555p-2,0x1.5955555555554p-2,0x1.5955555555556p-2,0x1.2c92492492492p-3,"
        "0x1.2c92492492491p-3,0x1.2c92492492493p-3,0x1.845d1745d1746p-4,0x1.845d1745d1745p-4,"
        "0x1.845d1745d1747p-4,0x1.67ae147ae147bp-5,0x1.67ae147ae147ap-5,0x1.67ae147ae147cp-5}",
        // A frequency of whole turns still rotates at positions that are fractions.
        "operation=rotate head_dim=32 unit=turns frequencies=2 at=f64:1:0.25:0.125:-1.5:0.5 scale=0.75 "
        "inputs=every,sparse $types",
        "operation=rotate head_dim=128 frequencies=0 at=3..3 scale=0.75 inputs=special rare=16 $types",
        "operation=rotate head_dim=64,130 q_heads=9 at=f64:0:5:-1048575 scale=1,0.75,0.1 inputs=sparse "
        "$two_pairings"}},

      // NaNs become the canonical NaN, and infinities follow IEEE arithmetic. In the long heads, one pair
      // in each vector is unusual.
      {"NansAndInfinities",
       {"operation=rotate {base=16 unit=turns head_dim=8|head_dim=10|head_dim=64 rare=16} q_heads=9 "
        "inverse=0,1 at=f64:-0:1:-0.75:0.125:3.1:0x1p-1000 inputs=nans,infinities "
        "{amplitude=1|amplitude=0x1.fffffffcp63} $types"}},

      // A part of the head rotates, also when heads are so large that they are rotated in pieces.
      {"PartsOfHeads",
       {"operation=rotate {head_dim=3 rotary_dim=2 rotary_offset=0,1|head_dim=80 rotary_dim=32 "
        "rotary_offset=0,5,48|head_dim=96 rotary_offset=64|head_dim=576 rotary_dim=64 rotary_offset=512} "
        "amplitude=1.3465735902799727 at=f64:0:7:-1048575:0.5 $two_pairings",
        "operation=rotate type=bf16 head_dim=65536 rotary_dim=34 rotary_offset=65501 q_heads=1 k_heads=0 "
        "at=7..7",
        "operation=rotate head_dim=1100 rotary_dim=1054 rotary_offset=3 q_heads=1 k_heads=0 amplitude=1.25 "
        "at=f64:0:7:-1048575:0.5 {unit=radians,turns|phase_rounding=f32_inv_freq,f32_iterated "
        "|sections=520:7 phase_rounding=none,f32_iterated}",
        "operation=rotate head_dim=16384 q_heads=1 k_heads=0 at=-3..-3"}},

      // Each pair rotates by the position on its axis. The orders are those that models use, and unusual
      // ones. The positions of a run are the same on all axes.
      {"Axes",
       {"{axis_order=consecutive {head_dim=128 sections=16:24:24|head_dim=16 sections=1:0:5:2|head_dim=14 "
        "sections=0:7}|axis_order=interleaved {head_dim=128 sections=24:20:20|head_dim=32 "
        "sections=8:8|head_dim=28 sections=11:2:0:1}|axis_order=alternating {head_dim=128 "
        "sections=20:22:22|head_dim=18 sections=3:6}|axis_order=split {head_dim=32 sections=8:8|head_dim=24 "
        "sections=4:4:4}|axis_order=axial {head_dim=64 sections=16:16|head_dim=20 "
        "sections=2:3:5}|axis_order=imrope {head_dim=128 sections=22:20:20:2|head_dim=16 sections=5:3}} "
        "{operation=rotate q_heads=1 k_heads=0 {at=f64:axes amplitude=1.25 scale=0.3 "
        "$two_pairings|at=-4..12 arithmetic=exact,fast}|operation=cache amplitude=1.25 at=f64:axes "
        "$all_types}",
        // Frequencies begin again on each axis.
        "axis_order=axial head_dim=20 sections=3:5:2 {unit=turns base=9 scaling=ntk factor=3 "
        "position_scale=0.3|unit=half_turns frequencies=0.5:0.75:1:1.25:1.5:1.75:2:2.25:2.5:2.75 "
        "scaling=frequency_factors factors=1.5:2.5:3.5:4.5:5.5:6.5:7.5:8.5:9.5:"
        "10.5|phase_rounding=f32_inv_freq scaling=linear factor=2.7 "
        "frequencies_f32=0.5:0.75:1:1.25:1.5:1.75:2:2.25:2.5:2.75|phase_rounding=f32_inv_freq base=100} "
        "{operation=rotate at=f64:axes scale=0.3 $two_pairings|operation=cache at=f64:axes $all_types}"}},

      // Elements of float32 that become bfloat16 or float16: of every kind, among others and alone, with
      // sums that are midpoints of these types or next to them; in exact and fast arithmetic and by a cache;
      // and elements that do not rotate.
      {"Converted",
       {"operation=rotate head_dim=34,72 q_heads=3 $converted at=f64:0:1:2:1000:1001:1002:0x1p-1000:0.5 "
        "inputs=every,normal,any,cancelling,middle,tiny,large,special,equal,few,zeros,sparse,smallest,"
        "largest,"
        "nans,infinities,bits {amplitude=1 scale=1,0.75|amplitude=1.3465735902799727 scale=0.1 "
        "inverse=1|amplitude=0x1.8p40} pairing=half_split,neighbours",
        "operation=rotate head_dim=72,130 q_heads=36 k_heads=0 rare=36 $converted at=17..18 "
        "inputs=tiny,large,few,zeros,smallest,largest,nans,infinities,bits pairing=half_split,neighbours",
        "operation=rotate head_dim=34 arithmetic=fast $converted at=i64:far inputs=every,special,smallest "
        "{amplitude=1|amplitude=1.3465735902799727 scale=0.1 inverse=1} pairing=half_split,neighbours "
        "output_pairing=half_split,neighbours",
        "operation=rotate_cached head_dim=130 $converted inputs=every,special cache_type=f32,bf16,f16 "
        "{at=0..8|scale=0.3 inverse=1 at=i64:0:1:2:3:4:5:6:7:8} pairing=half_split,neighbours",
        "operation=rotate $converted {head_dim=80 rotary_dim=32 rotary_offset=0,5,48|head_dim=1100 "
        "rotary_dim=1054 rotary_offset=3 q_heads=1 k_heads=0} arithmetic=exact,fast "
        "amplitude=1.3465735902799727 at=f64:0:7:-1048575:0.5 pairing=half_split,neighbours "
        "output_pairing=half_split,neighbours",
        "operation=rotate head_dim=28 q_heads=4 k_heads=0 inverse=0,1 unit=turns base=16 "
        "at=f64:eighths_of_turns amplitude=1,1.5,1.25,0x1.000001p0,0x1.ffep-1 "
        "inputs=few,equal,every,smallest "
        "$converted",
        "operation=rotate head_dim=74 frequencies=mostly_0 q_heads=9 at=f64:3:0x1p31:0 "
        "inputs=few,bits,sparse "
        "scale=1,0.75,0x1.ffffffep-1,0.1,0x1.55d5555555555p-2,0x1.5955555555555p-2 $converted"}},

      // Keys that go to slots of paged caches: with and without conversion; in exact and fast arithmetic, and
      // by a cache; with several axes, elements that do not rotate, and heads of several pieces.
      {"Slots",
       {"operation=rotate head_dim=72 k_heads=3 slots=1,2 at=f64:0:1:2:1000:1001:1002:0x1p-1000:0.5:-7 "
        "inputs=every,normal,cancelling,middle,few,zeros,smallest,bits arithmetic=exact,fast "
        "{amplitude=1|amplitude=1.3465735902799727 scale=0.1 inverse=1} {$four_pairings|$converted}",
        "operation=rotate head_dim=130 q_heads=0 k_heads=8 slots=1,2 at=131060..131092 {$two_pairings|"
        "$converted}",
        "operation=rotate {head_dim=48 sections=8:8:8 slots=1,2|head_dim=80 rotary_dim=32 "
        "rotary_offset=5 slots=1,2|head_dim=1100 rotary_dim=1054 rotary_offset=3 q_heads=1 k_heads=2 "
        "slots=2} "
        "arithmetic=exact,fast at=f64:axes {$two_pairings|$converted}",
        "operation=rotate_cached head_dim=72 k_heads=2 slots=1,2 inputs=every,special cache_type=f32,bf16 "
        "{at=0..8|scale=0.3 inverse=1 at=i64:0:1:2:3:4:5:6:7:8} {$two_pairings|$converted}"}},

      // Caches of all layouts, also with amplitudes that are midpoints of a type.
      {"Caches",
       {"operation=cache head_dim=2,6,64,130 at=f64:rotary $all_types "
        "amplitude=1,1.3465735902799727,0x1p-64,0x1p64,0.1,0x1.000001p0",
        "operation=cache head_dim=2,6,22 pairing=half_split,neighbours $all_types at=f64:rotary "
        "cache_layout=halves,duplicated,pairs,halves_twice",
        "operation=cache head_dim=1024,2070 cache_layout=halves,pairs amplitude=1.3465735902799727 "
        "at=f64:1:-131071:1e-9",
        "operation=cache head_dim=80 rotary_dim=26 rotary_offset=30 cache_layout=cos_sin,duplicated "
        "amplitude=0.75 at=f64:0:7:-1:0x1p31 $all_types",
        "operation=cache head_dim=8 base=16 unit=turns at=f64:eighths_of_turns $all_types "
        "amplitude=1,0x1.000001p0,0x1.000003p0,0x1.01p0,0x1.ffep-1,0x1.8p-64",
        // A run of positions gives the same cache as a list of them.
        "operation=cache type=f64 head_dim=34 {at=-33..36,16000000..16000069 "
        "{|list=i64,f64,i32,f32}|at=-2147483648..-2147483579,2147483579..2147483648 {|list=i64,f64}}"}},

      // A factor for each token of q. Most products with the amplitude and the scale are no doubles.
      {"Factors",
       {"operation=rotate head_dim=34 rotary_dim=26 rotary_offset=5 at=i64:far inputs=every,special "
        "token_factors=1:0x1.800002p-3:0x1.fffffep4:3:0x1p-20:1.25:0x1.555556p-2 "
        "{amplitude=1|amplitude=1.3465735902799727 scale=0.1 inverse=1} {$four_pairings|arithmetic=fast "
        "$four_pairings}",
        "operation=rotate_cached head_dim=40 rotary_dim=36 cache_type=f32,bf16,f16 "
        "token_factors=1:0x1.800002p-3:0x1.fffffep4:3:0x1p-20:1.25:0x1.555556p-2 {at=0..8|scale=0.3 "
        "{at=0..8|inverse=1 at=i64:0:1:2:3:4:5:6:7:8}} $two_pairings",
        // Numbers of a cache that kernels could read where they are, and known angles, with no other gain.
        "operation=rotate_cached head_dim=64 at=0..6 "
        "token_factors=1:0x1.800002p-3:0x1.fffffep4:3:0x1p-20:1.25:0x1.555556p-2 $types",
        "operation=rotate head_dim=20 arithmetic=fast unit=turns base=16 at=f64:0:0:0.25:0.5:1:0.125 "
        "token_factors=1:0x1.800002p-3:0x1.fffffep4:3:0x1p-20:1.25:0x1.555556p-2 $types",
        // Runs, whose tokens have added angles, and heads in several pieces.
        "operation=rotate head_dim=66 at=1000..1019 "
        "token_factors=1:0x1.800002p-3:0x1.fffffep4:3:0x1p-20:1.25:0x1.555556p-2 arithmetic=exact,fast "
        "$two_pairings",
        "operation=rotate head_dim=1040 rotary_dim=1030 rotary_offset=2 at=i64:far "
        "token_factors=1:0x1.800002p-3:0x1.fffffep4:3:0x1p-20:1.25:0x1.555556p-2 "
        "{$two_pairings|arithmetic=fast $two_pairings|pairing=neighbours output_pairing=half_split "
        "in_place=0 $types}",
        // Results of another type than the source.
        "operation=rotate head_dim=34 rotary_dim=26 rotary_offset=5 $converted at=i64:far "
        "inputs=every,special arithmetic=exact,fast "
        "token_factors=1:0x1.800002p-3:0x1.fffffep4:3:0x1p-20:1.25:0x1.555556p-2 scale=1,0.1",
        // Ties, and products at both ends of the range.
        "operation=rotate head_dim=20 q_heads=17 unit=turns frequencies=0.25 at=0..4 "
        "inputs=few,equal,every token_factors=1.5:3:0x1.000002p0:0x1.01p0:1 amplitude=1,1.25,0x1.ffep-1 "
        "scale=1,0.6875 $types",
        "operation=rotate head_dim=32 rotary_dim=30 at=i64:far inputs=every {amplitude=1 {scale=0x1p-64 "
        "token_factors=1:0x1p64|scale=0x1p64 "
        "token_factors=1:0x1p-64:0x1.fffffep-1|token_factors=0x1p-64:0x1p64}|amplitude=0x1p64 "
        "token_factors=0x1p-64:1|amplitude=0x1p-64 token_factors=0x1p64:1} $types",
        // Products of three, or of two, whose product with an element is next to a midpoint of the type: so
        // near that the product of doubles, in any order, is on the wrong side or a tie.
        "operation=rotate head_dim=74 unit=turns frequencies=0:0.25 at=0..3 elements=3:1 "
        "arithmetic=exact,fast {type=f32 {amplitude=0x1.c7be472254ba7p-1 scale=0x1.e487a16321fb1p-5 "
        "token_factors=0x1.2219e2p5|amplitude=0x1.955241a668086p4 scale=0x1.2d4503813cadfp0 "
        "token_factors=0x1.8bdedap-5|amplitude=0x1.0a0033232be4cp-8 scale=0x1.aa8edf29356e7p3 "
        "token_factors=0x1.cfcfa6p4|amplitude=0x1.4b6ffff5ed15fp7 scale=0x1.0c2eb7d9de1afp-2 "
        "token_factors=0x1.272f4ap-5|amplitude=0x1.abdea00e46d9cp0 "
        "token_factors=0x1.802366p-1|amplitude=0x1.97100d91de968p0 "
        "token_factors=0x1.b40852p-1|amplitude=0x1.fe8b25c3ba6f9p-3 "
        "token_factors=0x1.32c686p2|amplitude=0x1.cc1065bd0c072p3 "
        "token_factors=0x1.d0c436p-4|amplitude=0x1.113be4b6d422dp-4 scale=0x1.8210f0271e6c7p-2 "
        "token_factors=0x1.cb6362p3|amplitude=0x1.810b1f729e57ep-13 scale=0x1.09732155da5edp5 "
        "token_factors=0x1.86dfeep6|amplitude=0x1.c383ecc8cc0cbp4 scale=0x1.281a3eba30e85p-6 "
        "token_factors=0x1.0a9202p0|amplitude=0x1.d55467dfea437p5 scale=0x1.ab6effac9bb57p-3 "
        "token_factors=0x1.65c8e2p-5|amplitude=0x1.b240c183a35c1p-4 "
        "token_factors=0x1.786a0ap2|amplitude=0x1.e0ca6457dda9bp0 "
        "token_factors=0x1.68c5b6p-2|amplitude=0x1.2c2a7118dc349p3 "
        "token_factors=0x1.71f25ap-5|amplitude=0x1.9c07c6913ee98p-1 "
        "token_factors=0x1.c0da02p-2}|type=bf16 {amplitude=0x1.02b634a42cbb1p-11 "
        "scale=0x1.3bb41f6e2a929p6 token_factors=0x1.44f78ep5|amplitude=0x1.8de9a4102eb2fp7 "
        "scale=0x1.8bc16d716fc81p-4 token_factors=0x1.e11616p-5|amplitude=0x1.b8963ab4b0d8ap-9 "
        "scale=0x1.a23a35bcc2211p4 token_factors=0x1.dc95dep3|amplitude=0x1.3ee73b0f27006p0 "
        "scale=0x1.43504ac1ac3efp-6 token_factors=0x1.28d58ap6|amplitude=0x1.a906442fcdc43p3 "
        "token_factors=0x1.04cdc6p-3|amplitude=0x1.66dc179880538p-1 "
        "token_factors=0x1.ad72fap0|amplitude=0x1.b2d472c2a9533p2 "
        "token_factors=0x1.ab6c1ep-3|amplitude=0x1.31fdf81f8608dp-5 "
        "token_factors=0x1.9ac82ap5|amplitude=0x1.609e00e9e1531p-2 scale=0x1.c6df61cb206f3p4 "
        "token_factors=0x1.50ad66p-5|amplitude=0x1.d1b4305e80fc6p5 scale=0x1.0985149737711p-3 "
        "token_factors=0x1.15b7dep-4|amplitude=0x1.56a6e27aeb10bp0 scale=0x1.286e3e21eeae5p-1 "
        "token_factors=0x1.e6ebe2p-2|amplitude=0x1.ef52b52bb4ad3p-5 scale=0x1.eb59d6a13cbb9p5 "
        "token_factors=0x1.40fa7ap-3|amplitude=0x1.6ac114a04fa26p-1 "
        "token_factors=0x1.177642p-1|amplitude=0x1.4d4111b921e61p0 "
        "token_factors=0x1.f0c20ap-2|amplitude=0x1.a3990cb6d9f54p2 "
        "token_factors=0x1.abe39ap-5|amplitude=0x1.a706f546c4e06p-6 token_factors=0x1.92a26ep4}|type=f16 "
        "{amplitude=0x1.3e8d1f4e6aedfp5 scale=0x1.76907ee3dea7dp-1 "
        "token_factors=0x1.5bd0d6p-5|amplitude=0x1.71c987fa4e049p3 scale=0x1.3cc1b42662d4bp-3 "
        "token_factors=0x1.2e457ap-1|amplitude=0x1.138fd8aa083ffp5 scale=0x1.80b31886cfa1fp-6 "
        "token_factors=0x1.1a2336p1|amplitude=0x1.a7860d400c1cep-2 scale=0x1.311b99497fe71p-2 "
        "token_factors=0x1.d06f9ep3|amplitude=0x1.f183707c8c2b1p-4 "
        "token_factors=0x1.fe9236p3|amplitude=0x1.60c471355af11p-1 "
        "token_factors=0x1.b16b36p0|amplitude=0x1.3331494670321p1 "
        "token_factors=0x1.63bce2p-1|amplitude=0x1.584f6ba660c46p2 "
        "token_factors=0x1.4b24aap-2|amplitude=0x1.3103662b097eep-1 scale=0x1.da26e508a62fbp0 "
        "token_factors=0x1.e6d606p-2|amplitude=0x1.87471bf6e3a08p-14 scale=0x1.10b7532e66f05p6 "
        "token_factors=0x1.6e24cep6|amplitude=0x1.da1460fd62074p6 scale=0x1.94114dceed7bfp-3 "
        "token_factors=0x1.a8cb96p-6|amplitude=0x1.84233ae85a19cp7 scale=0x1.7d309cd95a50fp-6 "
        "token_factors=0x1.86d3eep-4|amplitude=0x1.0c1bdf73afa3ap-7 "
        "token_factors=0x1.3e8472p6|amplitude=0x1.fe2dbec33dbacp-9 "
        "token_factors=0x1.a70136p6|amplitude=0x1.204da3a0c3b6ap-7 "
        "token_factors=0x1.f3795ap5|amplitude=0x1.a1ee97676eecep1 token_factors=0x1.ff0ffap-4}}"}},
  };
}

}  // namespace tools
}  // namespace posenc
