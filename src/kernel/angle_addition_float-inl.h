// bfloat16 rows need so few digits that angles can be added in float: each entry is computed with its error
// added and with it subtracted. Where both round to the same value, that is right; where not, angle addition
// in double decides. Included once per target.
#if defined(POSENC_SRC_KERNEL_ANGLE_ADDITION_FLOAT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ANGLE_ADDITION_FLOAT_INL_H_
#undef POSENC_SRC_KERNEL_ANGLE_ADDITION_FLOAT_INL_H_
#else
#define POSENC_SRC_KERNEL_ANGLE_ADDITION_FLOAT_INL_H_
#endif

#include "kernel/anchors-inl.h"
#include "number/compiler.h"
#include "hwy/highway.h"

#if HWY_TARGET != HWY_SCALAR

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr double kFloatError = HWY_NATIVE_FMA ? kFloatAngleAdditionError : kFloatAngleAdditionErrorWithoutFma;

// Anchors and offsets of a chunk, rounded to float, and the error of an added sine.
struct FloatAnchors {
  static constexpr std::size_t kChunkPairs = 256;
  static constexpr std::size_t kSize = kChunkPairs + hn::MaxLanes(Entries());

  HWY_ALIGN float errors[kSize];
  HWY_ALIGN float sines[kSize];
  HWY_ALIGN float cosines[kSize];
  HWY_ALIGN float offsets[kReach][2][kSize];
};

HWY_INLINE void RoundToFloats(const double* from, std::size_t count, float* to) {
  const Doubles d;
  const Floats df;
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    hn::StoreU(hn::DemoteTo(df, hn::LoadU(d, from + at)), df, to + at);
  }
}

// The offsets of the pairs from `begin` on.
inline HWY_NOINLINE void RoundOffsets(const FrequencyTable& table, const Run& run, std::size_t begin,
                                      std::size_t count, FloatAnchors& floats) {
  const Doubles d;
  constexpr double kRadians = 0x1.921fb6p0;  // in a quarter turn, rounded up
  const auto extent = hn::Set(d, kRadians * run.Extent());
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    const auto phase = hn::Mul(hn::Abs(hn::LoadU(d, table.high + begin + at)), extent);
    const auto error = hn::Mul(hn::Min(phase, hn::Set(d, 0.5)), hn::Set(d, 2 * kFloatError));
    hn::StoreU(hn::DemoteTo(Floats(), error), Floats(), floats.errors + at);
  }
  for (std::size_t k = 0; k < run.half; ++k) {
    const double* offset = table.offsets + 2 * k * table.padded + begin;
    RoundToFloats(offset, count, floats.offsets[k][0]);
    RoundToFloats(offset + table.padded, count, floats.offsets[k][1]);
  }
}

inline HWY_NOINLINE void RoundAnchors(const Anchors& anchors, bool middle, std::size_t count,
                                      FloatAnchors& floats) {
  RoundToFloats(middle ? anchors.middle_sines : anchors.sines, count, floats.sines);
  RoundToFloats(middle ? anchors.middle_cosines : anchors.cosines, count, floats.cosines);
}

HWY_INLINE WordVec Biased(EntryVec v) {
  const Words dw;
  return hn::Add(hn::BitCast(dw, v), hn::Set(dw, 0x8000));
}

// The bits in which `upper` and `lower` differ once rounded, above those that are dropped.
HWY_INLINE WordVec RoundBoth(EntryVec upper, EntryVec lower, WordVec& rounded) {
  rounded = Biased(upper);
  return hn::Xor(rounded, Biased(lower));
}

HWY_INLINE bool AnyInUpperHalf(WordVec v) {
  const Words dw;
  const auto upper = hn::Set(dw, 0xFFFF0000u);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return _mm512_test_epi32_mask(v.raw, upper.raw) != 0;
#else
  return !hn::AllTrue(dw, hn::Eq(hn::And(v, upper), hn::Zero(dw)));
#endif
}

// The entries of the pairs from `at` on of both rows, biased. True if the error matters to some.
HWY_INLINE bool MirroredFloatEntries(const MirroredFloats& angles, std::size_t at, WordVec& sine0,
                                     WordVec& cosine0, WordVec& sine1, WordVec& cosine1) {
  const Entries df;
  const auto s = hn::LoadU(df, angles.sines + at);
  const auto c = hn::LoadU(df, angles.cosines + at);
  const auto rc = hn::LoadU(df, angles.offset[0] + at);
  const auto rs = hn::LoadU(df, angles.offset[1] + at);
  const auto sine_error = hn::LoadU(df, angles.errors + at);
  const auto cosine_error = hn::Set(df, static_cast<float>(kFloatError));
  const auto s_upper = hn::MulAdd(s, rc, sine_error);
  const auto s_lower = hn::MulSub(s, rc, sine_error);
  const auto c_upper = hn::MulAdd(c, rc, cosine_error);
  const auto c_lower = hn::MulSub(c, rc, cosine_error);
  auto differ = RoundBoth(MinusProduct(c, rs, s_upper), MinusProduct(c, rs, s_lower), sine0);
  differ = hn::Or(differ, RoundBoth(hn::MulAdd(s, rs, c_upper), hn::MulAdd(s, rs, c_lower), cosine0));
  differ = hn::Or(differ, RoundBoth(hn::MulAdd(c, rs, s_upper), hn::MulAdd(c, rs, s_lower), sine1));
  differ = hn::Or(differ, RoundBoth(MinusProduct(s, rs, c_upper), MinusProduct(s, rs, c_lower), cosine1));
  return AnyInUpperHalf(differ);
}

// The upper halves of s and c as [s0 c0 s1 c1 ...].
HWY_INLINE void StoreInterleaved(WordVec s, WordVec c, std::uint16_t* to, bool stream) {
  const hn::ScalableTag<std::uint16_t> d16;
  if constexpr (kBigEndian) {
    StoreVector(d16, hn::OddEven(hn::BitCast(d16, hn::ShiftRight<16>(c)), hn::BitCast(d16, s)), to, stream);
  } else {
    StoreVector(d16, hn::OddEven(hn::BitCast(d16, c), hn::BitCast(d16, hn::ShiftRight<16>(s))), to, stream);
  }
}

HWY_INLINE void StoreUpperHalves(WordVec v, std::uint16_t* to, bool stream) {
  StoreLanes(WriteOperation<POSENC_BF16>(), Entries(), hn::BitCast(Entries(), v), nullptr, to, stream);
}

// The hot loop of bfloat16, which stops where doubles must decide.
template <bool kInterleaved>
HWY_NOINLINE std::size_t AngleAdditionFloatLoop(float /*scale*/, const Columns& columns,
                                                const MirroredAngles& angles, const MirroredRows& rows,
                                                bool stream, std::size_t i, std::size_t end) {
  const MirroredFloats p = angles.floats;
  const std::size_t begin = angles.begin;
  const std::size_t first = kInterleaved ? columns.sine_offset : 0;
  auto* to0 = reinterpret_cast<std::uint16_t*>(rows.row[0].to) + first;
  auto* to1 = reinterpret_cast<std::uint16_t*>(rows.row[1].to) + first;
  WordVec sine0, cosine0, sine1, cosine1;
  for (; i < end; i += hn::Lanes(Entries())) {
    if (HWY_UNLIKELY(MirroredFloatEntries(p, i - begin, sine0, cosine0, sine1, cosine1))) break;
    if constexpr (kInterleaved) {
      StoreInterleaved(sine0, cosine0, to0 + 2 * i, stream);
      StoreInterleaved(sine1, cosine1, to1 + 2 * i, stream);
    } else {
      StoreUpperHalves(sine0, to0 + columns.sine_offset + i, stream);
      StoreUpperHalves(cosine0, to0 + columns.cosine_offset + i, stream);
      StoreUpperHalves(sine1, to1 + columns.sine_offset + i, stream);
      StoreUpperHalves(cosine1, to1 + columns.cosine_offset + i, stream);
    }
  }
  return i;
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // HWY_SCALAR

#endif  // POSENC_SRC_KERNEL_ANGLE_ADDITION_FLOAT_INL_H_
