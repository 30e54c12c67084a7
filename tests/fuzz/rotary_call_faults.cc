// What a call on a rotary must say, by the memory that it claims, block by block.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rotary_call_input.h"

namespace posenc {
namespace fuzz {
namespace {

// Addresses from begin to end.
struct Block {
  std::uintptr_t begin, end;
};
bool Touch(const Block& a, const Block& b) { return a.begin < b.end && b.begin < a.end; }

// What one argument claims.
using Blocks = std::vector<Block>;
Block HullOf(const Blocks& blocks) {
  Block hull = {UINTPTR_MAX, 0};
  for (const Block& block : blocks) {
    hull.begin = std::min(hull.begin, block.begin);
    hull.end = std::max(hull.end, block.end);
  }
  return hull;
}
bool Touch(const Blocks& a, const Blocks& b) {
  return std::any_of(a.begin(), a.end(), [&](const Block& x) {
    return std::any_of(b.begin(), b.end(), [&](const Block& y) { return Touch(x, y); });
  });
}

// Of what may be refused, blocks that take turns, and of what must be: blocks that share a byte.
void AddOverlap(const Blocks& a, const Blocks& b, Faults* faults) {
  faults->AddPossible(Touch(HullOf(a), HullOf(b)), POSENC_BUFFERS_OVERLAP);
  faults->AddIf(Touch(a, b), POSENC_BUFFERS_OVERLAP);
}

Blocks RowsAt(const std::uint8_t* table, std::size_t rows, std::size_t stride, std::size_t bytes) {
  Blocks blocks;
  const auto begin = reinterpret_cast<std::uintptr_t>(table);
  for (std::size_t r = 0; r < rows && bytes != 0; ++r)
    blocks.push_back({begin + r * stride, begin + r * stride + bytes});
  return blocks;
}

}  // namespace

void RotaryCall::AddGainFaults(Faults* faults) const {
  for (std::size_t i = 0; i < TensorCount(); ++i) {
    const posenc_heads& tensor = tensors[i];
    faults->AddIf((tensor.inverse != 0 && tensor.inverse != 1) || tensor.reserved != 0, POSENC_BAD_FLAG);
    const long double scale = tensor.scale == 0.0 ? 1.0L : tensor.scale, gain = scale * shape.amplitude;
    faults->AddIf(!(scale >= 0x1p-64L && scale <= 0x1p64L), POSENC_BAD_AMPLITUDE);
    const auto is_out = [&](long double slack) { return gain < 0x1p-64L / slack || gain > 0x1p64L * slack; };
    // A cache has the amplitude already.
    faults->AddIf(kind != RotaryKind::kCached && is_out(1.0L + 0x1p-50L), POSENC_BAD_AMPLITUDE);
    faults->AddPossible(is_out(1.0L - 0x1p-50L), POSENC_BAD_AMPLITUDE);
  }
}

void RotaryCall::AddCacheFaults(Faults* faults) const {
  if (!HasCache()) return;
  faults->AddIf(null_cache, POSENC_NULL_POINTER);
  const bool is_layout = layout >= POSENC_CACHE_HALVES && layout <= POSENC_CACHE_PAIRS;
  const bool has_rows = CacheRows() != 0;
  faults->AddIf(!is_layout || (odd_sines && !HasTwoTables()), POSENC_BAD_CACHE);
  faults->AddIf((null_cosines || (odd_sines && HasTwoTables())) && has_rows, POSENC_NULL_POINTER);
  faults->AddIf(row_stride < Columns(), POSENC_STRIDE_TOO_SMALL);
  faults->AddIf(has_rows && row_stride != 0 && Overflows(CacheRows(), row_stride, TypeSize(cache_type)),
                POSENC_SIZE_OVERFLOW);
}

void RotaryCall::AddPositionFaults(Faults* faults) const {
  const bool is_cached = kind == RotaryKind::kCached;
  faults->AddIf(HasList() && null_list && !is_cached && tokens != 0, POSENC_NULL_POINTER);
  if (tokens == 0) return;
  if (PassesList()) {
    faults->AddIf(first_bad < positions.size(), POSENC_POSITION_OUT_OF_RANGE);
  } else if (is_cached) {
    const bool is_in = first >= 0 && static_cast<std::size_t>(first) <= rows &&
                       tokens <= rows - static_cast<std::size_t>(first);
    faults->AddIf(!is_in, POSENC_POSITION_OUT_OF_RANGE);
  } else {
    faults->AddIf(!HasList() && !IsRun(first, tokens), POSENC_POSITION_OUT_OF_RANGE);
  }
}

void RotaryCall::AddTensorFaults(std::size_t i, Faults* faults) const {
  if (!HasHeads(i)) return;
  faults->AddIf(DataExtent(i) == kEndless || SourceExtent(i) == kEndless, POSENC_SIZE_OVERFLOW);
  faults->AddIf(null_data[i], POSENC_NULL_POINTER);
  const posenc_heads& tensor = tensors[i];
  if (tokens == 1 && tensor.heads == 1) return;
  // Heads of a token after each other, or tokens of a head, and all of them after each other.
  const bool is_by_token = tensor.heads == 1 || (tokens > 1 && tensor.token_stride >= tensor.head_stride);
  const std::size_t inner = is_by_token ? tensor.head_stride : tensor.token_stride;
  const std::size_t outer = is_by_token ? tensor.token_stride : tensor.head_stride;
  const std::size_t count = is_by_token ? tensor.heads : tokens;
  const std::size_t inner_extent = count == 1 ? shape.head_dim : (count - 1) * inner + shape.head_dim;
  const bool is_alone = count == (is_by_token ? tensor.heads * tokens : tokens * tensor.heads);
  faults->AddPossible((count > 1 && inner < shape.head_dim) || (!is_alone && outer < inner_extent),
                      POSENC_STRIDE_TOO_SMALL);
}

void RotaryCall::AddOverlaps(const Parts& parts, Faults* faults) const {
  std::vector<Blocks> written, read;
  const std::size_t size = TypeSize(type), bytes = shape.head_dim * size;
  for (std::size_t i = 0; i < TensorCount(); ++i) {
    if (!HasHeads(i) || null_data[i]) continue;
    Blocks data, source;
    for (std::size_t t = 0; t < tokens; ++t) {
      for (std::size_t h = 0; h < tensors[i].heads; ++h) {
        const auto to = reinterpret_cast<std::uintptr_t>(parts[kFirstData + i]) + DataOffset(i, t, h);
        const auto from = reinterpret_cast<std::uintptr_t>(parts[SourcePart(i)]) + SourceOffset(i, t, h);
        data.push_back({to, to + bytes});
        source.push_back({from, from + bytes});
      }
    }
    for (std::size_t a = 0; a < data.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) faults->AddIf(Touch(data[a], data[b]), POSENC_STRIDE_TOO_SMALL);
    }
    written.push_back(data);
    if (!IsInPlace(parts, i)) read.push_back(source);
  }
  if (HasCache()) {
    const std::size_t row = row_stride * TypeSize(cache_type), columns = Columns() * TypeSize(cache_type);
    const std::size_t count = Rotates() ? held_rows : tokens;
    std::vector<Blocks>& tables = Rotates() ? read : written;
    tables.push_back(RowsAt(parts[CosPart()], count, row, columns));
    if (HasTwoTables()) tables.push_back(RowsAt(parts[kSines], count, row, columns));
  }
  if (PassesList()) read.push_back(RowsAt(parts[kPositions], 1, 0, list.size()));
  for (std::size_t a = 0; a < written.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) AddOverlap(written[a], written[b], faults);
    for (const Blocks& other : read) AddOverlap(written[a], other, faults);
  }
}

Faults RotaryCall::CallFaults(const Parts& parts) const {
  Faults faults;
  faults.AddIf(null_rotary, POSENC_NOT_CREATED);
  faults.AddIf(said_type != type || said_cache_type != cache_type, POSENC_BAD_TYPE);
  faults.AddIf(said_list_type != list_type, POSENC_BAD_TYPE);
  faults.AddIf(null_tensors && TensorCount() != 0, POSENC_NULL_POINTER);
  AddGainFaults(&faults);
  AddCacheFaults(&faults);
  AddPositionFaults(&faults);
  for (std::size_t i = 0; i < TensorCount(); ++i) AddTensorFaults(i, &faults);
  faults.AddPossible(ClaimsMore(), POSENC_BUFFERS_OVERLAP);
  faults.AddPossible(ClaimsMore(), POSENC_STRIDE_TOO_SMALL);
  if (!IsLarge() && tokens != 0) AddOverlaps(parts, &faults);
  return faults;
}

}  // namespace fuzz
}  // namespace posenc
