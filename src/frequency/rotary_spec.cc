// Checks a rotary's spec. A call reports one mistake only: the first one in the order of these checks.
// Frequencies out of range are found later, where they are computed (scaled.cc).
#include "number/exact.h"

#include "frequency/rotary_spec.h"

#include <cmath>
#include <cstddef>

#include "frequency/axes.h"
#include "frequency/nearest.h"
#include "spec/check_members.h"

namespace posenc {
namespace internal {
namespace {

bool IsNotNegative(double x) { return x >= 0.0 && std::isfinite(x); }

// Whether the sections add up to the number of pairs. With one axis all sections must be 0.
bool SectionsAddUp(const posenc_rotary_spec& spec) {
  std::size_t left = spec.axes == 1 ? 0 : spec.rotary_dim / 2;
  for (std::size_t k = 0; k < POSENC_MAX_AXES; ++k) {
    if (spec.sections[k] > (k < spec.axes ? left : 0)) return false;
    left -= spec.sections[k];
  }
  return left == 0;
}

posenc_status CheckAxes(const posenc_rotary_spec& spec) {
  if (!SectionsAddUp(spec)) return spec.axes == 1 ? rule::sections_of_one_axis : rule::sections_sum;
  if (spec.axes == 1) return rule::ok;
  // Some orders cannot give every axis the number of pairs that its section asks for.
  const std::size_t pairs = spec.rotary_dim / 2;
  std::size_t found[POSENC_MAX_AXES] = {};
  for (std::size_t i = 0; i < pairs; ++i) {
    const PairPlace place = PlaceOf(spec, i);
    if (place.entry >= pairs) return rule::sections_order;
    ++found[place.axis];
  }
  for (std::size_t k = 0; k < spec.axes; ++k) {
    if (found[k] != spec.sections[k]) return rule::sections_order;
  }
  return rule::ok;
}

posenc_status CheckShape(posenc_rotary_spec* spec) {
  if (spec->rotary_offset > spec->head_dim) return rule::rotary_end;
  const std::size_t rest = spec->head_dim - spec->rotary_offset;
  if (spec->rotary_dim > rest) return rule::rotary_end;
  if (spec->rotary_dim == 0) {
    spec->rotary_dim = rest;
    if (rest == 0 || !IsEven<POSENC_MAX_ROTARY_DIM>(rest)) return rule::rotary_dim_default;
  }
  return CheckAxes(*spec);
}

posenc_status CheckFrequencies(posenc_rotary_spec* spec) {
  // Each axial axis has its own exponents, so one exponent_dim cannot be right for all.
  if (IsAxial(*spec) && spec->exponent_dim != 0.0) return rule::axial_exponent_dim;
  if (spec->exponent_dim == 0.0) spec->exponent_dim = static_cast<double>(spec->rotary_dim);
  const posenc_status status = CheckList(ListOf(*spec), spec->rotary_dim / 2, true);
  return status == rule::frequency_count ? rule::rotary_frequency_count : status;
}

// Whether a phase rounding computes frequencies one by one, in the same way for all axes.
bool IsIndexed(posenc_phase_rounding rounding) {
  return rounding == POSENC_F32_INV_FREQ || rounding == POSENC_F64_INV_FREQ;
}

posenc_status CheckRounding(const posenc_rotary_spec& spec) {
  const posenc_phase_rounding rounding = spec.phase_rounding;
  if (rounding == POSENC_NO_PHASE_ROUNDING) return rule::ok;
  const bool is_indexed = IsIndexed(rounding);
  if (!is_indexed && rounding != POSENC_F32_ITERATED && rounding != POSENC_F32_EXP) {
    return rule::rotary_roundings;
  }
  const bool divides = rounding == POSENC_F32_ITERATED && spec.scaling == POSENC_FREQUENCY_FACTORS;
  if (!divides && !IsOneOf(spec.scaling, POSENC_NO_SCALING, POSENC_LINEAR)) {
    return rule::rounding_scaling;
  }
  const bool takes_float = rounding != POSENC_F64_INV_FREQ && spec.frequency_count == 0;
  if (takes_float && !IsRegular(NearestFloat(spec.exponent_dim))) return rule::rounding_exponent_dim;
  if (spec.position_scale != 1.0) return rule::rounding_scale_of_rotary;
  if (spec.unit != POSENC_RADIANS) return rule::rounding_unit;
  if (spec.frequency_count != 0 && (rounding != POSENC_F32_INV_FREQ || spec.frequencies != nullptr)) {
    return rule::rounding_list_of_rotary;
  }
  const bool axes_differ = IsAxial(spec) || (spec.axes > 1 && spec.axis_order == POSENC_SPLIT_AXES);
  return axes_differ && !is_indexed ? rule::rounding_axes : rule::ok;
}

// Whether the scaling sets the amplitude, because the spec does not.
bool MakesAmplitude(const posenc_rotary_spec& spec) {
  return spec.amplitude == 0.0 && IsOneOf(spec.scaling, POSENC_YARN, POSENC_LONGROPE);
}

posenc_status CheckLengths(const posenc_rotary_spec& spec) {
  const bool needs_length = IsOneOf(spec.scaling, POSENC_DYNAMIC_NTK, POSENC_QWEN_NTK, POSENC_LONGROPE);
  if (needs_length && !IsPositive(spec.length)) return rule::scaling_length;
  if ((needs_length || IsYarn(spec) || spec.scaling == POSENC_LLAMA3) && !IsPositive(spec.original_length)) {
    return rule::scaling_original_length;
  }
  // LongRoPE's amplitude divides by ln L0.
  const bool divides = spec.scaling == POSENC_LONGROPE && MakesAmplitude(spec) && spec.factor > 1.0;
  return divides && spec.original_length <= 1.0 ? rule::longrope_original_length : rule::ok;
}

posenc_status CheckYarn(const posenc_rotary_spec& spec) {
  if (spec.base <= 1.0) return rule::yarn_base;  // frequencies must fall, and ln base is a divisor
  if (!IsPositive(spec.beta_fast) || !IsPositive(spec.beta_slow)) return rule::yarn_betas;
  if (spec.beta_fast < spec.beta_slow) return rule::yarn_beta_order;
  const bool is_right = IsNotNegative(spec.mscale) && IsNotNegative(spec.mscale_all_dim);
  return is_right || !MakesAmplitude(spec) ? rule::ok : rule::yarn_mscale;
}

posenc_status CheckFactors(const double* doubles, const float* floats, const posenc_rotary_spec& spec) {
  const FrequencyList list = {doubles, floats, spec.factor_count};
  if (list.count != spec.rotary_dim / 2) return rule::factor_count;
  for (std::size_t i = 0; i < list.count; ++i) {
    if (!IsPositive(list[i])) return rule::factors_positive;
  }
  return rule::ok;
}

posenc_status CheckFactorLists(const posenc_rotary_spec& spec) {
  if (spec.factors != nullptr && spec.factors_f32 != nullptr) return rule::factors_twice;
  if (spec.factors == nullptr && spec.factors_f32 == nullptr) return rule::factors_missing;
  const posenc_status status = CheckFactors(spec.factors, spec.factors_f32, spec);
  if (status != POSENC_OK || spec.scaling != POSENC_LONGROPE) return status;
  if (spec.long_factors != nullptr && spec.long_factors_f32 != nullptr) return rule::long_factors_twice;
  const bool are_alike = (spec.factors == nullptr) == (spec.long_factors == nullptr);
  if (!are_alike || (spec.long_factors == nullptr && spec.long_factors_f32 == nullptr))
    return rule::long_factors_missing;
  return CheckFactors(spec.long_factors, spec.long_factors_f32, spec);
}

// Some scalings multiply by a sum: YARN and LLAMA3 by m / f + (1 - m), and DYNAMIC_NTK multiplies the base by
// a power of 1 + f (L - L0) / L0. If one term were far smaller than the other one, 1,024 bits could not show
// it, and entries would be wrong, as with a large exponent_dim (IsExponent in check_members.h). With these
// limits the smaller term is at least 2^-380 of the larger one. proof/wide.md argues this bound.
constexpr double kMinRatio = 0x1p-100;
constexpr double kMaxRatio = 0x1p100;

posenc_status CheckSums(const posenc_rotary_spec& spec) {
  const bool is_mixed = IsOneOf(spec.scaling, POSENC_YARN, POSENC_LLAMA3);
  const bool has_least = is_mixed || spec.scaling == POSENC_DYNAMIC_NTK;
  if (has_least && spec.factor < kMinRatio) return rule::summed_factor;
  if (is_mixed && spec.factor > kMaxRatio) return rule::summed_factor;
  const bool is_wide = spec.high_freq_factor * kMinRatio > spec.low_freq_factor;
  return spec.scaling == POSENC_LLAMA3 && is_wide ? rule::llama3_ratio : rule::ok;
}

posenc_status CheckScaling(const posenc_rotary_spec& spec) {
  if (spec.frequency_count != 0 && (IsNtk(spec) || spec.scaling == POSENC_MIXED_NTK)) {
    return rule::list_scaling;
  }
  const bool needs_factor =
      !IsOneOf(spec.scaling, POSENC_NO_SCALING, POSENC_QWEN_NTK, POSENC_LONGROPE, POSENC_FREQUENCY_FACTORS) ||
      MakesAmplitude(spec);
  if (needs_factor && !IsPositive(spec.factor)) return rule::scaling_factor;
  if (const posenc_status status = CheckLengths(spec); status != POSENC_OK) return status;
  if (IsYarn(spec)) {
    const posenc_status status = CheckYarn(spec);
    return status != POSENC_OK ? status : CheckSums(spec);
  }
  const double low = spec.low_freq_factor, high = spec.high_freq_factor;
  if (spec.scaling == POSENC_LLAMA3 && !(IsPositive(low) && IsPositive(high))) return rule::llama3_factors;
  if (spec.scaling == POSENC_LLAMA3 && low > high) return rule::llama3_order;
  if (spec.scaling == POSENC_PROPORTIONAL && !(spec.proportion >= 0.0 && spec.proportion <= 1.0)) {
    return rule::proportion_range;
  }
  return TakesFactors(spec) ? CheckFactorLists(spec) : CheckSums(spec);
}

}  // namespace

FrequencyList FactorsOf(const posenc_rotary_spec& spec) {
  if (!TakesFactors(spec)) return {};
  const bool are_long = spec.scaling == POSENC_LONGROPE && spec.length > spec.original_length;
  return {are_long ? spec.long_factors : spec.factors, are_long ? spec.long_factors_f32 : spec.factors_f32,
          spec.factor_count};
}

posenc_rotary_spec WithoutPointers(const posenc_rotary_spec& spec) {
  posenc_rotary_spec kept = spec;
  kept.factors = kept.long_factors = kept.frequencies = nullptr;
  kept.factors_f32 = kept.long_factors_f32 = kept.frequencies_f32 = nullptr;
  kept.target = nullptr;
  return kept;
}

posenc_status CheckSpec(posenc_rotary_spec* spec) {
  if (const posenc_status status = CheckMembers(*spec); status != POSENC_OK) return status;
  if (const posenc_status status = CheckShape(spec); status != POSENC_OK) return status;
  if (const posenc_status status = CheckFrequencies(spec); status != POSENC_OK) return status;
  if (const posenc_status status = CheckScaling(*spec); status != POSENC_OK) return status;
  return CheckRounding(*spec);
}

}  // namespace internal
}  // namespace posenc
