"""Numerical faults that `mutate --picked` plants. A test must catch each of them. Each entry has the name of a definition, a
pattern that the definition contains once, and the text that replaces it."""

PICKED = (
    # Sines, cosines, and their phases
    ("SinePolynomial", "0x1.921fb54442d18p0", "0x1.921fb54442d28p0"),
    ("QuickPolynomials", "0x1.03c1f075dd91p-2", "0x1.03c1f0756d91p-2"),
    ("PolynomialSums", "0x1.1a6262ca2f195p-54", "0.0"),
    ("Reduce", "hn::MulAdd(position, low, ProductError(position, high, phase))", "ProductError(position, high, phase)"),
    ("ReducedSinCos", "hn::Set(d, min_uncancelled)", "hn::Zero(d)"),
    ("EvaluateFully", "kMinPhase)", "0.0)"),
    ("SwapAndAdd", "hn::Add(sine, not_zero)", "sine"),
    # What is left to wider arithmetic
    ("RoundPairs", "hn::Or(a_is_near, b_is_near)", "a_is_near"),
    ("StoreQuickly", "kQuickWindow>(", "kQuickWindow / 4096>("),
    ("kQuickCosineError", "0x1.ep-63", "0x1p-75"),
    ("WithLastBit", "hn::Or(hn::BitCast(du, v), hn::Set(du, 1))", "hn::BitCast(du, v)"),
    ("RecomputePairs", "pair >= pairs.table.count", "lanes > 1"),
    ("RecomputePairs", "RecomputeEntries(pairs.table, pair", "RecomputeEntries(pairs.table, pairs.begin"),
    # 256 and 1,024 bits
    ("SinCosOfPhase", "(cancelled > 0 ? cancelled : 0)", "0"),
    ("kHalfPi", "0xc90fdaa22168c234", "0xc90fdaa22168c235"),
    ("kExpOfSixteenths", "0xba617fe1f3f4f547", "0xba617fe1f3f4f546"),
    ("LogOnePlus", "Sum(kLogSeries, fraction, !e.negative)", "Sum(kLogSeries, fraction, false)"),
    ("Divide", "top << 32 == 0 && ", ""),
    ("RoundBySeries", "sum.negative == value.negative ? larger : smaller", "smaller"),
    ("KnownAngle", "multiple > 0.0 || whole == 0 ? whole : 24 - whole", "whole"),
    ("RoundToOdd", "(rest > 0.0) == is_positive", "(rest > 0.0)"),
    # Angle addition
    ("OffsetOf", "static_cast<double>(k) + 0.5", "static_cast<double>(k) + 0.25"),
    ("StoreBetween", "hn::Set(Doubles(), kAddedInterval)", "hn::Set(Doubles(), 0x1p-60)"),
    ("MakeAnchors", "store(sine_after, cosine_after, after)", "store(sine_before, cosine_after, after)"),
    ("RoundMirrored", "hn::Or(undecided, RoundSum(cosine_high", "hn::And(undecided, RoundSum(cosine_high"),
    ("FillChunk", "run.begin + r)", "r)"),
    ("kFloatAngleAdditionError", "5 * 0x1p-25", "2 * 0x1p-25"),
    # Types
    ("StoreLanes", "hn::Add(hn::BitCast(du, entries), hn::Set(du, 0x8000))", "hn::BitCast(du, entries)"),
    ("RoundToBFloat16", "hn::Add(hn::Add(bits, odd), hn::Set(du, 0x7FFF))", "hn::Add(bits, hn::Set(du, 0x8000))"),
    ("RoundInterval", "marks = hn::BitCast(dw, hn::Min(hn::BitCast(d16, marks), both));", ";"),
    # Rotation
    ("SumInFloat", "PlusProduct<kMinus>(v, sin_cos.low_sines, high)", "high"),
    ("RotatedWindow", "kRotatedWindow>,", "kRotatedWindow / 65536>,"),
    ("kMinQuickly", "? 0x1p-14f", "? 0.0f"),
    ("kMinFlushed", "0x1p-80f", "0x1p-125f"),
    ("kFloatRotationError", "2.1 * 0x1p-24", "2.1 * 0x1p-30"),
    ("RoundConverted", "limit = hn::Max(apart, hn::Zero(di))", "limit = hn::Zero(di)"),
    ("RoundConverted", "ulp = hn::Set(dw, 1)", "ulp = hn::Zero(dw)"),
    ("kMaxConvertedGain", "kMaxConvertedGain = 0x1p8", "kMaxConvertedGain = 0x1p64"),
    ("AddVector", "hn::MulAdd(c, offset_s, hn::Mul(s, offset_c))", "hn::Sub(hn::Mul(s, offset_c), hn::Mul(c, offset_s))"),
    ("QueueDeferred", "heads, deferred.at[n],", "heads, deferred.at[0],"),
    ("FillMultiples", "position[axes[i]]", "position[0]"),
    ("RotateLastPairs", "undecided.count != waiting", "false"),
    ("RotateAndQueue", "Packed::Stride(rotation.table.count)", "Packed::Stride(heads.pairs)"),
    ("Append", "index = heads.first + at.pair + k", "index = at.pair + k"),
    # Caches at consecutive positions, and rounded phases
    ("Take", "table.amplitude == 1.0 &&", ""),
    ("PlaceRuns", "sines_first ? apart : 0", "sines_first ? 0 : apart"),
    ("FinishRow", "copy_ == 0 ? to_cos + bytes : to_sin", "to_sin"),
    ("QuickPhases", "if (std::fabs(position * phase_rounding.scale) > kMaxQuickPhase) return 0;", ""),
    # Norms
    ("NormError", "count / 4 + 8", "0"),
    ("kCloseNormError", "0x1p-98", "0x1p-190"),
    ("RoundClosely", "hn::MulAdd(element, factor_low,", "hn::MulAdd(element, hn::Zero(d),"),
    ("CloseMeanOf", "beyond > 0.0 ? -kNormNudge : kNormNudge", "beyond > 0.0 ? kNormNudge : -kNormNudge"),
    ("CloseMeanOf", "if (!is_exact) return mean;", ";"),
    ("Measure", "!is_overwritten_ || !HasRoot()", "true"),
    ("FourSums", "hn::Add(hn::Add(sum0, sum2), hn::Add(sum1, sum3))", "hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))"),
    # Frequencies, and the caller's state
    ("Scaled", "Subtract(One<kLimbs>(), RampAt(constants, turns))", "RampAt(constants, turns)"),
    ("Framework", "Subtract(log_base_, Log<4>(formula.min_timescale))", "log_base_"),
    ("FpRegisters", "FpRegister::Set(FpRegister::kDefault)", ";"),
)
