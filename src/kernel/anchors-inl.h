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
// More would not fit a small stack (23 KB).
constexpr std::size_t kMaxGroups = 4;
constexpr std::size_t kMaxChunkPairs = 512;
constexpr std::size_t kChunkAnchors = 1024;  // of all groups
static_assert(kChunkAnchors >= 2 * kMaxChunkPairs, "");

// Per pair: the limit below which entries are too small, and the sine and cosine at the anchor of each group,
// `stride` apart.
struct Anchors {
  static constexpr std::size_t kPad = 2 * hn::MaxLanes(Doubles());
  static constexpr std::size_t kSize = kMaxChunkPairs + kPad;

  std::size_t stride;
  HWY_ALIGN float limits[kSize];
  HWY_ALIGN float small[2 * kSize];  // the limits in the order of entries
  HWY_ALIGN double sines[kChunkAnchors + kMaxGroups * kPad];
  HWY_ALIGN double cosines[kChunkAnchors + kMaxGroups * kPad];
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
// that, in mirrored pairs too. Lanes whose phases stay within `exempt` quarter turns have no limit.
inline HWY_NOINLINE void MakeAnchors(const FrequencyTable& table, const Run& run, std::size_t begin,
                                     std::size_t count, double small, double exempt, Anchors& anchors) {
  const Doubles d;
  const Floats df;
  const double middle = (static_cast<double>(run.first) + run.Last()) / 2;
  const auto extent = hn::Set(d, run.Extent());
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    const std::size_t i = begin + at;
    const auto high = hn::LoadU(d, table.high + i);
    DoubleVec sine, cosine;
    SinCos(d, hn::Set(d, middle), high, hn::LoadU(d, table.low + i), 0.0, sine, cosine);
    const auto is_exempt = hn::Le(hn::Mul(hn::Abs(high), extent), hn::Set(d, exempt));
    hn::StoreU(hn::DemoteTo(df, hn::IfThenZeroElse(is_exempt, hn::Set(d, small))), df, anchors.limits + at);
    const auto store = [&](std::size_t g, DoubleVec s, DoubleVec c) HWY_ATTR {
      hn::StoreU(s, d, anchors.sines + g * anchors.stride + at);
      hn::StoreU(c, d, anchors.cosines + g * anchors.stride + at);
    };
    if (run.groups == 1) store(0, sine, cosine);
    for (std::size_t after = (run.groups + 1) / 2, step = kReach; after < run.groups; ++after, ++step) {
      DoubleVec sine_after, cosine_after, sine_before, cosine_before;
      SumAndDifference(sine, cosine, table.offsets + 2 * step * table.padded + i, table.padded, sine_after,
                       cosine_after, sine_before, cosine_before);
      store(after, sine_after, cosine_after);
      store(run.groups - 1 - after, sine_before, cosine_before);
    }
  }
}

// Puts limits in the order of entries: [l0 l0 l1 l1 ...], or the limits of two vectors of pairs.
template <bool kInterleaved>
HWY_INLINE void OrderLimits(std::size_t count, Anchors& anchors) {
  const Floats df;
  const std::size_t lanes = hn::Lanes(df);
  for (std::size_t at = 0; at < count; at += kInterleaved ? lanes : 2 * lanes) {
    const auto first = hn::LoadU(df, anchors.limits + at);
    const auto second = kInterleaved ? first : hn::LoadU(df, anchors.limits + at + lanes);
    hn::StoreU(Join<kInterleaved>(first, second), Entries(), anchors.small + 2 * at);
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
  const float* limits;
  const double* offset;
  std::size_t padded;
  MirroredFloats floats;  // if angles are added in float
};

struct MirroredRows {
  Row row[2];
  const unsigned char* next[2];  // that memory is asked for
};

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // HWY_SCALAR

#endif  // POSENC_SRC_KERNEL_ANCHORS_INL_H_
