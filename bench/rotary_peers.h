// Other ways to rotate q and k: the loops of inference runtimes, and libtorch.
//
// rotary_peers.cc is compiled once for the compiler's default instruction set and, on x86, once more for each
// wider one.
#ifndef POSENC_BENCH_ROTARY_PEERS_H_
#define POSENC_BENCH_ROTARY_PEERS_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "posenc/posenc.h"

namespace posenc {
namespace bench {

inline constexpr std::size_t kMaxLoopPairs = 512;

// Element e of head h of token t is data[t * token_stride + h * head_stride + e]. The loops in intrinsics
// read it at the same index of `source`, if that is not null.
template <class Element>
struct LoopTensor {
  Element* data;
  std::size_t heads, token_stride, head_stride;
  const Element* source = nullptr;
};

// Tensors to rotate, in place unless they have a source: q, then k.
template <class Element>
struct LoopWork {
  LoopTensor<Element> tensors[2];
  std::size_t tokens;
  std::size_t pairs;    // half of the head dim, because all elements rotate; a multiple of 32
  bool is_interleaved;  // pairs are neighbours; else half-split
};

// Heads of floats [tokens, heads, 2 * pairs], which go to the slots of a paged cache: token t to slot
// slots[t], or nowhere if that is negative.
template <class Element>
struct SlotWork {
  const float* source;
  Element* cache;  // [blocks, block_size, heads, 2 * pairs]
  const std::int64_t* slots;
  std::int64_t block_size;
  std::size_t tokens, heads, pairs;  // pairs: a multiple of 32
};

inline constexpr std::size_t kNormDim = 128;  // elements of a head that is normalized

// Heads of kNormDim floats to normalize in place: x weight / sqrt(mean(x^2) + epsilon).
struct NormWork {
  LoopWork<float> heads;
  const float* weights[2];  // [kNormDim] of q and of k
  float epsilon;
};

// The loops for one element type: float, BFloat16 or Float16. A pointer is null if this instruction set, or
// plain C++17, does not have the loop.
template <class Element>
struct RotaryLoops {
  // Reads a table [tokens, 2 * pairs]: each row has cosines, then sines. Plain code, or intrinsics.
  void (*by_table)(const LoopWork<Element>& work, const float* table);
  void (*by_simd_table)(const LoopWork<Element>& work, const float* table);
  // Calls sinf and cosf once for each token and pair, for all heads. pairs <= kMaxLoopPairs.
  void (*by_sincos)(const LoopWork<Element>& work, int first, const float* frequencies);
  // Intrinsics: the same as by_simd_table, from floats into slots; and without the rotation.
  void (*into_slots)(const SlotWork<Element>& work, const float* table);
  void (*copy_into_slots)(const SlotWork<Element>& work);
};

struct AllRotaryLoops {
  RotaryLoops<float> f32;
  RotaryLoops<BFloat16> bf16;
  RotaryLoops<Float16> f16;
  // Writes such a table: sinf and cosf of f32(position * frequency).
  void (*write_table)(int first, std::size_t tokens, const float* frequencies, std::size_t pairs,
                      float* table);
  // Intrinsics: normalize heads, and normalize and rotate them in one pass. Null without them.
  void (*norm)(const NormWork& work);
  void (*norm_by_table)(const NormWork& work, const float* table);
};

// The loops for the element type T.
template <class T>
RotaryLoops<T> LoopsOf(const AllRotaryLoops& all) {
  if constexpr (std::is_same_v<T, float>) {
    return all.f32;
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return all.bf16;
  } else {
    return all.f16;
  }
}

namespace baseline {
AllRotaryLoops Loops();
}
namespace avx2 {
AllRotaryLoops Loops();
}
namespace avx512 {
AllRotaryLoops Loops();
}
namespace avx512bf16 {
AllRotaryLoops Loops();
}

// transformers' apply_rotary_pos_emb by libtorch on one thread, with the last sum in place. Pairs are
// half-split, in tensors [tokens, heads, 2 * pairs]. The constructor computes from a table what all layers
// share.
class TorchRotation {
 public:
  TorchRotation(const LoopWork<float>& work, const float* table);
  ~TorchRotation();
  TorchRotation(const TorchRotation&) = delete;
  TorchRotation& operator=(const TorchRotation&) = delete;

  void Run() const;

 private:
  struct Tensors;
  Tensors* tensors_;
};

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_ROTARY_PEERS_H_
