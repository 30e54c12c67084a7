// The calls of a rotary: each checks its arguments, then goes through its tokens (rotary_walk.cc). A call
// reports one mistake only: the first one in the order of these checks.
#include "number/exact.h"

#include <initializer_list>
#include <numeric>

#include "call/cache_rows.h"
#include "call/checks.h"
#include "call/rotary.h"
#include "number/double_double.h"
#include "number/fp_state.h"
#include "spec/check_members.h"

namespace posenc {
namespace internal {
namespace {

constexpr std::size_t kMaxBytes = PTRDIFF_MAX;

// Where the heads of a tensor lie in memory: [outer_count, inner_count] blocks of `bytes` bytes each. Usually
// tokens are the outer dimension and heads the inner one; if heads have the larger stride, it is the other
// way round. Strides are in bytes.
struct Blocks {
  const void* data;
  std::size_t outer_count, outer_stride, inner_count, inner_stride, bytes;
  bool has_heads_outside;

  std::size_t InnerBytes() const { return (inner_count - 1) * inner_stride + bytes; }
  Bytes All() const { return {data, (outer_count - 1) * outer_stride + InnerBytes()}; }
  std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(data); }
};

// Sets *blocks. Returns false if they would not fit into the address space. Strides are in elements of `size`
// bytes. There must be tokens and heads.
bool MakeBlocks(const void* data, std::size_t tokens, std::size_t token_stride, std::size_t heads,
                std::size_t head_stride, std::size_t head_dim, std::size_t size, Blocks* blocks) {
  if (tokens == 1) token_stride = 0;
  if (heads == 1) head_stride = 0;
  const std::size_t most = kMaxBytes / size;
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

// Checks that no two of the blocks overlap. If two do, the status says which stride is too small.
posenc_status CheckApart(const Blocks& blocks) {
  const bool inner_is_right = blocks.inner_count == 1 || blocks.inner_stride >= blocks.bytes;
  if (inner_is_right && (blocks.outer_count == 1 || blocks.outer_stride >= blocks.InnerBytes())) {
    return rule::ok;
  }
  return inner_is_right == blocks.has_heads_outside ? rule::stride_heads : rule::stride_tokens;
}

// Whether pieces of a and pieces of b alternate without overlap. Both repeat every `stride` bytes; a piece of
// a has a_bytes, a piece of b has b_bytes.
bool Alternate(const Blocks& a, std::size_t a_bytes, const Blocks& b, std::size_t b_bytes,
               std::size_t stride) {
  const std::uintptr_t a_begin = a.begin(), b_begin = b.begin();
  const std::uintptr_t distance =
      b_begin >= a_begin ? (b_begin - a_begin) % stride : (stride - (a_begin - b_begin) % stride) % stride;
  return distance >= a_bytes && distance + b_bytes <= stride;
}

// Whether a block of a may overlap a block of b. They do not overlap if they alternate. There are two usual
// cases: q and k are parts of the same rows, as after one projection for both; or q, k and v of each head are
// next to each other.
bool MayOverlap(const Blocks& a, const Blocks& b) {
  if (!Overlap(a.All(), b.All())) return false;
  if (a.outer_count != 1 && a.outer_stride == b.outer_stride &&
      Alternate(a, a.InnerBytes(), b, b.InnerBytes(), a.outer_stride)) {
    return false;
  }
  const std::size_t common =
      std::gcd(std::gcd(a.outer_stride, a.inner_stride), std::gcd(b.outer_stride, b.inner_stride));
  return common == 0 || !Alternate(a, a.bytes, b, b.bytes, common);
}

// The memory that the rotation of a tensor writes, and, unless it is in place, the memory that it reads.
struct TensorMemory {
  Blocks data, source;
  bool is_in_place;
};

// Checks the members of a tensor that are neither sizes nor pointers to elements. Call it in posenc's
// floating-point state (number/fp_state.h).
posenc_status CheckMembers(double amplitude, posenc_type type, const posenc_heads& heads) {
  if (!IsSummand(heads.type)) return rule::type_heads;
  if (heads.type != type) return rule::type_tensors;
  if (heads.source_type != posenc_type{} && heads.source_type != heads.type) return rule::type_source;
  if (heads.inverse != 0 && heads.inverse != 1) return rule::heads_inverse;
  if (heads.reserved != 0 || heads.norm != nullptr || heads.slots != nullptr ||
      heads.token_factors != nullptr) {
    return rule::heads_reserved;
  }
  const double scale = ScaleOf(heads);
  if (!IsGain(scale)) return rule::heads_scale;
  // The exact product must be in range. Rounding to odd never moves it across or onto a bound.
  return IsGain(ToOdd(ExactProduct(amplitude, scale))) ? rule::ok : rule::heads_gain;
}

// Checks the sizes and pointers of a tensor, and finds its memory. There must be tokens and heads.
posenc_status CheckHeads(const Rotary& rotary, std::size_t tokens, posenc_type type,
                         const posenc_heads& heads, TensorMemory* memory) {
  const std::size_t size = ElementSize(type);
  if (!MakeBlocks(heads.data, tokens, heads.token_stride, heads.heads, heads.head_stride, rotary.head_dim,
                  size, &memory->data)) {
    return rule::size_heads;
  }
  if (const posenc_status status = CheckApart(memory->data); status != POSENC_OK) return status;
  if (heads.data == nullptr) return rule::null_heads_data;
  memory->is_in_place = IsInPlace(heads, tokens);
  if (memory->is_in_place) {
    // A head of several pieces cannot change its pairing in place: one piece would overwrite the next one.
    const bool is_torn = rotary.from != rotary.to && rotary.pairs > kMaxPiece;
    return is_torn ? rule::pairing_in_place : rule::ok;
  }
  return MakeBlocks(heads.source, tokens, SourceTokenStride(heads), heads.heads, SourceHeadStride(heads),
                    rotary.head_dim, size, &memory->source)
             ? rule::ok
             : rule::size_heads;
}

// Checks tensor i, and that its memory does not overlap the memory of the tensors before it.
posenc_status CheckTensor(const Rotary& rotary, std::size_t tokens, const Tensors& tensors, std::size_t i) {
  if (tensors.heads[i].heads == 0 || tokens == 0) return rule::ok;
  TensorMemory mine{};
  if (const posenc_status status = CheckHeads(rotary, tokens, tensors.type, tensors.heads[i], &mine);
      status != POSENC_OK) {
    return status;
  }
  if (!mine.is_in_place && MayOverlap(mine.data, mine.source)) return rule::overlap_source;
  for (std::size_t j = 0; j < i; ++j) {
    if (tensors.heads[j].heads == 0) continue;
    TensorMemory other{};
    CheckHeads(rotary, tokens, tensors.type, tensors.heads[j], &other);
    if (MayOverlap(mine.data, other.data) || (!other.is_in_place && MayOverlap(mine.data, other.source)) ||
        (!mine.is_in_place && MayOverlap(mine.source, other.data))) {
      return rule::overlap_tensors;
    }
  }
  return rule::ok;
}

posenc_status CheckTensors(const Rotary& rotary, std::size_t tokens, const Tensors& tensors) {
  if (tensors.count != 0 && tensors.heads == nullptr) return rule::null_tensors;
  posenc_status status = InFpState([&] {
    posenc_status members = POSENC_OK;
    for (std::size_t i = 0; i < tensors.count && members == POSENC_OK; ++i) {
      members = CheckMembers(rotary.table.scaling.amplitude, tensors.type, tensors.heads[i]);
    }
    return members;
  });
  for (std::size_t i = 0; i < tensors.count && status == POSENC_OK; ++i) {
    status = CheckTensor(rotary, tokens, tensors, i);
  }
  return status;
}

// Whether writing the tensors would overwrite any memory in `read`. CheckTensors has accepted the tensors.
bool Overwrites(const Rotary& rotary, std::size_t tokens, const Tensors& tensors,
                std::initializer_list<Bytes> read) {
  for (std::size_t i = 0; i < tensors.count; ++i) {
    if (tensors.heads[i].heads == 0) continue;
    TensorMemory memory{};
    CheckHeads(rotary, tokens, tensors.type, tensors.heads[i], &memory);
    for (const Bytes& bytes : read) {
      if (Overlap(bytes, memory.data.All())) return true;
    }
  }
  return false;
}

posenc_status CheckTokens(const TokenPositions& positions, const Bytes& written, std::size_t* bad_index) {
  if (positions.list.IsNull()) return CheckRun(positions.first, positions.tokens);
  if (positions.tokens > kMaxBytes / positions.axes) return rule::size_list;
  return CheckPositions(positions.list, positions.axes * positions.tokens, {}, written, bad_index);
}

Bytes BytesOf(const TokenPositions& positions) {
  return ListBytes(positions.list, positions.axes * positions.tokens);
}

// The memory of a cache's tables. `sines` is empty if the layout has only one table.
struct Tables {
  Bytes cosines, sines;
};

// Checks a cache and finds its tables. Without rows *tables stays as it is.
posenc_status CheckCache(const Rotary& rotary, const posenc_cache& cache, std::size_t rows, Tables* tables) {
  if (!IsValue<Of::cache_layout>(cache.layout)) return rule::cache_layout;
  const CacheColumns columns = ColumnsOf(cache.layout, rotary);
  const bool has_sines = columns.HasTwoTables();
  if (!has_sines && cache.sin != nullptr) return rule::cache_sin;
  const Shape shape{columns.Count(rotary.pairs), ElementSize(cache.type), rows};
  const Matrix cosines = {cache.cos, cache.row_stride}, sines = {cache.sin, cache.row_stride};
  posenc_status status = CheckMatrix(shape, cosines, {rule::stride_cache, rule::size_cache, rule::null_cos});
  if (status == POSENC_OK && has_sines)
    status = CheckMatrix(shape, sines, {rule::stride_cache, rule::size_cache, rule::null_sin});
  if (status != POSENC_OK || rows == 0) return status;
  *tables = {MatrixBytes(shape, cosines), has_sines ? MatrixBytes(shape, sines) : Bytes{nullptr, 0}};
  return rule::ok;
}

posenc_status CheckCacheRows(const CacheRows& rows, std::size_t tokens, std::size_t* bad_index) {
  const auto end = static_cast<std::int64_t>(rows.rows);
  if (!rows.list.IsNull()) return CheckIndices(rows.list, tokens, end, {nullptr, 0}, bad_index);
  const bool is_in_range =
      rows.first >= 0 && rows.first <= end && tokens <= static_cast<std::size_t>(end - rows.first);
  return is_in_range ? rule::ok : rule::cache_row_range;
}

}  // namespace

posenc_status CallRotate(const Rotary& rotary, const TokenPositions& positions, const Tensors& tensors,
                         std::size_t* bad_index) {
  const std::size_t tokens = positions.tokens;
  posenc_status status = CheckTensors(rotary, tokens, tensors);
  if (status != POSENC_OK || tokens == 0) return status;
  status = CheckTokens(positions, {nullptr, 0}, bad_index);
  if (status != POSENC_OK) return status;
  if (Overwrites(rotary, tokens, tensors, {BytesOf(positions)})) return rule::overlap_positions;
  WalkTokens(rotary, positions, tensors);
  return rule::ok;
}

posenc_status CallRotateCached(const Rotary& rotary, const CacheRows& rows, std::size_t tokens,
                               const Tensors& tensors, std::size_t* bad_index) {
  Tables tables{};
  posenc_status status = CheckTensors(rotary, tokens, tensors);
  if (status == POSENC_OK) status = CheckCache(rotary, rows.cache, rows.rows, &tables);
  if (status != POSENC_OK || tokens == 0) return status;
  status = CheckCacheRows(rows, tokens, bad_index);
  if (status != POSENC_OK) return status;
  const Bytes list = ListBytes(rows.list, tokens);
  if (Overwrites(rotary, tokens, tensors, {tables.cosines, tables.sines, list})) return rule::overlap_cache;
  WalkCached(rotary, rows, tokens, tensors);
  return rule::ok;
}

posenc_status CallWriteCache(const Rotary& rotary, const TokenPositions& positions, const posenc_cache& cache,
                             std::size_t* bad_index) {
  Tables tables{};
  posenc_status status = CheckCache(rotary, cache, positions.tokens, &tables);
  if (status != POSENC_OK || positions.tokens == 0) return status;
  if (Overlap(tables.cosines, tables.sines)) return rule::overlap_tables;
  status = CheckTokens(positions, tables.cosines, bad_index);
  if (status != POSENC_OK) return status;
  if (Overlap(BytesOf(positions), tables.sines)) return rule::overlap_positions;
  WalkCache(rotary, positions, cache);
  return rule::ok;
}

}  // namespace internal
}  // namespace posenc
