// Phases of tokens that are sums over axes. Included once per target.
#if defined(POSENC_SRC_KERNEL_SUMMED_PHASES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_SUMMED_PHASES_INL_H_
#undef POSENC_SRC_KERNEL_SUMMED_PHASES_INL_H_
#else
#define POSENC_SRC_KERNEL_SUMMED_PHASES_INL_H_
#endif

#include "hwy/highway.h"
#include "kernel/direct-inl.h"
#include "kernel/rotary_reference.h"
#include "kernel/sincos_double-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// RotaryKernels::sum. A phase is added up from its terms position[k] * step as a sum of two doubles, good to
// 2^-96.9 of S, the sum of the terms' sizes: 2^-97 and 2^-104 of each term from its step and product, 2^-101
// from the sums of low parts (PROOF.md, section 1). If it cancels to less than S / 4, whole turns are added,
// so that its error is never more than 2^-94.9 of it (kMinUncancelledSum).
inline HWY_NOINLINE void SumPhases(const FrequencyTable& table, double* multiples) {
  const Doubles d;
  const auto zero = hn::Zero(d), one = hn::Set(d, 1.0);
  const auto fours = hn::Set(d, 0x1.8p54);  // adding it rounds to a multiple of 4
  const auto integers = hn::Set(d, 0x1.8p52);
  // In turns r may be too small for a double's exponent, where a cosine is r.
  const auto least_r = hn::Set(d, table.schedule.IsExact() ? kMinUncancelledSum : 0.0);
  for (std::size_t i = 0; i < table.count; i += hn::Lanes(d)) {
    auto high = zero, low = zero, size = zero, factor = zero;
    for (std::size_t k = 0; k < table.axis_count; ++k) {
      const auto p = hn::Set(d, table.token_position[k]);
      const auto step = hn::LoadU(d, table.term_high + k * table.term_stride + i);
      const auto step_low = hn::LoadU(d, table.term_low + k * table.term_stride + i);
      const auto term = hn::Mul(p, step);
      const auto term_low = hn::MulAdd(p, step_low, ProductError(d, p, step, term));
      const auto sum = hn::Add(high, term), added = hn::Sub(sum, high);
      const auto error = hn::Add(hn::Sub(high, hn::Sub(sum, added)), hn::Sub(term, added));
      low = hn::Add(low, hn::Add(error, term_low));
      high = sum;
      size = hn::Add(size, hn::Abs(term));
      factor = hn::IfThenElse(hn::Eq(p, zero), factor, hn::Max(factor, hn::Abs(step)));
    }
    auto phase = hn::Add(high, low);
    const auto added = hn::Sub(phase, high);
    auto phase_low = hn::Add(hn::Sub(high, hn::Sub(phase, added)), hn::Sub(low, added));
    const auto is_zero = hn::Eq(factor, zero);  // each term has a factor of 0
    auto is_known =
        hn::And(hn::Ge(hn::Abs(phase), hn::Set(d, kMinSummedPhase)), hn::Le(size, hn::Set(d, kMaxSum)));
    is_known = hn::And(is_known, hn::Ge(hn::Abs(phase), hn::Mul(size, hn::Set(d, kMinUncancelledSum))));

    const auto turns = hn::Add(hn::Sub(hn::Add(size, fours), fours), hn::Set(d, 4.0));
    const auto cancels = hn::Lt(hn::Abs(phase), hn::Mul(size, hn::Set(d, 0.25)));
    const auto moved = hn::Add(turns, phase);
    phase_low = hn::IfThenElse(cancels, hn::Add(phase_low, hn::Sub(phase, hn::Sub(moved, turns))), phase_low);
    phase = hn::IfThenElse(cancels, moved, phase);
    const auto r = hn::Add(hn::Sub(phase, hn::Sub(hn::Add(phase, integers), integers)), phase_low);
    is_known = hn::And(is_known, hn::Ge(hn::Abs(r), hn::Mul(hn::Abs(phase), least_r)));

    hn::StoreU(hn::IfThenZeroElse(is_zero, phase), d, table.high + i);
    hn::StoreU(hn::IfThenZeroElse(is_zero, phase_low), d, table.low + i);
    hn::StoreU(hn::IfThenZeroElse(is_zero, one), d, multiples + i);
    is_known = hn::Or(is_known, is_zero);
    if (HWY_LIKELY(hn::AllTrue(d, is_known))) continue;
    HWY_ALIGN double unknown[kMaxLanes<Doubles>];
    hn::Store(hn::IfThenZeroElse(is_known, one), d, unknown);
    for (std::size_t k = 0; k < hn::Lanes(d) && i + k < table.count; ++k) {
      if (unknown[k] != 0.0) LeaveUndecided(table, i + k, multiples);
    }
  }
  for (std::size_t i = table.count; i < table.count + kPadding; ++i) multiples[i] = 0.0;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_SUMMED_PHASES_INL_H_
