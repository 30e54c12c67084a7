#include "number/exact.h"

#include "call/cache_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "call/store_policy.h"
#include "kernel/rotate_token.h"
#include "number/compiler.h"
#include "number/double_double.h"
#include "number/elements.h"

namespace posenc {
namespace internal {
namespace {

// Multiplies x [count] by scale * factor. Each product is rounded once. The product of x[i] and the factor
// is exact in double. The product of x[i], factor and scale is exact, too, if scale * factor is a float.
void ScaleFloats(double scale, float factor, float* x, std::size_t count) {
  if (scale == 1.0 && factor == 1.0f) return;
  const auto wide_factor = static_cast<double>(factor);
  const DoubleDouble product = ExactProduct(scale, wide_factor);
  const bool is_float =
      product.low == 0.0 && static_cast<double>(static_cast<float>(product.high)) == product.high;
  for (std::size_t i = 0; i < count; ++i) {
    const auto wide = static_cast<double>(x[i]);
    const bool is_exact = is_float || !std::isfinite(wide);
    x[i] =
        static_cast<float>(is_exact ? wide * product.high : ToOdd(ExactProduct(wide * wide_factor, scale)));
  }
}

std::int32_t IsNan(float x) {
  std::int32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return (bits & 0x7FFFFFFF) > 0x7F800000 ? 1 : 0;
}

// Whether any of some floats is a NaN. They are readable as whole vectors, with zeros at the end. Four at a
// time without an early exit, so that compilers make vectors.
bool HasNans(const float* x, std::size_t count) {
  std::int32_t nans[4] = {};
  for (std::size_t i = 0; i < count; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) nans[k] |= IsNan(x[i + k]);
  }
  return (nans[0] | nans[1] | nans[2] | nans[3]) != 0;
}

// Makes each NaN the canonical one.
void ShortenNans(float* x, std::size_t count) {
  if (!HasNans(x, count)) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (IsNan(x[i]) != 0) std::memcpy(x + i, &kNanBits<POSENC_F32>, sizeof(*x));
  }
}

// Copies elements of kSize bytes each, for k < count. GCC makes vectors of them only if it knows that `to`
// has no element of the others.
template <std::size_t kSize>
struct Elements {
  // to[k] = from[2 * k]
  static void TakeEven(const unsigned char* from, std::size_t count, unsigned char* POSENC_RESTRICT to) {
    for (std::size_t k = 0; k < count; ++k) std::memcpy(to + k * kSize, from + 2 * k * kSize, kSize);
  }

  // to[2 * k] = a[k], to[2 * k + 1] = b[k]
  static void Interleave(const unsigned char* a, const unsigned char* b, std::size_t count,
                         unsigned char* POSENC_RESTRICT to) {
    for (std::size_t k = 0; k < count; ++k) {
      std::memcpy(to + 2 * k * kSize, a + k * kSize, kSize);
      std::memcpy(to + (2 * k + 1) * kSize, b + k * kSize, kSize);
    }
  }
};

}  // namespace

void CacheAccess::Store(std::size_t row, const unsigned char* cosines, const unsigned char* sines) const {
  unsigned char *const to_cos = cos_ + row * stride_, *const to_sin = sin_ + row * stride_;
  const std::size_t bytes = rotary_.pairs * size_;
  if (is_interleaved_ && copy_ == 0) {
    Interleave(cosines, sines, to_cos);
  } else if (is_interleaved_) {
    Interleave(cosines, cosines, to_cos);
    Interleave(sines, sines, to_sin);
  } else {
    std::memcpy(to_cos, cosines, bytes);
    std::memcpy(to_sin, sines, bytes);
    if (copy_ == 0) return;
    std::memcpy(to_cos + copy_, cosines, bytes);
    std::memcpy(to_sin + copy_, sines, bytes);
  }
}

unsigned char* CacheAccess::PlaceRuns(Columns* columns) const {
  unsigned char* const sines = is_interleaved_ && copy_ == 0 ? cos_ + rotary_.pairs * size_ : sin_;
  const bool sines_first = AddressOf(sines) < AddressOf(cos_);
  const std::size_t apart =
      (sines_first ? AddressOf(cos_) - AddressOf(sines) : AddressOf(sines) - AddressOf(cos_)) / size_;
  *columns = {rotary_.pairs, rotary_.pairs, sines_first ? 0 : apart, sines_first ? apart : 0, 1};
  return sines_first ? sines : cos_;
}

void CacheAccess::FinishRow(std::size_t row) const {
  unsigned char *const to_cos = cos_ + row * stride_, *const to_sin = sin_ + row * stride_;
  const std::size_t bytes = rotary_.pairs * size_;
  if (!is_interleaved_) {
    if (copy_ == 0) return;
    std::memcpy(to_cos + copy_, to_cos, bytes);
    std::memcpy(to_sin + copy_, to_sin, bytes);
    return;
  }
  alignas(64) unsigned char numbers[2][RowRuns::kMaxPairs * sizeof(double)];
  std::memcpy(numbers[0], to_cos, bytes);
  std::memcpy(numbers[1], copy_ == 0 ? to_cos + bytes : to_sin, bytes);
  Store(row, numbers[0], numbers[1]);
}

bool CacheAccess::HasNans(const SinCosFloats& row) const {
  return internal::HasNans(row.cosines, rotary_.pairs) || internal::HasNans(row.sines, rotary_.pairs);
}

void CacheAccess::LoadFrom(const unsigned char* from, double scale, float factor, float* to) const {
  const std::size_t pairs = rotary_.pairs;
  static_assert(kAreAllSummands<POSENC_F32, POSENC_BF16, POSENC_F16>, "elements of 2 or 4 bytes");
  alignas(64) unsigned char elements[kMaxPiece * sizeof(float)];
  if (is_interleaved_) {
    size_ == 2 ? Elements<2>::TakeEven(from, pairs, elements) : Elements<4>::TakeEven(from, pairs, elements);
    from = elements;
  }
  if (type_ == POSENC_F32) {
    std::memcpy(to, from, pairs * size_);
  } else {
    WidenToFloats(rotary_.kernels, type_, from, pairs, to);
  }
  std::memset(to + pairs, 0, kVectorPadding * sizeof(*to));
  ScaleFloats(scale, factor, to, pairs);
  if (shortens_nans_) ShortenNans(to, pairs);
}

void CacheAccess::Interleave(const unsigned char* a, const unsigned char* b, unsigned char* to) const {
  static_assert(kAreAllEntries<POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64>,
                "entries of 2, 4 or 8 bytes");
  const auto interleave = size_ == 2   ? Elements<2>::Interleave
                          : size_ == 4 ? Elements<4>::Interleave
                                       : Elements<8>::Interleave;
  interleave(a, b, rotary_.pairs, to);
}

namespace {

bool TakesRuns(const Rotary& rotary, const TokenPositions& positions, const posenc_cache& cache) {
  const bool has_two_tables = ColumnsOf(cache.layout, rotary).HasTwoTables();
  const std::uintptr_t addresses = AddressOf(cache.cos) | (has_two_tables ? AddressOf(cache.sin) : 0);
  return positions.list.IsNull() && addresses % ElementSize(cache.type) == 0 &&
         RowRuns::Take(rotary.kernels, rotary.table, positions.tokens);
}

// WriteRows for consecutive positions and a piece of at most RowRuns::kMaxPairs pairs.
POSENC_NOINLINE Tally WriteRuns(const Rotary& piece, const TokenPositions& positions,
                                const posenc_cache& cache) {
  const CacheAccess rows(piece, ReadOnly(cache, positions.tokens));
  const RowRuns runs(*piece.kernels, piece.table.frequencies, cache.type);
  const std::size_t size = ElementSize(cache.type);
  Columns columns{};
  unsigned char* const data = rows.PlaceRuns(&columns);
  const bool finishes = rows.FinishesRows();
  const bool stream = !finishes && ShouldStream(columns, size, positions.tokens, data, cache.row_stride);
  Tally tally;
  for (std::size_t t = 0; t < positions.tokens; t += Rows::kMax) {
    const std::size_t count = std::min(positions.tokens - t, Rows::kMax);
    const Positions at = {nullptr, positions.first + static_cast<std::int64_t>(t), count};
    tally += runs.Write(columns, {at, data + t * cache.row_stride * size, cache.row_stride, nullptr, stream});
    for (std::size_t r = 0; finishes && r < count; ++r) rows.FinishRow(t + r);
  }
  if (stream) FenceStreams();
  return tally;
}

POSENC_NOINLINE Tally WriteOneByOne(const Rotary& rotary, const TokenPositions& positions,
                                    const posenc_cache& cache) {
  alignas(64) unsigned char cosines[kPairBuffer * sizeof(double)], sines[kPairBuffer * sizeof(double)];
  AnchorAngles angles(rotary.kernels, rotary.table);
  const Gain gain{rotary.table.amplitude, 1.0, 1.0f, false};
  const CacheAccess rows(rotary, ReadOnly(cache, positions.tokens));
  for (std::size_t t = 0; t < positions.tokens; ++t) {
    double position[POSENC_MAX_AXES];
    positions.At(t, position);
    angles.WriteRow(position, cache.type, gain, cosines, sines);
    rows.Store(t, cosines, sines);
  }
  return angles.tally();
}

}  // namespace

Tally WriteRows(const Rotary& rotary, const TokenPositions& positions, const posenc_cache& cache) {
  if (!TakesRuns(rotary, positions, cache)) return WriteOneByOne(rotary, positions, cache);
  Tally tally;
  ForEachPiece(
      rotary, [&](const Rotary& piece) { tally += WriteRuns(piece, positions, cache); }, RowRuns::kMaxPairs);
  return tally;
}

}  // namespace internal
}  // namespace posenc
