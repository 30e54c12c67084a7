#include "rotary_call_input.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "spec_input.h"

namespace posenc {
namespace fuzz {
namespace {

bool IsElement(posenc_type type) { return type == POSENC_F32 || type == POSENC_BF16 || type == POSENC_F16; }

// As a stride: mostly `least` or a little more.
std::size_t MakeStride(std::size_t least, FuzzedDataProvider& bytes) {
  const int choice = bytes.ConsumeIntegralInRange(0, 63);
  if (choice == 0) return bytes.PickValueInArray(kHuge);
  if (choice == 1) return least - std::min<std::size_t>(least, 1);
  if (choice == 2) return bytes.ConsumeIntegralInRange<std::size_t>(0, least);
  return least + (choice < 32 ? 0 : bytes.ConsumeIntegralInRange<std::size_t>(0, 20));
}

}  // namespace

RotaryCall::RotaryCall(const RotaryShape& rotary_shape, FuzzedDataProvider& bytes)
    : shape(rotary_shape), kind(bytes.ConsumeEnum<RotaryKind>()), first(MakePosition(bytes)) {
  tokens = bytes.ConsumeIntegralInRange<std::size_t>(0, 5);
  tensor_count = bytes.ConsumeIntegralInRange<std::size_t>(0, kMaxTensors);
  MakeTypes(bytes);
  MakeNulls(bytes);
  for (std::size_t i = 0; i < kMaxTensors; ++i) MakeTensor(i, bytes);
  MakeCache(bytes);
  MakeList(bytes);
  if (!PassesList() && Rarely(bytes, 64)) tokens = bytes.PickValueInArray(kHuge);
  rounding = MakeRounding(bytes);
  offset = bytes.ConsumeBool() ? 0 : bytes.ConsumeIntegralInRange<std::size_t>(0, 63);
  // In blocks of their own, chance would say what lies in the memory that huge strides and counts claim.
  const bool together = ClaimsMore();
  const auto shared = bytes.ConsumeIntegralInRange<std::size_t>(0, kRotaryParts - 1);  // 0: none
  for (std::size_t part = 0; part < kRotaryParts; ++part) {
    places[part] = MakePlace(!together && part != shared && !Rarely(bytes, 8), bytes);
    is_aligned[part] = bytes.ConsumeBool();
  }
  pattern = bytes.ConsumeRemainingBytes<std::uint8_t>();
  pattern.push_back(0x3c);
}

bool RotaryCall::HasList() const {
  return kind == RotaryKind::kRotateAt || kind == RotaryKind::kWriteAt || kind == RotaryKind::kCached;
}

void RotaryCall::MakeTypes(FuzzedDataProvider& bytes) {
  type = bytes.PickValueInArray({POSENC_F32, POSENC_BF16, POSENC_F16});
  cache_type = bytes.PickValueInArray({POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64});
  if (Rotates() && cache_type == POSENC_F64) cache_type = POSENC_F32;
  list_type = bytes.PickValueInArray({POSENC_I32, POSENC_I64, POSENC_F32, POSENC_F64});
  const bool has_rows = kind == RotaryKind::kCached;
  if (has_rows && (list_type == POSENC_F32 || list_type == POSENC_F64)) list_type = POSENC_I64;
  said_type = Rotates() ? MakeSaidType(type, bytes) : type;
  if (IsElement(said_type)) said_type = type;
  said_cache_type = HasCache() ? MakeSaidType(cache_type, bytes) : cache_type;
  if (IsElement(said_cache_type) || (!Rotates() && said_cache_type == POSENC_F64))
    said_cache_type = cache_type;
  said_list_type = HasList() ? MakeSaidType(list_type, bytes) : list_type;
  const bool is_real = said_list_type == POSENC_F32 || said_list_type == POSENC_F64;
  if (said_list_type == POSENC_I32 || said_list_type == POSENC_I64 || (is_real && !has_rows))
    said_list_type = list_type;
}

void RotaryCall::MakeNulls(FuzzedDataProvider& bytes) {
  null_rotary = Rarely(bytes, 64);
  null_bad_index = Rarely(bytes, 4);
  const int none = bytes.ConsumeIntegralInRange(0, 80);
  null_tensors = none == 0;
  null_cache = none == 1;
  null_cosines = none == 2;
  odd_sines = none == 3 || none == 4;
  for (std::size_t i = 0; i < kMaxTensors; ++i) null_data[i] = none == 5 + static_cast<int>(i);
  null_list = kind == RotaryKind::kCached ? bytes.ConsumeBool() : none == 8;
}

// In either order of memory.
void RotaryCall::MakeStrides(std::size_t heads, std::size_t* token_stride, std::size_t* head_stride,
                             FuzzedDataProvider& bytes) const {
  const bool has_tokens_first = bytes.ConsumeBool();
  std::size_t* inner = has_tokens_first ? head_stride : token_stride;
  std::size_t* outer = has_tokens_first ? token_stride : head_stride;
  const std::size_t count = has_tokens_first ? heads : tokens;
  *inner = MakeStride(shape.head_dim, bytes);
  *outer = MakeStride(*inner > 1000 ? shape.head_dim : count * *inner, bytes);
  if (Rarely(bytes)) *outer = *inner;
}

void RotaryCall::MakeTensor(std::size_t i, FuzzedDataProvider& bytes) {
  posenc_heads& tensor = tensors[i];
  tensor = {};
  tensor.heads = bytes.ConsumeIntegralInRange<std::size_t>(0, shape.head_dim > 32 ? 3 : 6);
  if (Rarely(bytes, 64)) tensor.heads = bytes.PickValueInArray(kHuge);
  const std::size_t heads = tensor.heads > 6 ? 1 : tensor.heads;
  MakeStrides(heads, &tensor.token_stride, &tensor.head_stride, bytes);
  has_source[i] = bytes.ConsumeBool();
  if (has_source[i] && bytes.ConsumeBool())
    MakeStrides(heads, &tensor.source_token_stride, &tensor.source_head_stride, bytes);
  if (bytes.ConsumeBool())
    tensor.scale = bytes.PickValueInArray({1.0, 0.125, 0x1p-64, 3.0, 0x1.8p-20, 0x1p40});
  if (Rarely(bytes)) tensor.scale = MakeReal(bytes);
  tensor.inverse = MakeEnum(2, bytes);
  if (Rarely(bytes, 64)) tensor.reserved = bytes.ConsumeIntegral<std::int32_t>();
}

void RotaryCall::MakeCache(FuzzedDataProvider& bytes) {
  layout = MakeEnum(4, bytes);
  row_stride = MakeStride(Columns(), bytes);
  held_rows = rows = bytes.ConsumeIntegralInRange<std::size_t>(0, 6);
  if (kind != RotaryKind::kCached) return;
  first = Rarely(bytes, 16) ? first : bytes.ConsumeIntegralInRange<std::int64_t>(0, 2);
  if (Rarely(bytes, 64)) rows = bytes.PickValueInArray(kHuge);
}

void RotaryCall::MakeList(FuzzedDataProvider& bytes) {
  const bool has_rows = kind == RotaryKind::kCached;
  const std::size_t count = !PassesList() ? 0 : has_rows ? tokens : shape.axes * tokens;
  first_bad = count;
  const std::size_t odd = Rarely(bytes, 6) ? bytes.ConsumeIntegralInRange<std::size_t>(0, count) : count;
  for (std::size_t i = 0; i < count; ++i) {
    double value = i == odd ? MakeReal(bytes) : MakeDoublePosition(bytes);
    bool good = true;
    if (list_type == POSENC_F64) {
      Append(value, &list);
    } else if (list_type == POSENC_F32) {
      const auto narrow = static_cast<float>(value);
      Append(narrow, &list);
      value = static_cast<double>(narrow);
    } else {
      std::int64_t whole = MakePosition(bytes);
      if (has_rows && i != odd)
        whole = bytes.ConsumeIntegralInRange<std::int64_t>(0, static_cast<std::int64_t>(held_rows));
      if (list_type == POSENC_I32) whole = static_cast<std::int32_t>(whole);
      list_type == POSENC_I32 ? Append(static_cast<std::int32_t>(whole), &list) : Append(whole, &list);
      value = static_cast<double>(whole);
      good = !has_rows || (whole >= 0 && static_cast<std::size_t>(whole) < rows);
    }
    if (!has_rows) good = std::fabs(value) <= static_cast<double>(kMaxPosition);
    positions.push_back(value);
    if (!good) first_bad = std::min(first_bad, i);
  }
}

double RotaryCall::PositionOf(std::size_t token, std::size_t axis) const {
  if (PassesList()) return positions[axis * tokens + token];
  return static_cast<double>(first + static_cast<std::int64_t>(token));
}

std::size_t RotaryCall::RowOf(std::size_t token) const {
  if (PassesList()) return static_cast<std::size_t>(positions[token]);
  return static_cast<std::size_t>(first) + token;
}

std::size_t RotaryCall::SourceTokenStride(std::size_t i) const {
  return tensors[i].source_token_stride == 0 ? tensors[i].token_stride : tensors[i].source_token_stride;
}

std::size_t RotaryCall::SourceHeadStride(std::size_t i) const {
  return tensors[i].source_head_stride == 0 ? tensors[i].head_stride : tensors[i].source_head_stride;
}

std::size_t RotaryCall::DataOffset(std::size_t i, std::size_t token, std::size_t head) const {
  return (token * tensors[i].token_stride + head * tensors[i].head_stride) * TypeSize(type);
}

std::size_t RotaryCall::SourceOffset(std::size_t i, std::size_t token, std::size_t head) const {
  if (!has_source[i]) return DataOffset(i, token, head);
  return (token * SourceTokenStride(i) + head * SourceHeadStride(i)) * TypeSize(type);
}

bool RotaryCall::IsInPlace(const Parts& parts, std::size_t i) const {
  if (!has_source[i]) return true;
  return parts[kFirstSource + i] == parts[kFirstData + i] &&
         SourceTokenStride(i) == tensors[i].token_stride && SourceHeadStride(i) == tensors[i].head_stride;
}

std::size_t RotaryCall::Columns() const {
  return layout == POSENC_CACHE_HALVES ? shape.pairs : 2 * shape.pairs;
}

CachePlace RotaryCall::PlaceOf(std::size_t pair) const {
  switch (layout) {
    case POSENC_CACHE_DUPLICATED:
      if (shape.from == POSENC_NEIGHBOURS) return {2 * pair, 2 * pair, 1};
      return {pair, pair, shape.pairs};
    case POSENC_CACHE_COS_SIN:
      return {pair, shape.pairs + pair, 0};
    case POSENC_CACHE_PAIRS:
      return {2 * pair, 2 * pair + 1, 0};
    default:
      return {pair, pair, 0};
  }
}

std::size_t RotaryCall::Extent(std::size_t heads, std::size_t token_stride, std::size_t head_stride) const {
  std::size_t of_tokens = 0, of_heads = 0, all = 0;
  if (__builtin_mul_overflow(tokens - 1, tokens == 1 ? 0 : token_stride, &of_tokens) ||
      __builtin_mul_overflow(heads - 1, heads == 1 ? 0 : head_stride, &of_heads) ||
      __builtin_add_overflow(of_tokens, of_heads, &all) ||
      __builtin_add_overflow(all, shape.head_dim, &all) || all > PTRDIFF_MAX / TypeSize(type)) {
    return kEndless;
  }
  return all * TypeSize(type);
}

std::size_t RotaryCall::DataExtent(std::size_t i) const {
  if (!HasHeads(i)) return 0;
  return Extent(tensors[i].heads, tensors[i].token_stride, tensors[i].head_stride);
}

std::size_t RotaryCall::SourceExtent(std::size_t i) const {
  if (!HasHeads(i) || !has_source[i]) return 0;
  return Extent(tensors[i].heads, SourceTokenStride(i), SourceHeadStride(i));
}

std::size_t RotaryCall::CacheExtent(std::size_t of_rows) const {
  if (of_rows == 0) return 0;
  const std::size_t size = TypeSize(cache_type);
  if (Overflows(of_rows, row_stride, size)) return kEndless;
  return ((of_rows - 1) * row_stride + Columns()) * size;
}

bool RotaryCall::IsLarge() const {
  bool is_large = tokens > kMostTokens;
  for (std::size_t i = 0; i < TensorCount(); ++i) {
    is_large = is_large || DataExtent(i) > kLargest || SourceExtent(i) > kLargest ||
               (tokens != 0 && tensors[i].heads > kMostTokens);
  }
  if (!HasCache() || is_large) return is_large;
  if (!Rotates()) return CacheExtent(tokens) > kLargest;
  if (CacheExtent(held_rows) > kLargest) return true;
  for (std::size_t t = 0; rows != held_rows && t < tokens; ++t) {
    if (RowOf(t) >= held_rows) return true;
  }
  return false;
}

Parts RotaryCall::MakeParts() const {
  std::vector<Parts::Part> parts(kRotaryParts, Parts::Part{0, {}});
  for (std::size_t i = 0; i < TensorCount(); ++i) {
    parts[kFirstData + i].size = std::min(DataExtent(i), kLargest);
    parts[kFirstSource + i].size = std::min(SourceExtent(i), kLargest);
  }
  if (HasCache()) {
    const std::size_t size = std::min(CacheExtent(Rotates() ? held_rows : tokens), kLargest);
    parts[CosPart()].size = size;
    if (HasTwoTables()) parts[kSines].size = size;
  }
  parts[kPositions].size = list.size();
  for (std::size_t i = 0; i < kRotaryParts; ++i) {
    const std::size_t size = i == kPositions               ? TypeSize(list_type)
                             : HasCache() && i >= kCosines ? TypeSize(cache_type)
                                                           : TypeSize(type);
    if (i != 0) parts[i].place = places[i];
    if (is_aligned[i]) parts[i].alignment = size;
  }
  Parts made(parts, offset, pattern);
  if (!list.empty()) std::memcpy(made[kPositions], list.data(), list.size());
  return made;
}

posenc_status RotaryCall::Run(const posenc_rotary* rotary, const Parts& parts, std::size_t* bad_index) const {
  std::vector<posenc_heads> heads(tensors, tensors + tensor_count);
  for (std::size_t i = 0; i < tensor_count; ++i) {
    heads[i].data = null_data[i] ? nullptr : parts[kFirstData + i];
    if (has_source[i]) heads[i].source = parts[kFirstSource + i];
  }
  const bool has_sines = HasTwoTables() != odd_sines;
  const posenc_cache table = {layout, said_cache_type, null_cosines ? nullptr : parts[CosPart()],
                              has_sines ? parts[kSines] : nullptr, row_stride};
  const posenc_cache* cache = null_cache ? nullptr : &table;
  const posenc_rotary* r = null_rotary ? nullptr : rotary;
  const posenc_heads* t = null_tensors ? nullptr : heads.data();
  const void* at = null_list ? nullptr : parts[kPositions];
  std::size_t* index = null_bad_index ? nullptr : bad_index;
  switch (kind) {
    case RotaryKind::kRotate:
      return posenc_rotate(r, first, tokens, said_type, t, tensor_count);
    case RotaryKind::kRotateAt:
      return posenc_rotate_at(r, said_list_type, at, tokens, said_type, t, tensor_count, index);
    case RotaryKind::kCached:
      return posenc_rotate_cached(r, cache, rows, first, said_list_type, at, tokens, said_type, t,
                                  tensor_count, index);
    case RotaryKind::kWrite:
      return posenc_rotary_write(r, first, tokens, cache);
    case RotaryKind::kWriteAt:
      return posenc_rotary_write_at(r, said_list_type, at, tokens, cache, index);
  }
  std::abort();
}

}  // namespace fuzz
}  // namespace posenc
