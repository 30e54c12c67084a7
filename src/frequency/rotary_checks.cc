#include "frequency/rotary_checks.h"

#include <cmath>
#include <cstddef>

#include "frequency/float_steps.h"
#include "frequency/rotary_axes.h"
#include "spec/rows.h"

namespace posenc {
namespace internal {
namespace {

template <class... Scalings>
bool IsOneOf(posenc_scaling scaling, Scalings... scalings) {
  return ((scaling == scalings) || ...);
}

bool IsPositive(double x) { return x > 0.0 && std::isfinite(x); }

bool ChangesBase(posenc_scaling scaling) {
  return IsOneOf(scaling, POSENC_NTK, POSENC_DYNAMIC_NTK, POSENC_QWEN_NTK, POSENC_MIXED_NTK);
}

bool MakesAmplitude(const posenc_rotary_spec& spec) {
  return spec.amplitude == 0.0 && IsOneOf(spec.scaling, POSENC_YARN, POSENC_LONGROPE);
}

posenc_status CheckShape(posenc_rotary_spec* spec) {
  if (spec->head_dim < 2 || spec->head_dim > POSENC_MAX_HEAD_DIM) return POSENC_BAD_HEAD_DIM;
  if (spec->rotary_offset > spec->head_dim) return POSENC_BAD_ROTARY_DIM;
  const std::size_t rest = spec->head_dim - spec->rotary_offset;
  if (spec->rotary_dim == 0) spec->rotary_dim = rest;
  if (spec->rotary_dim == 0 || spec->rotary_dim % 2 != 0 || spec->rotary_dim > POSENC_MAX_ROTARY_DIM ||
      spec->rotary_dim > rest) {
    return POSENC_BAD_ROTARY_DIM;
  }
  if (!IsValue<Of::pairing>(spec->pairing) || spec->pairing == POSENC_SAME_PAIRING) return POSENC_BAD_PAIRING;
  if (!IsValue<Of::pairing>(spec->output_pairing)) return POSENC_BAD_PAIRING;
  if (!IsValue<Of::arithmetic>(spec->arithmetic)) return POSENC_BAD_ARITHMETIC;
  return AxesAreRight(*spec) ? POSENC_OK : POSENC_BAD_AXES;
}

posenc_status CheckNans(const posenc_rotary_spec& spec) {
  const struct {
    double value;
    posenc_status status;
  } numbers[] = {{spec.factor, POSENC_BAD_FACTOR},
                 {spec.length, POSENC_BAD_LENGTH},
                 {spec.original_length, POSENC_BAD_LENGTH},
                 {spec.beta_fast, POSENC_BAD_BETA},
                 {spec.beta_slow, POSENC_BAD_BETA},
                 {spec.mscale, POSENC_BAD_MSCALE},
                 {spec.mscale_all_dim, POSENC_BAD_MSCALE},
                 {spec.low_freq_factor, POSENC_BAD_FREQ_FACTOR},
                 {spec.high_freq_factor, POSENC_BAD_FREQ_FACTOR},
                 {spec.proportion, POSENC_BAD_PROPORTION}};
  for (const auto& number : numbers) {
    if (std::isnan(number.value)) return number.status;
  }
  return POSENC_OK;
}

posenc_status CheckList(const posenc_rotary_spec& spec) {
  const FrequencyList list = {spec.frequencies, spec.frequencies_f32, spec.frequency_count, spec.unit};
  if (!IsValue<Of::unit>(list.unit)) return POSENC_BAD_UNIT;
  if (list.doubles == nullptr && list.floats == nullptr && list.count == 0) return POSENC_OK;
  if ((list.doubles == nullptr) == (list.floats == nullptr)) return POSENC_BAD_FREQUENCIES;
  if (list.count != spec.rotary_dim / 2) return POSENC_BAD_FREQUENCY_COUNT;
  for (std::size_t i = 0; i < list.count; ++i) {
    if (!std::isfinite(list[i])) return POSENC_FREQUENCY_NOT_FINITE;
  }
  return POSENC_OK;
}

posenc_status CheckFrequencies(posenc_rotary_spec* spec) {
  if (!IsPositive(spec->base)) return POSENC_BAD_BASE;
  if (!std::isfinite(spec->exponent_dim)) return POSENC_BAD_EXPONENT_DIM;
  // Axes that have their own exponents leave none to be given.
  const bool is_axial = spec->axes > 1 && spec->axis_order == POSENC_AXIAL_AXES;
  if (is_axial && spec->exponent_dim != 0.0) return POSENC_BAD_EXPONENT_DIM;
  if (spec->exponent_dim == 0.0) spec->exponent_dim = static_cast<double>(spec->rotary_dim);
  if (!std::isfinite(spec->position_scale)) return POSENC_BAD_POSITION_SCALE;
  return CheckList(*spec);
}

posenc_status CheckRounding(const posenc_rotary_spec& spec) {
  const posenc_phase_rounding rounding = spec.phase_rounding;
  if (rounding == POSENC_NO_PHASE_ROUNDING) return POSENC_OK;
  if (rounding != POSENC_F32_INV_FREQ && rounding != POSENC_F32_ITERATED && rounding != POSENC_F32_EXP &&
      rounding != POSENC_F64_INV_FREQ) {
    return POSENC_BAD_PHASE_ROUNDING;
  }
  const bool divides = rounding == POSENC_F32_ITERATED && spec.scaling == POSENC_FREQUENCY_FACTORS;
  if (!divides && !IsOneOf(spec.scaling, POSENC_NO_SCALING, POSENC_LINEAR)) {
    return POSENC_ROUNDING_TAKES_NO_SCALING;
  }
  const bool takes_float = rounding != POSENC_F64_INV_FREQ && spec.frequency_count == 0;
  if (takes_float && !IsRegular(NearestFloat(spec.exponent_dim))) return POSENC_BAD_EXPONENT_DIM;
  if (spec.position_scale != 1.0) return POSENC_BAD_POSITION_SCALE;
  if (spec.unit != POSENC_RADIANS) return POSENC_ROUNDING_NEEDS_RADIANS;
  if (spec.frequency_count != 0 && (rounding != POSENC_F32_INV_FREQ || spec.frequencies != nullptr)) {
    return POSENC_ROUNDING_TAKES_NO_LIST;
  }
  const bool is_indexed = rounding == POSENC_F32_INV_FREQ || rounding == POSENC_F64_INV_FREQ;
  return HasSchedulesOfAxes(spec) && !is_indexed ? POSENC_BAD_AXES : POSENC_OK;
}

posenc_status CheckLengths(const posenc_rotary_spec& spec) {
  const bool needs_length = IsOneOf(spec.scaling, POSENC_DYNAMIC_NTK, POSENC_QWEN_NTK, POSENC_LONGROPE);
  if (needs_length && !IsPositive(spec.length)) return POSENC_BAD_LENGTH;
  if ((needs_length || IsYarn(spec) || spec.scaling == POSENC_LLAMA3) && !IsPositive(spec.original_length)) {
    return POSENC_BAD_LENGTH;
  }
  // Its amplitude divides by ln L0.
  const bool divides = spec.scaling == POSENC_LONGROPE && MakesAmplitude(spec) && spec.factor > 1.0;
  return divides && spec.original_length <= 1.0 ? POSENC_BAD_LENGTH : POSENC_OK;
}

posenc_status CheckYarn(const posenc_rotary_spec& spec) {
  if (spec.base <= 1.0) return POSENC_BAD_BASE;  // frequencies must fall, and ln base is a divisor
  if (!IsPositive(spec.beta_fast) || !IsPositive(spec.beta_slow) || spec.beta_fast < spec.beta_slow) {
    return POSENC_BAD_BETA;
  }
  if (!MakesAmplitude(spec)) return POSENC_OK;
  const bool is_right = spec.mscale >= 0.0 && std::isfinite(spec.mscale) && spec.mscale_all_dim >= 0.0 &&
                        std::isfinite(spec.mscale_all_dim);
  return is_right ? POSENC_OK : POSENC_BAD_MSCALE;
}

posenc_status CheckFactorList(const FrequencyList& list, std::size_t pairs) {
  if ((list.doubles == nullptr) == (list.floats == nullptr)) return POSENC_BAD_FACTOR_LIST;
  if (list.count != pairs) return POSENC_BAD_FACTOR_COUNT;
  for (std::size_t i = 0; i < list.count; ++i) {
    if (!IsPositive(list[i])) return POSENC_BAD_LISTED_FACTOR;
  }
  return POSENC_OK;
}

posenc_status CheckFactorLists(const posenc_rotary_spec& spec) {
  const std::size_t count = spec.factor_count, pairs = spec.rotary_dim / 2;
  const posenc_status status =
      CheckFactorList({spec.factors, spec.factors_f32, count, POSENC_RADIANS}, pairs);
  if (status != POSENC_OK || spec.scaling != POSENC_LONGROPE) return status;
  if ((spec.factors == nullptr) != (spec.long_factors == nullptr)) return POSENC_BAD_FACTOR_LIST;
  return CheckFactorList({spec.long_factors, spec.long_factors_f32, count, POSENC_RADIANS}, pairs);
}

posenc_status CheckScaling(const posenc_rotary_spec& spec) {
  if (!IsValue<Of::scaling>(spec.scaling)) return POSENC_BAD_SCALING;
  if (spec.frequency_count != 0 && ChangesBase(spec.scaling)) return POSENC_LIST_TAKES_NO_SCALING;
  if (const posenc_status status = CheckNans(spec); status != POSENC_OK) return status;
  const bool needs_factor =
      !IsOneOf(spec.scaling, POSENC_NO_SCALING, POSENC_QWEN_NTK, POSENC_LONGROPE, POSENC_FREQUENCY_FACTORS) ||
      MakesAmplitude(spec);
  if (needs_factor && !IsPositive(spec.factor)) return POSENC_BAD_FACTOR;
  if (const posenc_status status = CheckLengths(spec); status != POSENC_OK) return status;
  if (IsYarn(spec)) return CheckYarn(spec);
  const double low = spec.low_freq_factor, high = spec.high_freq_factor;
  if (spec.scaling == POSENC_LLAMA3 && !(IsPositive(low) && IsPositive(high) && low <= high)) {
    return POSENC_BAD_FREQ_FACTOR;
  }
  if (spec.scaling == POSENC_PROPORTIONAL && !(spec.proportion >= 0.0 && spec.proportion <= 1.0)) {
    return POSENC_BAD_PROPORTION;
  }
  const bool has_lists = IsOneOf(spec.scaling, POSENC_LONGROPE, POSENC_FREQUENCY_FACTORS);
  return has_lists ? CheckFactorLists(spec) : POSENC_OK;
}

}  // namespace

posenc_status CheckRotarySpec(posenc_rotary_spec* spec) {
  if (const posenc_status status = CheckShape(spec); status != POSENC_OK) return status;
  if (const posenc_status status = CheckFrequencies(spec); status != POSENC_OK) return status;
  if (const posenc_status status = CheckScaling(*spec); status != POSENC_OK) return status;
  if (const posenc_status status = CheckRounding(*spec); status != POSENC_OK) return status;
  return FlagsAreRight(*spec) ? POSENC_OK : POSENC_BAD_FLAG;
}

FrequencyList FactorsOf(const posenc_rotary_spec& spec) {
  const bool are_long = spec.scaling == POSENC_LONGROPE && spec.length > spec.original_length;
  if (!IsOneOf(spec.scaling, POSENC_LONGROPE, POSENC_FREQUENCY_FACTORS)) return {};
  return {are_long ? spec.long_factors : spec.factors, are_long ? spec.long_factors_f32 : spec.factors_f32,
          spec.factor_count, POSENC_RADIANS};
}

}  // namespace internal
}  // namespace posenc
