// What creation must say of a RotarySpecInput.
#include <cfloat>
#include <cmath>
#include <cstddef>

#include "rotary_spec_input.h"

namespace posenc {
namespace fuzz {
namespace {

bool IsPositive(double x) { return x > 0.0 && std::isfinite(x); }

bool IsIn(std::int32_t value, std::int32_t first, std::int32_t last) {
  return value >= first && value <= last;
}

// Its own, not one of the spec's.
bool MakesAmplitude(const posenc_rotary_spec& spec) {
  return spec.amplitude == 0.0 && (spec.scaling == POSENC_YARN || spec.scaling == POSENC_LONGROPE);
}

// As many as pairs, of one type, all of them ok(entry).
template <class Ok>
bool IsRightList(const double* doubles, const float* floats, std::size_t count, std::size_t pairs,
                 const Ok& ok) {
  if ((doubles == nullptr) == (floats == nullptr) || count != pairs) return false;
  for (std::size_t i = 0; i < pairs; ++i) {
    if (!ok(ListEntry(doubles, floats, i))) return false;
  }
  return true;
}

}  // namespace

void RotarySpecInput::AddShapeFaults(Faults* faults) const {
  faults->AddIf(spec.head_dim < 2 || spec.head_dim > POSENC_MAX_HEAD_DIM, POSENC_BAD_HEAD_DIM);
  const bool is_inside = spec.rotary_offset <= spec.head_dim;
  const std::size_t rest = is_inside ? spec.head_dim - spec.rotary_offset : 0,
                    r = is_inside ? RotaryDim(spec) : 0;
  faults->AddIf(r == 0 || r % 2 != 0 || r > rest || r > POSENC_MAX_ROTARY_DIM, POSENC_BAD_ROTARY_DIM);
  faults->AddIf(!IsIn(spec.pairing, 0, 1) || !IsIn(spec.output_pairing, 0, 2), POSENC_BAD_PAIRING);
  faults->AddIf(!IsIn(spec.arithmetic, 0, 1), POSENC_BAD_ARITHMETIC);
  faults->AddIf(!AxesAreRight(spec), POSENC_BAD_AXES);
  faults->AddIf(!IsPositive(spec.base) || (IsYarn(spec.scaling) && !(spec.base > 1.0)), POSENC_BAD_BASE);
  const bool is_axial = spec.axes > 1 && spec.axis_order == POSENC_AXIAL_AXES;
  faults->AddIf(!std::isfinite(spec.exponent_dim) || (is_axial && spec.exponent_dim != 0.0),
                POSENC_BAD_EXPONENT_DIM);
  faults->AddIf(!std::isfinite(spec.position_scale), POSENC_BAD_POSITION_SCALE);
  faults->AddIf(!IsIn(spec.unit, POSENC_RADIANS, POSENC_TURNS), POSENC_BAD_FREQUENCIES);
  faults->AddIf(!IsIn(spec.truncate, 0, 1), POSENC_BAD_FLAG);
}

void RotarySpecInput::AddScalingFaults(Faults* faults) const {
  const posenc_scaling scaling = spec.scaling;
  const bool is_yarn = IsYarn(scaling), is_llama = scaling == POSENC_LLAMA3;
  const bool is_dynamic =
      scaling == POSENC_DYNAMIC_NTK || scaling == POSENC_QWEN_NTK || scaling == POSENC_LONGROPE;
  const bool has_no_factor =
      scaling == POSENC_NO_SCALING || scaling == POSENC_QWEN_NTK || UsesFactors(scaling);
  faults->AddIf(!IsIn(scaling, POSENC_NO_SCALING, POSENC_FREQUENCY_FACTORS), POSENC_BAD_SCALING);
  faults->AddIf(spec.frequency_count != 0 && IsIn(scaling, POSENC_NTK, POSENC_MIXED_NTK), POSENC_BAD_SCALING);
  const bool needs_factor = !has_no_factor || MakesAmplitude(spec);
  faults->AddIf(std::isnan(spec.factor) || (needs_factor && !IsPositive(spec.factor)), POSENC_BAD_FACTOR);
  const double original = spec.original_length;
  const bool divides = scaling == POSENC_LONGROPE && MakesAmplitude(spec) && spec.factor > 1.0;
  faults->AddIf(std::isnan(spec.length) || (is_dynamic && !IsPositive(spec.length)), POSENC_BAD_LENGTH);
  faults->AddIf(std::isnan(original) || ((is_dynamic || is_yarn || is_llama) && !IsPositive(original)) ||
                    (divides && original <= 1.0),
                POSENC_BAD_LENGTH);
  const double fast = spec.beta_fast, slow = spec.beta_slow;
  faults->AddIf(std::isnan(fast) || std::isnan(slow) ||
                    (is_yarn && (!IsPositive(fast) || !IsPositive(slow) || fast < slow)),
                POSENC_BAD_BETA);
  const bool has_mscale = scaling == POSENC_YARN && MakesAmplitude(spec);
  for (const double mscale : {spec.mscale, spec.mscale_all_dim})
    faults->AddIf(std::isnan(mscale) || (has_mscale && (mscale < 0.0 || std::isinf(mscale))),
                  POSENC_BAD_MSCALE);
  const double low = spec.low_freq_factor, high = spec.high_freq_factor;
  faults->AddIf(std::isnan(low) || std::isnan(high) ||
                    (is_llama && (!IsPositive(low) || !IsPositive(high) || low > high)),
                POSENC_BAD_FREQ_FACTOR);
  const double share = spec.proportion;
  faults->AddIf(std::isnan(share) || (scaling == POSENC_PROPORTIONAL && (share < 0.0 || share > 1.0)),
                POSENC_BAD_PROPORTION);
}

void RotarySpecInput::AddListFaults(Faults* faults) const {
  const std::size_t pairs = PairCount();
  const bool has_list =
      spec.frequencies != nullptr || spec.frequencies_f32 != nullptr || spec.frequency_count != 0;
  faults->AddIf(has_list && !IsRightList(spec.frequencies, spec.frequencies_f32, spec.frequency_count, pairs,
                                         [](double x) { return std::isfinite(x); }),
                POSENC_BAD_FREQUENCIES);
  if (!UsesFactors(spec.scaling)) return;
  bool is_right = IsRightList(spec.factors, spec.factors_f32, spec.factor_count, pairs, IsPositive);
  if (spec.scaling == POSENC_LONGROPE) {
    is_right = is_right && (spec.factors == nullptr) == (spec.long_factors == nullptr) &&
               IsRightList(spec.long_factors, spec.long_factors_f32, spec.factor_count, pairs, IsPositive);
  }
  faults->AddIf(!is_right, POSENC_BAD_FACTOR_LIST);
}

void RotarySpecInput::AddRoundingFaults(Faults* faults) const {
  const posenc_phase_rounding rounding = spec.phase_rounding;
  if (rounding == POSENC_NO_PHASE_ROUNDING) return;
  faults->AddIf(!IsIn(rounding, POSENC_F32_INV_FREQ, POSENC_F64_INV_FREQ) && rounding != POSENC_F32_EXP,
                POSENC_BAD_PHASE_ROUNDING);
  const bool divides = rounding == POSENC_F32_ITERATED && spec.scaling == POSENC_FREQUENCY_FACTORS;
  faults->AddIf(!divides && !IsIn(spec.scaling, POSENC_NO_SCALING, POSENC_LINEAR), POSENC_BAD_SCALING);
  faults->AddIf(spec.position_scale != 1.0, POSENC_BAD_POSITION_SCALE);
  const bool has_float =
      std::fabs(spec.exponent_dim) > 0x1p-150 && std::fabs(spec.exponent_dim) < 0x1.ffffffp127;
  const bool takes_float = rounding != POSENC_F64_INV_FREQ && spec.frequency_count == 0;
  faults->AddIf(takes_float && spec.exponent_dim != 0.0 && !has_float, POSENC_BAD_EXPONENT_DIM);
  faults->AddIf(spec.unit != POSENC_RADIANS, POSENC_BAD_FREQUENCIES);
  faults->AddIf(spec.frequency_count != 0 && (rounding != POSENC_F32_INV_FREQ || spec.frequencies != nullptr),
                POSENC_BAD_FREQUENCIES);
  const bool is_indexed = rounding == POSENC_F32_INV_FREQ || rounding == POSENC_F64_INV_FREQ;
  faults->AddIf(HasOwnSchedules(spec) && !is_indexed, POSENC_BAD_AXES);
}

void RotarySpecInput::AddFrequencyFaults(Faults* faults) const {
  const auto is_out = [](long double x, long double least, long double most) {
    return x < least || x > most;
  };
  const Estimate amplitude = AmplitudeOf(spec);
  const bool is_bad = !(amplitude.value > 0.0L);  // a NaN too
  const long double slack = 1.0L + amplitude.error;
  faults->AddIf(is_bad || is_out(amplitude.value, 0x1p-64L / slack, 0x1p64L * slack), POSENC_BAD_AMPLITUDE);
  faults->AddPossible(is_out(amplitude.value, 0x1p-64L * slack, 0x1p64L / slack), POSENC_BAD_AMPLITUDE);
  if (spec.scaling == POSENC_DYNAMIC_NTK || spec.scaling == POSENC_QWEN_NTK) {
    const long double stretch = Stretch(spec);
    faults->AddIf(stretch > DBL_MAX * (1.0L + 0x1p-52L), POSENC_BAD_FACTOR);
    faults->AddPossible(stretch > DBL_MAX * (1.0L - 0x1p-52L), POSENC_BAD_FACTOR);
  }
  if (spec.position_scale == 0.0) return;
  for (std::size_t i = 0; i < PairCount(); ++i) {
    const Estimate w = FrequencyOf(spec, i);
    const long double error = 1.0L + w.error + 0x1p-52L;
    if (w.value == 0.0L) continue;
    faults->AddPossible(w.error > 0.1L || is_out(std::fabs(w.value), 0x1p-126L * error, 0x1p31L / error),
                        POSENC_FREQUENCY_OUT_OF_RANGE);
    faults->AddIf(w.error <= 0.1L && is_out(std::fabs(w.value), 0x1p-126L / error, 0x1p31L * error),
                  POSENC_FREQUENCY_OUT_OF_RANGE);
  }
}

// Steps that a float does not hold. What no estimate is far from that may be refused.
void RotarySpecInput::AddRoundedPhaseFaults(Faults* faults) const {
  if (spec.phase_rounding == POSENC_NO_PHASE_ROUNDING || !faults->None()) return;
  const auto is_tame = [](long double x) { return std::fabs(x) > 0x1p-60L && std::fabs(x) < 0x1p25L; };
  const double exponent_dim =
      spec.exponent_dim == 0.0 ? static_cast<double>(RotaryDim(spec)) : spec.exponent_dim;
  bool is_safe = std::fabs(std::log2(static_cast<long double>(spec.base)) * 2.0L / exponent_dim) < 60.0L &&
                 spec.base > 1e-20 && spec.base < 1e20;
  if (spec.scaling == POSENC_LINEAR) is_safe = is_safe && spec.factor > 0.03 && spec.factor < 1e15;
  posenc_rotary_spec unscaled = spec;
  unscaled.scaling = POSENC_NO_SCALING;
  for (std::size_t i = 0; i < PairCount(); ++i) {
    is_safe = is_safe && is_tame(FrequencyOf(spec, i).value) && is_tame(FrequencyOf(unscaled, i).value);
    if (UsesFactors(spec.scaling)) is_safe = is_safe && is_tame(ListEntry(spec.factors, spec.factors_f32, i));
  }
  for (const posenc_status status :
       {POSENC_BAD_BASE, POSENC_BAD_FACTOR, POSENC_BAD_FACTOR_LIST, POSENC_FREQUENCY_OUT_OF_RANGE})
    faults->AddPossible(!is_safe, status);
}

Faults RotarySpecInput::CreationFaults(const char* target_name, long double /*range_error*/) const {
  Faults faults;
  faults.AddIf(null, POSENC_NULL_POINTER);
  faults.AddIf(HasWrongSize(), POSENC_BAD_STRUCT_SIZE);
  if (!faults.None()) return faults;
  AddShapeFaults(&faults);
  const bool has_shape = faults.None();
  AddScalingFaults(&faults);
  AddRoundingFaults(&faults);
  if (has_shape) {
    AddListFaults(&faults);
  } else {  // which may not be read
    faults.AddPossible(true, POSENC_BAD_FREQUENCIES);
    faults.AddPossible(true, POSENC_BAD_FACTOR_LIST);
  }
  if (faults.None()) AddFrequencyFaults(&faults);
  AddRoundedPhaseFaults(&faults);
  AddTargetFaults(target_name, &faults);
  return faults;
}

}  // namespace fuzz
}  // namespace posenc
