#include "spec_input.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace posenc {
namespace fuzz {
namespace {

constexpr std::size_t kLargestDim = 150;  // of specs that are not refused

}  // namespace

std::int32_t MakeEnum(std::int32_t count, FuzzedDataProvider& bytes) {
  const auto right = bytes.ConsumeIntegralInRange<std::int32_t>(0, count - 1);
  if (!Rarely(bytes)) return right;
  return bytes.ConsumeBool() ? bytes.ConsumeIntegral<std::int32_t>() : right | 256;
}

std::string MakeTarget(FuzzedDataProvider& bytes) {
  if (Rarely(bytes)) return bytes.ConsumeRandomLengthString(12);
  const std::vector<posenc_target> targets = Targets();
  return targets[bytes.ConsumeIntegralInRange<std::size_t>(0, targets.size() - 1)].name;
}

void AddTargetFaults(const char* target, Faults* faults) {
  if (target == nullptr) return;
  const std::vector<posenc_target> targets = Targets();
  const auto found = std::find_if(targets.begin(), targets.end(),
                                  [&](const posenc_target& t) { return std::strcmp(t.name, target) == 0; });
  faults->AddIf(found == targets.end(), POSENC_UNKNOWN_TARGET);
  faults->AddIf(found != targets.end() && found->runnable == 0, POSENC_UNAVAILABLE_TARGET);
}

const char* BestTarget() {
  for (const posenc_target& target : Targets()) {
    if (target.best == 1) return target.name;
  }
  std::abort();
}

std::vector<posenc_target> Targets() {
  std::vector<posenc_target> targets(POSENC_MAX_TARGETS);
  targets.resize(posenc_targets(targets.data(), targets.size()));
  return targets;
}

double MakeReal(FuzzedDataProvider& bytes) {
  if (bytes.ConsumeBool()) {
    return bytes.PickValueInArray({10000.0, 1.0, 500000.0, 0.5, 1e7, 0.0, -0.0, -1.0, 0x1p-40, 0x1p31, 3.0,
                                   1e300, HUGE_VAL, -HUGE_VAL, std::nan("")});
  }
  if (Rarely(bytes, 3)) {  // about the limits of frequencies and positions
    return bytes.PickValueInArray({0x1p-126, -0x1p-127, 0x0.8p-1022, 1e-320, 0x1p29, 0x1.45f306dc9c882p28,
                                   -0x1p31, 0x1.fffffffffffffp30, 0x1.0000000000001p31,
                                   -0x1.0000000000001p31});
  }
  if (bytes.ConsumeBool()) return bytes.ConsumeFloatingPointInRange(-1e6, 1e6);
  const auto bits = bytes.ConsumeIntegral<std::uint64_t>();
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

SpecInput::SpecInput(FuzzedDataProvider& bytes) {
  MakeVersion(bytes);
  spec.dim = bytes.ConsumeIntegralInRange<std::size_t>(0, kLargestDim);
  if (Rarely(bytes, 64)) spec.dim = bytes.PickValueInArray(kHuge);
  spec.base = bytes.ConsumeBool() ? MakeReal(bytes) : 10000.0;
  spec.exponent_dim = Rarely(bytes, 4) ? MakeReal(bytes) : 0.0;
  spec.position_scale = Rarely(bytes, 4) ? MakeReal(bytes) : 1.0;
  spec.layout = MakeEnum(4, bytes);
  spec.odd_column = MakeEnum(4, bytes);
  spec.phase_rounding =
      bytes.ConsumeBool() ? MakeEnum(POSENC_F32_LOG_INCREMENT + 1, bytes) : POSENC_NO_PHASE_ROUNDING;
  spec.frequency_unit = MakeEnum(3, bytes);
  spec.nan_rows = MakeEnum(2, bytes);
  spec.lists_only = MakeEnum(2, bytes);
  spec.min_timescale = Rarely(bytes, 8) ? MakeReal(bytes) : 1.0;
  spec.position_offset = Rarely(bytes, 8) ? bytes.ConsumeIntegral<std::int64_t>()
                                          : bytes.ConsumeIntegralInRange<std::int64_t>(-5, 5);
  spec.input_first = Rarely(bytes, 4) ? MakeEnum(2, bytes) : 0;
  spec.has_padding = Rarely(bytes, 4) ? MakeEnum(2, bytes) : 0;
  spec.padding_position = Rarely(bytes, 16) ? bytes.ConsumeIntegral<std::int64_t>()
                                            : bytes.ConsumeIntegralInRange<std::int64_t>(-3, 9);
  spec.table_rows = Rarely(bytes, 4) ? bytes.ConsumeIntegral<std::uint64_t>() : 0;
  if (Rarely(bytes, 3)) MakeList(bytes);
  if (bytes.ConsumeBool()) {
    target_ = MakeTarget(bytes);
    spec.target = target_.c_str();
  }
}

// With or without one fault of it as a list. Few lists are wild: in the others every number will do.
void SpecInput::MakeList(FuzzedDataProvider& bytes) {
  enum Fault : int { kCount, kBoth, kNeither, kPhaseRounding, kNone };
  const auto fault = static_cast<Fault>(bytes.ConsumeIntegralInRange(0, 31));
  const std::size_t count = PairCount();
  spec.frequency_count = count;
  if (fault == kCount) {
    spec.frequency_count =
        Rarely(bytes, 4) ? bytes.PickValueInArray(kHuge) : count + 1 - 2 * bytes.ConsumeBool();
  }
  if (fault != kPhaseRounding)
    spec.phase_rounding = Rarely(bytes, 4) ? POSENC_F32_LIST : POSENC_NO_PHASE_ROUNDING;
  const bool floats = bytes.ConsumeBool(), wild = Rarely(bytes, 4);
  const bool readable = spec.dim <= kLargestDim && fault > kNeither;
  const std::size_t offset = bytes.ConsumeBool() ? 0 : bytes.ConsumeIntegralInRange<std::size_t>(0, 63);
  const std::size_t size = floats ? sizeof(float) : sizeof(double);
  list_ = Memory(readable ? count * size : 0, offset);
  if (fault != kNeither) {
    if (floats || fault == kBoth) spec.frequencies_f32 = reinterpret_cast<const float*>(list_.data());
    if (!floats || fault == kBoth) spec.frequencies = reinterpret_cast<const double*>(list_.data());
  }
  for (std::size_t i = 0; i < list_.size() / size; ++i) {
    const double tame =
        std::ldexp(bytes.ConsumeIntegral<std::int8_t>(), bytes.ConsumeIntegralInRange(-100, 20));
    const double value = wild && Rarely(bytes, 16) ? MakeReal(bytes) : tame;
    const auto narrow = static_cast<float>(value);
    std::memcpy(list_.data() + i * size, floats ? static_cast<const void*>(&narrow) : &value, size);
  }
}

void SpecInput::Pass(const char* target_name, const std::vector<const std::uint8_t*>& lists,
                     std::uint8_t* at) const {
  posenc_spec changed = spec;
  changed.target = target_name;
  if (spec.frequencies != nullptr) changed.frequencies = reinterpret_cast<const double*>(lists[0]);
  if (spec.frequencies_f32 != nullptr) changed.frequencies_f32 = reinterpret_cast<const float*>(lists[0]);
  PassAs(changed, at);
}

double SpecInput::Listed(std::size_t i) const {
  float narrow;
  double value;
  const std::uint8_t* at = list_.data() + i * list_.size() / PairCount();
  std::memcpy(spec.frequencies != nullptr ? static_cast<void*>(&value) : &narrow, at,
              list_.size() / PairCount());
  return spec.frequencies != nullptr ? value : static_cast<double>(narrow);
}

std::size_t SpecInput::Columns() const { return spec.dim - (spec.dim != 0 && spec.input_first != 0 ? 1 : 0); }

std::size_t SpecInput::PairCount() const {
  const std::size_t columns = Columns();
  const std::size_t halves = spec.odd_column == POSENC_ODD_HALF_PAIR ? columns % 2 : 0;
  return std::max<std::size_t>(columns / 2 + halves, 1);
}

bool SpecInput::HasPairs() const {
  const std::size_t columns = Columns();
  const bool has_zero = spec.odd_column == POSENC_ODD_ZERO_LAST || spec.odd_column == POSENC_ODD_ZERO_MIDDLE;
  return columns > 1 || (columns == 1 && !has_zero);
}

double SpecInput::Taken(double listed) const {
  return spec.phase_rounding == POSENC_F32_LIST ? static_cast<double>(static_cast<float>(listed)) : listed;
}

bool SpecInput::Rounds() const { return spec.phase_rounding != POSENC_NO_PHASE_ROUNDING; }

bool SpecInput::TakesFloatBase() const {
  const posenc_phase_rounding r = spec.phase_rounding;
  return r == POSENC_F32_POW_DIV || r == POSENC_F32_INV_FREQ || r == POSENC_F32_ITERATED;
}

bool SpecInput::TakesFloatDim() const {
  return TakesFloatBase() || spec.phase_rounding == POSENC_F32_LOG_DIV ||
         spec.phase_rounding == POSENC_F32_LOG_INCREMENT;
}

bool SpecInput::HasGoodList() const {
  if (spec.frequency_unit < POSENC_RADIANS || spec.frequency_unit > POSENC_TURNS) return false;
  if (!HasList()) return spec.frequency_count == 0 && spec.phase_rounding != POSENC_F32_LIST;
  if (spec.frequencies != nullptr && spec.frequencies_f32 != nullptr) return false;
  if (spec.frequency_count != PairCount()) return false;
  if (Rounds() && spec.phase_rounding != POSENC_F32_LIST) return false;
  for (std::size_t i = 0; list_.size() != 0 && i < PairCount(); ++i) {
    if (!std::isfinite(Listed(i))) return false;
  }
  return true;
}

double SpecInput::ExponentDim() const {
  return spec.exponent_dim == 0.0 ? static_cast<double>(spec.dim) : spec.exponent_dim;
}

long double SpecInput::Radians(std::size_t i) const {
  constexpr long double kUnits[] = {1.0L, 0x1.921fb54442d18468p1L, 0x1.921fb54442d18468p2L};
  const long double scale = spec.position_scale * kUnits[spec.frequency_unit];
  if (!HasPairs()) return 0.0L;
  if (HasList()) return scale * Taken(Listed(i));
  const auto taken = [](bool as_float, double x) {
    return as_float ? static_cast<double>(static_cast<float>(x)) : x;
  };
  const long double least = spec.min_timescale;
  const long double log_base = std::log2(taken(TakesFloatBase(), spec.base) / least);
  const long double power = -2.0L * i / taken(TakesFloatDim(), ExponentDim()) * log_base;
  return scale * least * std::exp2(std::clamp(power, -8000.0L, 8000.0L));  // neither 0 nor infinite
}

void SpecInput::AddRangeFaults(long double error, Faults* faults) const {
  const std::size_t last = PairCount() - 1, step = HasList() ? 1 : std::max<std::size_t>(last, 1);
  for (std::size_t i = 0; i <= last && HasPairs(); i += step) {  // of a geometric sequence the ends
    faults->AddIf(HasList() && Listed(i) != 0.0 && Taken(Listed(i)) == 0.0, POSENC_FREQUENCY_OUT_OF_RANGE);
    const long double w = std::fabs(Radians(i));
    // Recipes round w before the scale, which then is not 0.
    const long double unscaled = Rounds() ? w / std::fabs(spec.position_scale) : w;
    const auto is_out = [](long double x, long double slack) {
      return x != 0.0L && (x < 0x1p-126L * slack || x * slack > 0x1p31L);
    };
    const auto out = [&](long double slack) { return is_out(w, slack) || is_out(unscaled, slack); };
    faults->AddPossible(out(1.0L + error), POSENC_FREQUENCY_OUT_OF_RANGE);
    faults->AddIf(out(1.0L - error), POSENC_FREQUENCY_OUT_OF_RANGE);
  }
}

Faults SpecInput::CreationFaults(const char* target_name, long double range_error) const {
  Faults faults;
  faults.AddIf(null, POSENC_NULL_POINTER);
  faults.AddIf(HasWrongSize(), POSENC_BAD_STRUCT_SIZE);
  if (!faults.None()) return faults;
  const auto is_float = [](double x) {
    const auto narrow = static_cast<float>(x);
    return narrow != 0.0f && std::isfinite(narrow);
  };
  const auto is_positive = [](double x) { return std::isfinite(x) && x > 0.0; };
  faults.AddIf(spec.dim == 0 || spec.dim > POSENC_MAX_DIM, POSENC_BAD_DIM);
  faults.AddIf(!is_positive(spec.base) || (TakesFloatBase() && !is_float(spec.base)), POSENC_BAD_BASE);
  faults.AddIf(!std::isfinite(ExponentDim()) || (TakesFloatDim() && !is_float(ExponentDim())),
               POSENC_BAD_EXPONENT_DIM);
  faults.AddIf(!std::isfinite(spec.position_scale) || (Rounds() && !is_float(spec.position_scale)),
               POSENC_BAD_POSITION_SCALE);
  faults.AddIf(spec.phase_rounding < POSENC_NO_PHASE_ROUNDING ||
                   spec.phase_rounding > POSENC_F32_LOG_INCREMENT ||
                   (Rounds() && spec.frequency_unit != POSENC_RADIANS),
               POSENC_BAD_PHASE_ROUNDING);
  faults.AddIf(!is_positive(spec.min_timescale) ||
                   (spec.min_timescale != 1.0 &&
                    (HasList() || (Rounds() && spec.phase_rounding != POSENC_F32_LOG_INCREMENT))),
               POSENC_BAD_MIN_TIMESCALE);
  faults.AddIf(!HasGoodList(), POSENC_BAD_FREQUENCIES);
  if (faults.None()) AddRangeFaults(range_error, &faults);
  const bool in_turns = spec.layout == POSENC_INTERLEAVED || spec.layout == POSENC_INTERLEAVED_COS_SIN;
  faults.AddIf(spec.layout < POSENC_INTERLEAVED || spec.layout > POSENC_INTERLEAVED_COS_SIN,
               POSENC_BAD_LAYOUT);
  faults.AddIf(spec.odd_column < POSENC_ODD_HALF_PAIR || spec.odd_column > POSENC_ODD_COSINE_LAST ||
                   (in_turns && spec.odd_column == POSENC_ODD_ZERO_MIDDLE),
               POSENC_BAD_ODD_COLUMN);
  faults.AddIf(spec.position_offset < -POSENC_MAX_POSITION || spec.position_offset > POSENC_MAX_POSITION,
               POSENC_BAD_POSITION_OFFSET);
  const __int128 padding = static_cast<__int128>(spec.padding_position) + spec.position_offset;
  faults.AddIf(spec.has_padding != 0 && (padding < -POSENC_MAX_POSITION || padding > POSENC_MAX_POSITION),
               POSENC_BAD_PADDING_POSITION);
  const auto is_flag = [](std::int32_t flag) { return flag == 0 || flag == 1; };
  faults.AddIf(!is_flag(spec.nan_rows) || !is_flag(spec.lists_only) || !is_flag(spec.has_padding) ||
                   !is_flag(spec.input_first),
               POSENC_BAD_FLAG);
  AddTargetFaults(target_name, &faults);
  return faults;
}

}  // namespace fuzz
}  // namespace posenc
