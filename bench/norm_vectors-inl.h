// The loops that normalize heads of 128 floats (RMSNorm) as runtimes write them by hand, for AVX2 with FMA or
// for AVX-512: alone, and fused with the rotation. Only rotary_peers.cc includes it, after
// rotary_vectors-inl.h.
constexpr std::size_t kNormVectors = kNormDim / kFloats;
#if defined(__AVX512F__)
constexpr bool kKeepsHead = true;  // a head fits into registers
inline float SumOf(Floats a) { return _mm512_reduce_add_ps(a); }
inline Floats AddFloats(Floats a, Floats b) { return _mm512_add_ps(a, b); }
#else
constexpr bool kKeepsHead = false;
inline float SumOf(Floats a) {
  __m128 sum = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
  return _mm_cvtss_f32(_mm_add_ss(sum, _mm_movehdup_ps(sum)));
}
inline Floats AddFloats(Floats a, Floats b) { return _mm256_add_ps(a, b); }
#endif

// A head, in registers if there are enough of them.
struct NormHead {
  const float* x;
  Floats kept[kKeepsHead ? kNormVectors : 1];

  Floats At(std::size_t i) const { return kKeepsHead ? kept[kKeepsHead ? i : 0] : Load(x + i * kFloats); }
};

// Loads a head. Returns 1 / sqrt(mean + epsilon) in all lanes.
inline Floats LoadHead(const float* x, float epsilon, NormHead* head) {
  head->x = x;
  Floats sums[4] = {Set(0.0f), Set(0.0f), Set(0.0f), Set(0.0f)};
  for (std::size_t i = 0; i < kNormVectors; ++i) {
    const Floats v = Load(x + i * kFloats);
    if (kKeepsHead) head->kept[kKeepsHead ? i : 0] = v;
    sums[i % 4] = MulAdd(v, v, sums[i % 4]);
  }
  const float sum = SumOf(AddFloats(AddFloats(sums[0], sums[1]), AddFloats(sums[2], sums[3])));
  const float mean = sum / static_cast<float>(kNormDim) + epsilon;
  return Set(1.0f / _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(mean))));
}

inline Floats NormVector(const NormHead& head, Floats inverse, const float* weights, std::size_t i) {
  return Mul(Mul(head.At(i), inverse), Load(weights + i * kFloats));
}

void NormHeads(const NormWork& work) {
  for (std::size_t t = 0; t < work.heads.tokens; ++t) {
    for (std::size_t k = 0; k < 2; ++k) {
      const LoopTensor<float>& tensor = work.heads.tensors[k];
      const float* const weights = work.weights[k];
      float* x = tensor.data + t * tensor.token_stride;
      for (std::size_t h = 0; h < tensor.heads; ++h, x += tensor.head_stride) {
        NormHead head;
        const Floats inverse = LoadHead(x, work.epsilon, &head);
        for (std::size_t i = 0; i < kNormVectors; ++i)
          Store(NormVector(head, inverse, weights, i), x + i * kFloats);
      }
    }
  }
}

// Pairs are half-split. `table` [tokens, kNormDim]: each row has cosines, then sines.
void NormByTable(const NormWork& work, const float* table) {
  constexpr std::size_t kHalf = kNormVectors / 2;
  for (std::size_t t = 0; t < work.heads.tokens; ++t, table += kNormDim) {
    for (std::size_t k = 0; k < 2; ++k) {
      const LoopTensor<float>& tensor = work.heads.tensors[k];
      const float* const weights = work.weights[k];
      float* x = tensor.data + t * tensor.token_stride;
      for (std::size_t h = 0; h < tensor.heads; ++h, x += tensor.head_stride) {
        NormHead head;
        const Floats inverse = LoadHead(x, work.epsilon, &head);
        for (std::size_t i = 0; i < kHalf; ++i) {
          const Floats a = NormVector(head, inverse, weights, i);
          const Floats b = NormVector(head, inverse, weights, i + kHalf);
          const Floats cosine = Load(table + i * kFloats), sine = Load(table + (i + kHalf) * kFloats);
          Store(MulSub(a, cosine, Mul(b, sine)), x + i * kFloats);
          Store(MulAdd(b, cosine, Mul(a, sine)), x + (i + kHalf) * kFloats);
        }
      }
    }
  }
}
