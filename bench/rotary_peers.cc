// The plain loops of inference runtimes. This file is compiled once for each instruction set, in the
// namespace POSENC_BENCH_ISA. It calls no inline function from elsewhere: the linker might keep the copy for
// a wider instruction set and use it for all.
#include "rotary_peers.h"

#include <math.h>    // NOLINT(modernize-deprecated-headers): std::sin of float is inline
#include <string.h>  // NOLINT(modernize-deprecated-headers)

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define POSENC_BENCH_BY_HAND
#include <immintrin.h>
#endif

namespace posenc {
namespace bench {
namespace POSENC_BENCH_ISA {
namespace {

inline float Widen(float x) { return x; }
inline float Widen(BFloat16 from) {
  const std::uint32_t word = static_cast<std::uint32_t>(from.bits) << 16;
  float x;
  memcpy(&x, &word, sizeof(x));
  return x;
}

inline void Round(float x, float* to) { *to = x; }
inline void Round(float x, BFloat16* to) {  // to nearest, ties to even; wrong for NaNs
  std::uint32_t word;
  memcpy(&word, &x, sizeof(x));
  to->bits = static_cast<std::uint16_t>((word + 0x7FFF + ((word >> 16) & 1)) >> 16);
}

template <class Element>
inline void RotateHalves(Element* __restrict a, Element* __restrict b, const float* __restrict cosines,
                         const float* __restrict sines, std::size_t pairs) {
  for (std::size_t i = 0; i < pairs; ++i) {
    const float x = Widen(a[i]), y = Widen(b[i]);
    Round(x * cosines[i] - y * sines[i], a + i);
    Round(y * cosines[i] + x * sines[i], b + i);
  }
}

template <class Element>
inline void RotateNeighbours(Element* __restrict head, const float* __restrict cosines,
                             const float* __restrict sines, std::size_t pairs) {
  for (std::size_t i = 0; i < pairs; ++i) {
    const float x = Widen(head[2 * i]), y = Widen(head[2 * i + 1]);
    Round(x * cosines[i] - y * sines[i], head + 2 * i);
    Round(y * cosines[i] + x * sines[i], head + 2 * i + 1);
  }
}

template <class Element>
inline void RotateToken(const LoopWork<Element>& work, std::size_t t, const float* cosines,
                        const float* sines) {
  for (const LoopTensor<Element>& tensor : work.tensors) {
    Element* head = tensor.data + t * tensor.token_stride;
    for (std::size_t h = 0; h < tensor.heads; ++h, head += tensor.head_stride) {
      if (work.is_interleaved) {
        RotateNeighbours(head, cosines, sines, work.pairs);
      } else {
        RotateHalves(head, head + work.pairs, cosines, sines, work.pairs);
      }
    }
  }
}

template <class Element>
void ByTable(const LoopWork<Element>& work, const float* table) {
  for (std::size_t t = 0; t < work.tokens; ++t) {
    const float* cosines = table + t * 2 * work.pairs;
    RotateToken(work, t, cosines, cosines + work.pairs);
  }
}

inline void WriteRow(float position, const float* frequencies, std::size_t pairs, float* cosines,
                     float* sines) {
  for (std::size_t i = 0; i < pairs; ++i) {
    const float phase = position * frequencies[i];
    cosines[i] = cosf(phase);
    sines[i] = sinf(phase);
  }
}

template <class Element>
void BySinCos(const LoopWork<Element>& work, int first, const float* frequencies) {
  float cosines[kMaxLoopPairs], sines[kMaxLoopPairs];
  for (std::size_t t = 0; t < work.tokens; ++t) {
    WriteRow(static_cast<float>(first + static_cast<int>(t)), frequencies, work.pairs, cosines, sines);
    RotateToken(work, t, cosines, sines);
  }
}

void WriteTable(int first, std::size_t tokens, const float* frequencies, std::size_t pairs, float* table) {
  for (std::size_t t = 0; t < tokens; ++t, table += 2 * pairs) {
    WriteRow(static_cast<float>(first + static_cast<int>(t)), frequencies, pairs, table, table + pairs);
  }
}

#ifdef POSENC_BENCH_BY_HAND
#include "rotary_vectors-inl.h"

#include "norm_vectors-inl.h"
#else
constexpr void (*NormHeads)(const NormWork& work) = nullptr;  // NOLINT(readability-identifier-naming)
// NOLINTNEXTLINE(readability-identifier-naming)
constexpr void (*NormByTable)(const NormWork& work, const float* table) = nullptr;
template <class Element>  // NOLINTNEXTLINE(readability-identifier-naming): in place of the function
constexpr void (*BySimdTable)(const LoopWork<Element>& work, const float* table) = nullptr;
template <class Element>  // NOLINTNEXTLINE(readability-identifier-naming)
constexpr void (*IntoSlots)(const SlotWork<Element>& work, const float* table) = nullptr;
template <class Element>  // NOLINTNEXTLINE(readability-identifier-naming)
constexpr void (*CopyIntoSlots)(const SlotWork<Element>& work) = nullptr;
#endif

}  // namespace

AllRotaryLoops Loops() {
  return {{ByTable<float>, BySimdTable<float>, BySinCos<float>, nullptr, nullptr},
          {ByTable<BFloat16>, BySimdTable<BFloat16>, BySinCos<BFloat16>, IntoSlots<BFloat16>,
           CopyIntoSlots<BFloat16>},
          {nullptr, BySimdTable<Float16>, nullptr, IntoSlots<Float16>, CopyIntoSlots<Float16>},
          WriteTable,
          NormHeads,
          NormByTable};
}

}  // namespace POSENC_BENCH_ISA
}  // namespace bench
}  // namespace posenc
