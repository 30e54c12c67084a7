// One call of the public API per input, on every target that this CPU runs. Accepted calls write what
// REFERENCE writes, and not one byte more; refused ones write nothing; both as the documentation says.
// AddressSanitizer and UndefinedBehaviorSanitizer watch the memory.
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "call_input.h"

namespace posenc {
namespace fuzz {
namespace {

#define POSENC_FUZZ_CHECK(condition) \
  if (!(condition)) Fail(#condition, __LINE__)

[[noreturn]] void Fail(const char* condition, int line) {
  std::fprintf(stderr, "calls_fuzzer.cc:%d: not so: %s\n", line, condition);
  std::abort();
}

// Exactly so many bytes, so that AddressSanitizer notices one more, at an offset from an aligned address.
class Memory {
 public:
  Memory(std::size_t size, std::size_t offset, const std::vector<std::uint8_t>& pattern)
      : bytes_(static_cast<std::uint8_t*>(std::malloc(offset + size))), offset_(offset), size_(size) {
    for (std::size_t i = 0; i < size; ++i) data()[i] = pattern[i % pattern.size()];
  }
  std::uint8_t* data() const { return bytes_.get() + offset_; }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::uint8_t* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::uint8_t, Free> bytes_;
  std::size_t offset_, size_;
};

struct Result {
  Status status;
  std::size_t bad_index = 4711;
  Memory data;
};

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

template <class T, class Integer>
Status CallWith(const Encoder& encoder, const CallInput& call, const Memory& table, Result* result) {
  const std::vector<Integer> list(call.list.begin(), call.list.end());
  return Call<T, Integer>(encoder, call, call.null_list ? nullptr : list.data(),
                          call.null_data ? nullptr : reinterpret_cast<T*>(result->data.data()),
                          call.null_table ? nullptr : reinterpret_cast<const T*>(table.data()),
                          &result->bad_index);
}

template <class T>
Status CallWith(const Encoder& encoder, const CallInput& call, const Memory& table, Result* result) {
  return call.wide ? CallWith<T, std::int64_t>(encoder, call, table, result)
                   : CallWith<T, std::int32_t>(encoder, call, table, result);
}

Result Run(const Encoder& encoder, const CallInput& call, const Memory& table, std::size_t data_size) {
  Result result{Status::kOk, 4711, Memory(data_size, call.offset, call.pattern)};
  std::fesetround(call.rounding);
  switch (call.type) {
    case Type::kFloat32:
      result.status = CallWith<float>(encoder, call, table, &result);
      break;
    case Type::kBFloat16:
      result.status = CallWith<BFloat16>(encoder, call, table, &result);
      break;
    case Type::kFloat16:
      result.status = CallWith<Float16>(encoder, call, table, &result);
      break;
  }
  POSENC_FUZZ_CHECK(std::fegetround() == call.rounding);
  std::fesetround(FE_TONEAREST);
  return result;
}

bool IsNan(Type type, const std::uint8_t* element) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, element, type == Type::kFloat32 ? 4 : 2);
  const std::uint32_t infinity = type == Type::kFloat32    ? 0x7F800000u
                                 : type == Type::kBFloat16 ? 0x7F80u
                                                           : 0x7C00u;
  return (bits & ~(type == Type::kFloat32 ? 0x80000000u : 0x8000u)) > infinity;
}

// Bit by bit, but for the payloads of NaNs.
bool Same(Type type, const Memory& a, const Memory& b) {
  if (a.size() == 0 || std::memcmp(a.data(), b.data(), a.size()) == 0) return true;
  const std::size_t size = type == Type::kFloat32 ? 4 : 2;
  for (std::size_t i = 0; i < a.size(); i += size) {
    if (std::memcmp(a.data() + i, b.data() + i, size) == 0) continue;
    if (!IsNan(type, a.data() + i) || !IsNan(type, b.data() + i)) return false;
  }
  return true;
}

void CheckRefused(const Result& result, const CallInput& call) {
  POSENC_FUZZ_CHECK(result.status != Status::kOk);
  const Memory before(result.data.size(), 0, call.pattern);
  POSENC_FUZZ_CHECK(before.size() == 0 || std::memcmp(before.data(), result.data.data(), before.size()) == 0);
}

// Columns past dim keep their bytes. (Between sequences of a batch as well.)
void CheckGaps(const Result& result, const CallInput& call, std::size_t dim) {
  const std::size_t size = call.ElementSize();
  const std::size_t sequence = call.kind == Kind::kAddBatch && call.batch > 1 ? call.batch_stride : SIZE_MAX;
  for (std::size_t i = 0; i < result.data.size(); ++i) {
    const std::size_t within = i / size % sequence;
    if (within / call.stride < call.rows && within % call.stride < dim) continue;
    POSENC_FUZZ_CHECK(result.data.data()[i] == call.pattern[i % call.pattern.size()]);
  }
}

void CheckCall(const std::vector<Encoder>& encoders, const CallInput& call) {
  const std::size_t dim = encoders.front().dim();
  const bool valid = call.IsValid(dim);
  constexpr std::size_t kLargest =
      1 << 18;  // elements; accepted huge strides are not for this machine's memory
  if (valid && (call.DataSize(dim) > kLargest || call.TableSize(dim) > kLargest)) return;
  const Memory table(valid ? call.TableSize(dim) * call.ElementSize() : 64, 0, call.pattern);
  const std::size_t data_size = valid ? call.DataSize(dim) * call.ElementSize() : 64;
  const Result expected = Run(encoders.front(), call, table, data_size);  // of REFERENCE
  if (valid) {
    POSENC_FUZZ_CHECK(expected.status == Status::kOk);
    CheckGaps(expected, call, dim);
  } else {
    CheckRefused(expected, call);
  }
  for (std::size_t e = 1; e < encoders.size(); ++e) {
    const Result result = Run(encoders[e], call, table, data_size);
    POSENC_FUZZ_CHECK(result.status == expected.status);
    POSENC_FUZZ_CHECK(result.bad_index == expected.bad_index);
    POSENC_FUZZ_CHECK(Same(call.type, result.data, expected.data));
    if (!valid) CheckRefused(result, call);
  }
}

// The encoder on every runnable target, REFERENCE first; empty if the spec is refused, by all alike.
std::vector<Encoder> CreateAll(Spec spec) {
  Target targets[kMaxTargets];
  const std::size_t count = Targets(targets);
  spec.target = "REFERENCE";
  Encoder reference;
  const Status status = Encoder::Create(spec, &reference);
  std::vector<Encoder> encoders;
  for (std::size_t t = 0; t < count; ++t) {
    spec.target = targets[t].name;
    Encoder encoder;
    const Status got = Encoder::Create(spec, &encoder);
    if (!targets[t].runnable && status == Status::kOk) {
      POSENC_FUZZ_CHECK(got == Status::kUnavailableTarget);
      continue;
    }
    POSENC_FUZZ_CHECK(got == status);
    float x = 0.0f;
    if (got != Status::kOk) POSENC_FUZZ_CHECK(encoder.Write(0, 1, &x, 1) == Status::kNotCreated);
    if (got == Status::kOk) encoders.push_back(std::move(encoder));
  }
  if (!encoders.empty()) std::swap(encoders.front(), encoders.back());
  return encoders;
}

}  // namespace
}  // namespace fuzz
}  // namespace posenc

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider bytes(data, size);
  const std::vector<posenc::Encoder> encoders = posenc::fuzz::CreateAll(posenc::fuzz::MakeSpec(bytes));
  if (!encoders.empty()) {
    posenc::fuzz::CheckCall(encoders, posenc::fuzz::MakeCall(encoders.front().dim(), bytes));
  }
  return 0;
}
