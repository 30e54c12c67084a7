// What angle addition starts from: the offsets of each pair, to the rows of a group, and the anchors of
// groups (angle_addition-inl.h). Included once per target.
#if defined(POSENC_SRC_KERNEL_ANCHORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ANCHORS_INL_H_
#undef POSENC_SRC_KERNEL_ANCHORS_INL_H_
#else
#define POSENC_SRC_KERNEL_ANCHORS_INL_H_
#endif

#include "kernel/direct-inl.h"
#include "hwy/highway.h"

#if HWY_TARGET != HWY_SCALAR

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Groups that share a direct evaluation, and the pairs that pass together, a chunk: few for many groups,
// whose anchors then stay in the first-level cache; many for few, where longer parts of rows are worth more.
// More would not fit a small stack (22 KB).
constexpr std::size_t kMaxGroups = 4;
constexpr std::size_t kMaxChunkPairs = 512;
constexpr std::size_t kChunkAnchors = 1024;  // of all groups

// Per pair: the limit below which entries are too small, in the order of entries, and the sine and cosine at
// the anchor of each group, `stride` apart.
struct Anchors {
  static constexpr std::size_t kPad = 2 * kMostLanes<Doubles>;
  static constexpr std::size_t kSize = kMaxChunkPairs + kPad;

  std::size_t stride;
  HWY_ALIGN float small[2 * kSize];
  HWY_ALIGN double sines[kChunkAnchors + kMaxGroups * kPad];
  HWY_ALIGN double cosines[kChunkAnchors + kMaxGroups * kPad];
};

// Where angles are added in float: the errors of added sines, and the anchors, rounded.
struct FloatAnchors {
  HWY_ALIGN float errors[kMaxChunkPairs + kMostLanes<Entries>];
  HWY_ALIGN float sines[sizeof(Anchors::sines) / sizeof(double)];
  HWY_ALIGN float cosines[sizeof(Anchors::cosines) / sizeof(double)];
};

// What a type and a layout ask of anchors.
struct Limits {
  double small;        // entries below it are flagged,
  double exempt;       // but those whose phases stay within so many quarter turns
  double float_error;  // of sines added in float
  bool interleaved;    // is the order of entries
};

// To the rows of a group, then from the middle of a run to its groups' anchors.
HWY_INLINE double OffsetOf(std::size_t k) {
  return k < kReach ? static_cast<double>(k) + 0.5 : static_cast<double>((2 * (k - kReach) + 1) * kReach);
}

inline HWY_NOINLINE void FillOffsets(const FrequencyTable& table) {
  const Doubles d;
  const Floats df;
  DoubleVec sine, cosine;
  for (std::size_t i = 0; i < table.count; i += hn::Lanes(d)) {
    const auto high = hn::LoadU(d, table.high + i);
    const auto low = hn::LoadU(d, table.low + i);
    for (std::size_t k = 0; k < kOffsets; ++k) {
      SinCos(d, hn::Set(d, OffsetOf(k)), high, low, 0.0, sine, cosine);
      const std::size_t cosines = 2 * k * table.padded + i, sines = cosines + table.padded;
      hn::StoreU(cosine, d, table.offsets + cosines);
      hn::StoreU(sine, d, table.offsets + sines);
      if (k >= kReach) continue;
      hn::StoreU(hn::DemoteTo(df, cosine), df, table.float_offsets + cosines);
      hn::StoreU(hn::DemoteTo(df, sine), df, table.float_offsets + sines);
    }
  }
}

// e^(i anchor) * e^(+-i offset), with the offset's cosines and sines at `offset` and `padded` further
// on.
HWY_INLINE void SumAndDifference(DoubleVec sine, DoubleVec cosine, const double* offset, std::size_t padded,
                                 DoubleVec& sine_plus, DoubleVec& cosine_plus, DoubleVec& sine_minus,
                                 DoubleVec& cosine_minus) {
  const Doubles d;
  const auto c = hn::LoadU(d, offset);
  const auto s = hn::LoadU(d, offset + padded);
  const auto sc = hn::Mul(sine, c);
  const auto cc = hn::Mul(cosine, c);
  sine_plus = hn::MulAdd(cosine, s, sc);
  sine_minus = MinusProduct(cosine, s, sc);
  cosine_plus = MinusProduct(sine, s, cc);
  cosine_minus = hn::MulAdd(sine, s, cc);
}

// Consecutive rows, in 1, 2 or 4 groups of 2 * half rows; half is kReach if there are several.
struct Run {
  std::int64_t first;
  std::size_t begin;  // the row of `first`
  std::size_t groups;
  std::size_t half;

  std::size_t count() const { return groups * 2 * half; }
  // The mirrored rows of group g with k rows between them and its anchor.
  std::size_t After(std::size_t g, std::size_t k) const { return (2 * g + 1) * half + k; }
  std::size_t Before(std::size_t g, std::size_t k) const { return (2 * g + 1) * half - 1 - k; }

  double Last() const { return static_cast<double>(first) + static_cast<double>(count() - 1); }
  double Extent() const { return HWY_MAX(-static_cast<double>(first), Last()); }  // the largest |position|
};

// The longest run of no more than `count` rows from row `begin` on; of no rows if there is but one.
HWY_INLINE Run LongestRun(std::int64_t first, std::size_t begin, std::size_t count, std::size_t max_groups) {
  Run run = {first, begin, max_groups, HWY_MIN(kReach, count / 2)};
  while (run.groups > 1 && run.groups * 2 * kReach > count) run.groups /= 2;
  return run;
}

// The anchors of a run, for the pairs from `begin` on: its middle, or, of several groups, those added up from
// that, in mirrored pairs too. `floats` is null if angles are added in double.
inline HWY_NOINLINE void MakeAnchors(const FrequencyTable& table, const Run& run, const Limits& limits,
                                     std::size_t begin, std::size_t count, Anchors& anchors,
                                     FloatAnchors* floats) {
  const Doubles d;
  const Floats df;
  const double middle = (static_cast<double>(run.first) + run.Last()) / 2;
  const auto extent = hn::Set(d, run.Extent());
  constexpr double kRadians = 0x1.921fb6p0;  // in a quarter turn, rounded up
  const auto error_of_phase = hn::Set(d, 2 * kRadians * limits.float_error);
  // Copies, which stores cannot change.
  const double *highs = table.high + begin, *lows = table.low + begin;
  const std::size_t padded = table.padded, stride = anchors.stride, half = run.groups / 2;
  const double* offsets = table.offsets + 2 * kReach * padded + begin;
  const bool interleaved = limits.interleaved;
  const auto store = [&](DoubleVec sine, DoubleVec cosine, std::size_t to) HWY_ATTR {
    hn::StoreU(sine, d, anchors.sines + to);
    hn::StoreU(cosine, d, anchors.cosines + to);
    if (floats == nullptr) return;
    hn::StoreU(hn::DemoteTo(df, sine), df, floats->sines + to);
    hn::StoreU(hn::DemoteTo(df, cosine), df, floats->cosines + to);
  };
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    const auto high = hn::LoadU(d, highs + at);
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
    SinCos(d, hn::Set(d, middle), high, hn::LoadU(d, lows + at), 0.0, sine, cosine);
    if (half == 0) store(sine, cosine, at);
    std::size_t after = half * stride + at, before = after - stride, offset = at;
    for (std::size_t g = 0; g < half; ++g) {
      DoubleVec sine_after, cosine_after, sine_before, cosine_before;
      SumAndDifference(sine, cosine, offsets + offset, padded, sine_after, cosine_after, sine_before,
                       cosine_before);
      store(sine_after, cosine_after, after);
      store(sine_before, cosine_before, before);
      after += stride;
      before -= stride;
      offset += 2 * padded;
    }
  }
}

// What angles are added from in float; the arrays start at the chunk's first pair.
struct MirroredFloats {
  const float* errors;
  const float* sines;
  const float* cosines;
  const float* offset[2];
};

// The positions of mirrored rows, before and after their anchor, and what their entries are added from: the
// arrays start at the chunk's first pair.
struct MirroredAngles {
  std::int64_t position[2];
  std::size_t begin;  // the chunk's first pair
  const double* sines;
  const double* cosines;
  const float* small;
  const double* offset;
  std::size_t padded;
  MirroredFloats floats;  // if angles are added in float
};

struct MirroredRows {
  Row row[2];
  const unsigned char* next[2];  // that are prefetched
  NextRowPrefetch prefetch;
};

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // HWY_SCALAR

#endif  // POSENC_SRC_KERNEL_ANCHORS_INL_H_
