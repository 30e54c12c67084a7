// Storing rounded entries: written, or added to a source, as float, bfloat16 or float16; and the conversions
// between these types. Included once per target.
//
// With AVX-512 and with SSE4, conversions of all 2^32 floats and of all float16 numbers were compared with
// the compiler's. None differs.
#if defined(POSENC_SRC_KERNEL_STORE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_STORE_INL_H_
#undef POSENC_SRC_KERNEL_STORE_INL_H_
#else
#define POSENC_SRC_KERNEL_STORE_INL_H_
#endif

#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernel/rows.h"
#include "kernel/simd-inl.h"
#include "number/cache_size.h"
#include "number/elements.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// out = PE, rounded to the stored type.
template <posenc_type kStored>
struct WriteOperation {
  static constexpr posenc_type kType = kStored;
  static constexpr posenc_type kFormat = kStored;  // that entries are rounded to
  static constexpr bool kReads = false;
  float scale = 1.0f;  // not used
};

// out = source * scale + PE: in float, product and sum rounded, then rounded to the stored type. PE is
// rounded to float.
template <posenc_type kStored>
struct AddOperation {
  static constexpr posenc_type kType = kStored;
  static constexpr posenc_type kFormat = POSENC_F32;
  static constexpr bool kReads = true;
  float scale;
};

// The type of the elements that an operation stores.
template <class Operation>
using Stored = ElementOf<Operation::kType>;

// Float16 numbers as floats, exactly. NaNs stay NaNs.
template <class DF>
HWY_INLINE hn::Vec<DF> FromFloat16(DF df, hn::Vec<hn::Rebind<std::uint16_t, DF>> half) {
  if constexpr (kHasFloat16) return hn::PromoteTo(df, hn::BitCast(hn::Rebind<hwy::float16_t, DF>(), half));
  const hn::RebindToUnsigned<DF> du;
  const hn::Rebind<std::int16_t, DF> d16;
  const auto bits = hn::BitCast(du, hn::PromoteTo(hn::RebindToSigned<DF>(), hn::BitCast(d16, half)));
  const auto sign = hn::And(bits, hn::Set(du, 0x80000000u));
  // Shifted by 13 bits, and with 224 added to its exponent, a normal number v becomes 2^112 v, so a product
  // with 2^-112 is v. Infinities and NaNs stay infinities and NaNs. A zero or a subnormal number v becomes
  // 2^97 + 2^111 v, so a product with 2^-111, minus 2^-14, is v. A formula that does not give v gives more.
  // No float is subnormal on the way.
  const auto digits = hn::And(hn::ShiftLeft<13>(bits), hn::Set(du, 0x0FFFE000));
  const auto scaled = hn::BitCast(df, hn::Add(digits, hn::Set(du, 224u << 23)));
  const auto small = hn::Sub(hn::Mul(scaled, hn::Set(df, 0x1p-111f)), hn::Set(df, 0x1p-14f));
  const auto value = hn::Min(small, hn::Mul(scaled, hn::Set(df, 0x1p-112f)));
  return hn::BitCast(df, hn::Or(sign, hn::BitCast(du, value)));
}

// A vector of elements as floats, exactly.
template <posenc_type kType, class DF>
HWY_INLINE hn::Vec<DF> LoadAsFloat(DF df, const ElementOf<kType>* from) {
  if constexpr (kType == POSENC_F32) {
    return hn::LoadU(df, from);
  } else {
    const hn::Rebind<std::uint16_t, DF> d16;
    const auto bits = hn::LoadU(d16, from);
    if constexpr (kType == POSENC_BF16) {
      return hn::BitCast(df, hn::ShiftLeft<16>(hn::PromoteTo(hn::RebindToUnsigned<DF>(), bits)));
    } else {
      static_assert(kType == POSENC_F16);
      return FromFloat16(df, bits);
    }
  }
}

// Floats rounded to bfloat16 here, and to float16 below: to nearest, ties to even. Results lie in the low
// half of each lane, whose high half is 0. NaNs become the canonical one, kNanBits.
template <class DF>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<DF>> RoundToBFloat16(DF /*df*/, hn::Vec<DF> v) {
  const hn::RebindToUnsigned<DF> du;
  const auto bits = hn::BitCast(du, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, odd), hn::Set(du, 0x7FFF)));
  return hn::IfThenElse(hn::RebindMask(du, hn::Eq(v, v)), rounded, hn::Set(du, kNanBits<POSENC_BF16>));
}

template <class DF>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<DF>> RoundToFloat16(DF df, hn::Vec<DF> v) {
  const hn::RebindToUnsigned<DF> du;
  const auto bits = hn::BitCast(du, v);
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 0x8000));
  const auto magnitude = hn::Abs(v);
  const auto digits = hn::BitCast(du, magnitude);
  const auto odd = hn::And(hn::ShiftRight<13>(digits), hn::Set(du, 1));
  const auto normal =
      hn::ShiftRight<13>(hn::Sub(hn::Add(digits, hn::Add(odd, hn::Set(du, 0xFFF))), hn::Set(du, 112u << 23)));
  // Adding 1/2, whose last place is 2^-24, rounds a magnitude below 2^-14 to float16's subnormal numbers.
  const auto half = hn::Set(df, 0.5f);
  const auto subnormal = hn::Sub(hn::BitCast(du, hn::Add(magnitude, half)), hn::BitCast(du, half));
  auto result =
      hn::IfThenElse(hn::RebindMask(du, hn::Lt(magnitude, hn::Set(df, 0x1p-14f))), subnormal, normal);
  result = hn::IfThenElse(hn::RebindMask(du, hn::Ge(magnitude, hn::Set(df, 65520.0f))), hn::Set(du, 0x7C00),
                          result);
  return hn::IfThenElse(hn::RebindMask(du, hn::Eq(v, v)), hn::Or(result, sign),
                        hn::Set(du, kNanBits<POSENC_F16>));
}

// ToFloat16 is `RoundToFloat16` in vectors of 16 bits, where NaNs may have other bits. Float16Bits returns
// words again.
template <class DF>
HWY_INLINE hn::Vec<hn::Rebind<std::uint16_t, DF>> ToFloat16(DF df, hn::Vec<DF> v) {
  if constexpr (!kHasFloat16) return NarrowTo16(df, RoundToFloat16(df, v));
  return hn::BitCast(hn::Rebind<std::uint16_t, DF>(), hn::DemoteTo(hn::Rebind<hwy::float16_t, DF>(), v));
}
template <class DF>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<DF>> Float16Bits(DF df, hn::Vec<DF> v) {
  if constexpr (!kHasFloat16) return RoundToFloat16(df, v);
  return hn::PromoteTo(hn::RebindToUnsigned<DF>(), ToFloat16(df, v));
}

// The bits of a vector of floats rounded to the type, in the low half of each word for 16-bit types. NaNs may
// have other bits than the canonical one.
template <posenc_type kType, class DF>
HWY_INLINE WordsAs<DF> RoundPlainly(DF df, hn::Vec<DF> v) {
  if constexpr (kType == POSENC_F32) {
    return hn::BitCast(hn::RebindToUnsigned<DF>(), v);
  } else if constexpr (kType == POSENC_BF16) {
    return RoundToBFloat16(df, v);
  } else {
    static_assert(kType == POSENC_F16);
    return Float16Bits(df, v);
  }
}

// v with NaNs replaced by the canonical one.
template <class DF>
HWY_INLINE hn::Vec<DF> WithCanonicalNans(DF df, hn::Vec<DF> v) {
  const auto nan = hn::BitCast(df, hn::Set(hn::RebindToUnsigned<DF>(), kNanBits<POSENC_F32>));
  return hn::IfThenElse(hn::Eq(v, v), v, nan);
}

// The address of the source of row r. It may lie beyond the block if there are no sources.
HWY_INLINE std::uintptr_t SourceAddress(const Rows& rows, std::size_t element_size, std::size_t r) {
  if (rows.sources != nullptr) return AddressOf(rows.sources[r]);
  return AddressOf(rows.data) + r * rows.stride * element_size;
}

// Whether all rows lie at multiples of the element's size, so that vectors may access them. Others are
// accessed an element at a time.
HWY_INLINE bool IsAligned(const Rows& rows, std::size_t element_size) {
  std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(rows.data);
  if (rows.sources != nullptr) {
    for (std::size_t r = 0; r < rows.at.count; ++r) bits |= reinterpret_cast<std::uintptr_t>(rows.sources[r]);
  }
  return (bits & (element_size - 1)) == 0;
}

// Whether to prefetch the lines of a row that is written, kWriteAhead of the vector: if vectors straddle
// lines.
HWY_INLINE bool Prefetches(const void* row, bool stream) {
  return !stream && reinterpret_cast<std::uintptr_t>(row) % HWY_MIN(HWY_MAX_BYTES, 64) != 0;
}

// The low halves of words.
template <class DF>
HWY_INLINE void StoreNarrow(DF df, hn::Vec<hn::RebindToUnsigned<DF>> bits, std::uint16_t* to, bool stream) {
  StoreVector(hn::Rebind<std::uint16_t, DF>(), NarrowTo16(df, bits), to, stream);
}

// Writes or adds one vector of entries: to [lanes] = entries, or from [lanes] * scale + entries. Entries of a
// 16-bit format are odd floats, or numbers of the type.
template <class Operation, class DF>
HWY_INLINE void StoreLanes(const Operation& operation, DF df, hn::Vec<DF> entries,
                           const Stored<Operation>* from, Stored<Operation>* to, bool stream) {
  if constexpr (Operation::kReads) {
    entries =
        hn::Add(hn::Mul(LoadAsFloat<Operation::kType>(df, from), hn::Set(df, operation.scale)), entries);
  }
  if constexpr (Operation::kType == POSENC_F32) {
    StoreVector(df, entries, to, stream);
  } else {
    const hn::RebindToUnsigned<DF> du;
    if constexpr (Operation::kType == POSENC_F16) {
      if constexpr (Operation::kReads && kHasFloat16) entries = WithCanonicalNans(df, entries);
      StoreVector(hn::Rebind<std::uint16_t, DF>(), ToFloat16(df, entries), to, stream);
    } else {
      static_assert(Operation::kType == POSENC_BF16);
      // Odd floats and bfloat16 values are no midpoints: adding half a place rounds them.
      const auto bits = Operation::kReads
                            ? RoundToBFloat16(df, entries)
                            : hn::ShiftRight<16>(hn::Add(hn::BitCast(du, entries), hn::Set(du, 0x8000)));
      StoreNarrow(df, bits, to, stream);
    }
  }
}

// Writes or adds one vector of entries that `RoundAdded` made.
template <class Operation>
HWY_INLINE void StoreAdded(const Operation& operation, EntryVec entries, const Stored<Operation>* from,
                           Stored<Operation>* to, bool stream) {
  const Words dw;
  if constexpr (Operation::kType == POSENC_BF16 && !Operation::kReads) {
    return StoreNarrow(Entries(), hn::ShiftRight<16>(hn::BitCast(dw, entries)), to, stream);
  }
  if constexpr (Operation::kType == POSENC_F16 && !Operation::kReads && !kHasFloat16) {
    // These are normal numbers and 0, and none is a midpoint.
    const hn::RebindToSigned<Words> di;
    const auto words = hn::BitCast(dw, entries);
    const auto magnitude = hn::BitCast(di, hn::And(words, hn::Set(dw, 0x7FFFFFFF)));
    const auto biased = hn::Add(magnitude, hn::Set(di, 0x1000 - (112 << 23)));
    const auto digits = hn::ShiftRight<13>(hn::BitCast(dw, hn::Max(biased, hn::Zero(di))));
    const auto sign = hn::And(hn::ShiftRight<16>(words), hn::Set(dw, 0x8000));
    return StoreNarrow(Entries(), hn::Or(digits, sign), to, stream);
  }
  StoreLanes(operation, Entries(), entries, from, to, stream);
}

// A vector of entries, from the `at`-th of `order` on.
HWY_INLINE hn::Vec<hn::ScalableTag<float>> LoadEntries(const float* entries, EntryOrder order,
                                                       std::size_t at) {
  const hn::ScalableTag<float> df;
  if constexpr (!kHasVectors) return hn::LoadU(df, entries + order[at]);
  const auto first = hn::LoadU(df, entries + at * order.step);
  if (order.step == 1) return order.flip == 0 ? first : hn::Reverse2(df, first);
  const auto second = hn::LoadU(df, entries + at * order.step + hn::Lanes(df));
  return EveryOther(order.flip != 0, first, second);
}

// Writes or adds `count` entries in some order, in vectors if elements are aligned; the rest one by one.
template <class Operation>
HWY_NOINLINE void StoreRun(float scale, const float* entries, EntryOrder order, std::size_t count, Row row,
                           bool aligned, bool stream) {
  using Element = Stored<Operation>;
  const Operation operation{scale};
  const auto* source = reinterpret_cast<const Element*>(row.from);
  auto* out = reinterpret_cast<Element*>(row.to);
  const hn::ScalableTag<float> df;
  std::size_t at = 0;
  if (aligned) {
    for (; at + hn::Lanes(df) <= count; at += hn::Lanes(df)) {
      StoreLanes(operation, df, LoadEntries(entries, order, at), source + at, out + at, stream);
    }
    const Floats half;
    if (kHasVectors && order.step == 2 && at + hn::Lanes(half) <= count) {
      const auto both = hn::LoadU(df, entries + 2 * at);
      const auto taken = HalfOf<false>(EveryOther(order.flip != 0, both, both));
      StoreLanes(operation, half, taken, source + at, out + at, stream);
      at += hn::Lanes(half);
    }
  }
  StoreEntries(Operation::kType, entries, order, at, count, Operation::kReads ? &operation.scale : nullptr,
               row);
}

// to [count] = from [count], as floats, exactly.
template <posenc_type kType>
void Widen(const void* from, std::size_t count, void* to) {
  const hn::ScalableTag<float> df;
  const auto* source = static_cast<const ElementOf<kType>*>(from);
  auto* out = static_cast<float*>(to);
  std::size_t at = 0;
  if (reinterpret_cast<std::uintptr_t>(from) % sizeof(*source) == 0 &&
      reinterpret_cast<std::uintptr_t>(to) % sizeof(*out) == 0) {
    for (; at + hn::Lanes(df) <= count; at += hn::Lanes(df)) {
      hn::StoreU(LoadAsFloat<kType>(df, source + at), df, out + at);
    }
  }
  WidenEntries<kType>(static_cast<const unsigned char*>(from) + at * sizeof(*source), count - at,
                      static_cast<unsigned char*>(to) + at * sizeof(*out));
}

#if HWY_TARGET != HWY_SCALAR

// One 16-bit element for each lane of Entries.
using HalfVec = hn::Vec<hn::Rebind<std::uint16_t, Entries>>;

// Stores the upper halves of s and c as [s0 c0 s1 c1 ...].
HWY_INLINE void StoreInterleaved(WordVec s, WordVec c, std::uint16_t* to, bool stream) {
  const hn::ScalableTag<std::uint16_t> d16;
  if constexpr (kBigEndian) {
    StoreVector(d16, hn::OddEven(hn::BitCast(d16, hn::ShiftRight<16>(c)), hn::BitCast(d16, s)), to, stream);
  } else {
    StoreVector(d16, hn::OddEven(hn::BitCast(d16, c), hn::BitCast(d16, hn::ShiftRight<16>(s))), to, stream);
  }
}

// Stores the upper halves of words, one behind the other.
HWY_INLINE void StoreNarrow(WordVec upper_halves, std::uint16_t* to, bool stream) {
  StoreNarrow(Entries(), hn::ShiftRight<16>(upper_halves), to, stream);
}

HWY_INLINE void StoreInterleaved(HalfVec s, HalfVec c, std::uint16_t* to, bool stream) {
  const Words dw;
  const hn::ScalableTag<std::uint16_t> d16;
  const auto words = hn::Or(hn::PromoteTo(dw, s), hn::ShiftLeft<16>(hn::PromoteTo(dw, c)));
  StoreVector(d16, hn::BitCast(d16, words), to, stream);
}

HWY_INLINE void StoreNarrow(HalfVec v, std::uint16_t* to, bool stream) {
  StoreVector(hn::Rebind<std::uint16_t, Entries>(), v, to, stream);
}

// The bits of rotated float16 without their signs, cut out of sums with their window's bias: the exponent's
// bias of 127 becomes 15. They are too large if the float16 is infinite.
HWY_INLINE hn::Vec<hn::RebindToSigned<Words>> CutMagnitudes(WordVec biased) {
  const auto magnitude = hn::ShiftRight<13>(hn::And(biased, hn::Set(Words(), 0x7FFFFFFFu)));
  return hn::BitCast(hn::RebindToSigned<Words>(), hn::Sub(magnitude, hn::Set(Words(), 112u << 10)));
}

// Stores two vectors of rotated float16, without instructions for float16.
HWY_INLINE void StoreCut(WordVec first, std::uint16_t* to_first, WordVec second, std::uint16_t* to_second) {
  const hn::RebindToSigned<Words> di;
  const hn::Rebind<std::uint16_t, Entries> half;
  if constexpr (kHasSse4) {  // both at once: these packs keep the order, and saturate
    const hn::Repartition<std::int16_t, Words> d16;
    const auto magnitudes = hn::ReorderDemote2To(d16, CutMagnitudes(first), CutMagnitudes(second));
    const auto signs = hn::ReorderDemote2To(d16, hn::BitCast(di, first), hn::BitCast(di, second));
    const auto bits = hn::Or(hn::Min(magnitudes, hn::Set(d16, std::int16_t{0x7C00})),
                             hn::And(signs, hn::Set(d16, std::int16_t{-0x8000})));
    const auto both = hn::BitCast(hn::Repartition<std::uint16_t, Words>(), bits);
    hn::StoreU(hn::LowerHalf(half, both), half, to_first);
    hn::StoreU(hn::UpperHalf(half, both), half, to_second);
  } else {
    const auto store = [&](WordVec biased, std::uint16_t* to) POSENC_INLINE_LAMBDA {
      const auto sign = hn::And(hn::ShiftRight<16>(biased), hn::Set(Words(), 0x8000u));
      const auto bits = hn::Or(hn::Min(CutMagnitudes(biased), hn::Set(di, 0x7C00)), hn::BitCast(di, sign));
      hn::StoreU(hn::DemoteTo(half, bits), half, to);
    };
    store(first, to_first);
    store(second, to_second);
  }
}

// Stores two vectors of sums, rounded to the type. Sums of undecided lanes are stored again when they are
// resolved. A bfloat16 is the upper half of `biased`. Without instructions for float16, a float16 is cut out
// of `biased` too.
template <posenc_type kType>
HWY_INLINE void StoreSums(EntryVec first, WordVec first_biased, ElementOf<kType>* to_first, EntryVec second,
                          WordVec second_biased, ElementOf<kType>* to_second) {
  const Entries df;
  if constexpr (kType == POSENC_F32) {
    hn::StoreU(first, df, to_first);
    hn::StoreU(second, df, to_second);
  } else {
    const hn::Rebind<std::uint16_t, Entries> d16;
    if constexpr (kType == POSENC_BF16) {
      hn::StoreU(NarrowTo16(df, hn::ShiftRight<16>(first_biased)), d16, to_first);
      hn::StoreU(NarrowTo16(df, hn::ShiftRight<16>(second_biased)), d16, to_second);
    } else {
      static_assert(kType == POSENC_F16);
      if (!kHasFloat16) return StoreCut(first_biased, to_first, second_biased, to_second);
      hn::StoreU(ToFloat16(df, first), d16, to_first);
      hn::StoreU(ToFloat16(df, second), d16, to_second);
    }
  }
}

// Stores the upper halves of two vectors of words, one vector behind the other.
HWY_INLINE void StoreUpperHalves(WordVec first, WordVec second, std::uint16_t* to) {
  const hn::Repartition<std::uint16_t, Words> d16;
  const auto a = hn::BitCast(d16, first), b = hn::BitCast(d16, second);
  hn::StoreU(kBigEndian ? hn::ConcatEven(d16, b, a) : hn::ConcatOdd(d16, b, a), d16, to);
}

// Stores words of two bfloat16 to an address that need not be aligned.
HWY_INLINE void StoreWords(WordVec words, std::uint16_t* to) {
  const hn::Repartition<std::uint16_t, Words> d16;
  hn::StoreU(hn::BitCast(d16, words), d16, to);
}

// Copies each row to all its places (rows.h) by streaming stores. Rows are whole cache lines, of 64 bytes,
// and places begin at lines.
inline HWY_NOINLINE void StreamCopies(const Copies& copies) {
  copies.ForEach([&](const unsigned char* from, unsigned char* to) HWY_ATTR {
    const hn::CappedTag<std::uint8_t, 64> d;  // so that whole vectors fill a line
    for (std::size_t at = 0; at < copies.bytes; at += hn::Lanes(d)) {
      hn::Stream(hn::LoadU(d, from + at), d, to + at);
    }
  });
  hwy::FlushStream();
}

#endif  // HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_STORE_INL_H_
