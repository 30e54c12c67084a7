#include "number/exact.h"

#include "verify/row_groups.h"

namespace posenc {
namespace tools {

std::vector<RowGroup> EncodingRows() {
  return {
      // All layouts, scales, a phase rounding, lists and sums. Each base is written around 0, around the
      // powers of two where float positions or phases lose precision, and at both ends of the range.
      {"Float32",
       {"$each_dim",
        "dim=128 $bases at=-48..47,4048..4143,65488..65583,1048528..1048623,16777168..16777263,"
        "-16777264..-16777169,-2147483648..-2147483553,2147483553..2147483648",
        "dim=512 at=0..511", "dim=1024 at=65536..65567",
        "dim=96 position_scale=0.001,-3.5,0x1p-20,0x1.000003p-20,1048576,0 at=-5..26",
        "dim=320 layout=cos_sin exponent_dim=318 at=0..47", "$rounded", "$integers", "$sums"}},

      // Types of 16 bits: they have another window of the rounding test, other store functions, and other
      // subnormal numbers.
      {"SixteenBits",
       {"type=bf16,f16 {$each_dim|dim=128 $bases at=-48..47,1048576..1048639,2147483585..2147483648|dim=96 "
        "position_scale=1e-3,-0x1p-10,0x1p-14,-0x1.8p-17,0x1p-23,-0x1p-25,0x1.000003p-26,0x1p-100 "
        "at=-9..38|$rounded|$integers|$sums|operation=add dim=64 at=0..15 scale=30000}"}},

      // So many dims that every vector length meets every number of pairs that remain behind its last
      // vector.
      {"EveryDim",
       {"$all_layouts dim=1..66 at=-12..12",
        "type=bf16,f16 {dim=1..66|layout=interleaved_cos_sin,sin_cos,cos_sin dim=1..34} at=-12..12"}},

      // Frequencies from other bases, exponents and scales: interpolation, growing frequencies, 2^31, and
      // 0. Most steps with base 1e-6 are larger than four quarter turns.
      {"Frequencies",
       {"$types {dim=6 exponent_dim=4,66,1e6,-50|dim=19 exponent_dim=66,1e6,-50} "
        "position_scale=1,-0.125,0x1.5555555555555p-2,1000,0,-0 "
        "at=-8..8,1048568..1048584,-2147483648..-2147483632",
        "$types dim=6,19 {base=1 position_scale=0x1p31|base=1e-6 position_scale=1,-1000} $runs",
        "$types $bases dim=5,130 at=i64:random_integers"}},

      // Angles so small that the sine is next to the angle. An angle here is p 2^-k. If p has 25 bits, the
      // sine is p^3 2^-3k / 6 below a midpoint of two floats; with 9 bits, of two bfloat16s. In the third
      // row, sines are subnormal as float16, where the last place is 2^-24.
      {"TinyAngles",
       {"$types dim=128 base=10000,500000,1e7 at=i64:1:2:3:4:5:6:7:8:63:-1:-2:-3",
        "$types dim=3 base=1 position_scale=0x1p-20,0x1p-40,0x1p-60,0x1p-100,0x1p-126,-0x1p-126 "
        "{$runs|at=i64:16777217:16777219:33554434:33554431:-16777217:1073742016:1:2,i64:257:259:511:-257:"
        "1025:1052672:3}",
        "dim=5 base=1 position_scale=0x1p-25,0x1p-26,0x1p-27,-0x1p-25 {$types $runs|type=f16 at=-70..2129}"}},

      // Angles next to multiples of pi and pi/2. In the second row the angle is k pi/2 (1 + r) with |r| <
      // 2^-b, so more bits cancel than the kernels' steps have. All pairs have this angle, and so has every
      // lane.
      {"NearQuarterTurns",
       {"$types {dim=16|dim=1 base=1} at=i64:near_pi",
        "$types dim=17 base=1 "
        "{position_scale=0x1.712ebd9949477p+21,0x1.712ebd9949477p+22 "  // b = 134.9
        "at=i64:1698314833:-1698314833:1698314832:1698314834"
        "|position_scale=0x1.1fa633b094df6p+19 at=i64:398658709:-398658709:398658708:398658710"  // 128.5
        "|position_scale=0x1.6bb3882e67b42p+14 at=i64:986781521:-986781521:986781520:986781522"  // 125.5
        "|position_scale=0x1.c9b6f9ba94489p-2,0x1.c9b6f9ba94489p-1 "                             // 116.4
        "at=i64:1353878003:-1353878003:1353878002:1353878004"
        "|position_scale=0x1.86cf4fdf6bd80p+0 at=i64:2137161337:-2137161337:2137161336:2137161338"  // 114.5
        "|position_scale=0x1.8a10680a2dbc7p+0 at=i64:1025610426:-1025610426:1025610425:1025610427"  // 112.9
        "|position_scale=0x1.2cd6940b19000p+3 at=i64:60735587:-60735587:60735586:60735588}"}},      // 92

      // Positions that are fractions, or floats.
      {"Fractions",
       {"$layouts dim=1,2,11,64 at=f64:fractions_24 $all_types",
        "base=10000,500000,0.5 dim=32 at=f64:small,f64:large $all_types",
        "dim=8 at=f64:small $all_types",  // with frequencies 10^-i
        "dim=16 position_scale=1e6,-0x1.8p-100 at=f64:fractions_40,f64:large,f64:eighths $all_types",
        "dim=16 phase_rounding=f32_pow_div at=f64:fractions_40 $all_types",
        "dim=38 at=f32:floats $layouts operation=write,add $all_types",
        "$all_types dim=22 base=10000,500000,0.5 at=f64:hard,f64:random_200",
        "$all_types dim=10 phase_rounding=f32_pow_div at=f64:hard,f64:random_200",
        "$all_types $all_layouts dim=37 phase_rounding=none,f32_pow_div operation=write,add "
        "at=f32:random_floats"}},

      // Angles that are midpoints of two numbers. With base 10000 and dim 8 the frequencies are 10^-i.
      {"Midpoints",
       {"$all_types dim=8 {at=f64:hard,f64:midpoints|base=1 position_scale=0x1p-100 at=f64:hard}",
        "$all_types dim=4 base=1 position_scale=1.5 at=f64:tiny_midpoints"}},

      // Frequencies of more than a turn for each position. Whole turns may be left out at integers, but not
      // at fractions.
      {"LargeFrequencies",
       {"$all_types dim=9 layout=sin_cos {position_scale=1e4 at=f64:hard_1e4|position_scale=-2e9 "
        "at=f64:hard_2e9|position_scale=0x3p19 at=f64:hard_3p19|position_scale=1e4,-2e9,0x3p19 "
        "at=f64:random_and_nearest}"}},

      // Rows of doubles: in runs, by sums of two doubles, of every length.
      {"Doubles",
       {"type=f64 {$all_layouts dim=1,2,3,31,64|dim=530} at=-5..64",
        "type=f64 dim=1,7 at=-37..-37,99999..99999 rows=1..130",
        "type=f64 layout=interleaved_cos_sin,sin_cos,cos_sin dim=7 at=0..0 rows=1..67",
        "type=f64 at=1..1 rows=31,32,33,34,63,64,65,66,97,129 {dim=40 {list=f64|layout=sin_cos}|dim=131}",
        "type=f64 dim=60 base=10000,500000,1.5 position_scale=1,-1,1e-6,3e5 "
        "at=1..34,-32..1,-2147483648..-2147483615,2147483615..2147483648",
        "type=f64 dim=20 phase_rounding=f32_pow_div,f64_pow_div at=100..169",
        // Phases that are tiny, 0 or huge. A pair may differ from its neighbours.
        "type=f64 layout=sin_cos {dim=32 frequencies=0x1p-126:-0x1p-126:0:0x1.8p-80:0x1p-30:-0x1.4p-25:"
        "0x1p-20:1:0.25:-0:0x1.5555555555555p-2:0x1p28:-0x1p28:12345.678:-7:0.125|dim=10 "
        "frequencies=0x1p-126:-0x1p-126:0:0x1.8p-80:0x1p-30} {unit=radians position_scale=8|unit=turns} "
        "at=-33..32,1000..1065,-2147483648..-2147483583,2147483583..2147483648"}},

      // Listed frequencies. For some of them, the angle of a step is exact: with few digits, with all
      // digits, up to the largest exact angle, and beyond it. In turns, multiples of a quarter give exact
      // zeros and ones.
      {"ListedFrequencies",
       {"dim=15 frequencies=1:-0.1:0:0x1p-126:5:3e8:0.0625:0x1.921fb54442d18p1 "
        "unit=radians,half_turns,turns at=f64:eighths,f64:small,f64:large $all_types",
        "dim=12 frequencies=0x1.00001da5161d5p+9:0x1.fffffffffffffp+9:0x1p10:-0x1.23456789abcdfp+8:"
        "0x1.edcba98765432p-3:0x1.3p-4,0x1.00001da5161d5p+16:0x1.8p17:1:0x1.0000000000001p+10:-0x1.fp26:0.1 "
        "unit=half_turns,turns at=f64:large,f64:fractions_40 $all_types",
        "dim=73 frequencies_f32=halving_37 unit=radians,half_turns,turns {layout=interleaved "
        "at=1000..1129|layout=sin_cos at=-2147483648..-2147483519|layout=cos_sin at=1000..1129} "
        "position_scale=1,-0.3 $all_types",
        "$all_types {dim=16 frequencies=1:-0.1:0:0x1p-125:1e-3:5:3e8:0x1.921fb54442d18p1|dim=15 "
        "layout=cos_sin frequencies_f32=1:-0.1:0:0x1p-125:1e-3:5:3e8:0x1.921fb54442d18p1} {unit=radians "
        "at=f64:hard|unit=half_turns at=f64:hard_2|unit=turns at=f64:hard_4} position_scale=1,0.75",
        "$all_types dim=12 frequencies=0x1.00001da5161d5p+9:0x1.fffffffffffffp+9:0x1p10:"
        "-0x1.23456789abcdfp+8:0x1.edcba987654321p-3:0x1.3p-4,0x1.00001da5161d5p+16:0x1.8p17:1:0x1p10:"
        "-0x1.fp26:0.1,0x1.00001da5161d5p+16 unit=half_turns,turns at=f64:random_and_far",
        "$all_types $all_layouts dim=74 frequencies=halving_0_37 unit=radians,half_turns,turns "
        "at=1000..1036"}},

      // Frequencies from a base, in turns: powers of two as in NeRF, where phases are whole quarter turns
      // at the positions of pixels; thirds of a turn, which are not binary numbers; and ratios that are not
      // rational. Also frequencies from tensor2tensor's timescales.
      {"TurnsAndTimescales",
       {"min_timescale=0.3 exponent_dim=64 dim=66 at=-5..18,f64:0.5:1000000.3:-77.7 $all_types",
        "unit=half_turns,turns {base=2 exponent_dim=-2|base=0.5,3,100 exponent_dim=24} dim=24 "
        "at=-9..14,f64:0.5:0x1.5555555555555p-2:0.1:-0.75:1:3 $all_types",
        "unit=turns {base=3,6,12 exponent_dim=2|base=9 exponent_dim=4} dim=16 "
        "at=-9..30,f64:0.5:0.125:27:-0.75:729:1e9 $all_types",
        "$all_types min_timescale=1,0.3,2,1e-3 base=10000,0.3,0x1.a0aaaaaaaaaabp+11 exponent_dim=0,62,-30 "
        "dim=32 at=-9..9,f64:0:1:0.5:-0.25:0x1.5555555555555p-2:3:12345.678:-1e9:0x1p31",
        "$all_types unit=half_turns,turns {dim=20 {base=2 exponent_dim=-2,4,0x1.5555555555555p-1|base=4 "
        "exponent_dim=-2}|dim=16 {base=0.5,3 exponent_dim=2|base=100 exponent_dim=16}} "
        "at=-20..19,f64:0:1:0.5:-0.25:0x1.5555555555555p-2:3:12345.678:-1e9:0x1p31",
        "$all_types unit=turns min_timescale=3,0.25 base=0.5,2 exponent_dim=2 dim=8 "
        "at=-9..9,f64:0.5:0.125:27",
        "$all_types unit=half_turns dim=16 frequencies=1:2:4:8:16:32:64:128 "
        "at=-20..19,f64:0.5:-0.25:12345.678"}},

      {"PhaseRoundings",
       {// A base that is not a float.
        "base=10000.1 phase_rounding=f32_pow_div dim=64 at=0..39,16777213..16777236,f64:0.5:1000000.3:-77.7 "
        "$all_types",
        "base=10000.1 exponent_dim=62 dim=64 "
        "phase_rounding=f32_exp,f32_log_div,f32_inv_freq,f32_iterated,f64_inv_freq,f64_pow_div,f64_pow_mul "
        "position_scale=1,0.3 at=0..39,16777213..16777236,f64:0.5:1000000.3:-77.7:-0x1p31:999 $all_types",
        // The phase rounding that also takes min_timescale.
        "base=10000.1 exponent_dim=64 phase_rounding=f32_log_increment dim=66 position_scale=1,0.3 "
        "min_timescale=1,0.3 at=0..23,16777213..16777236,f64:0.5:1000000.3:-77.7:-0x1p31:999 $all_types",
        "$all_types phase_rounding=f32_log_increment at=i64:integers {min_timescale=0.1 dim=64 "
        "exponent_dim=62|min_timescale=3.5 base=0.75 dim=7 exponent_dim=7.1 position_scale=0.3}",
        "$all_types $roundings base=10000,500000,7.25,0.5,1,10000.1 at=i64:integers {dim=1 "
        "exponent_dim=1,1.1|dim=2 exponent_dim=2,2.1|dim=11 exponent_dim=11,11.1}",
        "$roundings at=i64:integers {dim=64 {exponent_dim=64|exponent_dim=63 position_scale=1000}|dim=131 "
        "base=500000 exponent_dim=131.1|dim=320 position_scale=-0.1}",
        "$all_layouts dim=12 $roundings at=i64:integers",
        // More pairs than the buffer for pairs.
        "dim=2310 $roundings at=f64:1:12345.678:-2147483648",
        // The caller's frequencies, rounded to float.
        "$all_types dim=10 phase_rounding=f32_list frequencies=1:0.1:-1e-5:0:12345.678 position_scale=1,0.3 "
        "at=i64:integers",
        // pow(1, x) is 1, even though x is infinite: 2i divided by a subnormal float. With one pair, or
        // with base 1, all frequencies are 1, although the rate between frequencies may be infinite or 0 /
        // 0.
        "$all_types dim=64 base=1 phase_rounding=f32_pow_div exponent_dim=0x1p-140 at=3..6",
        "$roundings exponent_dim=0x1p-149,-0x1p-140 at=3..6 {dim=2|dim=6 base=1}",
        // The frequency 259^3 is a midpoint of two floats. The even one is 17373980.
        "$all_types dim=4 base=259 exponent_dim=0x1.5555555555555p-1 phase_rounding=f32_pow_div "
        "at=17373980..17373980",
        // The base is rounded to float first, here to 1. So both frequencies are 1.
        "dim=4 base=0x1.000000ccccccdp+0 exponent_dim=-0x1.47ae147ae147bp-29 phase_rounding=f32_pow_div "
        "at=3..6"}},

      // Sums of special values.
      {"Sums",
       {"operation=add inputs=special $layouts scale=0,-0,inf,-inf,nan,1,-2.5,0x1p-130,3e38 {dim=67 "
        "at=-5..18|dim=35 at=f64:0:0.37:-1e9:77:0x1p-140} $all_types"}},

      // Positions that are NaN or out of range, and so many rows that they are in two blocks.
      {"NanRows",
       {"nan_rows=1 $layouts {operation=write|operation=add inputs=special} lists_only=0,1 dim=19 "
        "at=f64:1.5:nan:inf:-3:0x1.0000000000001p31:-0x1.0000000000001p31:-inf:0x1p31,f32:-nan:0.5:inf:-inf:"
        "0x1.000002p31:-0x1p31:7,i64:5:2147483649:-0x1p31:-2147483649:0x1p62:-0x1p63:0 $all_types",
        "nan_rows=1 operation=write,add $all_types {dim=37 "
        "lists_only=0,1|layout=interleaved_cos_sin,sin_cos,cos_sin dim=1,6|dim=22 "
        "phase_rounding=f32_pow_div} at=f64:bad_doubles,f32:bad_floats,i64:bad_integers",
        "nan_rows=1 operation=write,add dim=300 at=f64:bad_doubles"}},

      // Encoders without tables for runs.
      {"ListsOnly",
       {"lists_only=1 dim=134 at=100000..100039 $layouts operation=write,add $all_types",
        "lists_only=1 operation=write,add $all_types {$all_layouts dim=1,6,37 at=-7..67|dim=40 "
        "{position_scale=1000|frequencies=0.7 unit=turns|phase_rounding=f32_pow_div} "
        "at=-7..12,16777216..16777235,2147483568..2147483587} ",
        "lists_only=1 $all_types dim=64 at=f64:0.5:-1000000000.3:0x1p-140:77:0x1p31:0,16777216..16777290",
        "lists_only=1 dim=600 at=-7..67"}},

      // Rows with other columns than pairs: padding, odd columns and the position. In runs that contain the
      // padding, also in the second block of rows, and in lists.
      {"Columns",
       {"padding_position=9 position_offset=3 $odd_columns input_first=0,1 operation=write,add "
        "dim=1,2,5,67,68 at=-4..15,f64:9:0.375:-1e-3:65519.5:9:1000000000.5:-9:0 $all_types",
        "$odd_columns {input_first=0 position_offset=1|input_first=1 position_offset=-2} "
        "{operation=write,add dim=3 $all_types|dim=33} at=-4..15,f64:beside_midpoints",
        "padding_position=9 position_offset=3 $odd_columns input_first=0,1 {dim=3 $all_types|dim=33} "
        "at=-60..15,f64:beside_midpoints",
        "$odd_columns input_first=0,1 dim=1,5,6 frequencies=0.5:0.25:0.125 at=f64:beside_midpoints"}},
  };
}

std::vector<RowGroup> TableRows() {
  return {
      {"Tables",
       {"dim=512 at=0..5119", "dim=768 at=0..1023", "dim=1024 at=0..2047",
        "dim=128 $bases at=-4096..4095,2147479553..2147483648",
        "dim=512 at=0..511 phase_rounding=f32_pow_div", "$large_sum",
        "type=bf16,f16 {$large_sum|dim=512 at=0..1023|dim=128 {base=500000 at=-8192..8191|base=1e7 "
        "at=2147475457..2147483648}}"}},

      {"RotatedHeads",
       {"operation=rotate head_dim=128 base=10000,500000 q_heads=16 k_heads=4 "
        "at=0..63,131072..131135,2147483585..2147483648 $two_pairings"}},

      // Dims and runs in which every vector length meets every remainder, of pairs and of rows.
      {"TablesOfEveryDim", {"$all_layouts dim=1..130 at=-17..19", "$types $bases dim=17,30,67 $runs"}},

      // Most phases are tiny here: subnormal as float16, and too small for the absolute error of angle
      // addition.
      {"TablesOfSmallPositions", {"$types base=10000,500000,1e7 {dim=128 at=1..1024|dim=512 at=-64..64}"}},

      {"LargeDims",
       {"{dim=512 base=10000,7.25|dim=768 base=500000,0.5|dim=1024 base=1e7,1} $runs",
        "dim=1024 base=10000,500000 $types at=i64:random_integers", "dim=64 base=500000 at=1044480..1060863",
        "dim=134 at=-4096..12287"}},

      {"TablesOfDoubles",
       {"type=f64 dim=300 base=10000,500000,1.5 position_scale=1,-1,1e-6,3e5 "
        "at=1..128,-2147483648..-2147483521"}},
  };
}

}  // namespace tools
}  // namespace posenc
