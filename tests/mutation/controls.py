"""The negative controls: each window, error bound and limit of the core, and how `negative-controls` switches it off in a copy of
the tree.

CONTROLS has a row for each control: its name, the page that argues it (PROOF is src/PROOF.md, the others are in src/proof/), and what takes its place when it is off. EDITS change
the copy so that a variable of the environment chooses the control that is off. In an edit, @NAME@ is the number of a control.
"""

# A constant that has a control is replaced wherever the library's code uses it: USES for numbers, WINDOWS for windows.
USES = (
    ("kLargestExactStep", "PROOF", "any step"),
    ("kMaxStep", "PROOF", "no step is reduced"),
    ("kMinPhase", "PROOF", "0"),
    ("kMinQuick", "direct", "0"),
    ("kMaxQuickPhase", "direct", "any phase"),
    ("kMaxShort", "direct", "2^31"),
    ("kDoubleError", "direct", "0"),
    ("kPhaseErrorPerUncancelled", "direct", "0"),
    ("kLargestPhase", "direct", "any phase"),
    ("kMinDoublePhase", "direct", "0"),
    ("kQuickSineError", "direct", "0"),
    ("kQuickCosineError", "direct", "0"),
    ("kQuickCosineErrorWithoutFma", "direct", "0"),
    ("kMinQuickDouble", "direct", "0"),
    ("kMinQuickPart", "direct", "0"),
    ("kAddedInterval", "addition", "0"),
    ("kAddedEvaluations", "addition_float_double", "0"),
    ("kAddedDoubleError", "addition_float_double", "0"),
    ("kScaledError", "rotation", "0"),
    ("kMinAddedSinCos", "rotation", "0"),
    ("kDirectRotationError", "rotation", "0"),
    ("kAddedRotationError", "rotation", "0"),
    ("kFloatRotationError", "rotation", "0"),
    ("kMinFloatRotationError", "rotation", "0"),
    ("kMinSinCosError", "rotation", "0"),
    ("kMinPlainSinCos", "rotation", "0"),
    ("kMaxConvertedGain", "rotation", "any gain"),
    ("kMaxQuickGain", "rotation_quick", "any gain"),
    ("kMinAddedStep", "addition", "0"),
)
NUMBERS = {"any step": "0x1p300", "no step is reduced": "0x1p300", "any phase": "0x1p300", "any gain": "0x1p300", "2^31": "0x1p31"}

WINDOWS = (
    ("kDirectWindow", "direct", "no window"),
    ("kQuickWindow", "direct", "no window"),
    ("kAddedWindow", "addition", "no window"),
    ("kScaledWindow", "rotation", "no window"),
    ("kAddedAngleWindow", "rotation", "no window"),
    ("kRotatedWindow", "rotation_quick", "no window"),
    ("kFloatRotatedWindow", "rotation_quick", "no window"),
    ("kConvertedWindow", "rotation_quick", "no window"),
)

# Controls that are no constant, or a constant that differs between types: EDITS place them.
PLACED = (
    ("kMinUncancelled", "PROOF", "0"),
    ("the first tier takes no positions between -1 and 1", "direct", "any position"),
    ("the first tier takes only integer positions, if steps are reduced", "direct", "any position"),
    ("kMinAdded<POSENC_F32>", "addition", "0"),
    ("kMinAdded<POSENC_F16>", "addition", "0"),
    ("kExemptQuarterTurns", "addition", "any phase"),
    ("a midpoint and the float next to it, on the side of 0 (angle addition, 16-bit types)", "addition", "no window"),
    ("kFloatAngleAdditionError", "addition_float_double", "0"),
    ("kFloatAngleAdditionErrorWithoutFma", "addition_float_double", "0"),
    ("2^-24 more in the bound of angle addition in float, for sums", "addition_float_double", "0"),
    ("ties (sums in float)", "addition_float_double", "the check is left out"),
    ("NaNs (sums in float)", "addition_float_double", "the check is left out"),
    ("both ends of an interval are at least 2^-14 in size (angle addition in float, float16)", "addition_float_double", "the check is left out"),
    ("kFrequencyBits", "wide", "all bits"),
    ("kSinCosBits", "wide", "all bits"),
    ("bits that the reduction cancels", "wide", "not subtracted"),
    ("bits that a sum cancels", "rotation_wide", "not subtracted"),
    ("1,024 bits for a step modulo eight that has fewer than 110 good bits", "wide", "never 1,024 bits"),
    ("no more bits are trusted beside a quarter turn than the reduction leaves", "wide", "always 50"),
    ("at most 50 bits beside a quarter turn", "wide", "no maximum"),
    ("r below 2^-30 beside quarter turns", "wide", "1/2"),
    ("KnownBits", "wide", "40"),
    ("phases below 2^-80", "wide", "no rule"),
    ("terms of a series count as 0 only if more than 900 bits cancel", "rotation_wide", "60"),
    ("terms of a series are added until their sum is 2^64 times the next term", "rotation_wide", "until their sum is about as large as the next term"),
    ("steep ramps", "wide_functions", "never 1,024 bits"),
    ("good bits of a frequency, when it is rounded to double or float", "wide_functions", "all bits"),
    ("subnormal numbers (caches)", "rotation", "the check is left out"),
    ("subnormal numbers (caches of added angles)", "rotation", "the check is left out"),
    ("kMinRotated", "rotation_quick", "0"),
    ("kMinFlushed", "rotation_quick", "0"),
    ("kMaxFlushGain", "rotation_quick", "any gain"),
    ("kMinQuickly<POSENC_F16>", "rotation_quick", "0"),
    ("kMinQuickly<POSENC_BF16>", "rotation_quick", "0"),
    ("kMinPart<POSENC_F32>", "rotation_quick", "0"),
    ("kMinPart<POSENC_F16>", "rotation_quick", "0"),
    ("kMinPart<POSENC_BF16>", "rotation_quick", "0"),
    ("kMinConvertedPart", "rotation_quick", "0"),
    ("kMinWord", "rotation_quick", "the check is left out"),
    ("kWordOctaves", "rotation_quick", "the check is left out"),
    ("kConvertedOctaves", "rotation", "the check is left out"),
    ("the floats next to a sum (second tier, float16)", "rotation", "the sum itself"),
    ("the bound of a sum is 0 only if the gain has so few digits that the sum is exact", "rotation", "any gain"),
    ("error of taking a cosine as 1, beside a quarter turn", "rotation", "0"),
    ("error 2^-90 at odd eighths of a turn", "rotation", "0"),
    ("NormError", "norm", "0"),
    ("CloseNormError", "norm", "0"),
    ("the error of a sum of squares that two doubles cannot hold", "norm", "0"),
    ("a nudge is known only if the sum of squares has no error", "norm", "the check is left out"),
    ("a nudge is for factors that are doubles", "norm", "the check is left out"),
    ("a nudge is known only if the root is nearly rational", "norm", "any distance"),
)

CONTROLS = USES + WINDOWS + PLACED

# Why few or no results are wrong without a control, or only on some targets.
NOTES = {
    "kMaxShort": "With FMA it is there for speed: up to this position, entries of doubles are first computed with a shorter series.",
    "kQuickCosineErrorWithoutFma": "Only targets without FMA use it.",
    "kMinQuickDouble": "No input is known that needs it. Without the limit, a cosine can only be wrong if its distance from a midpoint is "
                       "below 2^-53 ulp. Of 21,474 cosines that were built to be so near, the nearest one has a distance of 2^-53.3 ulp. So "
                       "this cosine could be wrong, but it is right.",
    "kMinQuickPart": "No input is known that needs it. The proof allows for a relative error of 2^-97 in each step, but the steps have "
                     "smaller errors. 361,000 pairs of doubles were built to lie at this limit, and all of them are right.",
    "the first tier takes no positions between -1 and 1": "It is there for speed: `kMinQuick` and `kMinQuickDouble` would leave most of these pairs undecided.",
    "kMinAddedStep": "Only targets with AVX-512 need it: they make floats of doubles by integer operations.",
    "kScaledError": "Two inputs need it. One is the sine at position 311 with frequency 0x1.0add32e240d1ap-4, in a cache of float16. The other "
                    "is the sine at position 326 with frequency 0x1.8c8c86c99b7d8p-9, in a cache of bfloat16.",
    "kFloatAngleAdditionError": "Only targets with FMA use it.",
    "kFloatAngleAdditionErrorWithoutFma": "Only targets without FMA use it.",
    "2^-24 more in the bound of angle addition in float, for sums":
        "No input is known that needs it. A sum adds the entry rounded to float. The 2^-24 is for the error of this rounding, and for "
        "upper ends that reach 1. But the largest errors that were found are so small that the bound without 2^-24 covers them together "
        "with these two.",
    "both ends of an interval are at least 2^-14 in size (angle addition in float, float16)": "Only targets that round to float16 by integer operations use it.",
    "kSinCosBits": "No input is known that needs it. The distance of a result from a midpoint would have to be between 2^-252 and 2^-246 of "
                   "the result.",
    "1,024 bits for a step modulo eight that has fewer than 110 good bits":
        "Nothing notices it today. An earlier version of the library needed it for a step of 4000 quarter turns less 2^-167, which is in "
        "`tools/verify/worst_cases.inc`. That input is now right without it, and the reason is not known yet.",
    "at most 50 bits beside a quarter turn": "No input is known that needs it. It covers an error below 2^-51. Few pairs come to this "
                                             "arithmetic, and only one of their results in 2^28 is so near to a midpoint that this error "
                                             "matters.",
    "terms of a series count as 0 only if more than 900 bits cancel":
        "No input is known that needs as many as 900 bits. In all known cases the terms add up to exactly 0, or fewer than 50 bits "
        "cancel. So with 60 in place of 900 the code still makes the right choice.",
    "subnormal numbers (caches)": "In a cache of float16, the sine at position 0x1.d2f7078348b87p-8 needs it, if the frequency is "
                                  "0x1.4b809dab65506p-4 and the amplitude is 0.1.",
    "subnormal numbers (caches of added angles)": "In a cache of float16 that begins at position 12, the sine at position 19 needs it, if the "
                                                  "frequency is 0x1.13b17b48c9c5fp0 and the amplitude is 0x1.177ce43c7dd6dp-15.",
    "kMinRotated": "The element 0x1.57e2p-133, rotated by 0x1.ab76f8c84bb13p-1 with 0 for the other element, needs it.",
    "kMinQuickly<POSENC_BF16>": "No input is known that needs it: the window of 4 ulps also covers what subnormal floats lose.",
    "kMinPart<POSENC_F16>": "The elements -0x1.aa4p7 and -0x1.c4cp7, rotated by 523 * 0x1.c78bd4e050c5p0, need it.",
    "error of taking a cosine as 1, beside a quarter turn": "The elements 0x1.5965c8p0 and -0x1.c86c2cp2, rotated by 0x1.1f2c286e7a36dp-27, need it.",
    "error 2^-90 at odd eighths of a turn": "No input is known that needs it. A product would have to lie within 2^-90 of a midpoint.",
}

# (file, text that it contains once, text that replaces it)
EDITS = (
    # Windows: the number of the control is in the upper bits of the window.
    ("src/kernel/rounding_windows-inl.h", "static constexpr Bits kBias = kLastPlace / 2 + Bits{kUlps};",
     "static Bits Bias() { return kLastPlace / 2 + static_cast<Bits>(WidthOf(kUlps)); }"),
    ("src/kernel/rounding_windows-inl.h", "static constexpr Bits kFar = kLastPlace - 2 * Bits{kUlps};",
     "static Bits Far() { return IsWindowOff(kUlps) ? 0x7FFFFFFF : kLastPlace - 2 * static_cast<Bits>(WidthOf(kUlps)); }"),
    ("src/kernel/rounding_windows-inl.h", "static constexpr std::uint64_t kBias = kUlps;",
     "static std::uint64_t Bias() { return WidthOf(kUlps); }"),
    ("src/kernel/rounding_windows-inl.h", "hn::Set(Longs(), W::kBias)", "hn::Set(Longs(), W::Bias())"),
    ("src/kernel/rounding_windows-inl.h", "hn::Set(Words(), W::kBias)", "hn::Set(Words(), W::Bias())"),
    ("src/kernel/rounding_windows-inl.h", "static_cast<std::uint32_t>(W::kBias)", "static_cast<std::uint32_t>(W::Bias())"),
    ("src/kernel/rounding_windows-inl.h", "static_cast<std::uint32_t>(W::kFar)", "static_cast<std::uint32_t>(W::Far())"),
    ("src/kernel/rounding_windows-inl.h", "hn::Set(du, W::kFar)", "hn::Set(du, W::Far())"),
    ("src/kernel/rounding_windows-inl.h", "kType == POSENC_F32 ? kUlps : kLastBit;",
     "kType == POSENC_F32 ? kUlps : kLastBit | (kUlps >> 40 << 40);"),
    ("src/kernel/rounding_windows-inl.h", "Window<float, kFormat, 1>",
     "Window<float, kFormat, 1 | (std::uint64_t{@a midpoint and the float next to it, on the side of 0 (angle addition, 16-bit types)@} << 40)>"),
    # The other controls, in the order of PROOF.md
    ("src/kernel/sincos-inl.h", "hn::Set(d, min_uncancelled)", "hn::Set(d, Switched(@kMinUncancelled@, min_uncancelled, 0.0))"),
    ("src/kernel/direct_double-inl.h", "constexpr double kCosineError", "const double kCosineError"),
    ("src/frequency/table.cc", "const bool is_near_zero = position > -1.0 && position < 1.0;",
     "const bool is_near_zero = !IsOff(@the first tier takes no positions between -1 and 1@) && position > -1.0 && position < 1.0;"),
    ("src/frequency/table.cc", "(high != unreduced_high && !IsWhole(position))",
     "(!IsOff(@the first tier takes only integer positions, if steps are reduced@) && high != unreduced_high && !IsWhole(position))"),
    ("src/kernel/anchors-inl.h", "hn::Set(d, limits.small)",
     "hn::Set(d, Switched(limits.small == 0x1p-14 ? @kMinAdded<POSENC_F16>@ : @kMinAdded<POSENC_F32>@, limits.small, 0.0))"),
    ("src/kernel/anchors-inl.h", "hn::Set(d, limits.exempt)", "hn::Set(d, Switched(@kExemptQuarterTurns@, limits.exempt, 0x1p300))"),
    ("src/kernel/anchors-inl.h", "const auto error_of_phase =",
     "const double added = kHasFma ? kFloatAngleAdditionError : kFloatAngleAdditionErrorWithoutFma;\n"
     "  const double float_error = limits.float_error\n"
     "    - Switched(kHasFma ? @kFloatAngleAdditionError@ : @kFloatAngleAdditionErrorWithoutFma@, 0.0, added)\n"
     "    - Switched(@2^-24 more in the bound of angle addition in float, for sums@, 0.0, limits.float_error > added ? 0x1p-24 : 0.0);\n"
     "  const auto error_of_phase ="),
    ("src/kernel/anchors-inl.h", "2 * kRadians * limits.float_error", "2 * kRadians * float_error"),
    ("src/kernel/anchors-inl.h", "hn::Set(d, limits.float_error)", "hn::Set(d, float_error)"),
    ("src/kernel/angle_addition_float-inl.h", "static_cast<float>(kFloatError<Operation>)",
     "static_cast<float>(kFloatError<Operation>"
     " - Switched(kHasFma ? @kFloatAngleAdditionError@ : @kFloatAngleAdditionErrorWithoutFma@, 0.0,"
     " kHasFma ? kFloatAngleAdditionError : kFloatAngleAdditionErrorWithoutFma)"
     " - Switched(@2^-24 more in the bound of angle addition in float, for sums@, 0.0, Operation::kReads ? 0x1p-24 : 0.0))"),
    ("src/kernel/rounding_intervals-inl.h", "AnyBitTieOrNan(differ, upper, marks, tie, total)",
     "AnyBitTieOrNan(differ, upper, IsOff(@ties (sums in float)@) ? NoMarks<Operation>() : marks, tie,"
     " IsOff(@NaNs (sums in float)@) ? hn::Zero(Entries()) : total)"),
    ("src/kernel/rounding_intervals-inl.h", "hn::And(marks, hn::Set(dw, 0x40000000u))",
     "hn::And(marks, hn::Set(dw, Switched(@both ends of an interval are at least 2^-14 in size (angle addition in float, float16)@, 0x40000000u, 0u)))"),
    ("src/kernel/wide_sincos.cc", "pair.kBits - 1 - (cancelled > 0 ? cancelled : 0)",
     "Switched<int>(@kFrequencyBits@, pair.kBits, 100000) - 1"
     " - (cancelled > 0 && !IsOff(@bits that the reduction cancels@) ? cancelled : 0)"),
    ("src/kernel/wide_sincos.cc", "WideSinCos<kLimbs> sin_cos{{}, {}, kSinCosBits<kLimbs> - 1,",
     "WideSinCos<kLimbs> sin_cos{{}, {}, Switched<int>(@kSinCosBits@, kSinCosBits<kLimbs> - 1, 100000),"),
    ("src/kernel/wide_sincos.cc", "if (cancelled > 0) bits -= static_cast<int>(cancelled);",
     "if (cancelled > 0 && !IsOff(@bits that a sum cancels@)) bits -= static_cast<int>(cancelled);"),
    ("src/frequency/table.cc", "constexpr int kSumBits = 110;",
     "const int kSumBits = Switched<int>(@1,024 bits for a step modulo eight that has fewer than 110 good bits@, 110, -100000);"),
    ("src/kernel/reference.cc", "phase_bits < 50 ? phase_bits : 50",
     "phase_bits < 50 && !IsOff(@no more bits are trusted beside a quarter turn than the reduction leaves@) ? phase_bits"
     " : Switched<int>(@at most 50 bits beside a quarter turn@, 50, 100000)"),
    ("src/kernel/reference.cc", "std::fabs(r) < 0x1p-30 &&",
     "std::fabs(r) < Switched(@r below 2^-30 beside quarter turns@, 0x1p-30, 0.5) &&"),
    ("src/kernel/wide_sincos.cc", "phase.exponent - rest.exponent > pair.KnownBits()",
     "phase.exponent - rest.exponent > Switched<int>(@KnownBits@, pair.KnownBits(), 40)"),
    ("src/frequency/table.cc", "step.exponent - rest_of_all.exponent > exact.KnownBits()",
     "step.exponent - rest_of_all.exponent > Switched<int>(@KnownBits@, exact.KnownBits(), 40)"),
    ("src/kernel/wide_sincos.h", "phase.exponent < -79", "phase.exponent < Switched<int>(@phases below 2^-80@, -79, -10000000)"),
    ("src/kernel/wide_sincos.cc", "constexpr int kBeside = 200, kAgree = 900, kOutweighs = 64, kMaxTerms = 64;",
     "constexpr int kBeside = 200, kMaxTerms = 64;\n"
     "  const int kAgree = Switched<int>(@terms of a series count as 0 only if more than 900 bits cancel@, 900, 60), kOutweighs = Switched<int>(@terms of a series are added until their sum is 2^64 times the next term@, 64, -1);"),
    ("src/frequency/scaling.cc", "return !(magnified < 1024.0);", "return !(magnified < Switched(@steep ramps@, 1024.0, 0x1p300));"),
    ("src/frequency/nearest.cc", "constexpr int kBits = kFrequencyBits<4> - 4;",
     "const int kBits = Switched<int>(@good bits of a frequency, when it is rounded to double or float@, kFrequencyBits<4> - 4, 100000);"),
    ("src/kernel/rounding_windows-inl.h", "const auto least = hn::Set(d, TwoTo(TraitsOf(kType).min_exponent));",
     "const auto least = hn::Set(d, Switched(@subnormal numbers (caches)@, TwoTo(TraitsOf(kType).min_exponent), 0.0));"),
    ("src/kernel/cache_row-inl.h", "TwoTo(TraitsOf(kType).min_exponent - 1)",
     "Switched(@subnormal numbers (caches of added angles)@, TwoTo(TraitsOf(kType).min_exponent - 1), 0.0)"),
    ("src/kernel/rounding_windows-inl.h", "hn::Set(df, kMinQuickly<kTo>)",
     "hn::Set(df, Switched(kTo == POSENC_F32 ? @kMinRotated@ : kTo == POSENC_F16 ? @kMinQuickly<POSENC_F16>@ :"
     " @kMinQuickly<POSENC_BF16>@, kMinQuickly<kTo>, 0.0f))"),
    ("src/kernel/rotate_quickly-inl.h", "rotation.flushing != nullptr ? kMinFlushed : kMinRotated",
     "rotation.flushing != nullptr ? Switched(@kMinFlushed@, kMinFlushed, 0.0f) : Switched(@kMinRotated@, kMinRotated, 0.0f)"),
    ("src/kernel/rotate_token.cc", "gain_.nearest() > kMaxFlushGain",
     "gain_.nearest() > Switched(@kMaxFlushGain@, kMaxFlushGain, 0x1p300)"),
    ("src/kernel/rounding_windows-inl.h", "hn::Set(df, kLeastPart<kFrom, kTo>)",
     "hn::Set(df, Switched(kFrom != kTo ? @kMinConvertedPart@ : kTo == POSENC_F32 ? @kMinPart<POSENC_F32>@ :"
     " kTo == POSENC_F16 ? @kMinPart<POSENC_F16>@ : @kMinPart<POSENC_BF16>@, kLeastPart<kFrom, kTo>, 0.0f))"),
    ("src/kernel/rounding_windows-inl.h", "hn::OrAnd(apart, size, hn::Set(d16, kTopOfWord))",
     "hn::OrAnd(IsOff(@kWordOctaves@) ? hn::Zero(d16) : apart, IsOff(@kMinWord@) ? hn::Zero(d16) : size, hn::Set(d16, kTopOfWord))"),
    ("src/kernel/bounded_sums-inl.h", "limit = hn::Max(apart, hn::Zero(di));",
     "limit = IsOff(@kConvertedOctaves@) ? hn::Set(di, -1) : hn::Max(apart, hn::Zero(di));"),
    ("src/kernel/bounded_sums-inl.h", "ulp = hn::Set(dw, 1);",
     "ulp = hn::Set(dw, IsOff(@the floats next to a sum (second tier, float16)@) ? 0 : 1);"),
    ("src/kernel/bounded_sums-inl.h", "are_direct && (in_float ? IsShortInFloat(gain) : IsShort(gain))",
     "are_direct && (IsOff(@the bound of a sum is 0 only if the gain has so few digits that the sum is exact@) || (in_float ? IsShortInFloat(gain) : IsShort(gain)))"),
    ("src/kernel/rotary_reference.cc", "std::fabs(product * sine) * std::fabs(sine)",
     "Switched(@error of taking a cosine as 1, beside a quarter turn@, std::fabs(product * sine) * std::fabs(sine), 0.0)"),
    ("src/kernel/rotary_reference.cc", "std::fabs(value.high) * 0x1p-90",
     "std::fabs(value.high) * Switched(@error 2^-90 at odd eighths of a turn@, 0x1p-90, 0.0)"),
    ("src/number/bounds.h", "constexpr double NormError(", "inline double NormError("),
    ("src/number/bounds.h", "return static_cast<double>(units) * 0x1p-52;",
     "return Switched(@NormError@, static_cast<double>(units) * 0x1p-52, 0.0);"),
    ("src/number/bounds.h", "constexpr double CloseNormError(", "inline double CloseNormError("),
    ("src/number/bounds.h", "return is_exact ? kCloseNormError : kCloseNormError + part * part;",
     "return Switched(@CloseNormError@, kCloseNormError"
     " + (is_exact || IsOff(@the error of a sum of squares that two doubles cannot hold@) ? 0.0 : part * part), 0.0);"),
    ("src/kernel/norm_reference.cc", "if (!is_exact) return mean;",
     "if (!is_exact && !IsOff(@a nudge is known only if the sum of squares has no error@)) return mean;"),
    ("src/kernel/norm-inl.h", "hn::Or(hn::Set(d, mean.nudge), is_no_double)",
     "IsOff(@a nudge is for factors that are doubles@) ? hn::Set(d, mean.nudge) : hn::Or(hn::Set(d, mean.nudge), is_no_double)"),
    ("src/kernel/norm_reference.cc", "std::fabs(beyond) > kCloseNormError * squares.high",
     "std::fabs(beyond) > Switched(@a nudge is known only if the root is nearly rational@, kCloseNormError, 0x1p300) * squares.high"),
)

# src/number/switches.h of the copy
SWITCHES = """#ifndef POSENC_SRC_NUMBER_SWITCHES_H_
#define POSENC_SRC_NUMBER_SWITCHES_H_

#include <cstdint>
#include <cstdlib>

namespace posenc {
namespace internal {

// The number of the control that is off, or 0.
inline int kOff = [] {
  const char* text = std::getenv("POSENC_CONTROL_OFF");
  return text == nullptr ? 0 : std::atoi(text);
}();

inline bool IsOff(int control) { return control != 0 && kOff == control; }
template <class T>
T Switched(int control, T on, T off) {
  return IsOff(control) ? off : on;
}

inline bool IsWindowOff(std::uint64_t window) { return IsOff(static_cast<int>(window >> 40)); }
inline std::uint64_t WidthOf(std::uint64_t window) { return IsWindowOff(window) ? 0 : window & 0xFFFFFFFFFF; }

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_NUMBER_SWITCHES_H_
"""
