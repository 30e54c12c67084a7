// What the rotations start from: the rotations of each pair to the rows of a group, and the anchors of groups
// (rotate-inl.h). Included once per target.
#if defined(POSENC_SRC_ANCHORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_ANCHORS_INL_H_
#undef POSENC_SRC_ANCHORS_INL_H_
#else
#define POSENC_SRC_ANCHORS_INL_H_
#endif

#include "direct-inl.h"
#include "hwy/highway.h"

#if HWY_TARGET != HWY_SCALAR

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Groups that share a direct evaluation.
constexpr std::size_t kMaxGroups = 4;

// Pairs that pass together: the longest run of memory in a row that is worth its anchors on the stack (41
// KB).
constexpr std::size_t kChunkPairs = 512;

// Per pair: the limit below which entries are too small, as two floats; then sine and cosine at the anchor of
// each group.
struct Anchors {
  static constexpr std::size_t kSize = kChunkPairs + 2 * hn::MaxLanes(Doubles());

  HWY_ALIGN float small[2 * kSize];
  HWY_ALIGN double sines[kMaxGroups][kSize];
  HWY_ALIGN double cosines[kMaxGroups][kSize];
};

// To the rows of a group, then from the middle of a run to its groups' anchors.
HWY_INLINE double RotationSteps(std::size_t k) {
  return k < kReach ? static_cast<double>(k) + 0.5 : static_cast<double>((2 * (k - kReach) + 1) * kReach);
}

HWY_NOINLINE void MakeRotations(const FrequencyTable& table, double* rotations) {
  const Doubles d;
  DoubleVec sine, cosine;
  for (std::size_t i = 0; i < table.count; i += hn::Lanes(d)) {
    const auto high = hn::LoadU(d, table.high + i);
    const auto low = hn::LoadU(d, table.low + i);
    for (std::size_t k = 0; k < kRotations; ++k) {
      SinCos(d, hn::Set(d, RotationSteps(k)), high, low, sine, cosine);
      hn::StoreU(cosine, d, rotations + 2 * k * table.padded + i);
      hn::StoreU(sine, d, rotations + (2 * k + 1) * table.padded + i);
    }
  }
}

// e^(i anchor) * e^(+-i rotation), with the rotation's cosines and sines at `rotation` and `padded` further
// on.
HWY_INLINE void Rotate(DoubleVec sine, DoubleVec cosine, const double* rotation, std::size_t padded,
                       DoubleVec& sine_plus, DoubleVec& cosine_plus, DoubleVec& sine_minus,
                       DoubleVec& cosine_minus) {
  const Doubles d;
  const auto c = hn::LoadU(d, rotation);
  const auto s = hn::LoadU(d, rotation + padded);
  const auto sc = hn::Mul(sine, c);
  const auto cc = hn::Mul(cosine, c);
  sine_plus = hn::MulAdd(cosine, s, sc);
  sine_minus = MinusProduct(cosine, s, sc);
  cosine_plus = MinusProduct(sine, s, cc);
  cosine_minus = hn::MulAdd(sine, s, cc);
}

// Consecutive rows of one sign, in 1, 2 or 4 groups of 2 * half rows; half is kReach if there are several.
struct Run {
  std::int64_t first;
  std::size_t begin;  // the row of `first`
  std::size_t groups;
  std::size_t half;

  std::size_t count() const { return groups * 2 * half; }
  // Row pairs in the order of their rotation: group by group, from its middle outwards.
  std::size_t After(std::size_t n) const { return (2 * (n / half) + 1) * half + n % half; }
  std::size_t Before(std::size_t n) const { return (2 * (n / half) + 1) * half - 1 - n % half; }

  double Last() const { return static_cast<double>(first) + static_cast<double>(count() - 1); }
  double Extent() const {
    return first < 0 ? -static_cast<double>(first) : Last();
  }  // the largest |position|
};

// From the sine and cosine at the middle of a run to those of its groups.
HWY_INLINE void StoreAnchors(DoubleVec sine, DoubleVec cosine, std::size_t groups, const double* rotation,
                             std::size_t padded, std::size_t at, Anchors& anchors) {
  const Doubles d;
  if (groups == 1) {
    hn::StoreU(sine, d, anchors.sines[0] + at);
    hn::StoreU(cosine, d, anchors.cosines[0] + at);
    return;
  }
  for (std::size_t g = groups / 2; g < groups; ++g, rotation += 2 * padded) {
    DoubleVec s1, c1, s2, c2;
    Rotate(sine, cosine, rotation, padded, s1, c1, s2, c2);
    hn::StoreU(s1, d, anchors.sines[g] + at);
    hn::StoreU(c1, d, anchors.cosines[g] + at);
    hn::StoreU(s2, d, anchors.sines[groups - 1 - g] + at);
    hn::StoreU(c2, d, anchors.cosines[groups - 1 - g] + at);
  }
}

// The anchors of the pairs from `begin` on: two vectors of pairs at a time, since halves take limits so.
template <bool kInterleaved, ElementType kFormat>
HWY_INLINE void MakeAnchors(const FrequencyTable& table, const Run& run, std::size_t begin, std::size_t count,
                            Anchors& anchors) {
  const Doubles d;
  const Floats df;
  const std::size_t lanes = hn::Lanes(d);
  const double middle = (static_cast<double>(run.first) + run.Last()) / 2;
  const auto extent = hn::Set(d, run.Extent());
  // For float16 no lane is exempt but those of frequency 0, since what it rounds below 2^-14 is subnormal.
  const auto exempt = hn::Set(d, kFormat == kFloat16 ? 0.0 : kExemptQuarterTurns);
  for (std::size_t at = 0; at < count; at += 2 * lanes) {
    for (std::size_t b = 0; b < 2; ++b) {
      const std::size_t i = at + b * lanes;
      const auto high = hn::LoadU(d, table.high + begin + i);
      DoubleVec sine, cosine;
      SinCos(d, hn::Set(d, middle), high, hn::LoadU(d, table.low + begin + i), sine, cosine);
      const auto is_exempt = hn::Le(hn::Mul(hn::Abs(high), extent), exempt);
      const auto limit =
          hn::DemoteTo(df, hn::IfThenZeroElse(is_exempt, hn::Set(d, kRotatedTest<kFormat>.small)));
      if constexpr (kInterleaved) {
        hn::StoreU(Join<true>(limit, limit), Entries(), anchors.small + 2 * i);
      } else {
        hn::StoreU(limit, df, anchors.small + at + i);  // in the order of Join<false>
      }
      StoreAnchors(sine, cosine, run.groups, table.rotations + 2 * kReach * table.padded + begin + i,
                   table.padded, i, anchors);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // HWY_SCALAR

#endif  // POSENC_SRC_ANCHORS_INL_H_
