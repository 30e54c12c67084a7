// Every C function as C can call it: with null handles, structs of other versions, unknown values, memory
// that overlaps. Accepted calls write on every target that this CPU runs what REFERENCE writes, and not one
// byte more; refused ones write nothing; statuses are those that the documentation allows.
// AddressSanitizer and UndefinedBehaviorSanitizer watch the memory.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "call_input.h"
#include "creation.h"
#include "fuzzing.h"
#include "spec_input.h"

namespace posenc {
namespace fuzz {
namespace {

constexpr std::size_t kNoIndex = 4711;

void CheckVersionAndMessages(FuzzedDataProvider& bytes) {
  POSENC_FUZZ_CHECK(posenc_version() == POSENC_VERSION);
  const auto status = bytes.ConsumeBool() ? bytes.ConsumeIntegralInRange<posenc_status>(-1, 50)
                                          : bytes.ConsumeIntegral<posenc_status>();
  const char* message = posenc_status_message(status);
  POSENC_FUZZ_CHECK(message != nullptr && message[0] != '\0');
  const bool known = status >= POSENC_OK && status <= POSENC_BAD_PADDING_POSITION;
  POSENC_FUZZ_CHECK(known == (std::strcmp(message, posenc_status_message(-1)) != 0));
}

void CheckTargets(FuzzedDataProvider& bytes) {
  const std::vector<posenc_target> want = Targets();
  const auto capacity = bytes.ConsumeIntegralInRange<std::size_t>(0, POSENC_MAX_TARGETS);
  const Memory memory(capacity * sizeof(posenc_target));
  auto* targets = reinterpret_cast<posenc_target*>(memory.data());
  POSENC_FUZZ_CHECK(posenc_targets(targets, capacity) == want.size());
  POSENC_FUZZ_CHECK(posenc_targets(nullptr, capacity) == want.size());
  const std::size_t filled = std::min(want.size(), capacity);
  POSENC_FUZZ_CHECK(filled == 0 || std::memcmp(targets, want.data(), filled * sizeof(*targets)) == 0);
  bool better_runs = false;
  for (const posenc_target& target : want) {
    POSENC_FUZZ_CHECK(target.runnable == 0 || target.runnable == 1);
    POSENC_FUZZ_CHECK(target.best == (target.runnable == 1 && !better_runs ? 1 : 0));
    better_runs |= target.runnable == 1;
  }
  POSENC_FUZZ_CHECK(std::strcmp(want.back().name, "REFERENCE") == 0 && want.back().runnable == 1);
}

void CheckSpecInit(FuzzedDataProvider& bytes) {
  const auto struct_size = bytes.ConsumeIntegralInRange<std::size_t>(0, 4200);
  const std::vector<std::uint8_t> canary = {0xC5, 0x5C, 0x17};
  const Memory memory(struct_size, 0, canary);
  POSENC_FUZZ_CHECK(posenc_spec_init(nullptr, struct_size) == POSENC_NULL_POINTER);
  const posenc_status status = posenc_spec_init(reinterpret_cast<posenc_spec*>(memory.data()), struct_size);
  if (struct_size < sizeof(posenc_spec) || struct_size > 4096) {
    POSENC_FUZZ_CHECK(status == POSENC_BAD_STRUCT_SIZE && memory == Memory(struct_size, 0, canary));
    return;
  }
  posenc_spec want{};
  want.struct_size = struct_size;
  want.base = 10000.0;
  want.position_scale = 1.0;
  want.min_timescale = 1.0;
  const Memory zeros(struct_size);
  std::memcpy(zeros.data(), &want, sizeof(want));
  POSENC_FUZZ_CHECK(status == POSENC_OK && memory == zeros);
}

// A preset or none, whose name may be any bytes; of another version's size.
void CheckPresets(FuzzedDataProvider& bytes) {
  const std::size_t count = posenc_spec_presets(nullptr, bytes.ConsumeIntegral<std::size_t>());
  const auto capacity = bytes.ConsumeIntegralInRange<std::size_t>(0, count + 3);
  const Memory memory(capacity * sizeof(posenc_preset), 0, {0xC5});
  auto* presets = reinterpret_cast<posenc_preset*>(memory.data());
  POSENC_FUZZ_CHECK(posenc_spec_presets(presets, capacity) == count);
  const std::size_t filled = std::min(capacity, count);
  const bool is_known = filled != 0 && bytes.ConsumeBool();
  const auto struct_size = bytes.ConsumeIntegralInRange<std::size_t>(0, 4200);
  const std::size_t dim = bytes.ConsumeBool() ? bytes.ConsumeIntegralInRange<std::size_t>(0, 9)
                                              : bytes.ConsumeIntegral<std::size_t>();
  const bool null_name = Rarely(bytes);
  const std::string name = is_known ? presets[bytes.ConsumeIntegralInRange<std::size_t>(0, filled - 1)].name
                                    : bytes.ConsumeRandomLengthString();
  const char* const passed = null_name ? nullptr : name.c_str();
  const posenc_phase_rounding rounding = posenc_spec_preset_rounding(passed);
  Faults faults;
  faults.AddIf(null_name, POSENC_NULL_POINTER);
  faults.AddIf(!null_name && rounding == -1, POSENC_UNKNOWN_PRESET);
  faults.AddIf(dim == 0 || dim > POSENC_MAX_DIM, POSENC_BAD_DIM);
  faults.AddIf(struct_size < sizeof(posenc_spec) || struct_size > 4096, POSENC_BAD_STRUCT_SIZE);
  POSENC_FUZZ_CHECK(!is_known || null_name || rounding >= POSENC_NO_PHASE_ROUNDING);
  POSENC_FUZZ_CHECK(posenc_spec_preset(nullptr, struct_size, passed, dim) != POSENC_OK);
  const std::vector<std::uint8_t> canary = {0xC5, 0x5C, 0x17};
  const Memory got(struct_size, 0, canary);
  auto* spec = reinterpret_cast<posenc_spec*>(got.data());
  const posenc_status status = posenc_spec_preset(spec, struct_size, passed, dim);
  POSENC_FUZZ_CHECK(faults.Allow(status) && (status == POSENC_OK || got == Memory(struct_size, 0, canary)));
  if (status == POSENC_OK) POSENC_FUZZ_CHECK(spec->dim == dim && spec->struct_size == struct_size);
}

void CheckNullEncoder(FuzzedDataProvider& bytes) {
  posenc_encoder_destroy(nullptr);
  POSENC_FUZZ_CHECK(posenc_encoder_dim(nullptr) == 0);
  POSENC_FUZZ_CHECK(posenc_encoder_layout(nullptr) == -1);
  POSENC_FUZZ_CHECK(posenc_encoder_target(nullptr)[0] == '\0');
  POSENC_FUZZ_CHECK(posenc_encoder_frequency_count(nullptr) == 0);
  POSENC_FUZZ_CHECK(std::isnan(posenc_encoder_radians(nullptr, bytes.ConsumeIntegral<std::size_t>())));
}

void CheckProperties(const posenc_encoder* encoder, const SpecInput& input, const char* target,
                     FuzzedDataProvider& bytes) {
  POSENC_FUZZ_CHECK(posenc_encoder_dim(encoder) == input.spec.dim);
  POSENC_FUZZ_CHECK(posenc_encoder_layout(encoder) == input.spec.layout);
  POSENC_FUZZ_CHECK(posenc_encoder_frequency_count(encoder) == input.PairCount());
  POSENC_FUZZ_CHECK(std::strcmp(posenc_encoder_target(encoder), target) == 0);
  const auto i = bytes.ConsumeIntegralInRange<std::size_t>(0, input.PairCount());
  const double radians =
      WithRounding(MakeRounding(bytes), [&] { return posenc_encoder_radians(encoder, i); });
  if (i == input.PairCount()) {
    POSENC_FUZZ_CHECK(std::isnan(radians));
  } else {
    const long double want = input.Radians(i);
    POSENC_FUZZ_CHECK(std::fabs(radians - want) <= SpecInput::kRadiansError * std::fabs(want));
  }
}

// Calls visit(offset) with where each row of an accepted call begins, in bytes.
template <class Visit>
void ForRows(const CallInput& call, const Visit& visit) {
  for (std::size_t b = 0; b < (call.HasBatch() ? call.batch : 1); ++b) {
    for (std::size_t r = 0; r < call.rows; ++r) {
      visit((b * call.batch_stride + r * call.stride) * TypeSize(call.type));
    }
  }
}

// Any is the canonical NaN, but where a float's own stays.
void CheckNans(const CallInput& call, const Parts& parts) {
  if (call.KeepsNans()) return;
  const std::size_t size = TypeSize(call.type);
  const std::uint64_t infinity = call.type == POSENC_F64    ? std::uint64_t{0x7FF} << 52
                                 : call.type == POSENC_F32  ? 0x7F800000
                                 : call.type == POSENC_BF16 ? 0x7F80
                                                            : 0x7C00;
  const std::uint64_t sign = std::uint64_t{1} << (8 * size - 1);
  const std::uint64_t nan = infinity | (infinity & (0 - infinity)) >> 1;  // the leading digit
  ForRows(call, [&](std::size_t row) {
    for (std::size_t k = 0; k < call.dim; ++k) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, parts[kData] + row + k * size, size);
      POSENC_FUZZ_CHECK((bits & ~sign) <= infinity || bits == nan);
    }
  });
}

void CheckCall(const std::vector<Made<SpecInput>>& encoders, const CallInput& call) {
  const Parts want = call.MakeParts();  // as it is, unless the call is accepted
  const Faults faults = call.CallFaults(want);
  if (faults.None() && call.IsLarge()) return;
  posenc_status expected = POSENC_OK;
  for (const Made<SpecInput>& made : encoders) {
    const bool is_reference = &made == &encoders.front();
    const Parts got = call.MakeParts();
    std::size_t bad_index = kNoIndex;
    const posenc_status status =
        WithRounding(call.rounding, [&] { return call.Run(made.handle.get(), got, &bad_index); });
    if (is_reference) expected = status;
    POSENC_FUZZ_CHECK(faults.Allow(status) && status == expected);
    POSENC_FUZZ_CHECK(bad_index == call.BadIndex(status, kNoIndex));
    if (status == POSENC_OK) CheckNans(call, got);
    if (status == POSENC_OK && is_reference) {
      ForRows(call, [&](std::size_t row) {
        std::memcpy(want[kData] + row, got[kData] + row, call.dim * TypeSize(call.type));
      });
    }
    POSENC_FUZZ_CHECK(got == want);
  }
}

void CheckEncoders(FuzzedDataProvider& bytes) {
  posenc_spec spec{};
  const std::vector<Made<SpecInput>> encoders = [&] {
    const SpecInput input(bytes);  // is gone when they are called
    spec = input.spec;
    return MakeHandles(input, bytes, [&](const posenc_encoder* encoder, const char* target) {
      CheckProperties(encoder, input, target, bytes);
    });
  }();
  if (!encoders.empty()) CheckCall(encoders, CallInput(spec, bytes));
}

}  // namespace
}  // namespace fuzz
}  // namespace posenc

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc::fuzz;
  constexpr void (*kChecks[])(FuzzedDataProvider&) = {CheckVersionAndMessages, CheckTargets, CheckSpecInit,
                                                      CheckNullEncoder,        CheckPresets, CheckEncoders};
  FuzzedDataProvider bytes(data, size);
  kChecks[std::min(bytes.ConsumeIntegralInRange(0, 63), 5)](bytes);
  return 0;
}
