// Every C function of rotaries as C can call it: with null handles, structs of other versions, unknown
// values, strides of every kind, memory that overlaps. Accepted calls write on every target that this CPU
// runs what the heads give one by one, which the formula gives too, and not one byte more; refused ones write
// nothing; statuses are those that the documentation allows. AddressSanitizer and UndefinedBehaviorSanitizer
// watch the memory.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "creation.h"
#include "fuzzing.h"
#include "rotary_call_input.h"
#include "rotary_estimates.h"
#include "rotary_expected.h"
#include "rotary_spec_input.h"

namespace posenc {
namespace fuzz {
namespace {

constexpr std::size_t kNoIndex = 4711;
constexpr std::size_t kPresets = 64;

const std::vector<std::uint8_t>& Canary() {
  static const std::vector<std::uint8_t> canary = {0xC5, 0x5C, 0x17};
  return canary;
}

void CheckSpecInit(FuzzedDataProvider& bytes) {
  const auto struct_size = bytes.ConsumeIntegralInRange<std::size_t>(0, 4200);
  const Memory memory(struct_size, 0, Canary());
  auto* spec = reinterpret_cast<posenc_rotary_spec*>(memory.data());
  POSENC_FUZZ_CHECK(posenc_rotary_spec_init(nullptr, struct_size) == POSENC_NULL_POINTER);
  const posenc_status status = posenc_rotary_spec_init(spec, struct_size);
  if (struct_size < sizeof(posenc_rotary_spec) || struct_size > 4096) {
    POSENC_FUZZ_CHECK(status == POSENC_BAD_STRUCT_SIZE && memory == Memory(struct_size, 0, Canary()));
    return;
  }
  POSENC_FUZZ_CHECK(status == POSENC_OK && spec->struct_size == struct_size && spec->head_dim == 0);
  POSENC_FUZZ_CHECK(spec->base == 10000.0 && spec->axes == 1 && spec->output_pairing == POSENC_SAME_PAIRING);
  for (std::size_t i = sizeof(*spec); i < struct_size; ++i) POSENC_FUZZ_CHECK(memory.data()[i] == 0);
}

// By any name, mostly one that there is.
void CheckPreset(FuzzedDataProvider& bytes) {
  const auto capacity = bytes.ConsumeIntegralInRange<std::size_t>(0, kPresets + 2);
  const Memory memory(capacity * sizeof(posenc_preset), 0, Canary());
  auto* presets = reinterpret_cast<posenc_preset*>(memory.data());
  POSENC_FUZZ_CHECK(posenc_rotary_presets(presets, capacity) == kPresets);
  POSENC_FUZZ_CHECK(posenc_rotary_presets(nullptr, capacity) == kPresets);
  std::vector<std::string> names = {bytes.ConsumeRandomLengthString(20)};
  for (std::size_t i = 0; i < std::min(capacity, kPresets); ++i) {
    POSENC_FUZZ_CHECK(presets[i].formula[0] != '\0' && presets[i].source[0] != '\0');
    names.push_back(presets[i].name);
  }
  const std::size_t chosen = bytes.ConsumeIntegralInRange<std::size_t>(0, names.size() - 1);
  const bool is_known = chosen != 0 || std::find(names.begin() + 1, names.end(), names[0]) != names.end();
  const auto head_dim = bytes.ConsumeBool() ? 128 : bytes.ConsumeIntegralInRange<std::size_t>(0, 2048);
  const std::size_t struct_size =
      Rarely(bytes) ? bytes.ConsumeIntegralInRange<std::size_t>(0, 4200) : sizeof(posenc_rotary_spec);
  const Memory spec_memory(struct_size, 0, Canary());
  auto* spec = reinterpret_cast<posenc_rotary_spec*>(spec_memory.data());
  const posenc_status status = posenc_rotary_spec_preset(spec, struct_size, names[chosen].c_str(), head_dim);
  POSENC_FUZZ_CHECK(posenc_rotary_spec_preset(nullptr, struct_size, "llama", 128) == POSENC_NULL_POINTER);
  POSENC_FUZZ_CHECK(posenc_rotary_spec_preset(spec, struct_size, nullptr, 128) == POSENC_NULL_POINTER);
  if (status != POSENC_OK) {
    POSENC_FUZZ_CHECK(spec_memory == Memory(struct_size, 0, Canary()));
    POSENC_FUZZ_CHECK(status == POSENC_UNKNOWN_PRESET || status == POSENC_BAD_HEAD_DIM ||
                      status == POSENC_BAD_STRUCT_SIZE);
    POSENC_FUZZ_CHECK(!is_known || status != POSENC_UNKNOWN_PRESET);
    return;
  }
  POSENC_FUZZ_CHECK(chosen != 0 || is_known || capacity < kPresets);
  POSENC_FUZZ_CHECK(spec->struct_size == struct_size && spec->head_dim == head_dim);
  posenc_rotary* rotary = nullptr;
  const posenc_status created = posenc_rotary_create(spec, &rotary);  // some need lists and lengths
  POSENC_FUZZ_CHECK(created == POSENC_OK || created == POSENC_BAD_FACTOR_LIST ||
                    created == POSENC_BAD_LENGTH);
  posenc_rotary_destroy(rotary);
}

void CheckNullRotary(FuzzedDataProvider& bytes) {
  posenc_rotary_destroy(nullptr);
  POSENC_FUZZ_CHECK(posenc_rotary_head_dim(nullptr) == 0);
  POSENC_FUZZ_CHECK(posenc_rotary_frequency_count(nullptr) == 0);
  POSENC_FUZZ_CHECK(posenc_rotary_target(nullptr)[0] == '\0');
  POSENC_FUZZ_CHECK(std::isnan(posenc_rotary_amplitude(nullptr)));
  POSENC_FUZZ_CHECK(std::isnan(posenc_rotary_radians(nullptr, bytes.ConsumeIntegral<std::size_t>())));
}

bool IsNear(double got, const Estimate& want) {
  return std::fabs(got - want.value) <= (want.error + 0x1p-52L) * std::fabs(want.value);
}

void CheckProperties(const posenc_rotary* rotary, const RotarySpecInput& input, const char* target,
                     FuzzedDataProvider& bytes) {
  POSENC_FUZZ_CHECK(posenc_rotary_head_dim(rotary) == input.spec.head_dim);
  POSENC_FUZZ_CHECK(posenc_rotary_frequency_count(rotary) == input.PairCount());
  POSENC_FUZZ_CHECK(std::strcmp(posenc_rotary_target(rotary), target) == 0);
  POSENC_FUZZ_CHECK(IsNear(posenc_rotary_amplitude(rotary), AmplitudeOf(input.spec)));
  const auto i = bytes.ConsumeIntegralInRange<std::size_t>(0, input.PairCount());
  const double radians = WithRounding(MakeRounding(bytes), [&] { return posenc_rotary_radians(rotary, i); });
  if (i == input.PairCount()) {
    POSENC_FUZZ_CHECK(std::isnan(radians));
    return;
  }
  const Estimate want = FrequencyOf(input.spec, i);
  POSENC_FUZZ_CHECK(want.error > 0.1L || IsNear(radians, want) ||
                    (input.spec.position_scale == 0.0 && radians == 0.0));
}

RotaryShape ShapeOf(const posenc_rotary_spec& spec, const posenc_rotary* rotary) {
  const std::size_t pairs = posenc_rotary_frequency_count(rotary);
  const posenc_pairing to = spec.output_pairing == POSENC_SAME_PAIRING ? spec.pairing : spec.output_pairing;
  RotaryShape shape = {spec.head_dim,
                       spec.rotary_offset,
                       pairs,
                       spec.axes,
                       spec.pairing,
                       to,
                       posenc_rotary_amplitude(rotary),
                       spec.arithmetic == POSENC_EXACT,
                       spec.phase_rounding != POSENC_NO_PHASE_ROUNDING,
                       {},
                       {}};
  for (std::size_t i = 0; i < pairs; ++i) {
    shape.axis.push_back(AxisOf(spec, i));
    const Estimate w = FrequencyOf(spec, i);
    shape.radians.push_back(w.error < 1e-15L ? w.value : std::nanl(""));
  }
  return shape;
}

void CheckBadIndex(const RotaryCall& call, posenc_status status, std::size_t bad_index) {
  const bool of_list = status == POSENC_POSITION_OUT_OF_RANGE && call.PassesList();
  POSENC_FUZZ_CHECK(bad_index == (of_list && !call.null_bad_index ? call.first_bad : kNoIndex));
}

void CheckCall(const std::vector<Made<RotarySpecInput>>& rotaries, const RotaryCall& call) {
  const Parts before = call.MakeParts(), want = call.MakeParts();
  const Faults faults = call.CallFaults(before);
  if (faults.Allow(POSENC_OK) && call.IsLarge()) return;
  posenc_status expected = POSENC_OK;
  for (const Made<RotarySpecInput>& made : rotaries) {
    const bool is_reference = &made == &rotaries.front();
    const Parts got = call.MakeParts();
    std::size_t bad_index = kNoIndex;
    const posenc_status status =
        WithRounding(call.rounding, [&] { return call.Run(made.handle.get(), got, &bad_index); });
    if (is_reference) expected = status;
    POSENC_FUZZ_CHECK(faults.Allow(status) && status == expected);
    POSENC_FUZZ_CHECK(posenc_status_message(status)[0] != '\0');
    CheckBadIndex(call, status, bad_index);
    if (status == POSENC_OK && is_reference) Perform(call, made.handle.get(), before, want);
    if (status == POSENC_OK) TakeNans(call, got, want);
    POSENC_FUZZ_CHECK(got == want);
  }
}

void CheckRotaries(FuzzedDataProvider& bytes) {
  RotaryShape shape;
  const std::vector<Made<RotarySpecInput>> rotaries = [&] {
    const RotarySpecInput input(bytes);  // is gone when they are called
    auto all = MakeHandles(input, bytes, [&](const posenc_rotary* rotary, const char* target) {
      CheckProperties(rotary, input, target, bytes);
    });
    if (!all.empty()) shape = ShapeOf(input.spec, all.front().handle.get());
    return all;
  }();
  if (!rotaries.empty()) CheckCall(rotaries, RotaryCall(shape, bytes));
}

}  // namespace
}  // namespace fuzz
}  // namespace posenc

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc::fuzz;
  constexpr void (*kChecks[])(FuzzedDataProvider&) = {CheckSpecInit, CheckPreset, CheckNullRotary,
                                                      CheckRotaries};
  FuzzedDataProvider bytes(data, size);
  kChecks[std::min(bytes.ConsumeIntegralInRange(0, 63), 3)](bytes);
  return 0;
}
