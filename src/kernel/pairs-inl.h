// Pairs of a head's elements as vectors of floats: loads and stores in either pairing. Included once per
// target.
//
//   half-split  [a_0 a_1 ... b_0 b_1 ...]; b_i is `apart` elements behind a_i
//   neighbours  [a_0 b_0 a_1 b_1 ...]; `apart` does not matter
#if defined(POSENC_SRC_KERNEL_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_PAIRS_INL_H_
#undef POSENC_SRC_KERNEL_PAIRS_INL_H_
#else
#define POSENC_SRC_KERNEL_PAIRS_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "kernel/heads.h"
#include "kernel/rounding-inl.h"
#include "kernel/store-inl.h"
#include "number/compiler.h"
#include "number/elements.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Where one head's elements are read and written.
template <posenc_type kFrom, posenc_type kTo>
struct Head {
  const ElementOf<kFrom>* source;
  ElementOf<kTo>* data;

  Head(const Heads& heads, std::size_t head)
      : source(reinterpret_cast<const ElementOf<kFrom>*>(heads.source + head * heads.source_stride)),
        data(reinterpret_cast<ElementOf<kTo>*>(heads.data + head * heads.stride)) {}
};

// Elements from one pair's a to the next pair's.
template <posenc_pairing kPairing>
constexpr std::size_t kStep = kPairing == POSENC_NEIGHBOURS ? 2 : 1;

// Prefetches the lines kHeadsAhead of a vector's elements: they belong to the next heads or the next tokens.
// kFar also prefetches the lines kHeadsFarAhead, into a farther cache.
template <bool kFar, class T>
HWY_INLINE void PrefetchAhead(const T* head, std::size_t pair, std::size_t pairs) {
  constexpr std::size_t kLine = 64 / sizeof(T);
  for (std::size_t k = 0; k < 2 * pairs; k += kLine) {
    const std::uintptr_t line = AddressOf(head + 2 * pair + k);
    PrefetchNear(line + kHeadsAhead);
    if (kFar) PrefetchFar(line + kHeadsFarAhead);
  }
}

// Prefetches, into a farther cache, the lines kFastHeadsAhead of consecutive heads with `pairs` pairs in all,
// for calls that no cache holds.
template <class T>
HWY_INLINE void PrefetchFarAhead(const T* head, std::size_t pairs) {
  constexpr std::size_t kLine = 64 / sizeof(T);
  for (std::size_t k = 0; k < 2 * pairs; k += kLine) PrefetchFar(AddressOf(head + k) + kFastHeadsAhead);
}

// Whether LoadHalves differs from LoadAsFloat.
template <posenc_type kType>
constexpr bool kLoadsHalves = kHasAvx512&& kType == POSENC_F32;

// LoadAsFloat, but 64 bytes are loaded as two halves. A vector may lie across two cache lines, and then two
// loads are a third faster in DRAM (Zen 5).
template <posenc_type kType, class DF>
HWY_INLINE hn::Vec<DF> LoadHalves(DF df, const ElementOf<kType>* from) {
  if constexpr (kLoadsHalves<kType> && std::is_same_v<DF, Entries>) {
    return Join<false>(hn::LoadU(Floats(), from), hn::LoadU(Floats(), from + 8));
  }
  return LoadAsFloat<kType>(df, from);
}

// Loads a vector of pairs from `at`: a = the first elements as floats, b = the second ones. Exact.
template <posenc_type kType, posenc_pairing kPairing, class DF>
HWY_INLINE void LoadPairs(DF df, const ElementOf<kType>* at, std::size_t apart, hn::Vec<DF>& a,
                          hn::Vec<DF>& b) {
  if constexpr (kPairing == POSENC_HALF_SPLIT || !kHasVectors) {
    const bool is_split = kPairing == POSENC_HALF_SPLIT;
    a = LoadHalves<kType>(df, at);
    b = LoadHalves<kType>(df, at + (is_split ? apart : 1));
  } else if constexpr (kType == POSENC_F32) {
    if constexpr (std::is_same_v<DF, Floats>) {
      const Longs dl;
      const hn::RebindToUnsigned<DF> du;
      const auto words = hn::BitCast(dl, hn::LoadU(Entries(), at));  // a word a pair
      const auto low = hn::BitCast(df, hn::TruncateTo(du, words));
      const auto high = hn::BitCast(df, hn::TruncateTo(du, hn::ShiftRight<32>(words)));
      a = kBigEndian ? high : low;
      b = kBigEndian ? low : high;
    } else if constexpr (kHasAvx512) {
      const auto first = LoadHalves<kType>(df, at), second = LoadHalves<kType>(df, at + hn::Lanes(df));
      a = EveryOther(false, first, second);
      b = EveryOther(true, first, second);
    } else {
      hn::LoadInterleaved2(df, at, a, b);
    }
  } else {
    const hn::RebindToUnsigned<DF> du;
    const hn::Repartition<std::uint16_t, DF> d16;
    const auto words = hn::BitCast(du, hn::LoadU(d16, at));  // a word a pair
    if constexpr (kType == POSENC_BF16) {
      const auto low = hn::BitCast(df, hn::ShiftLeft<16>(words));
      const auto high = hn::BitCast(df, hn::And(words, hn::Set(du, 0xFFFF0000u)));
      a = kBigEndian ? high : low;
      b = kBigEndian ? low : high;
    } else {
      static_assert(kType == POSENC_F16);
      const hn::RebindToSigned<DF> di;
      const hn::Rebind<std::uint16_t, DF> halves;
      const auto low_bits = hn::BitCast(di, hn::And(words, hn::Set(du, 0xFFFFu)));
      const auto high_bits = hn::BitCast(di, hn::ShiftRight<16>(words));
      const auto low = FromFloat16(df, hn::DemoteTo(halves, low_bits));
      const auto high = FromFloat16(df, hn::DemoteTo(halves, high_bits));
      a = kBigEndian ? high : low;
      b = kBigEndian ? low : high;
    }
  }
}

// Stores a vector of pairs to `at`: x = the bits of the first elements, y = the bits of the second ones. Bits
// of 16-bit elements lie in the low half of each word, and the high half is 0.
template <posenc_type kType, posenc_pairing kPairing, class DF>
HWY_INLINE void StoreElements(DF df, WordsAs<DF> x, WordsAs<DF> y, ElementOf<kType>* at, std::size_t apart) {
  constexpr bool kIsSplit = kPairing == POSENC_HALF_SPLIT;
  if constexpr (kType == POSENC_F32) {
    const auto x_floats = hn::BitCast(df, x), y_floats = hn::BitCast(df, y);
    if constexpr (kIsSplit || !kHasVectors) {
      hn::StoreU(x_floats, df, at);
      hn::StoreU(y_floats, df, at + (kIsSplit ? apart : 1));
    } else if constexpr (std::is_same_v<DF, Floats>) {
      hn::StoreU(Join<true>(x_floats, y_floats), Entries(), at);
    } else {
      hn::StoreInterleaved2(x_floats, y_floats, df, at);
    }
  } else if constexpr (kIsSplit || !kHasVectors) {
    static_assert(sizeof(*at) == 2);
    const hn::Rebind<std::uint16_t, DF> d16;
    hn::StoreU(NarrowTo16(df, x), d16, at);
    hn::StoreU(NarrowTo16(df, y), d16, at + (kIsSplit ? apart : 1));
  } else {
    static_assert(sizeof(*at) == 2);
    const hn::Repartition<std::uint16_t, DF> d16;
    const auto words = kBigEndian ? hn::Or(hn::ShiftLeft<16>(x), y) : hn::Or(x, hn::ShiftLeft<16>(y));
    hn::StoreU(hn::BitCast(d16, words), d16, at);
  }
}

// The pairs first .. end - 1 of a head, fewer than a vector has lanes, in a buffer that holds a whole vector;
// the loops' bodies work there as they do on a head. Half-split elements are a vector's lanes apart in it.
// Results replace the elements, even if the types differ: a loop's body loads the vector before it stores.
template <posenc_type kFrom, posenc_type kTo, posenc_pairing kPairing, class DF>
struct LastPairs {
  HWY_ALIGN ElementOf<kFrom> elements[2 * kMaxLanes<hn::ScalableTag<float>>] = {};

  ElementOf<kTo>* Results() { return reinterpret_cast<ElementOf<kTo>*>(elements); }

  HWY_NOINLINE void Read(const ElementOf<kFrom>* source, std::size_t first, std::size_t end,
                         std::size_t pairs) {
    Copy(source + first * kStep<kPairing>, pairs, end - first, elements, hn::Lanes(DF()));
  }

  HWY_NOINLINE void Write(ElementOf<kTo>* data, std::size_t first, std::size_t end, std::size_t pairs) {
    Copy(Results(), hn::Lanes(DF()), end - first, data + first * kStep<kPairing>, pairs);
  }

 private:
  // Copies `count` pairs.
  template <class T>
  static HWY_INLINE void Copy(const T* from, std::size_t apart_from, std::size_t count, T* to,
                              std::size_t apart_to) {
    std::memcpy(to, from, count * kStep<kPairing> * sizeof(*to));
    if (kPairing == POSENC_HALF_SPLIT) std::memcpy(to + apart_to, from + apart_from, count * sizeof(*to));
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_KERNEL_PAIRS_INL_H_
