// The loop over a table of cosines and sines as runtimes write it by hand, for AVX2 with FMA and F16C, or for
// AVX-512. It uses intrinsics, gets the head dim at run time, and keeps cosines and sines in registers for
// several heads of a token. Only rotary_peers.cc includes it, inside the namespace of the instruction set.
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

inline void StorePairs(Floats x, Floats y, BFloat16* to) {
  const Words high = SetWords(static_cast<int>(0xFFFF0000));
  StoreWords(Or(ToLow(RoundToHigh(x)), And(RoundToHigh(y), high)), to);
}

#endif

// This number of heads shares the cosines and sines in registers. With all heads of a token at once, memory
// would be slower, because a head takes several blocks of registers.
constexpr std::size_t kHeadsAtOnce = 8;

// How one vector of cosines and one of sines rotate kCount pairs of a head, beginning at pair i.
template <class Element>
struct SplitPairs {
  static constexpr std::size_t kCount = kFloats;
  static Floats Turns(const float* from) { return Load(from); }
  static void Rotate(Element* head, std::size_t pairs, std::size_t i, Floats cosines, Floats sines) {
    Element *a = head + i, *b = a + pairs;
    const Floats x = Load(a), y = Load(b);
    Store(MulSub(x, cosines, Mul(y, sines)), a);
    Store(MulAdd(y, cosines, Mul(x, sines)), b);
  }
};

template <class Element>
struct NeighbourPairs {
  static constexpr std::size_t kCount = kFloats / 2;
  static Floats Turns(const float* from) { return LoadTwice(from); }
  static void Rotate(Element* head, std::size_t /*pairs*/, std::size_t i, Floats cosines, Floats sines) {
    const Floats xy = Load(head + 2 * i);
    Store(MulSubAdd(xy, cosines, Mul(SwapNeighbours(xy), sines)), head + 2 * i);
  }
};

template <>
struct NeighbourPairs<BFloat16> {
  static constexpr std::size_t kCount = kFloats;
  static Floats Turns(const float* from) { return Load(from); }
  static void Rotate(BFloat16* head, std::size_t /*pairs*/, std::size_t i, Floats cosines, Floats sines) {
    Floats x, y;
    LoadPairs(head + 2 * i, &x, &y);
    StorePairs(MulSub(x, cosines, Mul(y, sines)), MulAdd(y, cosines, Mul(x, sines)), head + 2 * i);
  }
};

// Rotates pairs i, i + 1, ... of the heads of one token, with kVectors vectors of cosines and of sines.
template <class Pairs, std::size_t kVectors, class Element>
inline void RotateHeads(const LoopTensor<Element>& token, const float* row, std::size_t pairs,
                        std::size_t i) {
  Floats cosines[kVectors], sines[kVectors];
  for (std::size_t k = 0; k < kVectors; ++k) {
    cosines[k] = Pairs::Turns(row + i + k * Pairs::kCount);
    sines[k] = Pairs::Turns(row + pairs + i + k * Pairs::kCount);
  }
  for (std::size_t h = 0; h < token.heads; ++h) {
    for (std::size_t k = 0; k < kVectors; ++k) {
      Pairs::Rotate(token.data + h * token.head_stride, pairs, i + k * Pairs::kCount, cosines[k], sines[k]);
    }
  }
}

template <class Pairs, class Element>
inline void RotateInBlocks(LoopTensor<Element> token, const float* row, std::size_t pairs) {
  constexpr std::size_t kFit = 64 / Pairs::kCount, kVectors = kFit < kTurnVectors ? kFit : kTurnVectors;
  constexpr std::size_t kBlock = kVectors * Pairs::kCount;
  for (std::size_t left = token.heads; left > 0; left -= token.heads) {
    token.heads = left < kHeadsAtOnce ? left : kHeadsAtOnce;
    std::size_t i = 0;
    for (; i + kBlock <= pairs; i += kBlock) RotateHeads<Pairs, kVectors>(token, row, pairs, i);
    for (; i < pairs; i += Pairs::kCount) RotateHeads<Pairs, 1>(token, row, pairs, i);
    token.data += token.heads * token.head_stride;
  }
}

template <class Element>
void BySimdTable(const LoopWork<Element>& work, const float* table) {
  for (std::size_t t = 0; t < work.tokens; ++t, table += 2 * work.pairs) {
    for (LoopTensor<Element> token : work.tensors) {
      token.data += t * token.token_stride;
      if (work.is_interleaved) {
        RotateInBlocks<NeighbourPairs<Element>>(token, table, work.pairs);
      } else {
        RotateInBlocks<SplitPairs<Element>>(token, table, work.pairs);
      }
    }
  }
}
