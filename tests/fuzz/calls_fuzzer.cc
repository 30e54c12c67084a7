// One call of the public API per input, on every target that this CPU runs. Accepted calls write what
// REFERENCE writes, and not one byte more; refused ones write nothing; both as the documentation says.
// AddressSanitizer and UndefinedBehaviorSanitizer watch the memory.
#include <cmath>
#include <cstring>
#include <vector>

#include "call_input.h"
#include "fuzzing.h"

namespace posenc {
namespace fuzz {
namespace {

constexpr std::size_t kNoIndex = 4711;

struct Result {
  Status status;
  std::size_t bad_index;
  Memory data;
};

Result RunOn(const Encoder& encoder, const CallInput& call, const Memory& table, std::size_t data_size) {
  Result result{Status::kOk, kNoIndex, Memory(data_size, call.offset, call.pattern)};
  const std::vector<std::uint8_t> list = call.ListBytes();
  result.status = WithRounding(call.rounding, [&] {
    return Run(encoder, call,
               MakeBuffers(call, result.data.data(), list.data(), table.data(), &result.bad_index));
  });
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

// Bit by bit, but for the payloads of NaNs. (Doubles are only written, and are none.)
bool Same(Type type, const Memory& a, const Memory& b) {
  if (a == b) return true;
  if (type == Type::kFloat64) return false;
  const std::size_t size = type == Type::kFloat32 ? 4 : 2;
  for (std::size_t i = 0; i < a.size(); i += size) {
    if (std::memcmp(a.data() + i, b.data() + i, size) == 0) continue;
    if (!IsNan(type, a.data() + i) || !IsNan(type, b.data() + i)) return false;
  }
  return true;
}

void CheckRefused(const Result& result, const CallInput& call) {
  POSENC_FUZZ_CHECK(result.status != Status::kOk);
  POSENC_FUZZ_CHECK(result.data == Memory(result.data.size(), 0, call.pattern));
  if (result.bad_index != kNoIndex) POSENC_FUZZ_CHECK(result.bad_index == call.FirstBad());
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
  if (valid && call.IsLarge(dim)) return;
  const Memory table(call.TableBytes(dim), 0, call.pattern);
  const Result expected = RunOn(encoders.front(), call, table, call.DataBytes(dim));  // of REFERENCE
  if (valid) {
    POSENC_FUZZ_CHECK(expected.status == Status::kOk);
    CheckGaps(expected, call, dim);
  } else {
    CheckRefused(expected, call);
  }
  for (std::size_t e = 1; e < encoders.size(); ++e) {
    const Result result = RunOn(encoders[e], call, table, call.DataBytes(dim));
    if (!valid) CheckRefused(result, call);
    if (!valid && call.HasHugeStride()) continue;
    POSENC_FUZZ_CHECK(result.status == expected.status);
    POSENC_FUZZ_CHECK(result.bad_index == expected.bad_index);
    POSENC_FUZZ_CHECK(Same(call.type, result.data, expected.data));
  }
}

// A list of frequencies is refused if it must be, and means what its unit says.
void CheckList(const SpecInput& input, const Encoder& encoder, Status status) {
  const bool good = input.HasGoodList();
  POSENC_FUZZ_CHECK(status != (good ? Status::kBadFrequencies : Status::kOk));
  if (!good || input.ListCount() == 0) return;
  POSENC_FUZZ_CHECK(status != Status::kOk || input.InRange());
  POSENC_FUZZ_CHECK(status != Status::kFrequencyOutOfRange || !input.SurelyInRange());
  if (status != Status::kOk) return;
  for (std::size_t i = 0; i < input.ListCount(); ++i) {
    const double want = input.Radians(i), got = encoder.frequencies().Radians(i);
    POSENC_FUZZ_CHECK(std::fabs(got - want) <= SpecInput::kRadiansError * std::fabs(want));
  }
}

// The encoder on every runnable target, REFERENCE first; empty if the spec is refused, by all alike.
std::vector<Encoder> CreateAll(const SpecInput& input) {
  Spec spec = input.spec;
  Target targets[kMaxTargets];
  const std::size_t count = Targets(targets);
  spec.target = "REFERENCE";
  Encoder reference;
  const Status status = Encoder::Create(spec, &reference);
  CheckList(input, reference, status);
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
  // The list of frequencies is gone when they are called.
  const std::vector<posenc::Encoder> encoders = posenc::fuzz::CreateAll(posenc::fuzz::MakeSpec(bytes));
  if (!encoders.empty()) {
    posenc::fuzz::CheckCall(encoders, posenc::fuzz::MakeCall(encoders.front().dim(), bytes));
  }
  return 0;
}
