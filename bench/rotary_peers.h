// Other ways to rotate q and k: the loops of inference runtimes, and libtorch.
//
// rotary_peers.cc is compiled once for the instruction set that the compiler takes by itself and, on x86,
// once for each wider one.
#ifndef POSENC_BENCH_ROTARY_PEERS_H_
#define POSENC_BENCH_ROTARY_PEERS_H_

#include <cstddef>

#include "posenc/posenc.h"

namespace posenc {
namespace bench {

inline constexpr std::size_t kMaxLoopPairs = 512;

// Element e of head h of token t is data[t * token_stride + h * head_stride + e].
template <class Element>
struct LoopTensor {
  Element* data;
  std::size_t heads, token_stride, head_stride;
};

// What is rotated, in place: tensors [2], q and k.
template <class Element>
struct LoopWork {
  LoopTensor<Element> tensors[2];
  std::size_t tokens;
  std::size_t pairs;    // of a head, all of it; a multiple of 16
  bool is_interleaved;  // else half-split
};

// Of float, BFloat16 or Float16. Null: not on this instruction set, or not in plain C++17.
template <class Element>
struct RotaryLoops {
  // By a table [tokens, 2 * pairs]: rows of cosines, then sines. Plain, or vectors by hand.
  void (*by_table)(const LoopWork<Element>& work, const float* table);
  void (*by_simd_table)(const LoopWork<Element>& work, const float* table);
  // sinf and cosf once per token and pair, for all heads. pairs <= kMaxLoopPairs.
  void (*by_sincos)(const LoopWork<Element>& work, int first, const float* frequencies);
};

struct AllRotaryLoops {
  RotaryLoops<float> f32;
  RotaryLoops<BFloat16> bf16;
  RotaryLoops<Float16> f16;
  // Such a table: the sinf and cosf of f32(position * frequency).
  void (*write_table)(int first, std::size_t tokens, const float* frequencies, std::size_t pairs,
                      float* table);
};

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

// transformers' apply_rotary_pos_emb by libtorch on one thread, the last sum in place: half-split, of
// [tokens, heads, 2 * pairs]. The constructor takes of such a table what is made once for all layers.
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
