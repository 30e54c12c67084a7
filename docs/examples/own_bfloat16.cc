// A runtime has a bfloat16 type of its own. posenc takes a pointer to it, with the name of the format beside
// it.
#include <posenc/rotary.h>

#include <cstdio>

struct MyBf16 {
  unsigned short raw;
};

int main() {
  constexpr std::size_t kTokens = 3, kHeads = 8, kDim = 128, kRow = kHeads * kDim;
  static MyBf16 q[kTokens * kRow], pe[kTokens * kDim];
  q[2 * kRow].raw = 0x3f80;  // 1.0
  posenc::RotarySpec rotary_spec;
  posenc::Spec spec;
  rotary_spec.head_dim = spec.dim = kDim;
  posenc::Rotary rotary;
  posenc::Encoder encoder;
  if (posenc::Rotary::Create(rotary_spec, &rotary) != POSENC_OK) return 1;
  if (posenc::Encoder::Create(spec, &encoder) != POSENC_OK) return 1;

  const posenc::Heads heads(POSENC_BF16, q, kHeads, /*token_stride=*/kRow, /*head_stride=*/kDim);
  if (rotary.Rotate(0, kTokens, {heads}) != POSENC_OK) return 1;
  if (encoder.Write(0, kTokens, {POSENC_BF16, pe, /*stride=*/kDim}) != POSENC_OK) return 1;
  std::printf("%04x %04x\n", q[2 * kRow].raw, pe[2 * kDim].raw);  // cos 2 and sin 2
}
// prints: bed5 3f69
