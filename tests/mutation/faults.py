"""The faults that plant_faults plants: what a slip of the hand, a lost line or a wrong bound would look like.

Each replaces `old`, which must be in its file exactly once, by `new`; `tests` are the programs (and their
GoogleTest filters) to try in order, those that should catch it first. Left out, since one thread cannot tell:
the fence after streaming stores.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Fault:
    name: str
    file: str
    old: str
    new: str
    tests: tuple


WORST = ("worst_cases_test:-*REFERENCE", "fallback_test:*Hardest*:*SixteenBit*:-*REFERENCE")
RUNS = ("runs_test:-*REFERENCE", "identical_test:-*REFERENCE")
SMALL = ("accuracy_test:*SmallPositions*:-*REFERENCE", "accuracy_test:*TinyPhases*:-*REFERENCE")
CANCEL = ("accuracy_test:*NearQuarterTurns*:-*REFERENCE", "accuracy_test:*NearMultiplesOfPi*:-*REFERENCE")
STREAM = ("stream_test",)
LAYOUT = ("layout_test", "memory_test")
ADD = ("add_test",)
BATCH = ("batch_test",)
EMBED = ("embed_test",)
FREQUENCIES = ("frequencies_test",)

FAULTS = (
    # The direct kernel.
    Fault("sine_coefficient_bit", "src/sincos-inl.h", "0x1.921fb54442d18p0", "0x1.921fb54442d28p0", WORST),
    Fault("cosine_coefficient_bit", "src/sincos-inl.h",
          "-0x1.3bd3cc9be45dep0", "-0x1.3bd3cc9be455ep0", WORST),
    Fault("low_part_dropped", "src/sincos-inl.h",
          "hn::MulAdd(position, low, ProductError(d, position, high, phase))",
          "ProductError(d, position, high, phase)", WORST + CANCEL),
    Fault("product_error_dropped", "src/sincos-inl.h",
          "hn::MulAdd(position, low, ProductError(d, position, high, phase))", "hn::Mul(position, low)",
          WORST + CANCEL),
    Fault("product_error_without_low_low", "src/sincos-inl.h",
          "return hn::Add(error, hn::Mul(a_low, b_low));", "return error;", CANCEL + WORST + FREQUENCIES),
    Fault("cancellation_unseen", "src/sincos-inl.h", "  return cancelled;",
          "  return hn::And(cancelled, hn::Not(cancelled));", CANCEL),
    Fault("sine_and_cosine_swapped", "src/sincos-inl.h", "hn::TestBit(quadrant, hn::Set(du, 1))",
          "hn::TestBit(quadrant, hn::Set(du, 2))", ("golden_test",)),
    Fault("wrong_window", "src/format-inl.h", "kFarBits<kFormat, kDirectWindow>",
          "kFarBits<kFormat, kDirectWindow / 4>", WORST),
    Fault("cosine_not_tested", "src/direct-inl.h",
          "flagged = hn::Or(flagged, RoundDirect<kFormat>(cosine, cosines));",
          "RoundDirect<kFormat>(cosine, cosines);", WORST),
    Fault("float16_direct_window", "src/format-inl.h",
          "hn::Set(d, 2 * kDirectError)", "hn::Set(d, 0.0)", WORST),
    Fault("bfloat16_midpoint_bias", "src/format-inl.h",
          "kFormat == kBFloat16 ? 45", "kFormat == kBFloat16 ? 44",
          WORST),
    Fault("missing_fallback", "src/reference.cc", "if (flags[k] == 0) continue;",
          "if (flags[k] == 0 || lanes > 1) continue;", WORST),
    Fault("fallback_of_another_lane", "src/reference.cc", "Phase(table, first + k).At(position)",
          "Phase(table, first).At(position)", WORST),
    Fault("recipe_rounds_position_twice", "src/direct-inl.h", "hn::Set(df, static_cast<float>(position))",
          "hn::Set(df, static_cast<float>(static_cast<float>(position) * 1.0000001f))", ("recipe_test",)),
    # Rotations.
    Fault("rotated_window_too_small", "src/format-inl.h", "kFar = kFarBits<kFormat, kRotatedWindow>",
          "kFar = kFarBits<kFormat, kRotatedWindow / 4096>", WORST),
    Fault("rotated_16_bit_not_tested", "src/format-inl.h",
          "return hn::And(near, NoneOf(high, SetWords(static_cast<std::uint32_t>(kFar >> 32))));",
          "return hn::And(near, hn::Not(near));", WORST),
    Fault("float16_exempt", "src/rotate-inl.h", "Operation::kFormat == kFloat16 ? 0.0 : kExemptQuarterTurns",
          "kExemptQuarterTurns", SMALL + RUNS),
    Fault("exempt_beyond_cancellation", "src/bounds.h",
          "kExemptQuarterTurns = 0.5", "kExemptQuarterTurns = 4.0",
          WORST + RUNS),
    Fault("small_threshold", "src/format-inl.h", "(std::uint32_t{kRotatedSmall} + 1) << 23",
          "(std::uint32_t{kRotatedSmall} + 13) << 23", RUNS + SMALL),
    Fault("wrong_anchor", "src/rotate-inl.h", "static_cast<double>(group.half) - 0.5;",
          "static_cast<double>(group.half) + 0.5;", RUNS),
    Fault("wrong_rotation_step", "src/rotate-inl.h",
          "static_cast<double>(k) + 0.5", "static_cast<double>(k) + 0.25",
          RUNS),
    Fault("minus_rows_rotated_forward", "src/rotate-inl.h", "sine_minus = hn::NegMulAdd(cosine, s, sc);",
          "sine_minus = hn::MulAdd(cosine, s, sc);", RUNS),
    Fault("direct_entries_of_next_row", "src/rotate-inl.h",
          "{group.half + k, group.half - 1 - k}", "{group.half + k, group.half - k}", WORST),
    # Stores and layouts.
    Fault("tail_one_too_long", "src/rotate-inl.h", "HWY_MIN(count, 2 * hn::Lanes(Doubles()))",
          "HWY_MIN(count + 1, 2 * hn::Lanes(Doubles()))", LAYOUT),
    Fault("tail_one_too_short", "src/direct-inl.h", "HWY_MIN(columns.sines - i, lanes)",
          "HWY_MIN(columns.sines - i - 1, lanes)", LAYOUT),
    Fault("layout_offset", "src/encoder.cc", "return {sines, cosines, cosines, 0, 1};",
          "return {sines, cosines, sines, 0, 1};", LAYOUT),
    Fault("halves_swap_lanes", "src/rotate-inl.h",
          "hn::Set(dw, 2 * half - 1)", "hn::Set(dw, 2 * half - 2)", LAYOUT + RUNS),
    Fault("streams_broken_lines", "src/store_policy.cc",
          "stride * element_size % kLine == 0 && ", "", STREAM),
    Fault("blocks_start_over", "src/encoder.cc", "block.first = first + static_cast<std::int64_t>(begin);",
          "block.first = first;", RUNS),
    # Adding.
    Fault("contraction", "src/store-inl.h",
          "hn::Add(hn::Mul(LoadAsFloat<Operation::kType>(df, from), hn::Set(df, operation.scale)), entries)",
          "hn::MulAdd(LoadAsFloat<Operation::kType>(df, from), hn::Set(df, operation.scale), entries)", ADD),
    Fault("bfloat16_ties_away", "src/store-inl.h", "hn::Add(hn::Add(bits, odd), hn::Set(du, 0x7FFF))",
          "hn::Add(bits, hn::Set(du, 0x8000))", ADD),
    Fault("batch_skips_a_position", "src/batch.cc", "cursor = block.end;", "cursor = block.end + 1;", BATCH),
    Fault("pieces_fall_back_to_first_pairs", "src/batch.cc", "  view.first += first;\n", "",
          ("worst_cases_test:*Add*:-*REFERENCE",)),
    # Arguments and state.
    Fault("flush_to_zero_stays", "src/fp_state.h",
          "if ((saved_ & ~kStatusFlags) != kDefault) _mm_setcsr(kDefault);",
          "", ("fp_state_test",)),
    Fault("status_flags_not_restored", "src/fp_state.h", "if (_mm_getcsr() != saved_) _mm_setcsr(saved_);",
          "if (((_mm_getcsr() ^ saved_) & ~kStatusFlags) != 0) _mm_setcsr(saved_);", ("fp_state_test",)),
    Fault("id_check_off_by_one", "src/encoder.cc", "CheckList(lookup.ids, rows, 0, last, bad_index)",
          "CheckList(lookup.ids, rows, 0, last + 1, bad_index)", EMBED),
    Fault("run_may_leave_the_range", "src/encoder.cc", "kMaxPosition - static_cast<std::int64_t>(rows - 1)",
          "kMaxPosition + 1 - static_cast<std::int64_t>(rows - 1)", ("call_errors_test:PositionErrors*",)),
    # Creation.
    Fault("schedule_in_double", "src/frequencies.cc",
          "return {high, ToDouble(Subtract(x, FromDouble(high)))};",
          "return {high, 0.0};", FREQUENCIES),
    Fault("wide_in_128_bits", "src/wide.cc",
          "constexpr int kBits = 64 * kLimbs;", "constexpr int kBits = 128;",
          ("wide_test",)),
    Fault("a_target_lost", "src/kernels.cc", "#undef HWY_TARGET_INCLUDE\n",
          "#define HWY_DISABLED_TARGETS HWY_AVX2\n#undef HWY_TARGET_INCLUDE\n", ("dispatch_test",)),
)
