// What angle addition (angle_addition-inl.h) starts from: runs of rows in groups, an anchor in the middle of
// each, and the offsets from an anchor to its rows. Included once per target.
//
// Errors are absolute, u = 2^-53. A *worst known* error is the largest in random runs of 5 * 10^8 entries at
// positions up to 2^31, against `SinCosSums` (sincos_double-inl.h); its input was evaluated again by MPFR
// with 600 bits. proof/addition.md argues the bounds.
#if defined(POSENC_SRC_KERNEL_ANCHORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ANCHORS_INL_H_
#undef POSENC_SRC_KERNEL_ANCHORS_INL_H_
#else
#define POSENC_SRC_KERNEL_ANCHORS_INL_H_
#endif

#include "kernel/direct-inl.h"
#include "hwy/highway.h"
#include "kernel/rows.h"

#if HWY_TARGET != HWY_SCALAR

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The groups of a run share one direct evaluation per pair. Pairs are processed in chunks: of kMaxChunkPairs
// if there are few groups, because longer parts of rows are faster; of fewer pairs if there are many, so that
// the anchors of all groups stay in L1. The arrays take 22 KB of the stack.
constexpr std::size_t kMaxGroups = 4;
constexpr std::size_t kMaxChunkPairs = 512;
constexpr std::size_t kChunkAnchors = 1024;  // of all groups

// The anchors of a chunk:
//
//   small     limits below which entries are undecided: one for each pair, or two if entries are interleaved
//   sines     [groups, stride] sines at the anchors
//   cosines   [groups, stride]
struct Anchors {
  static constexpr std::size_t kPad = 2 * kMaxLanes<Doubles>;
  static constexpr std::size_t kSize = kMaxChunkPairs + kPad;

  std::size_t stride;
  HWY_ALIGN float small[2 * kSize];
  HWY_ALIGN double sines[kChunkAnchors + kMaxGroups * kPad];
  HWY_ALIGN double cosines[kChunkAnchors + kMaxGroups * kPad];
};

// The same rounded to float, for angle addition in float, and the bound of the sines of each pair.
struct FloatAnchors {
  HWY_ALIGN float errors[kMaxChunkPairs + kMaxLanes<Entries>];
  HWY_ALIGN float sines[sizeof(Anchors::sines) / sizeof(double)];
  HWY_ALIGN float cosines[sizeof(Anchors::cosines) / sizeof(double)];
};

// What `MakeAnchors` needs to know of a type and a layout.
struct Limits {
  double small;        // entries below it are undecided,
  double exempt;       // unless all phases of the run stay within this, in quarter turns
  double float_error;  // the error of sines added in float
  bool interleaved;    // whether entries are
};

// The k-th offset, in rows: for k < kReach 1/2, 3/2 .. 15/2, from an anchor to the rows of its group; then 8
// and 24, from the middle of a run to its groups' anchors.
HWY_INLINE double OffsetOf(std::size_t k) {
  return k < kReach ? static_cast<double>(k) + 0.5 : static_cast<double>((2 * (k - kReach) + 1) * kReach);
}

// Fills table.offsets, [kOffsets, 2, padded]: cosines and sines of step * OffsetOf(k), by `SinCos`; the first
// kReach of them as floats too.
inline HWY_NOINLINE void FillOffsets(const FrequencyTable& table) {
  const Doubles d;
  const Floats df;
  DoubleVec sine, cosine;
  for (std::size_t i = 0; i < table.count; i += hn::Lanes(d)) {
    const auto high = hn::LoadU(d, table.high + i);
    const auto low = hn::LoadU(d, table.low + i);
    for (std::size_t k = 0; k < kOffsets; ++k) {
      SinCos(hn::Set(d, OffsetOf(k)), high, low, 0.0, sine, cosine);
      const std::size_t cosines = 2 * k * table.padded + i, sines = cosines + table.padded;
      hn::StoreU(cosine, d, table.offsets + cosines);
      hn::StoreU(sine, d, table.offsets + sines);
      if (k >= kReach) continue;
      hn::StoreU(hn::DemoteTo(df, cosine), df, table.float_offsets + cosines);
      hn::StoreU(hn::DemoteTo(df, sine), df, table.float_offsets + sines);
    }
  }
}

// Angle addition, of an anchor a and an offset b, both as vectors of pairs:
//
//   sine_plus    = sin(a + b) = sin a cos b + cos a sin b      sine_minus   = sin(a - b)
//   cosine_plus  = cos(a + b) = cos a cos b - sin a sin b      cosine_minus = cos(a - b)
//
//   offset       arrays from which b is loaded
//
// Six operations give four results, since both signs share products.
// Error: 1.25 u of each result from products and sums (1.75 u of one that reaches 1), which is at most 1.83 u
// of sine and cosine as a vector, and the errors of a and b. As unit vectors these have 2.6 u each if they
// are direct.
HWY_INLINE void SumAndDifference(DoubleVec sine, DoubleVec cosine, const OffsetSinCos& offset,
                                 DoubleVec& sine_plus, DoubleVec& cosine_plus, DoubleVec& sine_minus,
                                 DoubleVec& cosine_minus) {
  const Doubles d;
  const auto c = hn::LoadU(d, offset.cosines);
  const auto s = hn::LoadU(d, offset.sines);
  const auto sc = hn::Mul(sine, c);
  const auto cc = hn::Mul(cosine, c);
  sine_plus = hn::MulAdd(cosine, s, sc);
  sine_minus = MinusProduct(cosine, s, sc);
  cosine_plus = MinusProduct(sine, s, cc);
  cosine_minus = hn::MulAdd(sine, s, cc);
}

// Consecutive rows, in 1, 2 or 4 groups of 2 * half rows; half is kReach if there are several groups.
// Positions and anchors: group g has its anchor half-way between rows (2 g + 1) half - 1 and (2 g + 1) half.
struct Run {
  std::int64_t first;
  std::size_t begin;  // the row of `first`
  std::size_t groups;
  std::size_t half;

  std::size_t count() const { return groups * 2 * half; }
  // The mirrored rows of group g: k + 1/2 rows after its anchor, and k + 1/2 rows before it.
  std::size_t After(std::size_t g, std::size_t k) const { return (2 * g + 1) * half + k; }
  std::size_t Before(std::size_t g, std::size_t k) const { return (2 * g + 1) * half - 1 - k; }

  double Last() const { return static_cast<double>(first) + static_cast<double>(count() - 1); }
  double Extent() const { return HWY_MAX(-static_cast<double>(first), Last()); }  // the largest |position|
};

// The longest run of at most `count` rows from row `begin` on, in at most max_groups groups. It is empty
// (half is 0) if count is 1.
HWY_INLINE Run LongestRun(std::int64_t first, std::size_t begin, std::size_t count, std::size_t max_groups) {
  Run run = {first, begin, max_groups, HWY_MIN(kReach, count / 2)};
  while (run.groups > 1 && run.groups * 2 * kReach > count) run.groups /= 2;
  return run;
}

// The anchors of a run, for the pairs begin .. begin + count - 1: the middle M of the run, by `SinCos`, if
// there is one group; of several M +- 8 and M +- 24 rows, by angle addition. Also the limits of small
// entries; and if `floats` is not null, the anchors as floats and the errors of sines, at most
// limits.float_error, less if the phases E of the run stay below 1/2 radian: 2 E times that.
//
// Error: 2.6 u of the middle, as a unit vector; 7.03 u of anchors that were added.
// Worst known of added anchors: 3.39 u, with FMA 2.46 u:
//
//   without  cosine, position 1892928.5 of the run from 1892921, step 0x1.48317308f377dp-6 +
//            0x1.4dd56ce5598p-64: got -0x1.f35aaedde366cp-1, want -0x1.f35aaedde366f62cp-1
//   with     cosine, position 150353699.5 of the run from 150353644, step 0x1.03c2b634f021ep-4 -
//            0x1.8b0edc4dfef46p-58: got 0x1.ff99cd9003d1dp-1, want 0x1.ff99cd9003d1a8aap-1
inline HWY_NOINLINE void MakeAnchors(const FrequencyTable& table, const Run& run, const Limits& limits,
                                     std::size_t begin, std::size_t count, Anchors& anchors,
                                     FloatAnchors* floats) {
  const Doubles d;
  const Floats df;
  const double middle = (static_cast<double>(run.first) + run.Last()) / 2;
  const auto extent = hn::Set(d, run.Extent());
  constexpr double kRadians = 0x1.921fb6p0;  // a quarter turn, rounded up
  const auto error_of_phase = hn::Set(d, 2 * kRadians * limits.float_error);
  // Local copies, so that the compiler need not reload them after each store.
  const double *highs = table.high + begin, *lows = table.low + begin;
  const std::size_t padded = table.padded, stride = anchors.stride, half = run.groups / 2;
  const double* cosines = table.offsets + 2 * kReach * padded + begin;
  const OffsetSinCos offsets = {cosines + padded, cosines};
  const bool interleaved = limits.interleaved;
  const auto store = [&](DoubleVec sine, DoubleVec cosine, std::size_t to) HWY_ATTR {
    hn::StoreU(sine, d, anchors.sines + to);
    hn::StoreU(cosine, d, anchors.cosines + to);
    if (floats == nullptr) return;
    hn::StoreU(hn::DemoteTo(df, sine), df, floats->sines + to);
    hn::StoreU(hn::DemoteTo(df, cosine), df, floats->cosines + to);
  };
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    const auto high = hn::LoadU(d, highs + at), low = hn::LoadU(d, lows + at);
    const auto phase = hn::Mul(hn::Abs(high), extent);
    const auto is_exempt = hn::Le(phase, hn::Set(d, limits.exempt));
    const auto limit = hn::DemoteTo(df, hn::IfThenZeroElse(is_exempt, hn::Set(d, limits.small)));
    if (interleaved) {
      hn::StoreU(Join<true>(limit, limit), Entries(), anchors.small + 2 * at);
    } else {
      hn::StoreU(limit, df, anchors.small + at);
    }
    if (floats != nullptr) {
      const auto error = hn::Min(hn::Mul(phase, error_of_phase), hn::Set(d, limits.float_error));
      hn::StoreU(hn::DemoteTo(df, error), df, floats->errors + at);
    }
    DoubleVec sine, cosine;
    SinCos(hn::Set(d, middle), high, low, 0.0, sine, cosine);
    if (half == 0) store(sine, cosine, at);
    std::size_t after = half * stride + at, before = after - stride, offset = at;
    for (std::size_t g = 0; g < half; ++g) {
      DoubleVec sine_after, cosine_after, sine_before, cosine_before;
      SumAndDifference(sine, cosine, offsets.From(offset), sine_after, cosine_after, sine_before,
                       cosine_before);
      store(sine_after, cosine_after, after);
      store(sine_before, cosine_before, before);
      after += stride;
      before -= stride;
      offset += 2 * padded;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // HWY_SCALAR

#endif  // POSENC_SRC_KERNEL_ANCHORS_INL_H_
