#include "call_input.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

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

constexpr std::size_t kLargestDim = 150;  // of specs that are not refused
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double MakeReal(FuzzedDataProvider& bytes) {
  if (bytes.ConsumeBool()) {
    return bytes.PickValueInArray({10000.0, 1.0, 500000.0, 0.5, 1e7, 0.0, -0.0, -1.0, 0x1p-40, 0x1p31, 3.0,
                                   kInfinity, -kInfinity, kNan});
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

double MakeDoublePosition(FuzzedDataProvider& bytes) {
  switch (bytes.ConsumeIntegralInRange(0, 7)) {
    case 0:
      return static_cast<double>(MakePosition(bytes));
    case 1:
      return std::ldexp(bytes.ConsumeFloatingPointInRange(-1.0, 1.0),
                        bytes.ConsumeIntegralInRange(-1074, 31));
    case 2:
      return bytes.PickValueInArray({0x1p31, -0x1p31, 0x1.fffffffffffffp30, -0x1.fffffffffffffp30, -0.0,
                                     0x1p-1074, -0x1p-1022, 0x0.8p-1022, 0x1p-149, -0x1p-126, 1e-40});
    case 3:
    case 4:
      return bytes.ConsumeFloatingPointInRange(-1000.0, 1000.0);
    default:
      return bytes.ConsumeIntegral<std::int16_t>() / 16.0;
  }
}

double MakeBadPosition(FuzzedDataProvider& bytes) {
  return bytes.PickValueInArray({kNan, -kNan, kInfinity, -kInfinity, 0x1.0000000000001p31,
                                 -0x1.0000000000001p31, 1e300, -0x1p63, 0x1p1023});
}

std::size_t PairCount(std::size_t dim) { return dim / 2 + dim % 2; }

// The i-th of a list. Few lists are wild: in the others every number will do.
double MakeFrequency(std::size_t i, bool wild, FuzzedDataProvider& bytes) {
  const int choice = bytes.ConsumeIntegralInRange(0, 31);
  if (wild && choice == 31) return MakeReal(bytes);
  if (wild && choice == 30) {
    return bytes.PickValueInArray({0x1p-126, -0x1p-127, 0x0.8p-1022, 1e-320, 0x1p31, -0x1p31,
                                   0x1.0000000000001p31, 0x1p29, 0x1.45f306dc9c882p28, 1e300, kNan, kInfinity,
                                   -kInfinity});
  }
  if (choice > 22) return bytes.ConsumeIntegral<std::int8_t>() / 4.0;
  if (choice > 12)
    return std::ldexp(bytes.ConsumeIntegral<std::int16_t>(), bytes.ConsumeIntegralInRange(-120, 12));
  return 1.0 / static_cast<double>(i + 1);
}

// The caller's frequencies, with or without one fault of them as a list.
void MakeList(SpecInput* input, FuzzedDataProvider& bytes) {
  enum Fault : int { kUnit, kCount, kBoth, kNeither, kRecipe, kNone };
  const auto fault = static_cast<Fault>(bytes.ConsumeIntegralInRange(0, 31));
  FrequencyList& list = input->spec.frequencies;
  const std::size_t count = PairCount(input->spec.dim);
  list.unit = static_cast<FrequencyUnit>(fault == kUnit ? bytes.ConsumeIntegral<std::uint8_t>()
                                                        : bytes.ConsumeIntegralInRange(0, 2));
  list.count = count;
  if (fault == kCount)
    list.count = Rarely(bytes, 4) ? bytes.PickValueInArray(kHuge) : count + 1 - 2 * bytes.ConsumeBool();
  if (fault != kRecipe) input->spec.recipe = Recipe::kExact;
  const bool floats = bytes.ConsumeBool(), wild = Rarely(bytes, 4);
  const bool readable = input->spec.dim <= kLargestDim && (fault < kCount || fault > kNeither);
  const std::size_t offset = bytes.ConsumeBool() ? 0 : bytes.ConsumeIntegralInRange<std::size_t>(0, 63);
  input->list = Memory(readable ? count * (floats ? sizeof(float) : sizeof(double)) : 0, offset, {0});
  if (fault != kNeither) {
    if (floats || fault == kBoth) list.floats = reinterpret_cast<const float*>(input->list.data());
    if (!floats || fault == kBoth) list.doubles = reinterpret_cast<const double*>(input->list.data());
  }
  for (std::size_t i = 0; i < input->ListCount(); ++i) {
    const double value = MakeFrequency(i, wild, bytes);
    const auto narrow = static_cast<float>(value);
    std::uint8_t* at = input->list.data();
    if (floats) std::memcpy(at + i * sizeof(narrow), &narrow, sizeof(narrow));
    if (!floats) std::memcpy(at + i * sizeof(value), &value, sizeof(value));
  }
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

// The first that is not in that range; a NaN is in none.
template <class T>
std::size_t FirstOut(const std::vector<T>& list, T low, T high) {
  const auto out = [=](T value) { return !(value >= low && value <= high); };
  return static_cast<std::size_t>(std::find_if(list.begin(), list.end(), out) - list.begin());
}

bool InRange(std::int64_t first, std::size_t rows) {
  return rows == 0 || (first >= -kMaxPosition && first <= kMaxPosition - static_cast<std::int64_t>(rows - 1));
}

template <class T, class Number>
Status Call(const Encoder& e, const CallInput& c, const Number* list, T* data, const T* table,
            std::size_t* bad_index) {
  constexpr bool kAdds = !std::is_same_v<T, double>, kTakesIntegers = std::is_integral_v<Number>;
  switch (c.kind) {
    case Kind::kWrite:
      return e.Write(c.first, c.rows, data, c.stride);
    case Kind::kWriteAt:
      return e.WriteAt(list, c.rows, data, c.stride, bad_index);
    case Kind::kAdd:
      if constexpr (kAdds) return e.Add(c.first, c.rows, data, c.stride, c.scale);
      break;
    case Kind::kAddAt:
      if constexpr (kAdds) return e.AddAt(list, c.rows, data, c.stride, c.scale, bad_index);
      break;
    case Kind::kEmbed:
      if constexpr (kAdds && kTakesIntegers) {
        return e.Embed(list, c.rows, table, c.vocabulary, c.table_stride, c.first, data, c.stride, c.scale,
                       bad_index);
      }
      break;
    case Kind::kAddBatch:
      if constexpr (kAdds && kTakesIntegers) {
        return e.AddBatch(list, c.batch, c.rows, data, c.batch_stride, c.stride, c.scale, bad_index);
      }
      break;
  }
  std::abort();
}

template <class T>
Status CallWith(const Encoder& encoder, const CallInput& call, const Buffers& b) {
  auto* data = static_cast<T*>(b.data);
  const auto* table = static_cast<const T*>(b.table);
  switch (call.list_type) {
    case ListType::kInt32:
      return Call(encoder, call, static_cast<const std::int32_t*>(b.list), data, table, b.bad_index);
    case ListType::kInt64:
      return Call(encoder, call, static_cast<const std::int64_t*>(b.list), data, table, b.bad_index);
    case ListType::kDouble:
      return Call(encoder, call, static_cast<const double*>(b.list), data, table, b.bad_index);
  }
  std::abort();
}

template <class To, class From>
std::vector<std::uint8_t> BytesOf(const std::vector<From>& list) {
  std::vector<std::uint8_t> bytes(list.size() * sizeof(To));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto value = static_cast<To>(list[i]);
    std::memcpy(&bytes[i * sizeof(To)], &value, sizeof(To));
  }
  return bytes;
}

}  // namespace

bool Rarely(FuzzedDataProvider& bytes, int n) { return bytes.ConsumeIntegralInRange(1, n) == n; }

std::size_t SpecInput::ListCount() const {
  return list.size() / (spec.frequencies.doubles != nullptr ? sizeof(double) : sizeof(float));
}

double SpecInput::Listed(std::size_t i) const {
  float narrow;
  double value;
  if (spec.frequencies.doubles == nullptr) {
    std::memcpy(&narrow, list.data() + i * sizeof(narrow), sizeof(narrow));
    return static_cast<double>(narrow);
  }
  std::memcpy(&value, list.data() + i * sizeof(value), sizeof(value));
  return value;
}

bool SpecInput::HasGoodList() const {
  const FrequencyList& f = spec.frequencies;
  if (f.unit > FrequencyUnit::kTurns) return false;
  if (f.doubles == nullptr && f.floats == nullptr) return f.count == 0;
  if (f.doubles != nullptr && f.floats != nullptr) return false;
  if (f.count != PairCount(spec.dim) || spec.recipe != Recipe::kExact) return false;
  for (std::size_t i = 0; i < ListCount(); ++i) {
    if (!std::isfinite(Listed(i))) return false;
  }
  return true;
}

double SpecInput::Radians(std::size_t i) const {
  constexpr double kUnits[] = {1.0, 0x1.921fb54442d18p1, 0x1.921fb54442d18p2};
  return Listed(i) * spec.position_scale * kUnits[static_cast<std::size_t>(spec.frequencies.unit)];
}

bool SpecInput::InRange(double slack) const {
  for (std::size_t i = 0; i < ListCount(); ++i) {
    const double frequency = std::fabs(Radians(i));
    const bool is_zero = Listed(i) == 0.0 || spec.position_scale == 0.0;
    if (!is_zero && !(frequency >= 0x1p-126 / slack && frequency <= 0x1p31 * slack)) return false;
  }
  return true;
}

SpecInput MakeSpec(FuzzedDataProvider& bytes) {
  SpecInput input;
  Spec& spec = input.spec;
  spec.dim = bytes.ConsumeIntegralInRange<std::size_t>(0, kLargestDim);
  if (bytes.ConsumeIntegralInRange(0, 63) == 0) spec.dim = bytes.PickValueInArray(kHuge);
  spec.layout = static_cast<Layout>(bytes.ConsumeIntegralInRange(0, 3));
  spec.recipe = static_cast<Recipe>(bytes.ConsumeIntegralInRange(0, 7) / 3);  // 2 is none
  if (bytes.ConsumeBool()) spec.base = MakeReal(bytes);
  if (bytes.ConsumeIntegralInRange(0, 3) == 0) spec.exponent_dim = MakeReal(bytes);
  if (bytes.ConsumeIntegralInRange(0, 3) == 0) spec.position_scale = MakeReal(bytes);
  if (Rarely(bytes, 3)) {
    MakeList(&input, bytes);
  } else if (Rarely(bytes)) {
    spec.frequencies.unit = static_cast<FrequencyUnit>(bytes.ConsumeIntegral<std::uint8_t>());
  }
  return input;
}

CallInput MakeCall(std::size_t dim, FuzzedDataProvider& bytes) {
  CallInput call{};
  call.kind = bytes.ConsumeEnum<Kind>();
  call.type = bytes.ConsumeEnum<Type>();
  if (call.type == Type::kFloat64 && !call.TakesDoubles()) call.type = Type::kFloat32;
  call.list_type = bytes.ConsumeEnum<ListType>();
  if (call.list_type == ListType::kDouble && !call.TakesDoublePositions()) call.list_type = ListType::kInt32;
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
    if (call.list_type == ListType::kDouble) {
      call.doubles.push_back(MakeDoublePosition(bytes));
      continue;
    }
    std::int64_t value = ids   ? bytes.ConsumeIntegral<std::uint8_t>() % 5
                         : far ? MakePosition(bytes)
                               : bytes.ConsumeIntegralInRange<std::int64_t>(-128, 127);
    if (bytes.ConsumeIntegral<std::uint8_t>() == 255) value = bytes.PickValueInArray(kInt64);
    call.integers.push_back(call.list_type == ListType::kInt64 ? value : static_cast<std::int32_t>(value));
  }
  if (!call.doubles.empty() && Rarely(bytes, 6)) {
    call.doubles[bytes.ConsumeIntegralInRange<std::size_t>(0, length - 1)] = MakeBadPosition(bytes);
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
  if (HasList() && (null_list || FirstBad() < std::max(integers.size(), doubles.size()))) return false;
  switch (kind) {
    case Kind::kWrite:
    case Kind::kAdd:
      return InRange(first, rows);
    case Kind::kWriteAt:
    case Kind::kAddAt:
      return true;
    case Kind::kEmbed:
      return InRange(first, rows) && !null_table && !Overflows(vocabulary, table_stride, ElementSize());
    case Kind::kAddBatch:
      return batch <= 1 || (batch_stride >= rows * stride && !Overflows(batch, batch_stride, ElementSize()));
  }
  std::abort();
}

std::size_t CallInput::FirstBad() const {
  if (list_type == ListType::kDouble) {
    constexpr auto kMax = static_cast<double>(kMaxPosition);
    return FirstOut(doubles, -kMax, kMax);
  }
  if (kind == Kind::kEmbed)
    return FirstOut<std::int64_t>(integers, 0, static_cast<std::int64_t>(vocabulary) - 1);
  const std::size_t run = kind == Kind::kAddBatch ? rows : 1;
  return FirstOut(integers, -kMaxPosition, kMaxPosition - static_cast<std::int64_t>(run - 1));
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
  switch (list_type) {
    case ListType::kInt32:
      return BytesOf<std::int32_t>(integers);
    case ListType::kInt64:
      return BytesOf<std::int64_t>(integers);
    case ListType::kDouble:
      return BytesOf<double>(doubles);
  }
  std::abort();
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
    case Type::kFloat64:
      return CallWith<double>(encoder, call, buffers);
  }
  std::abort();
}

}  // namespace fuzz
}  // namespace posenc
