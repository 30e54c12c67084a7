#include "call_input.h"

#include <cmath>
#include <cstring>

#include "spec_input.h"

namespace posenc {
namespace fuzz {
namespace {

constexpr std::int64_t kEdges[] = {0, 1 << 24, INT64_MAX, INT64_MIN, kMaxPosition, -kMaxPosition};

bool IsPositionType(posenc_type value) {
  return value == POSENC_F64 || value == POSENC_F32 || value == POSENC_I32 || value == POSENC_I64;
}

// The other of two lists, which may overlap what is written, but not each other: to the other side of it.
void MoveAway(const Place& list, Place* other) {
  const bool is_before = list.side == Place::kBefore;
  other->side = is_before ? Place::kAfter : Place::kBefore;
  other->shift = std::max<std::size_t>(other->shift, 4);  // beyond what sides share
}

std::size_t MakeStride(std::size_t least, FuzzedDataProvider& bytes) {
  const int choice = bytes.ConsumeIntegralInRange(0, 31);
  if (choice == 0) return bytes.PickValueInArray(kHuge);
  if (choice == 1) return least - std::min<std::size_t>(least, 1);
  return least + bytes.ConsumeIntegralInRange<std::size_t>(0, 20);
}

}  // namespace

std::int64_t MakePosition(FuzzedDataProvider& bytes) {
  const auto near = bytes.ConsumeIntegralInRange<std::int64_t>(-128, 127);
  if (bytes.ConsumeBool()) return near;
  if (bytes.ConsumeBool()) return bytes.ConsumeIntegralInRange<std::int64_t>(-kMaxPosition, kMaxPosition);
  std::int64_t sum;
  const std::int64_t edge = bytes.PickValueInArray(kEdges);
  return __builtin_add_overflow(edge, near % 2, &sum) ? edge : sum;
}

double MakeDoublePosition(FuzzedDataProvider& bytes) {
  const int choice = bytes.ConsumeIntegralInRange(0, 7);
  if (choice == 0) return static_cast<double>(MakePosition(bytes));
  if (choice < 4) return bytes.ConsumeIntegral<std::int16_t>() / 16.0;
  return std::ldexp(bytes.ConsumeFloatingPointInRange(-1.0, 1.0),
                    bytes.ConsumeIntegralInRange(choice == 4 ? -1074 : 0, 31));
}

posenc_type MakeSaidType(posenc_type right, FuzzedDataProvider& bytes) {
  if (!Rarely(bytes)) return right;
  return bytes.ConsumeBool() ? bytes.ConsumeIntegralInRange(0, 7) : bytes.ConsumeIntegral<posenc_type>();
}

bool Overflows(std::size_t a, std::size_t b, std::size_t size) {
  std::size_t product;
  return __builtin_mul_overflow(a, b, &product) || __builtin_mul_overflow(product, size, &product) ||
         product > PTRDIFF_MAX;
}

bool IsRun(std::int64_t first, std::size_t rows, std::int64_t shift) {
  return first >= -kMaxPosition - shift && rows <= std::size_t{2 * kMaxPosition + 1} &&
         first <= kMaxPosition - shift - static_cast<std::int64_t>(rows - 1);
}

std::size_t TypeSize(posenc_type type) {
  if (type == POSENC_BF16 || type == POSENC_F16) return 2;
  return type == POSENC_F32 || type == POSENC_I32 ? 4 : 8;
}

CallInput::CallInput(const posenc_spec& spec, FuzzedDataProvider& bytes)
    : kind(bytes.ConsumeEnum<Kind>()),
      dim(spec.dim),
      nan_rows(spec.nan_rows != 0),
      shift(spec.position_offset),
      first(MakePosition(bytes)) {
  if (HasBatch() && !Rarely(bytes, 4)) first %= 128;
  MakeTypes(bytes);
  MakeSizes(bytes);
  MakeLists(bytes);
  scale = bytes.ConsumeBool() ? 1.0f : static_cast<float>(MakeReal(bytes));
  null_encoder = Rarely(bytes, 64);
  null_bad_index = Rarely(bytes, 4);
  const int none = bytes.ConsumeIntegralInRange(0, 40);
  for (const Part part : {kData, kList, kTable, kPlaces}) null[part] = none == part;
  rounding = MakeRounding(bytes);
  offset = bytes.ConsumeBool() ? 0 : bytes.ConsumeIntegralInRange<std::size_t>(0, 63);
  // In blocks of their own, chance would say what lies in the memory that a huge stride claims.
  const bool huge = std::max({rows, stride, batch_stride, table_stride}) > kLargest;
  const bool apart = !huge && bytes.ConsumeBool();
  for (Place& place : places) place = MakePlace(apart, bytes);
  const bool list_stays = bytes.ConsumeBool();
  if (HasBoth() && !apart)
    MoveAway(places[list_stays ? kList : kPlaces], &places[list_stays ? kPlaces : kList]);
  pattern = bytes.ConsumeRemainingBytes<std::uint8_t>();
  pattern.push_back(0x3c);
}

bool CallInput::TakesType(posenc_type entry) const {
  if (entry == POSENC_F64) return kind == Kind::kWrite || kind == Kind::kWriteAt;
  return entry == POSENC_F32 || entry == POSENC_BF16 || entry == POSENC_F16;
}

bool CallInput::TakesListType(posenc_type value) const {
  return (HasPositions() && IsPositionType(value)) || value == POSENC_I32 || value == POSENC_I64;
}

bool CallInput::TakesTableType(posenc_type entry) const {
  return entry == type || (type == POSENC_F32 && (entry == POSENC_BF16 || entry == POSENC_F16));
}

void CallInput::MakeTypes(FuzzedDataProvider& bytes) {
  type = bytes.PickValueInArray({POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64});
  if (!TakesType(type)) type = POSENC_F32;
  list_type = bytes.PickValueInArray({POSENC_I32, POSENC_I64, POSENC_F32, POSENC_F64});
  if (!TakesListType(list_type)) list_type = POSENC_I32;
  said_type = MakeSaidType(type, bytes);
  if (TakesType(said_type)) said_type = type;
  said_list_type = HasList() ? MakeSaidType(list_type, bytes) : list_type;
  if (TakesListType(said_list_type)) said_list_type = list_type;
  table_type = bytes.PickValueInArray({POSENC_F32, POSENC_BF16, POSENC_F16});
  if (!TakesTableType(table_type)) table_type = type;
  said_table_type = HasTable() ? MakeSaidType(table_type, bytes) : table_type;
  if (TakesTableType(said_table_type)) said_table_type = table_type;
  at_type = bytes.PickValueInArray({POSENC_I32, POSENC_I64, POSENC_F32, POSENC_F64});
  said_at_type = HasBoth() ? MakeSaidType(at_type, bytes) : at_type;
  if (IsPositionType(said_at_type)) said_at_type = at_type;
}

void CallInput::MakeSizes(FuzzedDataProvider& bytes) {
  rows = bytes.ConsumeIntegralInRange<std::size_t>(0, dim > 32 ? 8 : dim > 8 ? 24 : 70);
  if ((!HasList() || HasBatch()) && Rarely(bytes, 64)) rows = bytes.PickValueInArray(kHuge);
  stride = MakeStride(dim, bytes);
  batch = bytes.ConsumeIntegralInRange<std::size_t>(0, 4);
  batch_stride = MakeStride(std::max(rows, stride) < 1000 ? rows * stride : 0, bytes);
  vocabulary = bytes.ConsumeIntegralInRange<std::size_t>(0, 5);
  table_stride = MakeStride(dim, bytes);
}

bool CallInput::IsIndex(std::int64_t value) const {
  if (HasTable()) return value >= 0 && value < static_cast<std::int64_t>(vocabulary);
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  return std::max(first, value) <= kFar && std::min(first, value) >= -kFar &&
         IsRun(first + value, rows, shift);
}

std::size_t CallInput::MakePositions(posenc_type value_type, std::vector<std::uint8_t>* values,
                                     FuzzedDataProvider& bytes) const {
  std::size_t bad = count;
  const bool far = Rarely(bytes, 4);
  const std::size_t odd = Rarely(bytes, 4) ? bytes.ConsumeIntegralInRange<std::size_t>(0, count) : count;
  for (std::size_t i = 0; i < count; ++i) {
    bool good;
    if (value_type == POSENC_F64 || value_type == POSENC_F32) {
      double value = i == odd ? MakeReal(bytes) : MakeDoublePosition(bytes);
      if (value_type == POSENC_F32) value = static_cast<double>(static_cast<float>(value));
      good = std::fabs(value + static_cast<double>(shift)) <= static_cast<double>(kMaxPosition);
      value_type == POSENC_F32 ? Append(static_cast<float>(value), values) : Append(value, values);
    } else {
      std::int64_t value =
          far || i == odd ? MakePosition(bytes) : bytes.ConsumeIntegralInRange<std::int64_t>(-128, 127);
      if (value_type == POSENC_I32) value = static_cast<std::int32_t>(value);
      good = IsRun(value, 1, shift);
      value_type == POSENC_I32 ? Append(static_cast<std::int32_t>(value), values) : Append(value, values);
    }
    if (!good && !nan_rows) bad = std::min(bad, i);
  }
  return bad;
}

std::size_t CallInput::MakeIndices(FuzzedDataProvider& bytes) {
  std::size_t bad = count;
  const auto end = static_cast<std::int64_t>(vocabulary);
  const bool far = Rarely(bytes, 4);
  const std::size_t odd = Rarely(bytes, 4) ? bytes.ConsumeIntegralInRange<std::size_t>(0, count) : count;
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t value;
    if (HasTable() && i == odd) {
      value = bytes.ConsumeBool() ? end : MakePosition(bytes);
    } else if (HasTable()) {
      value = bytes.ConsumeIntegralInRange<std::int64_t>(0, std::max<std::int64_t>(end - 1, 0));
    } else {
      value = far || i == odd ? MakePosition(bytes) : bytes.ConsumeIntegralInRange<std::int64_t>(-128, 127);
    }
    if (list_type == POSENC_I32) value = static_cast<std::int32_t>(value);
    if (!IsIndex(value)) bad = std::min(bad, i);
    list_type == POSENC_I32 ? Append(static_cast<std::int32_t>(value), &list) : Append(value, &list);
  }
  return bad;
}

void CallInput::MakeLists(FuzzedDataProvider& bytes) {
  count = !HasList() ? 0 : HasBatch() ? batch : rows;
  first_bad = HasPositions() ? MakePositions(list_type, &list, bytes) : MakeIndices(bytes);
  first_bad_at = HasBoth() ? MakePositions(at_type, &at, bytes) : count;
}

std::size_t CallInput::BadIndex(posenc_status status, std::size_t none) const {
  if (null_bad_index || !PassesList()) return none;
  if (status == POSENC_ID_OUT_OF_RANGE) return first_bad;
  if (status != POSENC_POSITION_OUT_OF_RANGE || kind == Kind::kEmbed) return none;
  return HasBoth() ? first_bad_at : first_bad;
}

Faults CallInput::SizeFaults() const {
  const std::size_t size = TypeSize(type), table_size = TypeSize(table_type);
  Faults faults;
  faults.AddIf(stride < dim || (HasTable() && table_stride < dim), POSENC_STRIDE_TOO_SMALL);
  if (IsEmpty()) return faults;
  faults.AddIf(Overflows(rows, stride, size), POSENC_SIZE_OVERFLOW);
  faults.AddIf(HasTable() && Overflows(vocabulary, table_stride, table_size), POSENC_SIZE_OVERFLOW);
  if (!HasBatch() || batch == 1) return faults;
  faults.AddIf(batch_stride / rows < stride, POSENC_STRIDE_TOO_SMALL);
  faults.AddIf(Overflows(batch, batch_stride, size), POSENC_SIZE_OVERFLOW);
  return faults;
}

Faults CallInput::CallFaults(const Parts& parts) const {
  Faults faults = SizeFaults();
  const bool is_sized = faults.None() && !null[kData];  // else it is not known what it claims
  faults.AddIf(null_encoder, POSENC_NOT_CREATED);
  faults.AddIf(said_type != type || said_list_type != list_type || said_table_type != table_type ||
                   said_at_type != at_type,
               POSENC_BAD_TYPE);
  if (IsEmpty()) return faults;
  faults.AddIf(null[kData] || (HasList() && null[kList] && !HasBatch()) ||
                   (HasTable() && null[kTable] && vocabulary != 0) || (HasBoth() && null[kPlaces]),
               POSENC_NULL_POINTER);
  const bool is_run = !HasList() || kind == Kind::kEmbed || (HasBatch() && null[kList]);
  faults.AddIf(is_run && !IsRun(first, rows, shift), POSENC_POSITION_OUT_OF_RANGE);
  // Of two lists, what comes first.
  faults.AddIf(
      !null[kList] && first_bad < count && (!HasBoth() || null[kPlaces] || first_bad <= first_bad_at),
      HasTable() ? POSENC_ID_OUT_OF_RANGE : POSENC_POSITION_OUT_OF_RANGE);
  faults.AddIf(!null[kPlaces] && first_bad_at < count && (null[kList] || first_bad_at < first_bad),
               POSENC_POSITION_OUT_OF_RANGE);
  if (!is_sized) return faults;
  faults.AddIf(!null[kList] && parts.Overlap(DataSize(), kList, list.size()), POSENC_BUFFERS_OVERLAP);
  faults.AddIf(!null[kTable] && parts.Overlap(DataSize(), kTable, TableSize()), POSENC_BUFFERS_OVERLAP);
  faults.AddIf(!null[kPlaces] && parts.Overlap(DataSize(), kPlaces, at.size()), POSENC_BUFFERS_OVERLAP);
  return faults;
}

std::size_t CallInput::DataSize() const {
  if (IsEmpty()) return 0;
  const std::size_t sequences = HasBatch() && batch > 1 ? (batch - 1) * batch_stride : 0;
  return (sequences + (rows - 1) * stride + dim) * TypeSize(type);
}

std::size_t CallInput::TableSize() const {
  return !HasTable() || vocabulary == 0 ? 0 : ((vocabulary - 1) * table_stride + dim) * TypeSize(table_type);
}

Parts CallInput::MakeParts() const {
  Parts parts({{std::min(DataSize(), kLargest), {}},
               {list.size(), places[kList]},
               {std::min(TableSize(), kLargest), places[kTable]},
               {at.size(), places[kPlaces]}},
              offset, pattern);
  if (!list.empty()) std::memcpy(parts[kList], list.data(), list.size());
  if (!at.empty()) std::memcpy(parts[kPlaces], at.data(), at.size());
  return parts;
}

posenc_status CallInput::Run(const posenc_encoder* encoder, const Parts& parts,
                             std::size_t* bad_index) const {
  const posenc_encoder* e = null_encoder ? nullptr : encoder;
  void* data = null[kData] ? nullptr : parts[kData];
  const void* list_at = null[kList] ? nullptr : parts[kList];
  const void* table = null[kTable] ? nullptr : parts[kTable];
  const void* places_at = null[kPlaces] ? nullptr : parts[kPlaces];
  std::size_t* index = null_bad_index ? nullptr : bad_index;
  switch (kind) {
    case Kind::kWrite:
      return posenc_write(e, first, rows, said_type, data, stride);
    case Kind::kWriteAt:
      return posenc_write_at(e, said_list_type, list_at, rows, said_type, data, stride, index);
    case Kind::kAdd:
      return posenc_add(e, first, rows, said_type, data, stride, scale);
    case Kind::kAddAt:
      return posenc_add_at(e, said_list_type, list_at, rows, said_type, data, stride, scale, index);
    case Kind::kEmbed:
      return posenc_embed(e, said_list_type, list_at, rows, said_table_type, table, vocabulary, table_stride,
                          first, said_type, data, stride, scale, index);
    case Kind::kEmbedAt:
      return posenc_embed_at(e, said_list_type, list_at, rows, said_table_type, table, vocabulary,
                             table_stride, said_at_type, places_at, said_type, data, stride, scale, index);
    case Kind::kAddBatch:
      return posenc_add_batch(e, first, said_list_type, list_at, batch, rows, said_type, data, batch_stride,
                              stride, scale, index);
  }
  std::abort();
}

}  // namespace fuzz
}  // namespace posenc
