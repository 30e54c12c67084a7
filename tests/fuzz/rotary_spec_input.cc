#include "rotary_spec_input.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace posenc {
namespace fuzz {
namespace {

constexpr std::size_t kLargestHead = 160;  // of specs that are not refused, but for presets

bool ChangesBase(posenc_scaling scaling) { return scaling >= POSENC_NTK && scaling <= POSENC_MIXED_NTK; }

// Mostly one of those that models have.
template <std::size_t kCount>
double MakeNumber(const double (&usual)[kCount], FuzzedDataProvider& bytes, int n = 16) {
  return Rarely(bytes, n) ? MakeReal(bytes) : bytes.PickValueInArray(usual);
}

constexpr double kBases[] = {1e4, 5e5, 1e6, 10.0, 150000.0};
constexpr double kUsualFactors[] = {1.0, 8.0, 2.0, 40.0, 0.5, 1.5, 32.0};
constexpr double kLengths[] = {8192.0, 4096.0, 131072.0, 32768.0, 100.0, 2.0};

}  // namespace

RotarySpecInput::RotarySpecInput(FuzzedDataProvider& bytes) {
  posenc_rotary_spec_init(&spec, sizeof(spec));
  if (Rarely(bytes, 3) && MakePreset(bytes)) {
    if (bytes.ConsumeBool()) spec.base = MakeNumber(kBases, bytes);
    if (bytes.ConsumeBool()) spec.factor = MakeNumber(kUsualFactors, bytes);
    if (bytes.ConsumeBool()) spec.length = MakeNumber(kLengths, bytes);
  } else {
    MakeShape(bytes);
    spec.base = MakeNumber(kBases, bytes, 8);
    if (Rarely(bytes, 6)) spec.exponent_dim = MakeReal(bytes);
    if (Rarely(bytes, 6)) spec.position_scale = MakeReal(bytes);
    if (Rarely(bytes, 4)) spec.unit = MakeEnum(3, bytes);
    MakeScaling(bytes);
    if (Rarely(bytes, 3)) MakeAxes(bytes);
  }
  spec.arithmetic = MakeEnum(2, bytes);
  if (Rarely(bytes, 3)) MakeRounding(bytes);
  if (Rarely(bytes, 4)) MakeFrequencies(bytes);
  if (UsesFactors(spec.scaling) || Rarely(bytes, 16)) MakeFactors(bytes);
  MakeVersion(bytes);
  if (bytes.ConsumeBool()) {
    target_ = MakeTarget(bytes);
    spec.target = target_.c_str();
  }
}

bool RotarySpecInput::MakePreset(FuzzedDataProvider& bytes) {
  posenc_preset presets[128];
  const std::size_t count = std::min<std::size_t>(posenc_rotary_presets(presets, 128), 128);
  const char* name = presets[bytes.ConsumeIntegralInRange<std::size_t>(0, count - 1)].name;
  const auto head_dim = bytes.PickValueInArray<std::size_t>({128, 64, 192, 256, 80});
  return posenc_rotary_spec_preset(&spec, sizeof(spec), name, head_dim) == POSENC_OK;
}

void RotarySpecInput::MakeShape(FuzzedDataProvider& bytes) {
  spec.head_dim = bytes.ConsumeIntegralInRange<std::size_t>(0, bytes.ConsumeBool() ? 24 : kLargestHead);
  if (Rarely(bytes, 64)) spec.head_dim = bytes.PickValueInArray(kHuge);
  const bool odd = Rarely(bytes);
  if (bytes.ConsumeBool()) {
    const std::size_t most = std::min(spec.head_dim, kLargestHead);
    spec.rotary_offset = bytes.ConsumeIntegralInRange<std::size_t>(0, odd ? most + 1 : most / 2);
    spec.rotary_dim = bytes.ConsumeIntegralInRange<std::size_t>(0, most);
    if (!odd) spec.rotary_dim = std::min(spec.rotary_dim, spec.head_dim - spec.rotary_offset) / 2 * 2;
  }
  if (odd && Rarely(bytes, 4)) spec.rotary_offset = bytes.PickValueInArray(kHuge);
  if (!odd && spec.rotary_dim == 0) spec.head_dim -= (spec.head_dim - spec.rotary_offset) % 2;
  spec.pairing = MakeEnum(2, bytes);
  spec.output_pairing = MakeEnum(3, bytes);
}

void RotarySpecInput::MakeScaling(FuzzedDataProvider& bytes) {
  constexpr double kBetas[] = {32.0, 1.0, 4.0}, kMscales[] = {1.0, 0.0, 0.7}, kTurns[] = {1.0, 4.0, 2.5};
  if (bytes.ConsumeBool()) spec.scaling = MakeEnum(12, bytes);
  spec.factor = MakeNumber(kUsualFactors, bytes);
  spec.length = MakeNumber(kLengths, bytes);
  spec.original_length = MakeNumber(kLengths, bytes);
  if (bytes.ConsumeBool()) {
    spec.beta_fast = MakeNumber(kBetas, bytes);
    spec.beta_slow = MakeNumber(kBetas, bytes);
    spec.mscale = MakeNumber(kMscales, bytes);
    spec.mscale_all_dim = MakeNumber(kMscales, bytes);
    spec.low_freq_factor = MakeNumber(kTurns, bytes);
    spec.high_freq_factor = MakeNumber(kTurns, bytes);
    spec.proportion = Rarely(bytes, 8) ? MakeReal(bytes) : bytes.ConsumeProbability<double>();
  }
  if (Rarely(bytes, 4)) spec.amplitude = MakeNumber(kUsualFactors, bytes, 4);
  spec.truncate = MakeEnum(2, bytes);
}

// Sections that add up, but for some.
void RotarySpecInput::MakeAxes(FuzzedDataProvider& bytes) {
  spec.axes = bytes.ConsumeIntegralInRange<std::size_t>(2, POSENC_MAX_AXES);
  spec.axis_order = MakeEnum(6, bytes);
  const std::size_t pairs = std::min(RotaryDim(spec), std::size_t{POSENC_MAX_ROTARY_DIM}) / 2;
  const bool is_alike = spec.axis_order == POSENC_ALTERNATING_AXES || spec.axis_order == POSENC_SPLIT_AXES;
  std::size_t left = pairs, section = 0;
  for (std::size_t k = spec.axes; k-- > 1;) {
    if (section == 0 || !is_alike) section = bytes.ConsumeIntegralInRange<std::size_t>(0, pairs / spec.axes);
    if (spec.axis_order == POSENC_SPLIT_AXES) section = pairs / spec.axes;
    spec.sections[k] = section;
    left -= section;
  }
  spec.sections[0] = left;
  if (Rarely(bytes, 16))
    spec.sections[bytes.ConsumeIntegralInRange(0, POSENC_MAX_AXES - 1)] += bytes.ConsumeBool() ? 1 : SIZE_MAX;
  if (Rarely(bytes)) spec.axes = bytes.PickValueInArray<std::size_t>({0, 1, 5, SIZE_MAX});
  if (spec.axis_order == POSENC_AXIAL_AXES && !Rarely(bytes, 8)) spec.exponent_dim = 0.0;
}

// Mostly one that its spec admits.
void RotarySpecInput::MakeRounding(FuzzedDataProvider& bytes) {
  spec.phase_rounding = Rarely(bytes, 16)
                            ? MakeEnum(POSENC_F32_LOG_INCREMENT + 1, bytes)
                            : bytes.PickValueInArray<posenc_phase_rounding>(
                                  {POSENC_NO_PHASE_ROUNDING, POSENC_F32_EXP, POSENC_F32_INV_FREQ,
                                   POSENC_F32_ITERATED, POSENC_F64_INV_FREQ});
  const bool divides = spec.phase_rounding == POSENC_F32_ITERATED && spec.scaling == POSENC_FREQUENCY_FACTORS;
  if (Rarely(bytes, 16)) return;
  if (!divides) spec.scaling = bytes.ConsumeBool() ? POSENC_LINEAR : POSENC_NO_SCALING;
  spec.position_scale = 1.0;
  spec.unit = POSENC_RADIANS;
}

std::size_t RotarySpecInput::MakeCount(bool wrong, FuzzedDataProvider& bytes) const {
  if (!wrong) return RotaryDim(spec) / 2;
  return Rarely(bytes, 4) ? bytes.PickValueInArray(kHuge) : RotaryDim(spec) / 2 + 1 - 2 * bytes.ConsumeBool();
}

// Few lists are wild: in the others every number will do.
void RotarySpecInput::MakeList(List which, bool floats, bool positive, bool readable,
                               FuzzedDataProvider& bytes) {
  const std::size_t size = floats ? sizeof(float) : sizeof(double);
  const std::size_t offset = bytes.ConsumeBool() ? 0 : bytes.ConsumeIntegralInRange<std::size_t>(0, 63);
  const bool is_small = spec.head_dim <= 2 * kLargestHead && RotaryDim(spec) <= 2 * kLargestHead;
  Memory& list = lists_[which];
  list = Memory(readable && is_small ? RotaryDim(spec) / 2 * size : 0, offset);
  const bool wild = Rarely(bytes, 6);
  for (std::size_t i = 0; i < list.size() / size; ++i) {
    double value = std::ldexp(bytes.ConsumeIntegral<std::int8_t>(), bytes.ConsumeIntegralInRange(-20, 4));
    if (positive) value = std::fabs(value) + 0x1p-20;
    if (wild && Rarely(bytes, 16)) value = MakeReal(bytes);
    const auto narrow = static_cast<float>(value);
    std::memcpy(list.data() + i * size, floats ? static_cast<const void*>(&narrow) : &value, size);
  }
}

// Those that no scaling uses may be anything that creation need not read.
void RotarySpecInput::MakeFactors(FuzzedDataProvider& bytes) {
  enum Fault : int { kCount, kBoth, kNeither, kNotLong, kMixed, kNone };
  auto fault = static_cast<Fault>(bytes.ConsumeIntegralInRange(0, 47));
  const bool is_used = UsesFactors(spec.scaling), floats = bytes.ConsumeBool();
  if (!is_used) fault = kNone;
  spec.factor_count = MakeCount(fault == kCount, bytes);
  const bool has_long =
      (is_used ? spec.scaling == POSENC_LONGROPE : bytes.ConsumeBool()) && fault != kNotLong;
  const auto set = [&](List which, bool as_floats, const double** doubles, const float** narrow) {
    MakeList(which, as_floats, true, fault > kNeither, bytes);
    if (as_floats || fault == kBoth) *narrow = reinterpret_cast<const float*>(lists_[which].data());
    if (!as_floats || fault == kBoth) *doubles = reinterpret_cast<const double*>(lists_[which].data());
  };
  if (fault == kNeither) return;
  set(kFactors, floats, &spec.factors, &spec.factors_f32);
  if (has_long) set(kLongFactors, floats != (fault == kMixed), &spec.long_factors, &spec.long_factors_f32);
}

void RotarySpecInput::MakeFrequencies(FuzzedDataProvider& bytes) {
  enum Fault : int { kCount, kBoth, kNeither, kScaling, kNone };
  const auto fault = static_cast<Fault>(bytes.ConsumeIntegralInRange(0, 47));
  if (fault != kScaling && ChangesBase(spec.scaling)) spec.scaling = POSENC_NO_SCALING;
  const bool is_rounded = spec.phase_rounding != POSENC_NO_PHASE_ROUNDING;
  if (fault != kScaling && is_rounded) spec.phase_rounding = POSENC_F32_INV_FREQ;
  const bool floats = is_rounded ? !Rarely(bytes, 16) : bytes.ConsumeBool();
  spec.frequency_count = MakeCount(fault == kCount, bytes);
  if (fault == kNeither) return;
  MakeList(kFrequencies, floats, false, fault > kNeither, bytes);
  const std::uint8_t* list = lists_[kFrequencies].data();
  if (floats || fault == kBoth) spec.frequencies_f32 = reinterpret_cast<const float*>(list);
  if (!floats || fault == kBoth) spec.frequencies = reinterpret_cast<const double*>(list);
}

std::vector<const std::uint8_t*> RotarySpecInput::Lists() const {
  std::vector<const std::uint8_t*> lists;
  for (const Memory& list : lists_) lists.push_back(list.data());
  return lists;
}

void RotarySpecInput::Pass(const char* target_name, const std::vector<const std::uint8_t*>& lists,
                           std::uint8_t* at) const {
  posenc_rotary_spec changed = spec;
  changed.target = target_name;
  const auto move = [&](List which, const double** doubles, const float** floats) {
    if (*doubles != nullptr) *doubles = reinterpret_cast<const double*>(lists[which]);
    if (*floats != nullptr) *floats = reinterpret_cast<const float*>(lists[which]);
  };
  move(kFactors, &changed.factors, &changed.factors_f32);
  move(kLongFactors, &changed.long_factors, &changed.long_factors_f32);
  move(kFrequencies, &changed.frequencies, &changed.frequencies_f32);
  PassAs(changed, at);
}

}  // namespace fuzz
}  // namespace posenc
