#include "call_input.h"

#include <algorithm>
#include <cfenv>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace posenc {
namespace fuzz {
namespace {

constexpr std::int64_t kInt64[] = {0,
                                   1,
                                   -1,
                                   kMaxPosition,
                                   -kMaxPosition,
                                   kMaxPosition + 1,
                                   -kMaxPosition - 1,
                                   1 << 24,
                                   std::numeric_limits<std::int64_t>::max(),
                                   std::numeric_limits<std::int64_t>::min()};
constexpr std::size_t kHuge[] = {std::numeric_limits<std::size_t>::max(),
                                 std::numeric_limits<std::size_t>::max() / 2,
                                 std::numeric_limits<std::size_t>::max() / 4 + 1,
                                 std::numeric_limits<std::size_t>::max() / 8, std::size_t{1} << 32};

double MakeReal(FuzzedDataProvider& bytes) {
  if (bytes.ConsumeBool()) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return bytes.PickValueInArray({10000.0, 1.0, 500000.0, 0.5, 1e7, 0.0, -0.0, -1.0, 0x1p-40, 0x1p31, 3.0,
                                   kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()});
  }
  if (bytes.ConsumeBool()) return bytes.ConsumeFloatingPointInRange(-1e6, 1e6);
  const auto bits = bytes.ConsumeIntegral<std::uint64_t>();
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

std::int64_t MakePosition(FuzzedDataProvider& bytes) {
  const auto near = bytes.ConsumeIntegralInRange<std::int64_t>(-128, 127);
  if (bytes.ConsumeBool()) return near;
  if (bytes.ConsumeBool()) return bytes.ConsumeIntegralInRange<std::int64_t>(-kMaxPosition, kMaxPosition);
  std::int64_t sum;
  const std::int64_t edge = bytes.PickValueInArray(kInt64);
  return __builtin_add_overflow(edge, near, &sum) ? edge : sum;
}

std::size_t MakeStride(std::size_t least, FuzzedDataProvider& bytes) {
  switch (bytes.ConsumeIntegralInRange(0, 15)) {
    case 0:
      return bytes.PickValueInArray(kHuge);
    case 1:
      return least - std::min<std::size_t>(least, 1);
    default:
      return least + bytes.ConsumeIntegralInRange<std::size_t>(0, 20);
  }
}

bool Overflows(std::size_t a, std::size_t b, std::size_t size) {
  std::size_t product;
  return __builtin_mul_overflow(a, b, &product) || __builtin_mul_overflow(product, size, &product) ||
         product > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
}

bool AllIn(const std::vector<std::int64_t>& list, std::int64_t low, std::int64_t high) {
  return std::all_of(list.begin(), list.end(), [=](std::int64_t v) { return v >= low && v <= high; });
}

bool InRange(std::int64_t first, std::size_t rows) {
  return rows == 0 || (first >= -kMaxPosition && first <= kMaxPosition - static_cast<std::int64_t>(rows - 1));
}

template <class T, class Integer>
Status Call(const Encoder& e, const CallInput& c, const Integer* list, T* data, const T* table,
            std::size_t* bad_index) {
  switch (c.kind) {
    case Kind::kWrite:
      return e.Write(c.first, c.rows, data, c.stride);
    case Kind::kWriteAt:
      return e.WriteAt(list, c.rows, data, c.stride, bad_index);
    case Kind::kAdd:
      return e.Add(c.first, c.rows, data, c.stride, c.scale);
    case Kind::kAddAt:
      return e.AddAt(list, c.rows, data, c.stride, c.scale, bad_index);
    case Kind::kEmbed:
      return e.Embed(list, c.rows, table, c.vocabulary, c.table_stride, c.first, data, c.stride, c.scale,
                     bad_index);
    case Kind::kAddBatch:
      return e.AddBatch(list, c.batch, c.rows, data, c.batch_stride, c.stride, c.scale, bad_index);
  }
  std::abort();
}

template <class T>
Status CallWith(const Encoder& encoder, const CallInput& call, const Buffers& b) {
  auto* data = static_cast<T*>(b.data);
  const auto* table = static_cast<const T*>(b.table);
  if (call.wide)
    return Call(encoder, call, static_cast<const std::int64_t*>(b.list), data, table, b.bad_index);
  return Call(encoder, call, static_cast<const std::int32_t*>(b.list), data, table, b.bad_index);
}

template <class Integer>
std::vector<std::uint8_t> BytesOf(const std::vector<std::int64_t>& list) {
  std::vector<std::uint8_t> bytes(list.size() * sizeof(Integer));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto value = static_cast<Integer>(list[i]);
    std::memcpy(&bytes[i * sizeof(Integer)], &value, sizeof(Integer));
  }
  return bytes;
}

}  // namespace

Spec MakeSpec(FuzzedDataProvider& bytes) {
  Spec spec;
  spec.dim = bytes.ConsumeIntegralInRange<std::size_t>(0, 150);
  if (bytes.ConsumeIntegralInRange(0, 63) == 0) spec.dim = bytes.PickValueInArray(kHuge);
  spec.layout = static_cast<Layout>(bytes.ConsumeIntegralInRange(0, 3));
  spec.recipe = static_cast<Recipe>(bytes.ConsumeIntegralInRange(0, 7) / 3);  // 2 is none
  if (bytes.ConsumeBool()) spec.base = MakeReal(bytes);
  if (bytes.ConsumeIntegralInRange(0, 3) == 0) spec.exponent_dim = MakeReal(bytes);
  if (bytes.ConsumeIntegralInRange(0, 3) == 0) spec.position_scale = MakeReal(bytes);
  return spec;
}

CallInput MakeCall(std::size_t dim, FuzzedDataProvider& bytes) {
  CallInput call{};
  call.kind = bytes.ConsumeEnum<Kind>();
  call.type = bytes.ConsumeEnum<Type>();
  call.wide = bytes.ConsumeBool();
  call.rows = bytes.ConsumeIntegralInRange<std::size_t>(0, dim > 32 ? 8 : dim > 8 ? 24 : 70);
  call.stride = MakeStride(dim, bytes);
  call.batch = bytes.ConsumeIntegralInRange<std::size_t>(0, 4);
  call.batch_stride = MakeStride(call.stride < 1000 ? call.rows * call.stride : 0, bytes);
  call.vocabulary = bytes.ConsumeIntegralInRange<std::size_t>(0, 5);
  call.table_stride = MakeStride(dim, bytes);
  call.first = MakePosition(bytes);
  const std::size_t length = call.kind == Kind::kAddBatch ? call.batch : call.rows;
  const bool ids = call.kind == Kind::kEmbed, far = bytes.ConsumeBool();
  for (std::size_t i = 0; i < length; ++i) {
    std::int64_t value = ids   ? bytes.ConsumeIntegral<std::uint8_t>() % 5
                         : far ? MakePosition(bytes)
                               : bytes.ConsumeIntegralInRange<std::int64_t>(-128, 127);
    if (bytes.ConsumeIntegral<std::uint8_t>() == 255) value = bytes.PickValueInArray(kInt64);
    call.list.push_back(call.wide ? value : static_cast<std::int32_t>(value));
  }
  call.scale = bytes.ConsumeBool() ? 1.0f : static_cast<float>(MakeReal(bytes));
  const int missing = bytes.ConsumeIntegralInRange(0, 40);
  call.null_data = missing == 1;
  call.null_list = missing == 2;
  call.null_table = missing == 3;
  call.rounding = bytes.PickValueInArray({FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO});
  call.offset = bytes.ConsumeBool() ? 0 : bytes.ConsumeIntegralInRange<std::size_t>(0, 63);
  call.pattern = bytes.ConsumeRemainingBytes<std::uint8_t>();
  call.pattern.push_back(0x3c);
  return call;
}

bool CallInput::IsValid(std::size_t dim) const {
  if (stride < dim) return false;
  if (kind == Kind::kEmbed && table_stride < dim) return false;
  if (rows == 0 || (kind == Kind::kAddBatch && batch == 0)) return true;
  if (null_data || Overflows(rows, stride, ElementSize())) return false;
  if (HasList() && null_list) return false;
  switch (kind) {
    case Kind::kWrite:
    case Kind::kAdd:
      return InRange(first, rows);
    case Kind::kWriteAt:
    case Kind::kAddAt:
      return AllIn(list, -kMaxPosition, kMaxPosition);
    case Kind::kEmbed:
      return InRange(first, rows) && !null_table && !Overflows(vocabulary, table_stride, ElementSize()) &&
             AllIn(list, 0, static_cast<std::int64_t>(vocabulary) - 1);
    case Kind::kAddBatch:
      break;
  }
  if (batch > 1 && (batch_stride < rows * stride || Overflows(batch, batch_stride, ElementSize())))
    return false;
  return AllIn(list, -kMaxPosition, kMaxPosition - static_cast<std::int64_t>(rows - 1));
}

std::size_t CallInput::DataSize(std::size_t dim) const {
  if (rows == 0) return 0;
  const std::size_t sequence = (rows - 1) * stride + dim;
  if (kind != Kind::kAddBatch) return sequence;
  return batch == 0 ? 0 : (batch == 1 ? 0 : (batch - 1) * batch_stride) + sequence;
}

std::size_t CallInput::TableSize(std::size_t dim) const {
  return kind != Kind::kEmbed || vocabulary == 0 ? 0 : (vocabulary - 1) * table_stride + dim;
}

std::vector<std::uint8_t> CallInput::ListBytes() const {
  return wide ? BytesOf<std::int64_t>(list) : BytesOf<std::int32_t>(list);
}

Buffers MakeBuffers(const CallInput& call, void* data, const void* list, const void* table,
                    std::size_t* bad_index) {
  return {call.null_data ? nullptr : data, call.null_list ? nullptr : list, call.null_table ? nullptr : table,
          bad_index};
}

Status Run(const Encoder& encoder, const CallInput& call, const Buffers& buffers) {
  switch (call.type) {
    case Type::kFloat32:
      return CallWith<float>(encoder, call, buffers);
    case Type::kBFloat16:
      return CallWith<BFloat16>(encoder, call, buffers);
    case Type::kFloat16:
      return CallWith<Float16>(encoder, call, buffers);
  }
  std::abort();
}

}  // namespace fuzz
}  // namespace posenc
