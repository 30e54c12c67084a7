// The rotations that rows measure: which heads of q and k, at which positions, and how.
#ifndef POSENC_BENCH_ROTARY_CASE_H_
#define POSENC_BENCH_ROTARY_CASE_H_

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "posenc/accuracy.h"
#include "posenc/rotary.h"

namespace posenc {
namespace bench {

constexpr std::size_t kQueryHeads = 32, kKeyHeads = 8, kHeads = kQueryHeads + kKeyHeads;  // as in Llama 3 8B
constexpr std::size_t kHeadDim = 128, kPairs = kHeadDim / 2;
constexpr std::size_t kTokens[] = {1, 48, 512, 16384};
constexpr int kDecodePosition = (1 << 17) - 1;  // for single tokens: the end of a long context

// The first position for this number of tokens.
constexpr int FirstOf(std::size_t tokens) { return tokens == 1 ? kDecodePosition : 0; }

struct RotaryCase {
  posenc_arithmetic arithmetic = POSENC_EXACT;
  posenc_pairing pairing = POSENC_HALF_SPLIT;
  std::size_t tokens = 1;
  int first = 0;                // position
  bool is_heads_first = false;  // else [tokens, heads, kHeadDim]
  bool is_cached = false;       // with a cache of the elements' type, in the fast arithmetic
  bool is_by_angles = false;    // by angles that were made before

  std::size_t entries() const { return tokens * kHeads * kHeadDim; }
  std::size_t key_offset() const { return tokens * kQueryHeads * kHeadDim; }  // k follows q
  std::size_t token_stride(std::size_t heads) const { return is_heads_first ? kHeadDim : heads * kHeadDim; }
  std::size_t head_stride() const { return is_heads_first ? tokens * kHeadDim : kHeadDim; }

  RotarySpec spec(const char* target) const {
    RotarySpec spec;
    spec.head_dim = kHeadDim;
    spec.arithmetic = arithmetic;
    spec.pairing = pairing;
    spec.target = target;
    return spec;
  }
};

// q and k, for rotation in place.
template <class T>
std::array<Heads, 2> TensorsOf(const RotaryCase& which, T* x) {
  return {Heads{x, kQueryHeads, which.token_stride(kQueryHeads), which.head_stride()},
          Heads{x + which.key_offset(), kKeyHeads, which.token_stride(kKeyHeads), which.head_stride()}};
}

// The frequencies in float, as runtimes compute them.
inline const float* FloatFrequencies() {
  static const std::vector<float> frequencies = [] {
    std::vector<float> values(kPairs);
    for (std::size_t i = 0; i < kPairs; ++i) {
      values[i] = 1.0f / std::pow(10000.0f, static_cast<float>(2 * i) / static_cast<float>(kHeadDim));
    }
    return values;
  }();
  return frequencies.data();
}

// The name of a row without the target. content: the kind of elements, followed by a slash, or nothing.
inline std::string NameOf(posenc_type type, const RotaryCase& which, const std::string& content = {}) {
  std::string name = which.is_by_angles ? "RotateByAngles/" : "Rotate/";
  name += which.arithmetic == POSENC_EXACT ? "exact/" : "fast/";
  if (which.is_cached) name = "RotateCached/";
  name += TraitsOf(type).name;
  name += which.pairing == POSENC_NEIGHBOURS ? "/interleaved/" : "/half_split/";
  name += content;
  name += std::to_string(which.tokens) + "x" + std::to_string(kHeads) + "x" + std::to_string(kHeadDim);
  return name + (which.is_heads_first ? "/heads_first/" : "/");
}

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_ROTARY_CASE_H_
