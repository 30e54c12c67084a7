#include "number/exact.h"

#include "verify/row_groups.h"

namespace posenc {
namespace tools {

std::vector<RowGroup> NormRows() {
  return {
      // Norms as models have them. At position 0 a result is n_i, rounded to its type.
      {"Norms",
       {// Numbers of elements around the vector lengths.
        "$norms {head_dim=2,4,6,10,16,30 at=-1..1|head_dim=34,64,66,130 at=0..0,131071..131071} "
        "weights=normal,none $four_pairings",
        // Weights of each type, and epsilons of each size.
        "$norms head_dim=66 q_heads=2 at=0..1 weight_type=f32,bf16,f16 plus_one=0,1 "
        "epsilon=0,1e-6,0x1p-126,0x1.123456789abcdp-30,1 $sources",
        "$norms head_dim=128 at=i64:far weights=around_one epsilon=1e-5 $two_pairings",
        "$norms head_dim=34 at=f64:0:0.5:1000 $converted pairing=half_split,neighbours "
        "output_pairing=half_split,neighbours",
        // Elements that do not rotate count in the mean.
        "$norms {head_dim=3 rotary_dim=2 rotary_offset=0,1|head_dim=80 rotary_dim=32 "
        "rotary_offset=0,5,48|head_dim=96 rotary_offset=64} plus_one=0,1 amplitude=1.3465735902799727 "
        "at=f64:0:7:-1048575:0.5 $two_pairings",
        "$norms head_dim=80 rotary_dim=32 rotary_offset=5 $converted at=f64:0:7 "
        "pairing=half_split,neighbours",
        // Only one of the two tensors has a norm.
        "$norms normed=q,k head_dim=22 rotary_dim=16 rotary_offset=3 at=0..2 $sources",
        // Heads so large that the library rotates them in several pieces, and as many elements as there may
        // be.
        "$norms head_dim=1100 rotary_dim=1054 rotary_offset=3 q_heads=2 at=f64:0:7:-1048575:0.5 "
        "{$two_pairings|$converted}",
        "$norms output_pairing=neighbours {head_dim=1032 in_place=0|head_dim=1024} type=f32,bf16 q_heads=2 "
        "at=0..1",
        "$norms q_heads=1 k_heads=0 {head_dim=16384 at=-3..-3|type=bf16 head_dim=65536 rotary_dim=34 "
        "rotary_offset=65501 at=0..0}",
        "$norms q_heads=64 k_heads=16 head_dim=1024 norm_inputs=pairs,equal at=0..0 type=f32,bf16"}},

      // n_i that are midpoints of two floats or of two results, or next to such midpoints: by one unit in the
      // sum of squares, by an epsilon, or by one of the smallest numbers in a head of large ones. Position 0
      // shows them.
      {"NormTies",
       {"$norms norm_inputs=ties,beside at=0..0 {head_dim=16,64,130|head_dim=40 rotary_dim=20 "
        "rotary_offset=9} "
        "{weights=digits,tiny_digits,none|weights=halves plus_one=1} epsilon=0,0x1p-126,0x1p-20,1e-6 "
        "weight_type=f32,bf16 $sources",
        "$norms norm_inputs=ties,beside head_dim=128 q_heads=7 at=-2..5 {weights=digits|weights=halves "
        "plus_one=1} epsilon=0,0x1p-40 $two_pairings",
        "$norms norm_inputs=ties head_dim=1030 q_heads=2 k_heads=0 at=0..0 {weights=digits|weights=halves "
        "plus_one=1} epsilon=0 $types",
        // All n_i are subnormal, up to 2^-126. Many are midpoints of subnormal floats.
        "$norms norm_inputs=ties,beside head_dim=64 q_heads=40 k_heads=9 at=0..1 "
        "weights=0x1p-128:0x3p-129:0x5p-130:0x7p-129:0x1p-127,0x1p-135:0x3p-136:0x5p-136:0x7p-135:0x1p-137 "
        "epsilon=0,0x1p-126",
        // Elements of equal magnitudes, whose n_i are weights.
        "$norms norm_inputs=equal at=0..0,77..77 head_dim=2,16,128 q_heads=6 "
        "{weights=none,digits,tiny,large,any|weights=halves,normal,any plus_one=1} "
        "epsilon=0,0x1p-126,1e-6 $types"}},

      // n_i that doubles leave undecided although they are no midpoints: 2^-47 to 2^-127 of n_i away from
      // one.
      // Sums of two doubles decide down to 2^-98.
      {"NormNearTies",
       {// 1 + weight is near a midpoint, and may itself be no double.
        "$norms norm_inputs=equal at=0..0 head_dim=2,16,66,128 q_heads=6 weights=near_halves plus_one=1 "
        "epsilon=0,0x1p-126,0x1p-60,1e-6 $sources",
        "$norms norm_inputs=ties,beside at=0..0 head_dim=16,66,130 q_heads=6 weights=near_halves plus_one=1 "
        "epsilon=0,0x1p-126,0x1p-20 $types",
        "$norms norm_inputs=equal,ties,beside q_heads=33 k_heads=0 head_dim=512 at=0..0 "
        "{weights=digits|weights=halves,near_halves plus_one=1} epsilon=0,0x1p-90",
        // Midpoints of a rational root, 4/3 of a power of two, and factors that need up to 150 digits.
        "$norms elements=5592407:-5592409:5592411:6849260:3246:31:20:0:0:0:0:0:0:0:0:0:0:0 head_dim=18 "
        "at=0..0 plus_one=1 weights=0:0x1p-47:0x1p-60:-0x1p-90:0x1p-97:-0x1p-98:0x1p-99:0x1p-130:-0x1p-149 "
        "epsilon=0,0x1p-40,0x1p-56,0x1p-126",
        "$norms elements=5592407:-5592409:5592411:6849260:3246:31:20:0:0:0:0:0:0:0:0:0:0:0 head_dim=18 "
        "at=0..0 plus_one=1 weights=0x1p-149:-0x1p-98:0x1p-99:0:0:0 epsilon=0,0x1p-126",
        // A distance of 2^-k from midpoints, and the smallest numbers beside large ones, whose squares take
        // more digits than two doubles have.
        "$norms elements=1:-1 head_dim=16 at=0..0 weights=0x1p-24:0x3p-24:-0x1p-25:-0x3p-25 plus_one=1 "
        "epsilon=0x1p-45,0x1p-50,0x1p-53,0x1p-60,0x1p-80,0x1p-90,0x1p-95,0x1.8p-97,0x1p-97,0x1.8p-98,0x1p-98,"
        "0x1.8p-99,0x1p-100,0x1p-105,0x1p-110,0x1.123456789abcdp-100",
        "$norms elements=1:-1:1:1:-1:1:1:0:0:0:0:0:0:0:0:0,1:-1:1:1:-1:1:1:0x1p-27:0:0:0:0:0:0:0:0,"
        "1:-1:1:1:-1:1:1:0x1p-48:0:0:0:0:0:0:0:0,1:-1:1:1:-1:1:1:0:0:0:0x1p-149:0:0:0:0:0 head_dim=16 "
        "at=0..0 "
        "plus_one=1 weights=0x1p-24:0x3p-24:-0x1p-25 epsilon=0x1.2p-1,0x1.2000000000001p-1,0.25",
        "$norms elements=0x1.4p105:0x1p104:0x1p103:-0x1p103:0x1p103:0:0x1p75:0x1p-149,"
        "0x1.4p105:0x1p104:0x1p103:-0x1p103:0x1p103:0:0:0x1p56,0x1.4p105:0x1p104:0x1p103:-0x1p103:0x1p103:0:"
        "0:"
        "0x1p50,0x1.4p105:0x1p104:0x1p103:-0x1p103:0x1p103:0:0:-0x1.8p49 head_dim=8 at=0..0 plus_one=1 "
        "weights=0x3p-24,0x1p-24:0x3p-24:-0x1p-25 epsilon=0,0x1p-126",
        // Sums of squares of more than 53 digits, and an epsilon that two doubles cannot hold besides.
        "$norms norm_inputs=equal at=0..0 head_dim=66,130 q_heads=9 weights=halves plus_one=1 "
        "epsilon=0x1p-126,0x1p-60 $types",
        // The root is 4/3 up to 2^-123, but times d it has many digits, because 3 does not divide d.
        "$norms elements=1:1:-1:0x1.42d4f8p2:0x1.b6166ep-11:0x1.16aa7p-22:0:0:0:0:0:0:0:0:0:0 head_dim=16 "
        "at=0..0 "
        "weights=5592407:5592409:6000001:8388607:7000001:8000003 "
        "epsilon=0x1.038adc71c71c6p-70,0x1.038adc71c71c7p-70,0x1.038adc71c71c8p-70",
        // n_i around 2^-126 and 2^-150, and around the largest float.
        "$norms elements=16777215:8388607:7093:129:66 head_dim=5 rotary_dim=4 at=0..0 "
        "weights=0x1p-127:0x1p-126:0x1p-150:0x1p-149,0x1p-149:0x3p-149:0x1p-149:0x1p-127,0x1.fffffep103 "
        "epsilon=0,0x1p-126,0x1p-61,0x1p-30,0x1p-8"}},

      // Elements and weights of each kind: with squares that a float cannot hold, with results that are
      // subnormal or infinite, zeros, infinities and NaNs; all of them, or one pair among many.
      {"NormElements",
       {"$norms head_dim=34 rotary_dim=32 q_heads=2 at=f64:0:1000 "
        "inputs=every,any,tiny,large,special,few,zeros,sparse,smallest,largest "
        "weights=none,normal,tiny,large,any,odd epsilon=0,1e-6 $sources",
        "$norms head_dim=72 q_heads=9 at=0..8 rare=41 inputs=nans,infinities,special,bits,large,tiny "
        "weights=normal,odd epsilon=0,1e-6 $sources",
        "$norms head_dim=66 q_heads=20 at=0..0 inputs=any,tiny,large weights=tiny,large,any,odd,halves "
        "plus_one=1 epsilon=0,0x1p-126 $types",
        // Heads of zeros, and of zeros of both signs with weights of both signs.
        "$norms elements=0:-0:0 head_dim=8 weights=1:-1:0:-0:inf:-inf:nan:0x1p-149 epsilon=0,1e-6 "
        "plus_one=0,1 "
        "at=0..1 $sources",
        "$norms elements=1:-0:-2:inf head_dim=8 rotary_dim=6 "
        "weights=1:-1:0:-0:inf:-inf:nan:0x1p-149 epsilon=0,1e-6 plus_one=0,1 at=0..1 $sources",
        "$norms elements=1:-2:0:-0 head_dim=8 rotary_dim=6 weights=1:-1:0:-0:inf:-inf:nan:-1 "
        "epsilon=0,1e-6 plus_one=0,1 at=0..1 $sources"}},

      // Norms beside all other members of tensors and specs.
      {"NormCalls",
       {"$norms head_dim=48 rotary_dim=38 rotary_offset=7 q_heads=4 k_heads=3 slots=0,1,2 "
        "at=f64:0:1:2:-7:1000:0.5 "
        "arithmetic=exact,fast {amplitude=1|amplitude=1.3465735902799727 scale=0.1 inverse=1 "
        "token_factors=1:0x1.800002p-3:0x1.fffffep4:3} {$four_pairings|$converted}",
        "$norms head_dim=48 sections=8:8:8 axis_order=consecutive,interleaved at=f64:axes "
        "arithmetic=exact,fast "
        "$two_pairings",
        "$norms head_dim=64 rotary_dim=54 phase_rounding=f32_inv_freq scaling=none at=i32:0:16777217:4096 "
        "arithmetic=exact,fast $types",
        "$norms head_dim=128 base=500000 scaling=llama3 factor=8 original_length=8192 at=4090..4105 "
        "arithmetic=exact,fast in_place=0,1 $two_pairings",
        "$norms head_dim=34 frequencies=mostly_0 rotary_dim=30 at=0..2 arithmetic=exact,fast "
        "norm_inputs=pairs,ties weights=digits $sources",
        "$norms head_dim=16 unit=turns frequencies=0.25:0.125:0.5:1:-0.25:0.75:3:0.0625 at=-4..4 "
        "norm_inputs=equal,ties weights=digits epsilon=0 arithmetic=exact,fast $types"}},

      // Fast norms: other numbers of elements than the sixteen sums have, sums that overflow or underflow,
      // and
      // everything that exact norms meet, too.
      {"NormsFast",
       {"$norms arithmetic=fast {head_dim=2,4,6,10,14,16,18,30 at=-1..1|head_dim=34,46,64,66,128,130 "
        "at=0..0,7..8} "
        "weights=normal,none $four_pairings",
        "$norms arithmetic=fast head_dim=66 q_heads=2 at=0..1 weight_type=f32,bf16,f16 plus_one=0,1 "
        "epsilon=0,1e-6,0x1p-126,0x1.000001p-30,1 $sources",
        "$norms arithmetic=fast {head_dim=3 rotary_dim=2 rotary_offset=0,1|head_dim=80 rotary_dim=32 "
        "rotary_offset=0,5,48|head_dim=96 rotary_offset=64|head_dim=1100 rotary_dim=1054 rotary_offset=3} "
        "amplitude=1.3465735902799727 at=f64:0:7:-1048575:0.5 {$two_pairings|$converted}",
        "$norms arithmetic=fast normed=q,k head_dim=22 rotary_dim=16 rotary_offset=3 at=0..2 $sources",
        "$norms arithmetic=fast head_dim=34 q_heads=2 at=f64:0:1000 rotary_dim=32 "
        "inputs=every,any,tiny,large,special,zeros,largest,smallest weights=normal,tiny,large,odd "
        "epsilon=0,1e-6 "
        "$sources",
        "$norms arithmetic=fast head_dim=72 q_heads=9 at=0..8 rare=41 inputs=nans,infinities,special,bits "
        "weights=normal,odd epsilon=0,1e-6 $types",
        "$norms arithmetic=fast norm_inputs=equal,ties head_dim=128 weights=halves,normal plus_one=1 at=0..3 "
        "epsilon=0,1e-6 $types",
        "$norms arithmetic=fast q_heads=64 k_heads=16 head_dim=1024 at=0..0 type=f32,bf16"}},
  };
}

}  // namespace tools
}  // namespace posenc
