// The loops over a table of cosines and sines as runtimes write them by hand, for AVX2 with FMA and F16C, or
// for AVX-512. They use intrinsics, get the head dim at run time, and keep cosines and sines in registers for
// several heads of a token. A 32-bit word of half-split bfloat16 is two pairs, which saves the packing of
// results. Only rotary_peers.cc includes it, inside the namespace of the instruction set.
#include "simd_vectors-inl.h"

#if defined(__AVX512F__)

using Words = __m512i;
constexpr std::size_t kTurnVectors = 8;  // vectors of cosines in registers; the same number of sines

inline Floats Mul(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
inline Floats MulAdd(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
inline Floats MulSub(Floats a, Floats b, Floats c) { return _mm512_fmsub_ps(a, b, c); }
// Subtracts in even lanes and adds in odd lanes.
inline Floats MulSubAdd(Floats a, Floats b, Floats c) { return _mm512_fmaddsub_ps(a, b, c); }
inline Floats SwapNeighbours(Floats a) { return _mm512_permute_ps(a, 0xB1); }
inline Floats LoadTwice(const float* from) {  // a a b b ...
  const Words each = _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
  return _mm512_permutexvar_ps(each, _mm512_castps256_ps512(_mm256_loadu_ps(from)));
}

inline Words LoadHalves(const void* from) {
  return _mm512_cvtepu16_epi32(_mm256_loadu_si256(static_cast<const __m256i*>(from)));
}
inline void StoreHalves(__m256i halves, void* to) { _mm256_storeu_si256(static_cast<__m256i*>(to), halves); }
inline Words LoadWords(const void* from) { return _mm512_loadu_si512(from); }
inline void StoreWords(Words words, void* to) { _mm512_storeu_si512(to, words); }
inline Words SetWords(int word) { return _mm512_set1_epi32(word); }
inline Words And(Words a, Words b) { return _mm512_and_si512(a, b); }
inline Words Or(Words a, Words b) { return _mm512_or_si512(a, b); }
inline Words Add(Words a, Words b) { return _mm512_add_epi32(a, b); }
inline Words ToHigh(Words words) { return _mm512_slli_epi32(words, 16); }
inline Words ToLow(Words words) { return _mm512_srli_epi32(words, 16); }
inline Words BitsOf(Floats a) { return _mm512_castps_si512(a); }
inline Floats FloatsOf(Words bits) { return _mm512_castsi512_ps(bits); }
inline __m256i Narrow(Words words) { return _mm512_cvtepi32_epi16(words); }
// The words of a, then the words of b, each as 16 bits. They must be below 2^16.
inline Words Pack(Words a, Words b) {
  return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), _mm512_packus_epi32(a, b));
}
// Loads two vectors of floats: *even becomes floats 0, 2, 4 and so on, and *odd becomes floats 1, 3, 5.
inline void LoadAlternate(const float* from, Floats* even, Floats* odd) {
  const Words each = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  const Floats a = Load(from), b = Load(from + kFloats);
  *even = _mm512_permutex2var_ps(a, each, b);
  *odd = _mm512_permutex2var_ps(a, _mm512_add_epi32(each, _mm512_set1_epi32(1)), b);
}

inline Floats Load(const Float16* from) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}
inline void Store(Floats a, float* to) { _mm512_storeu_ps(to, a); }
inline void Store(Floats a, Float16* to) { StoreHalves(_mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT), to); }

#else

using Words = __m256i;
constexpr std::size_t kTurnVectors = 4;

inline Floats Mul(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
inline Floats MulAdd(Floats a, Floats b, Floats c) { return _mm256_fmadd_ps(a, b, c); }
inline Floats MulSub(Floats a, Floats b, Floats c) { return _mm256_fmsub_ps(a, b, c); }
inline Floats MulSubAdd(Floats a, Floats b, Floats c) { return _mm256_fmaddsub_ps(a, b, c); }
inline Floats SwapNeighbours(Floats a) { return _mm256_permute_ps(a, 0xB1); }
inline Floats LoadTwice(const float* from) {
  const Words each = _mm256_set_epi32(3, 3, 2, 2, 1, 1, 0, 0);
  return _mm256_permutevar8x32_ps(_mm256_castps128_ps256(_mm_loadu_ps(from)), each);
}

inline Words LoadHalves(const void* from) {
  return _mm256_cvtepu16_epi32(_mm_loadu_si128(static_cast<const __m128i*>(from)));
}
inline void StoreHalves(__m128i halves, void* to) { _mm_storeu_si128(static_cast<__m128i*>(to), halves); }
inline Words LoadWords(const void* from) { return _mm256_loadu_si256(static_cast<const Words*>(from)); }
inline void StoreWords(Words words, void* to) { _mm256_storeu_si256(static_cast<Words*>(to), words); }
inline Words SetWords(int word) { return _mm256_set1_epi32(word); }
inline Words And(Words a, Words b) { return _mm256_and_si256(a, b); }
inline Words Or(Words a, Words b) { return _mm256_or_si256(a, b); }
inline Words Add(Words a, Words b) { return _mm256_add_epi32(a, b); }
inline Words ToHigh(Words words) { return _mm256_slli_epi32(words, 16); }
inline Words ToLow(Words words) { return _mm256_srli_epi32(words, 16); }
inline Words BitsOf(Floats a) { return _mm256_castps_si256(a); }
inline Floats FloatsOf(Words bits) { return _mm256_castsi256_ps(bits); }
inline __m128i Narrow(Words words) {
  return _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
}
inline Words Pack(Words a, Words b) { return _mm256_permute4x64_epi64(_mm256_packus_epi32(a, b), 0xD8); }
inline void LoadAlternate(const float* from, Floats* even, Floats* odd) {
  const auto in_order = [](Floats v) {
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(v), 0xD8));
  };
  const Floats a = Load(from), b = Load(from + kFloats);
  *even = in_order(_mm256_shuffle_ps(a, b, 0x88));
  *odd = in_order(_mm256_shuffle_ps(a, b, 0xDD));
}

inline Floats Load(const Float16* from) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
inline void Store(Floats a, float* to) { _mm256_storeu_ps(to, a); }
inline void Store(Floats a, Float16* to) { StoreHalves(_mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT), to); }

#endif

inline Floats Load(const BFloat16* from) { return FloatsOf(ToHigh(LoadHalves(from))); }

// Loads neighbours: the first element of each pair into *x, the second into *y.
inline void LoadPairs(const BFloat16* from, Floats* x, Floats* y) {
  const Words pairs = LoadWords(from);
  *x = FloatsOf(ToHigh(pairs));
  *y = FloatsOf(And(pairs, SetWords(static_cast<int>(0xFFFF0000))));
}

#if defined(__AVX512BF16__)

inline void Store(Floats a, BFloat16* to) {
  StoreHalves(reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(a)), to);
}

inline void StoreTwo(Floats a, Floats b, BFloat16* to) {
  StoreWords(reinterpret_cast<Words>(_mm512_cvtne2ps_pbh(b, a)), to);
}

inline void StorePairs(Floats x, Floats y, BFloat16* to) {
  const Words each = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const Words x_then_y = reinterpret_cast<Words>(_mm512_cvtne2ps_pbh(y, x));
  StoreWords(_mm512_permutexvar_epi16(Or(each, ToHigh(Add(each, SetWords(16)))), x_then_y), to);
}

#else

// The nearest bfloat16, ties to even, in the high half of each word. Wrong for NaNs.
inline Words RoundToHigh(Floats a) {
  const Words bits = BitsOf(a);
  return Add(bits, Add(SetWords(0x7FFF), And(ToLow(bits), SetWords(1))));
}

inline void Store(Floats a, BFloat16* to) { StoreHalves(Narrow(ToLow(RoundToHigh(a))), to); }

inline void StoreTwo(Floats a, Floats b, BFloat16* to) {
  StoreWords(Pack(ToLow(RoundToHigh(a)), ToLow(RoundToHigh(b))), to);
}

inline void StorePairs(Floats x, Floats y, BFloat16* to) {
  const Words high = SetWords(static_cast<int>(0xFFFF0000));
  StoreWords(Or(ToLow(RoundToHigh(x)), And(RoundToHigh(y), high)), to);
}

#endif

// This number of heads shares the cosines and sines in registers. With all heads of a token at once, memory
// would be slower if a head takes several blocks of registers.
constexpr std::size_t kHeadsAtOnce = kTurnVectors * kFloats > 64 ? 64 : 8;

// How cosines and sines rotate kCount pairs of a head. Turns are these cosines or these sines, in kVectors
// vectors. The first element of the first pair is at `from`, and goes to `to`, which may be the same. From
// one pair to the next it is kWidth elements.
template <class From, class To>
struct SplitPairs {
  static constexpr std::size_t kVectors = 1, kCount = kFloats, kWidth = 1;
  using Turns = Floats;
  static Turns LoadTurns(const float* from) { return Load(from); }
  static void Rotate(const From* from, To* to, std::size_t pairs, Turns cosines, Turns sines) {
    const Floats x = Load(from), y = Load(from + pairs);
    Store(MulSub(x, cosines, Mul(y, sines)), to);
    Store(MulAdd(y, cosines, Mul(x, sines)), to + pairs);
  }
};

struct TwoTurns {
  Floats first, second;
};

// Results are rounded and stored two vectors at a time.
template <class From>
struct SplitPairsByTwo {
  static constexpr std::size_t kVectors = 2, kCount = 2 * kFloats, kWidth = 1;
  using Turns = TwoTurns;
  static Turns LoadTurns(const float* from) { return {Load(from), Load(from + kFloats)}; }
  static void Rotate(const From* from, BFloat16* to, std::size_t pairs, Turns cosines, Turns sines) {
    const Floats x0 = Load(from), x1 = Load(from + kFloats);
    const Floats y0 = Load(from + pairs), y1 = Load(from + pairs + kFloats);
    StoreTwo(MulSub(x0, cosines.first, Mul(y0, sines.first)),
             MulSub(x1, cosines.second, Mul(y1, sines.second)), to);
    StoreTwo(MulAdd(y0, cosines.first, Mul(x0, sines.first)),
             MulAdd(y1, cosines.second, Mul(x1, sines.second)), to + pairs);
  }
};

template <>
struct SplitPairs<float, BFloat16> : SplitPairsByTwo<float> {};

#if defined(__AVX512BF16__)

template <>
struct SplitPairs<BFloat16, BFloat16> : SplitPairsByTwo<BFloat16> {};

#else

// A word has the same element of two pairs.
template <>
struct SplitPairs<BFloat16, BFloat16> {
  static constexpr std::size_t kVectors = 2, kCount = 2 * kFloats, kWidth = 1;
  using Turns = TwoTurns;
  static Turns LoadTurns(const float* from) {
    Turns turns;
    LoadAlternate(from, &turns.first, &turns.second);
    return turns;
  }
  static void Rotate(const BFloat16* from, BFloat16* to, std::size_t pairs, Turns cosines, Turns sines) {
    Floats x0, x1, y0, y1;
    LoadPairs(from, &x0, &x1);
    LoadPairs(from + pairs, &y0, &y1);
    StorePairs(MulSub(x0, cosines.first, Mul(y0, sines.first)),
               MulSub(x1, cosines.second, Mul(y1, sines.second)), to);
    StorePairs(MulAdd(y0, cosines.first, Mul(x0, sines.first)),
               MulAdd(y1, cosines.second, Mul(x1, sines.second)), to + pairs);
  }
};

#endif

template <class Element>
struct NeighbourPairs {
  static constexpr std::size_t kVectors = 1, kCount = kFloats / 2, kWidth = 2;
  using Turns = Floats;
  static Turns LoadTurns(const float* from) { return LoadTwice(from); }
  static void Rotate(const Element* from, Element* to, std::size_t /*pairs*/, Turns cosines, Turns sines) {
    const Floats xy = Load(from);
    Store(MulSubAdd(xy, cosines, Mul(SwapNeighbours(xy), sines)), to);
  }
};

template <>
struct NeighbourPairs<BFloat16> {
  static constexpr std::size_t kVectors = 1, kCount = kFloats, kWidth = 2;
  using Turns = Floats;
  static Turns LoadTurns(const float* from) { return Load(from); }
  static void Rotate(const BFloat16* from, BFloat16* to, std::size_t /*pairs*/, Turns cosines, Turns sines) {
    Floats x, y;
    LoadPairs(from, &x, &y);
    StorePairs(MulSub(x, cosines, Mul(y, sines)), MulAdd(y, cosines, Mul(x, sines)), to);
  }
};

// Heads of one token: where they are read, and where they are written.
template <class From, class To>
struct TokenOfHeads {
  const From* from;
  To* to;
  std::size_t heads, from_stride, to_stride;
};

// Rotates pairs i, i + 1, ... of the heads of one token, with cosines and sines in kSteps turns each.
template <class Pairs, std::size_t kSteps, class From, class To>
inline void RotateHeads(const TokenOfHeads<From, To>& token, const float* row, std::size_t pairs,
                        std::size_t i) {
  typename Pairs::Turns cosines[kSteps], sines[kSteps];
  for (std::size_t k = 0; k < kSteps; ++k) {
    cosines[k] = Pairs::LoadTurns(row + i + k * Pairs::kCount);
    sines[k] = Pairs::LoadTurns(row + pairs + i + k * Pairs::kCount);
  }
  // Variables, because a store might change `token` for all the compiler knows.
  const From* from = token.from + Pairs::kWidth * i;
  To* to = token.to + Pairs::kWidth * i;
  const std::size_t from_stride = token.from_stride, to_stride = token.to_stride;
  for (std::size_t left = token.heads; left != 0; --left) {
    for (std::size_t k = 0; k < kSteps; ++k) {
      const std::size_t at = k * Pairs::kWidth * Pairs::kCount;
      Pairs::Rotate(from + at, to + at, pairs, cosines[k], sines[k]);
    }
    from += from_stride;
    to += to_stride;
  }
}

template <class Pairs, class From, class To>
inline void RotateInBlocks(TokenOfHeads<From, To> token, const float* row, std::size_t pairs) {
  constexpr std::size_t kFit = 64 / Pairs::kCount, kMost = kTurnVectors / Pairs::kVectors;
  constexpr std::size_t kSteps = kFit < kMost ? kFit : kMost, kBlock = kSteps * Pairs::kCount;
  for (std::size_t left = token.heads; left > 0; left -= token.heads) {
    token.heads = left < kHeadsAtOnce ? left : kHeadsAtOnce;
    std::size_t i = 0;
    for (; i + kBlock <= pairs; i += kBlock) RotateHeads<Pairs, kSteps>(token, row, pairs, i);
    for (; i < pairs; i += Pairs::kCount) RotateHeads<Pairs, 1>(token, row, pairs, i);
    token.from += token.heads * token.from_stride;
    token.to += token.heads * token.to_stride;
  }
}

template <class Element>
void BySimdTable(const LoopWork<Element>& work, const float* table) {
  for (std::size_t t = 0; t < work.tokens; ++t, table += 2 * work.pairs) {
    for (const LoopTensor<Element>& tensor : work.tensors) {
      const Element* const source = tensor.source == nullptr ? tensor.data : tensor.source;
      const std::size_t at = t * tensor.token_stride;
      const TokenOfHeads<Element, Element> token = {source + at, tensor.data + at, tensor.heads,
                                                    tensor.head_stride, tensor.head_stride};
      if (work.is_interleaved) {
        RotateInBlocks<NeighbourPairs<Element>>(token, table, work.pairs);
      } else {
        RotateInBlocks<SplitPairs<Element, Element>>(token, table, work.pairs);
      }
    }
  }
}

// Calls put(token, t) for each token that has a slot.
template <class Element, class Put>
inline void ForSlots(const SlotWork<Element>& work, const Put& put) {
  const std::size_t head_dim = 2 * work.pairs, elements = work.heads * head_dim;
  for (std::size_t t = 0; t < work.tokens; ++t) {
    if (work.slots[t] < 0) continue;
    const std::int64_t block = work.slots[t] / work.block_size, offset = work.slots[t] % work.block_size;
    Element* const to = work.cache + static_cast<std::size_t>(block * work.block_size + offset) * elements;
    put(TokenOfHeads<float, Element>{work.source + t * elements, to, work.heads, head_dim, head_dim}, t);
  }
}

template <class Element>
void IntoSlots(const SlotWork<Element>& work, const float* table) {
  ForSlots(work, [&](const TokenOfHeads<float, Element>& token, std::size_t t) {
    RotateInBlocks<SplitPairs<float, Element>>(token, table + 2 * t * work.pairs, work.pairs);
  });
}

inline void StoreTwo(Floats a, Floats b, Float16* to) {
  Store(a, to);
  Store(b, to + kFloats);
}

template <class Element>
void CopyIntoSlots(const SlotWork<Element>& work) {
  ForSlots(work, [&](const TokenOfHeads<float, Element>& token, std::size_t /*t*/) {
    const std::size_t elements = token.heads * 2 * work.pairs;  // of heads that follow each other
    for (std::size_t i = 0; i < elements; i += 2 * kFloats) {
      StoreTwo(Load(token.from + i), Load(token.from + i + kFloats), token.to + i);
    }
  });
}
