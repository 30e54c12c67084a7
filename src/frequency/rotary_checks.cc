// What a valid spec of a rotary is: a file of its own, so that a program that only encodes does not link it.
// The order of the checks is which mistake is reported first. Frequencies out of range are found where they
// are computed (scaling.cc).
#include "number/exact.h"

#include <cmath>
#include <cstddef>

#include "frequency/phase_rounding.h"
#include "frequency/scaling.h"
#include "frequency/schedule.h"
#include "spec/rows.h"

namespace posenc {
namespace internal {
namespace {

bool IsNotNegative(double x) { return x >= 0.0 && std::isfinite(x); }

// Whether sections add up to the pairs. One axis has no sections.
bool SectionsAddUp(const posenc_rotary_spec& spec) {
  std::size_t left = spec.axes == 1 ? 0 : spec.rotary_dim / 2;
  for (std::size_t k = 0; k < POSENC_MAX_AXES; ++k) {
    if (spec.sections[k] > (k < spec.axes ? left : 0)) return false;
    left -= spec.sections[k];
  }
  return left == 0;
}

bool AxesAreRight(const posenc_rotary_spec& spec) {
  if (spec.axes == 0 || spec.axes > POSENC_MAX_AXES || !IsValue<Of::axis_order>(spec.axis_order))
    return false;
  if (!SectionsAddUp(spec)) return false;
  if (spec.axes == 1) return true;
  // An order may have no place for that many pairs of an axis.
  const std::size_t pairs = spec.rotary_dim / 2;
  std::size_t found[POSENC_MAX_AXES] = {};
  for (std::size_t i = 0; i < pairs; ++i) {
    const PairPlace place = PlaceOf(spec, i);
    if (place.entry >= pairs) return false;
    ++found[place.axis];
  }
  for (std::size_t k = 0; k < spec.axes; ++k) {
    if (found[k] != spec.sections[k]) return false;
  }
  return true;
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

posenc_status CheckFrequencies(posenc_rotary_spec* spec) {
  if (!IsPositive(spec->base)) return POSENC_BAD_BASE;
  if (!std::isfinite(spec->exponent_dim)) return POSENC_BAD_EXPONENT_DIM;
  // Axial axes have exponents of their own, for which no exponent_dim can be given.
  if (IsAxial(*spec) && spec->exponent_dim != 0.0) return POSENC_BAD_EXPONENT_DIM;
  if (spec->exponent_dim == 0.0) spec->exponent_dim = static_cast<double>(spec->rotary_dim);
  if (!std::isfinite(spec->position_scale)) return POSENC_BAD_POSITION_SCALE;
  return CheckList(ListOf(*spec), spec->rotary_dim / 2, true);
}

// Whether a phase rounding takes frequencies by themselves, whatever axis they are of.
bool IsIndexed(posenc_phase_rounding rounding) {
  return rounding == POSENC_F32_INV_FREQ || rounding == POSENC_F64_INV_FREQ;
}

posenc_status CheckRounding(const posenc_rotary_spec& spec) {
  const posenc_phase_rounding rounding = spec.phase_rounding;
  if (rounding == POSENC_NO_PHASE_ROUNDING) return POSENC_OK;
  const bool is_indexed = IsIndexed(rounding);
  if (!is_indexed && rounding != POSENC_F32_ITERATED && rounding != POSENC_F32_EXP) {
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
  const bool axes_have_schedules = IsAxial(spec) || (spec.axes > 1 && spec.axis_order == POSENC_SPLIT_AXES);
  return axes_have_schedules && !is_indexed ? POSENC_BAD_AXES : POSENC_OK;
}

posenc_status CheckNans(const posenc_rotary_spec& spec) {
  const auto is_nan = [](auto... values) { return (std::isnan(values) || ...); };
  if (is_nan(spec.factor)) return POSENC_BAD_FACTOR;
  if (is_nan(spec.length, spec.original_length)) return POSENC_BAD_LENGTH;
  if (is_nan(spec.beta_fast, spec.beta_slow)) return POSENC_BAD_BETA;
  if (is_nan(spec.mscale, spec.mscale_all_dim)) return POSENC_BAD_MSCALE;
  if (is_nan(spec.amplitude_factor)) return POSENC_BAD_AMPLITUDE;
  if (is_nan(spec.low_freq_factor, spec.high_freq_factor)) return POSENC_BAD_FREQ_FACTOR;
  return is_nan(spec.proportion) ? POSENC_BAD_PROPORTION : POSENC_OK;
}

// Whether the amplitude is the scaling's.
bool MakesAmplitude(const posenc_rotary_spec& spec) {
  return spec.amplitude == 0.0 && IsOneOf(spec.scaling, POSENC_YARN, POSENC_LONGROPE);
}

posenc_status CheckLengths(const posenc_rotary_spec& spec) {
  const bool needs_length = IsOneOf(spec.scaling, POSENC_DYNAMIC_NTK, POSENC_QWEN_NTK, POSENC_LONGROPE);
  if (needs_length && !IsPositive(spec.length)) return POSENC_BAD_LENGTH;
  if ((needs_length || IsYarn(spec) || spec.scaling == POSENC_LLAMA3) && !IsPositive(spec.original_length)) {
    return POSENC_BAD_LENGTH;
  }
  // LongRoPE's amplitude divides by ln L0.
  const bool divides = spec.scaling == POSENC_LONGROPE && MakesAmplitude(spec) && spec.factor > 1.0;
  return divides && spec.original_length <= 1.0 ? POSENC_BAD_LENGTH : POSENC_OK;
}

posenc_status CheckYarn(const posenc_rotary_spec& spec) {
  if (spec.base <= 1.0) return POSENC_BAD_BASE;  // frequencies must fall, and ln base is a divisor
  if (!IsPositive(spec.beta_fast) || !IsPositive(spec.beta_slow) || spec.beta_fast < spec.beta_slow) {
    return POSENC_BAD_BETA;
  }
  const bool is_right = IsNotNegative(spec.mscale) && IsNotNegative(spec.mscale_all_dim);
  return is_right || !MakesAmplitude(spec) ? POSENC_OK : POSENC_BAD_MSCALE;
}

posenc_status CheckFactors(const double* doubles, const float* floats, const posenc_rotary_spec& spec) {
  const FrequencyList list = {doubles, floats, spec.factor_count, POSENC_RADIANS};
  if ((doubles == nullptr) == (floats == nullptr)) return POSENC_BAD_FACTOR_LIST;
  if (list.count != spec.rotary_dim / 2) return POSENC_BAD_FACTOR_COUNT;
  for (std::size_t i = 0; i < list.count; ++i) {
    if (!IsPositive(list[i])) return POSENC_BAD_LISTED_FACTOR;
  }
  return POSENC_OK;
}

posenc_status CheckFactorLists(const posenc_rotary_spec& spec) {
  const posenc_status status = CheckFactors(spec.factors, spec.factors_f32, spec);
  if (status != POSENC_OK || spec.scaling != POSENC_LONGROPE) return status;
  if ((spec.factors == nullptr) != (spec.long_factors == nullptr)) return POSENC_BAD_FACTOR_LIST;
  return CheckFactors(spec.long_factors, spec.long_factors_f32, spec);
}

posenc_status CheckScaling(const posenc_rotary_spec& spec) {
  if (!IsValue<Of::scaling>(spec.scaling)) return POSENC_BAD_SCALING;
  if (spec.frequency_count != 0 && (IsNtk(spec) || spec.scaling == POSENC_MIXED_NTK)) {
    return POSENC_LIST_TAKES_NO_SCALING;
  }
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
  return TakesFactors(spec) ? CheckFactorLists(spec) : POSENC_OK;
}

}  // namespace

posenc_status CheckSpec(posenc_rotary_spec* spec) {
  if (const posenc_status status = CheckShape(spec); status != POSENC_OK) return status;
  if (const posenc_status status = CheckFrequencies(spec); status != POSENC_OK) return status;
  if (const posenc_status status = CheckScaling(*spec); status != POSENC_OK) return status;
  if (const posenc_status status = CheckRounding(*spec); status != POSENC_OK) return status;
  return FlagsAreRight(*spec) ? POSENC_OK : POSENC_BAD_FLAG;
}

}  // namespace internal
}  // namespace posenc
