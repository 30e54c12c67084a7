// What the arguments of a rotary's calls must be.

#include <numeric>

#include "call/checks.h"
#include "call/rotary.h"
#include "number/double_double.h"
#include "number/fp_state.h"

namespace posenc {
namespace internal {
namespace {

constexpr std::size_t kMost = PTRDIFF_MAX;

// Blocks of memory [outer, inner] apart by their strides, all of so many bytes.
struct Blocks {
  const void* data;
  std::size_t outer_count, outer_stride, inner_count, inner_stride, bytes;
  bool has_heads_outside;

  std::size_t InnerBytes() const { return (inner_count - 1) * inner_stride + bytes; }
  Bytes All() const { return {data, (outer_count - 1) * outer_stride + InnerBytes()}; }
  std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(data); }
};

// Heads of tokens, of which there are some, in order of their strides; false if they exceed the address
// space.
bool MakeBlocks(const void* data, std::size_t tokens, std::size_t token_stride, std::size_t heads,
                std::size_t head_stride, std::size_t head_dim, std::size_t size, Blocks* blocks) {
  if (tokens == 1) token_stride = 0;
  if (heads == 1) head_stride = 0;
  const std::size_t most = kMost / size;
  if (head_dim > most || (token_stride != 0 && tokens - 1 > most / token_stride) ||
      (head_stride != 0 && heads - 1 > most / head_stride)) {
    return false;
  }
  const std::size_t last_token = (tokens - 1) * token_stride, last_head = (heads - 1) * head_stride;
  if (last_token > most - last_head || last_token + last_head > most - head_dim) return false;
  *blocks = {data, tokens, token_stride * size, heads, head_stride * size, head_dim * size, false};
  if (heads > 1 && (tokens == 1 || token_stride < head_stride)) {
    *blocks = {data, heads, head_stride * size, tokens, token_stride * size, head_dim * size, true};
  }
  return true;
}

// That no two blocks of it overlap, or which stride is too small for that.
posenc_status CheckApart(const Blocks& blocks) {
  const bool inner_is_right = blocks.inner_count == 1 || blocks.inner_stride >= blocks.bytes;
  if (inner_is_right && (blocks.outer_count == 1 || blocks.outer_stride >= blocks.InnerBytes())) {
    return POSENC_OK;
  }
  return inner_is_right == blocks.has_heads_outside ? POSENC_HEAD_STRIDE_TOO_SMALL
                                                    : POSENC_TOKEN_STRIDE_TOO_SMALL;
}

// Whether what begins there and is so long takes turns with the other, where either comes again every
// `stride`.
bool TakeTurns(const Blocks& a, std::size_t a_bytes, const Blocks& b, std::size_t b_bytes,
               std::size_t stride) {
  const std::uintptr_t a_begin = a.begin(), b_begin = b.begin();
  const std::uintptr_t distance =
      b_begin >= a_begin ? (b_begin - a_begin) % stride : (stride - (a_begin - b_begin) % stride) % stride;
  return distance >= a_bytes && distance + b_bytes <= stride;
}

// Whether a block of one may overlap one of the other. Those that take turns do not: in the same rows, as q
// and k of one projection do, or head by head, where q, k and v of a head are next to each other.
bool MayOverlap(const Blocks& a, const Blocks& b) {
  if (!Overlap(a.All(), b.All())) return false;
  if (a.outer_count != 1 && a.outer_stride == b.outer_stride &&
      TakeTurns(a, a.InnerBytes(), b, b.InnerBytes(), a.outer_stride)) {
    return false;
  }
  const std::size_t common =
      std::gcd(std::gcd(a.outer_stride, a.inner_stride), std::gcd(b.outer_stride, b.inner_stride));
  return common == 0 || !TakeTurns(a, a.bytes, b, b.bytes, common);
}

struct Written {
  Blocks data, source;
  bool is_in_place;
};

// In the default floating-point state.
posenc_status CheckGain(double amplitude, const posenc_heads& heads) {
  if ((heads.inverse != 0 && heads.inverse != 1) || heads.reserved != 0) return POSENC_BAD_FLAG;
  const auto is_right = [](double x) { return x >= 0x1p-64 && x <= 0x1p64; };  // no NaN is
  const double scale = ScaleOf(heads);
  const bool are_right = is_right(scale) && is_right(ToOdd(ExactProduct(amplitude, scale)));  // unrounded
  return are_right ? POSENC_OK : POSENC_BAD_AMPLITUDE;
}

posenc_status CheckHeads(const Rotary& rotary, std::size_t tokens, posenc_type type,
                         const posenc_heads& heads, Written* written) {
  if (heads.heads == 0 || tokens == 0) return POSENC_OK;
  const std::size_t size = ElementSize(type);
  written->is_in_place = IsInPlace(heads, tokens);
  if (!MakeBlocks(heads.data, tokens, heads.token_stride, heads.heads, heads.head_stride, rotary.head_dim,
                  size, &written->data)) {
    return POSENC_SIZE_OVERFLOW;
  }
  if (const posenc_status status = CheckApart(written->data); status != POSENC_OK) return status;
  if (heads.data == nullptr) return POSENC_NULL_POINTER;
  if (written->is_in_place) return POSENC_OK;
  return MakeBlocks(heads.source, tokens, SourceTokenStride(heads), heads.heads, SourceHeadStride(heads),
                    rotary.head_dim, size, &written->source)
             ? POSENC_OK
             : POSENC_SIZE_OVERFLOW;
}

posenc_status CheckTensor(const Rotary& rotary, std::size_t tokens, const Tensors& tensors, std::size_t i) {
  const posenc_heads& heads = tensors.heads[i];
  Written mine{};
  if (const posenc_status status = CheckHeads(rotary, tokens, tensors.type, heads, &mine);
      status != POSENC_OK) {
    return status;
  }
  if (heads.heads == 0) return POSENC_OK;
  if (!mine.is_in_place && MayOverlap(mine.data, mine.source)) return POSENC_BUFFERS_OVERLAP;
  for (std::size_t j = 0; j < i; ++j) {
    if (tensors.heads[j].heads == 0) continue;
    Written other{};
    CheckHeads(rotary, tokens, tensors.type, tensors.heads[j], &other);
    if (MayOverlap(mine.data, other.data) || (!other.is_in_place && MayOverlap(mine.data, other.source)) ||
        (!mine.is_in_place && MayOverlap(mine.source, other.data))) {
      return POSENC_BUFFERS_OVERLAP;
    }
  }
  return POSENC_OK;
}

posenc_status CheckTensors(const Rotary& rotary, std::size_t tokens, const Tensors& tensors) {
  if (tensors.count != 0 && tensors.heads == nullptr) return POSENC_NULL_POINTER;
  const posenc_status gains = InFpState([&] {
    posenc_status status = POSENC_OK;
    for (std::size_t i = 0; i < tensors.count && status == POSENC_OK; ++i) {
      status = CheckGain(rotary.table.schedule.amplitude, tensors.heads[i]);
    }
    return status;
  });
  if (gains != POSENC_OK) return gains;
  for (std::size_t i = 0; i < tensors.count; ++i) {
    if (const posenc_status status = CheckTensor(rotary, tokens, tensors, i); status != POSENC_OK)
      return status;
  }
  return POSENC_OK;
}

// Calls visit(memory) for all that a call writes.
template <class Visit>
posenc_status ForWritten(const Rotary& rotary, std::size_t tokens, const Tensors& tensors,
                         const Visit& visit) {
  for (std::size_t i = 0; i < tensors.count; ++i) {
    Written written{};
    CheckHeads(rotary, tokens, tensors.type, tensors.heads[i], &written);
    if (tensors.heads[i].heads == 0) continue;
    if (const posenc_status status = visit(written.data.All()); status != POSENC_OK) return status;
  }
  return POSENC_OK;
}

posenc_status CheckTokens(const TokenPositions& positions, const Bytes& written, std::size_t* bad_index) {
  if (positions.list.IsNull()) return CheckRun(positions.first, positions.tokens);
  if (positions.tokens > kMost / positions.axes) return POSENC_SIZE_OVERFLOW;
  return CheckPositions(positions.list, positions.axes * positions.tokens, {}, written, bad_index);
}

struct CacheShape {
  std::size_t columns;
  bool two_tables;
};

posenc_status CheckCache(const Rotary& rotary, const posenc_cache& cache, std::size_t rows,
                         CacheShape* shape) {
  switch (cache.layout) {
    case POSENC_CACHE_HALVES:
      *shape = {rotary.pairs, true};
      break;
    case POSENC_CACHE_DUPLICATED:
      *shape = {2 * rotary.pairs, true};
      break;
    case POSENC_CACHE_COS_SIN:
    case POSENC_CACHE_PAIRS:
      *shape = {2 * rotary.pairs, false};
      break;
    default:
      return POSENC_BAD_CACHE_LAYOUT;
  }
  if (!shape->two_tables && cache.sin != nullptr) return POSENC_BAD_CACHE;
  const Shape matrix{shape->columns, ElementSize(cache.type), rows};
  if (const posenc_status status = CheckMatrix(matrix, {cache.cos, cache.row_stride}); status != POSENC_OK) {
    return status;
  }
  return rows != 0 && shape->two_tables && cache.sin == nullptr ? POSENC_NULL_POINTER : POSENC_OK;
}

Bytes TableBytes(const CacheShape& shape, const posenc_cache& cache, std::size_t rows, void* table) {
  return MatrixBytes({shape.columns, ElementSize(cache.type), rows}, {table, cache.row_stride});
}

}  // namespace

posenc_status CallRotate(const Rotary& rotary, const TokenPositions& positions, const Tensors& tensors,
                         std::size_t* bad_index) {
  const std::size_t tokens = positions.tokens;
  if (const posenc_status status = CheckTensors(rotary, tokens, tensors); status != POSENC_OK) return status;
  if (tokens == 0) return POSENC_OK;
  if (const posenc_status status = CheckTokens(positions, {nullptr, 0}, bad_index); status != POSENC_OK) {
    return status;
  }
  const posenc_status status = ForWritten(rotary, tokens, tensors, [&](const Bytes& written) {
    return CheckTokens(positions, written, bad_index);
  });
  if (status == POSENC_OK) WalkTokens(rotary, positions, tensors);
  return status;
}

posenc_status CallRotateCached(const Rotary& rotary, const CacheRows& rows, std::size_t tokens,
                               const Tensors& tensors, std::size_t* bad_index) {
  CacheShape shape{};
  if (const posenc_status status = CheckTensors(rotary, tokens, tensors); status != POSENC_OK) return status;
  if (const posenc_status status = CheckCache(rotary, rows.cache, rows.rows, &shape); status != POSENC_OK) {
    return status;
  }
  if (tokens == 0) return POSENC_OK;
  const auto end = static_cast<std::int64_t>(rows.rows);
  if (rows.list.IsNull() &&
      (rows.first < 0 || rows.first > end || tokens > static_cast<std::size_t>(end - rows.first))) {
    return POSENC_CACHE_ROW_OUT_OF_RANGE;
  }
  const auto check = [&](const Bytes& written) {
    if (rows.list.IsNull()) return POSENC_OK;
    return CheckIndices(rows.list, tokens, end, written, bad_index);
  };
  if (const posenc_status status = check({nullptr, 0}); status != POSENC_OK) return status;
  const posenc_status status =
      ForWritten(rotary, tokens, tensors, [&](const Bytes& written) -> posenc_status {
        if (Overlap(TableBytes(shape, rows.cache, rows.rows, rows.cache.cos), written)) {
          return POSENC_BUFFERS_OVERLAP;
        }
        if (shape.two_tables && Overlap(TableBytes(shape, rows.cache, rows.rows, rows.cache.sin), written)) {
          return POSENC_BUFFERS_OVERLAP;
        }
        return check(written);
      });
  if (status == POSENC_OK) WalkCached(rotary, rows, tokens, tensors);
  return status;
}

posenc_status CallWriteCache(const Rotary& rotary, const TokenPositions& positions, const posenc_cache& cache,
                             std::size_t* bad_index) {
  CacheShape shape{};
  const std::size_t tokens = positions.tokens;
  if (const posenc_status status = CheckCache(rotary, cache, tokens, &shape); status != POSENC_OK)
    return status;
  if (tokens == 0) return POSENC_OK;
  const Bytes cosines = TableBytes(shape, cache, tokens, cache.cos);
  const Bytes sines = shape.two_tables ? TableBytes(shape, cache, tokens, cache.sin) : Bytes{nullptr, 0};
  if (Overlap(cosines, sines)) return POSENC_BUFFERS_OVERLAP;
  if (const posenc_status status = CheckTokens(positions, cosines, bad_index); status != POSENC_OK)
    return status;
  if (const posenc_status status = CheckTokens(positions, sines, bad_index); status != POSENC_OK)
    return status;
  WalkCache(rotary, positions, cache);
  return POSENC_OK;
}

}  // namespace internal
}  // namespace posenc
