#include "number/exact.h"

#include "call/cache_rows.h"

#include <cmath>
#include <cstring>

#include "kernel/rotate_token.h"
#include "number/double_double.h"
#include "number/elements.h"

namespace posenc {
namespace internal {
namespace {

// Multiplies x [count] by scale. Each product is rounded once.
void ScaleFloats(double scale, float* x, std::size_t count) {
  if (scale == 1.0) return;
  const bool is_float = static_cast<double>(static_cast<float>(scale)) == scale;
  for (std::size_t i = 0; i < count; ++i) {
    const auto wide = static_cast<double>(x[i]);
    const bool is_exact = is_float || !std::isfinite(wide);  // whether the product of doubles is exact
    x[i] = static_cast<float>(is_exact ? wide * scale : ToOdd(ExactProduct(wide, scale)));
  }
}

// Copies elements of kSize bytes each, for k < count.
template <std::size_t kSize>
struct Elements {
  // to[k] = from[2 * k]
  static void TakeEven(const unsigned char* from, std::size_t count, unsigned char* to) {
    for (std::size_t k = 0; k < count; ++k) std::memcpy(to + k * kSize, from + 2 * k * kSize, kSize);
  }

  // to[2 * k] = a[k], to[2 * k + 1] = b[k]
  static void Interleave(const unsigned char* a, const unsigned char* b, std::size_t count,
                         unsigned char* to) {
    for (std::size_t k = 0; k < count; ++k) {
      std::memcpy(to + 2 * k * kSize, a + k * kSize, kSize);
      std::memcpy(to + (2 * k + 1) * kSize, b + k * kSize, kSize);
    }
  }
};

}  // namespace

CacheColumns ColumnsOf(posenc_cache_layout layout, const Rotary& rotary) {
  // Two tables in which both elements of a pair have a column, so each number is there twice.
  const auto in_both = [&](posenc_pairing pairing) {
    return CacheColumns{0, ElementsOf(pairing, 1, rotary.head_pairs).a,
                        ElementsOf(pairing, 0, rotary.head_pairs).b};
  };
  switch (layout) {
    case POSENC_CACHE_HALVES:
      break;
    case POSENC_CACHE_DUPLICATED:
      return in_both(rotary.from);
    case POSENC_CACHE_COS_SIN:
      return {rotary.head_pairs, 1, 0};
    case POSENC_CACHE_PAIRS:
      return {1, 2, 0};
    case POSENC_CACHE_HALVES_TWICE:
      return in_both(POSENC_HALF_SPLIT);
  }
  return {0, 1, 0};
}

CacheRow::CacheRow(const Rotary& rotary, const posenc_cache& cache, const CacheColumns& columns,
                   std::size_t row)
    : rotary_(rotary), cache_(cache), size_(ElementSize(cache.type)), bytes_(rotary.pairs * size_) {
  const std::size_t offset = row * cache.row_stride + columns.step * rotary.First();
  cos_ = static_cast<unsigned char*>(cache.cos) + offset * size_;
  sin_ = static_cast<unsigned char*>(columns.HasTwoTables() ? cache.sin : cache.cos) +
         (offset + columns.sines) * size_;
  is_interleaved_ = columns.step == 2;
  copy_ = columns.copy * size_;
}

void CacheRow::Store(const unsigned char* cosines, const unsigned char* sines) const {
  if (is_interleaved_ && copy_ == 0) {
    Interleave(cosines, sines, cos_);
  } else if (is_interleaved_) {
    Interleave(cosines, cosines, cos_);
    Interleave(sines, sines, sin_);
  } else {
    std::memcpy(cos_, cosines, bytes_);
    std::memcpy(sin_, sines, bytes_);
    if (copy_ == 0) return;
    std::memcpy(cos_ + copy_, cosines, bytes_);
    std::memcpy(sin_ + copy_, sines, bytes_);
  }
}

void CacheRow::Load(const Gain& gain, float* cosines, float* sines) const {
  LoadFrom(cos_, gain.scale, cosines);
  LoadFrom(sin_, gain.inverse ? -gain.scale : gain.scale, sines);
}

void CacheRow::LoadFrom(const unsigned char* from, double scale, float* to) const {
  const std::size_t pairs = rotary_.pairs;
  alignas(64) unsigned char elements[kMaxPiece * sizeof(float)];
  if (is_interleaved_) {
    size_ == 2 ? Elements<2>::TakeEven(from, pairs, elements) : Elements<4>::TakeEven(from, pairs, elements);
    from = elements;
  }
  if (cache_.type == POSENC_F32) {
    std::memcpy(to, from, bytes_);
  } else {
    WidenToFloats(rotary_.kernels, cache_.type, from, pairs, to);
  }
  std::memset(to + pairs, 0, kVectorPadding * sizeof(*to));
  ScaleFloats(scale, to, pairs);
}

void CacheRow::Interleave(const unsigned char* a, const unsigned char* b, unsigned char* to) const {
  const auto interleave = size_ == 2   ? Elements<2>::Interleave
                          : size_ == 4 ? Elements<4>::Interleave
                                       : Elements<8>::Interleave;
  interleave(a, b, rotary_.pairs, to);
}

}  // namespace internal
}  // namespace posenc
