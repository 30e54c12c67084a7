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
    ("kMaxQuickGain", "rotation_quick", "any gain"),
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
)

# Controls that are no constant, or a constant that differs between types: EDITS place them.
PLACED = (
    ("kMinUncancelled", "PROOF", "0"),
    ("position >= 1, quickly", "direct", "any position"),
    ("whole positions of reduced steps, quickly", "direct", "any position"),
    ("kMinAdded<POSENC_F32>", "addition", "0"),
    ("kMinAdded<POSENC_F16>", "addition", "0"),
    ("kExemptQuarterTurns", "addition", "any phase"),
    ("the float before a midpoint, 16-bit runs", "addition", "no window"),
    ("kFloatAngleAdditionError", "addition_float_double", "0"),
    ("kFloatAngleAdditionErrorWithoutFma", "addition_float_double", "0"),
    ("2^-24, sums in float", "addition_float_double", "0"),
    ("ties, sums in float", "addition_float_double", "not tested"),
    ("NaNs, sums in float", "addition_float_double", "not tested"),
    ("2^-14, float16 in float", "addition_float_double", "not tested"),
    ("kFrequencyBits", "wide", "all bits"),
    ("kSinCosBits", "wide", "all bits"),
    ("bits that the reduction cancels", "wide", "not subtracted"),
    ("bits that a sum cancels", "rotation_wide", "not subtracted"),
    ("bits of a step modulo eight", "wide", "never 1,024 bits"),
    ("bits beside quarter turns: phase", "wide", "50"),
    ("bits beside quarter turns: 50", "wide", "all bits"),
    ("r below 2^-30 beside quarter turns", "wide", "1/2"),
    ("KnownBits", "wide", "40"),
    ("phases below 2^-79", "wide", "no rule"),
    ("900 bits of a series", "rotation_wide", "60"),
    ("64 bits of a series", "rotation_wide", "-1"),
    ("steep ramps", "wide_functions", "never 1,024 bits"),
    ("bits of the nearest double", "wide_functions", "all bits"),
    ("subnormal numbers, caches", "rotation", "not tested"),
    ("subnormal numbers, caches of added angles", "rotation", "not tested"),
    ("kMinRotated", "rotation_quick", "0"),
    ("kMinQuickly<POSENC_F16>", "rotation_quick", "0"),
    ("kMinQuickly<POSENC_BF16>", "rotation_quick", "0"),
    ("kMinPart<POSENC_F32>", "rotation_quick", "0"),
    ("kMinPart<POSENC_F16>", "rotation_quick", "0"),
    ("kMinPart<POSENC_BF16>", "rotation_quick", "0"),
    ("kMinWord", "rotation_quick", "not tested"),
    ("kWordOctaves", "rotation_quick", "not tested"),
    ("exact pairs of short gains only", "rotation", "any gain"),
    ("P t^2 beside a quarter turn", "rotation", "0"),
    ("2^-90 at eighths of a turn", "rotation", "0"),
)

CONTROLS = USES + WINDOWS + PLACED

# Why few or no results are wrong without a control, or only on some targets.
NOTES = {
    "kMaxShort": "With FMA it is for speed: it says up to which position doubles are first tried with fewer terms.",
    "kQuickCosineErrorWithoutFma": "Only targets without FMA use it.",
    "kMinQuickDouble": "No input is known that needs it. A cosine would have to lie within 2^-53 of an ulp of a midpoint. Of 21,474 cosines "
                       "that were built for this, the nearest lies 2^-53.3 of an ulp from one, and is right.",
    "kMinQuickPart": "No input is known that needs it, because steps are better than the 2^-97 with which the proof counts. 361,000 "
                     "pairs of doubles that were built to be at this limit are right.",
    "position >= 1, quickly": "It is for speed: `kMinQuick` and `kMinQuickDouble` would leave most of these pairs undecided.",
    "kScaledError": "The sine at position 311 with frequency 0x1.0add32e240d1ap-4 needs it in a cache of float16, and at position 326 with "
                    "0x1.8c8c86c99b7d8p-9 in a cache of bfloat16.",
    "kFloatAngleAdditionError": "Only targets with FMA use it.",
    "kFloatAngleAdditionErrorWithoutFma": "Only targets without FMA use it.",
    "2^-24, sums in float": "No input is known that needs it. The largest errors found leave room for the rounding of an entry to float.",
    "2^-14, float16 in float": "Only targets that round to float16 by integer operations use it.",
    "kSinCosBits": "No input is known that needs it: a result would have to lie between 2^-252 and 2^-246 from a midpoint.",
    "bits beside quarter turns: phase": "No input is known that needs it: the phase must lose 46 to 90 bits, and the result must be next to a midpoint.",
    "bits beside quarter turns: 50": "No input is known that needs it: one result in 2^28 is so near to a midpoint.",
    "phases below 2^-79": "Rotations by angles below 2^-500 need it, in which a sum without its small terms is a midpoint.",
    "64 bits of a series": "The same rotations need it.",
    "900 bits of a series": "Any number from 60 on is right for frequencies that are exact: terms of one group cancel in fewer than 50 "
                            "bits, or wholly.",
    "subnormal numbers, caches": "The sine at position 0x1.d2f7078348b87p-8 with frequency 0x1.4b809dab65506p-4 and amplitude 0.1 needs it "
                                 "in a cache of float16.",
    "subnormal numbers, caches of added angles": "The sine at position 19 of the run from 12, with frequency 0x1.13b17b48c9c5fp0 and "
                                                 "amplitude 0x1.177ce43c7dd6dp-15, needs it in a cache of float16.",
    "kMinRotated": "The element 0x1.57e2p-133, rotated by 0x1.ab76f8c84bb13p-1 with 0 for the other element, needs it.",
    "kMinQuickly<POSENC_BF16>": "No input is known that needs it: the window of 4 ulps also covers what subnormal floats lose.",
    "kMinPart<POSENC_F16>": "The elements -0x1.aa4p7 and -0x1.c4cp7, rotated by 523 * 0x1.c78bd4e050c5p0, need it.",
    "P t^2 beside a quarter turn": "The elements 0x1.5965c8p0 and -0x1.c86c2cp2, rotated by 0x1.1f2c286e7a36dp-27, need it.",
    "2^-90 at eighths of a turn": "No input is known that needs it: a product would have to lie within 2^-90 of a midpoint.",
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
     "Window<float, kFormat, 1 | (std::uint64_t{@the float before a midpoint, 16-bit runs@} << 40)>"),
    # The other controls, in the order of PROOF.md
    ("src/kernel/sincos-inl.h", "hn::Set(d, min_uncancelled)", "hn::Set(d, Switched(@kMinUncancelled@, min_uncancelled, 0.0))"),
    ("src/kernel/direct_double-inl.h", "constexpr double kCosineError", "const double kCosineError"),
    ("src/frequency/table.cc", "const bool is_near_zero = position > -1.0 && position < 1.0;",
     "const bool is_near_zero = !IsOff(@position >= 1, quickly@) && position > -1.0 && position < 1.0;"),
    ("src/frequency/table.cc", "(high != unreduced_high && !IsWhole(position))",
     "(!IsOff(@whole positions of reduced steps, quickly@) && high != unreduced_high && !IsWhole(position))"),
    ("src/kernel/anchors-inl.h", "hn::Set(d, limits.small)",
     "hn::Set(d, Switched(limits.small == 0x1p-14 ? @kMinAdded<POSENC_F16>@ : @kMinAdded<POSENC_F32>@, limits.small, 0.0))"),
    ("src/kernel/anchors-inl.h", "hn::Set(d, limits.exempt)", "hn::Set(d, Switched(@kExemptQuarterTurns@, limits.exempt, 0x1p300))"),
    ("src/kernel/anchors-inl.h", "const auto error_of_phase =",
     "const double added = kHasFma ? kFloatAngleAdditionError : kFloatAngleAdditionErrorWithoutFma;\n"
     "  const double float_error = limits.float_error\n"
     "    - Switched(kHasFma ? @kFloatAngleAdditionError@ : @kFloatAngleAdditionErrorWithoutFma@, 0.0, added)\n"
     "    - Switched(@2^-24, sums in float@, 0.0, limits.float_error > added ? 0x1p-24 : 0.0);\n"
     "  const auto error_of_phase ="),
    ("src/kernel/anchors-inl.h", "2 * kRadians * limits.float_error", "2 * kRadians * float_error"),
    ("src/kernel/anchors-inl.h", "hn::Set(d, limits.float_error)", "hn::Set(d, float_error)"),
    ("src/kernel/angle_addition_float-inl.h", "static_cast<float>(kFloatError<Operation>)",
     "static_cast<float>(kFloatError<Operation>"
     " - Switched(kHasFma ? @kFloatAngleAdditionError@ : @kFloatAngleAdditionErrorWithoutFma@, 0.0,"
     " kHasFma ? kFloatAngleAdditionError : kFloatAngleAdditionErrorWithoutFma)"
     " - Switched(@2^-24, sums in float@, 0.0, Operation::kReads ? 0x1p-24 : 0.0))"),
    ("src/kernel/rounding_intervals-inl.h", "AnyBitTieOrNan(differ, upper, marks, tie, total)",
     "AnyBitTieOrNan(differ, upper, IsOff(@ties, sums in float@) ? NoMarks<Operation>() : marks, tie,"
     " IsOff(@NaNs, sums in float@) ? hn::Zero(Entries()) : total)"),
    ("src/kernel/rounding_intervals-inl.h", "hn::And(marks, hn::Set(dw, 0x40000000u))",
     "hn::And(marks, hn::Set(dw, Switched(@2^-14, float16 in float@, 0x40000000u, 0u)))"),
    ("src/kernel/wide_sincos.cc", "pair.kBits - 1 - (cancelled > 0 ? cancelled : 0)",
     "Switched<int>(@kFrequencyBits@, pair.kBits, 100000) - 1"
     " - (cancelled > 0 && !IsOff(@bits that the reduction cancels@) ? cancelled : 0)"),
    ("src/kernel/wide_sincos.cc", "WideSinCos<kLimbs> sin_cos{{}, {}, kSinCosBits<kLimbs> - 1,",
     "WideSinCos<kLimbs> sin_cos{{}, {}, Switched<int>(@kSinCosBits@, kSinCosBits<kLimbs> - 1, 100000),"),
    ("src/kernel/wide_sincos.cc", "if (cancelled > 0) bits -= static_cast<int>(cancelled);",
     "if (cancelled > 0 && !IsOff(@bits that a sum cancels@)) bits -= static_cast<int>(cancelled);"),
    ("src/frequency/table.cc", "constexpr int kSumBits = 110;",
     "const int kSumBits = Switched<int>(@bits of a step modulo eight@, 110, -100000);"),
    ("src/kernel/reference.cc", "phase_bits < 50 ? phase_bits : 50",
     "phase_bits < 50 && !IsOff(@bits beside quarter turns: phase@) ? phase_bits"
     " : Switched<int>(@bits beside quarter turns: 50@, 50, 100000)"),
    ("src/kernel/reference.cc", "std::fabs(r) < 0x1p-30 &&",
     "std::fabs(r) < Switched(@r below 2^-30 beside quarter turns@, 0x1p-30, 0.5) &&"),
    ("src/kernel/wide_sincos.cc", "phase.exponent - rest.exponent > pair.KnownBits()",
     "phase.exponent - rest.exponent > Switched<int>(@KnownBits@, pair.KnownBits(), 40)"),
    ("src/frequency/table.cc", "step.exponent - rest_of_all.exponent > exact.KnownBits()",
     "step.exponent - rest_of_all.exponent > Switched<int>(@KnownBits@, exact.KnownBits(), 40)"),
    ("src/kernel/wide_sincos.h", "phase.exponent < -79", "phase.exponent < Switched<int>(@phases below 2^-79@, -79, -10000000)"),
    ("src/kernel/wide_sincos.cc", "constexpr int kBeside = 200, kAgree = 900, kOutweighs = 64, kMaxTerms = 64;",
     "constexpr int kBeside = 200, kMaxTerms = 64;\n"
     "  const int kAgree = Switched<int>(@900 bits of a series@, 900, 60), kOutweighs = Switched<int>(@64 bits of a series@, 64, -1);"),
    ("src/frequency/scaling.cc", "return !(magnified < 1024.0);", "return !(magnified < Switched(@steep ramps@, 1024.0, 0x1p300));"),
    ("src/frequency/nearest.cc", "constexpr int kBits = kFrequencyBits<4> - 4;",
     "const int kBits = Switched<int>(@bits of the nearest double@, kFrequencyBits<4> - 4, 100000);"),
    ("src/kernel/rounding_windows-inl.h", "const auto least = hn::Set(d, TwoTo(TraitsOf(kType).min_exponent));",
     "const auto least = hn::Set(d, Switched(@subnormal numbers, caches@, TwoTo(TraitsOf(kType).min_exponent), 0.0));"),
    ("src/kernel/cache_row-inl.h", "TwoTo(TraitsOf(kType).min_exponent - 1)",
     "Switched(@subnormal numbers, caches of added angles@, TwoTo(TraitsOf(kType).min_exponent - 1), 0.0)"),
    ("src/kernel/rounding_windows-inl.h", "hn::Set(df, kMinQuickly<kType>)",
     "hn::Set(df, Switched(kType == POSENC_F32 ? @kMinRotated@ : kType == POSENC_F16 ? @kMinQuickly<POSENC_F16>@ :"
     " @kMinQuickly<POSENC_BF16>@, kMinQuickly<kType>, 0.0f))"),
    ("src/kernel/rounding_windows-inl.h", "hn::Set(df, kMinPart<kType>)",
     "hn::Set(df, Switched(kType == POSENC_F32 ? @kMinPart<POSENC_F32>@ : kType == POSENC_F16 ? @kMinPart<POSENC_F16>@ :"
     " @kMinPart<POSENC_BF16>@, kMinPart<kType>, 0.0f))"),
    ("src/kernel/rounding_windows-inl.h", "hn::OrAnd(apart, size, hn::Set(d16, kTop))",
     "hn::OrAnd(IsOff(@kWordOctaves@) ? hn::Zero(d16) : apart, IsOff(@kMinWord@) ? hn::Zero(d16) : size, hn::Set(d16, kTop))"),
    ("src/kernel/bounded_sums-inl.h", "are_direct && (in_float ? IsShortInFloat(gain) : IsShort(gain))",
     "are_direct && (IsOff(@exact pairs of short gains only@) || (in_float ? IsShortInFloat(gain) : IsShort(gain)))"),
    ("src/kernel/rotary_reference.cc", "std::fabs(product * sine) * std::fabs(sine)",
     "Switched(@P t^2 beside a quarter turn@, std::fabs(product * sine) * std::fabs(sine), 0.0)"),
    ("src/kernel/rotary_reference.cc", "std::fabs(value.high) * 0x1p-90",
     "std::fabs(value.high) * Switched(@2^-90 at eighths of a turn@, 0x1p-90, 0.0)"),
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
