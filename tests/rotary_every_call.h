// Every call of a rotary on tensors of one type, in memory that is there before.
#ifndef POSENC_TESTS_ROTARY_EVERY_CALL_H_
#define POSENC_TESTS_ROTARY_EVERY_CALL_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rotary_cases.h"

namespace posenc {

template <class T>
class EveryRotaryCall {
 public:
  explicit EveryRotaryCall(const posenc_rotary_spec& spec) : dim_(spec.head_dim), axes_(spec.axes) {
    const double doubles[kTokens] = {0.1, -1e9 - 0.3, 0x1p-1074, 0x1.000003p-126, -0.0, 7.0, 0x1p31};
    const std::int64_t wide[kTokens] = {0, -1, 131071, kMaxPosition, -kMaxPosition, 77, 5};
    for (std::size_t k = 0; k < axes_ * kTokens; ++k) {
      doubles_.push_back(doubles[k % kTokens]);
      floats_.push_back(static_cast<float>(doubles[k % kTokens]));
      wide_.push_back(wide[k % kTokens]);
      narrow_.push_back(static_cast<std::int32_t>(k) * 300007 - 1000);
    }
    PairMaker<T> maker(11);
    for (std::size_t k = 0; k < kCalls * kTokens * kHeads * dim_ / 2; ++k) {
      const double angle = static_cast<double>(k % 100);
      const Rotated<T> pair = maker.Make(k, std::cos(angle), std::sin(angle), 1.0);
      out.push_back(pair.x);
      out.push_back(pair.y);
    }
    source_.assign(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(kTokens * kHeads * dim_));
    cos.resize(4 * kTokens * dim_);
    sin.resize(cos.size());
  }

  // Whether all calls succeed. Allocates nothing.
  bool Run(const posenc_rotary* rotary) {
    T* x = out.data();
    bool ok = true;
    const auto next = [&](const T* source, double scale, bool inverse) {
      posenc_heads heads{};
      heads.data = x;
      heads.heads = kHeads;
      heads.token_stride = kHeads * dim_;
      heads.head_stride = dim_;
      heads.source = source;
      heads.scale = scale;
      heads.inverse = inverse ? 1 : 0;
      x += kTokens * kHeads * dim_;
      return heads;
    };
    const auto at = [&](posenc_type type, const void* positions) {
      const posenc_heads both[2] = {next(nullptr, 0.0, false), next(source_.data(), 0.1, true)};
      ok = ok &&
           posenc_rotate_at(rotary, type, positions, kTokens, TypeOf<T>(), both, 2, nullptr) == POSENC_OK;
    };
    at(POSENC_F64, doubles_.data());
    at(POSENC_F32, floats_.data());
    at(POSENC_I64, wide_.data());
    at(POSENC_I32, narrow_.data());
    const posenc_heads run = next(nullptr, 0x1p-60, false);
    ok = ok && posenc_rotate(rotary, 1000, kTokens, TypeOf<T>(), &run, 1) == POSENC_OK;
    double* c = cos.data();
    double* s = sin.data();
    for (const posenc_cache_layout layout :
         {POSENC_CACHE_HALVES, POSENC_CACHE_DUPLICATED, POSENC_CACHE_COS_SIN, POSENC_CACHE_PAIRS}) {
      const bool has_two = layout == POSENC_CACHE_HALVES || layout == POSENC_CACHE_DUPLICATED;
      posenc_cache cache = {layout, POSENC_F64, c, has_two ? s : nullptr, dim_};
      ok = ok &&
           posenc_rotary_write_at(rotary, POSENC_F64, doubles_.data(), kTokens, &cache, nullptr) == POSENC_OK;
      cache.type = TypeOf<T>();
      ok = ok && posenc_rotary_write(rotary, 1000, kTokens, &cache) == POSENC_OK;
      const posenc_heads heads = next(nullptr, 0.3, layout == POSENC_CACHE_PAIRS);
      ok = ok && posenc_rotate_cached(rotary, &cache, kTokens, 0, POSENC_I32, nullptr, kTokens, TypeOf<T>(),
                                      &heads, 1, nullptr) == POSENC_OK;
      c += kTokens * dim_;
      s += kTokens * dim_;
    }
    return ok;
  }

  std::vector<T> out;            // of all calls
  std::vector<double> cos, sin;  // tables of all layouts

 private:
  static constexpr std::size_t kTokens = 7, kHeads = 2, kCalls = 13;

  std::size_t dim_, axes_;
  std::vector<double> doubles_;
  std::vector<float> floats_;
  std::vector<std::int64_t> wide_;
  std::vector<std::int32_t> narrow_;
  std::vector<T> source_;
};

// Exact and fast, in one axis and in several, of rounded phases, with pairs that change their places.
inline std::vector<posenc_rotary_spec> RotarySpecsOfEveryKind(const char* target) {
  std::vector<posenc_rotary_spec> specs;
  posenc_rotary_spec spec = MakeRotarySpec(38, target);
  specs.push_back(spec);
  spec.pairing = POSENC_NEIGHBOURS;
  spec.arithmetic = POSENC_FAST;
  spec.amplitude = 1.3;
  specs.push_back(spec);
  spec.output_pairing = POSENC_HALF_SPLIT;
  spec.arithmetic = POSENC_EXACT;
  spec.rotary_dim = 30;
  spec.rotary_offset = 3;
  specs.push_back(spec);
  spec = MakeRotarySpec(38, target);
  spec.axes = 3;
  spec.sections[0] = 9;
  spec.sections[1] = spec.sections[2] = 5;
  specs.push_back(spec);
  spec = MakeRotarySpec(38, target);
  spec.phase_rounding = POSENC_F32_INV_FREQ;
  specs.push_back(spec);
  return specs;
}

}  // namespace posenc

#endif  // POSENC_TESTS_ROTARY_EVERY_CALL_H_
