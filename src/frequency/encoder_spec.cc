// Checks an encoder's spec. A call reports one mistake only: the first one in the order of these checks.
#include "number/exact.h"

#include "frequency/encoder_spec.h"

#include <cmath>

#include "spec/check_members.h"

namespace posenc {
namespace internal {
namespace {

// The columns of a row that hold sines and cosines: with input_first, column 0 is the position itself.
std::size_t ColumnsOfPairs(const posenc_spec& spec) { return spec.dim - (spec.input_first != 0 ? 1 : 0); }

posenc_status CheckRounding(const posenc_spec& spec) {
  if (spec.phase_rounding == POSENC_F32_LIST && spec.frequency_count == 0) return rule::f32_list_needs_list;
  if (spec.phase_rounding == POSENC_NO_PHASE_ROUNDING) return rule::ok;
  if (spec.unit != POSENC_RADIANS) return rule::rounding_unit;
  const double exponent_dim = ExponentDimOf(spec);
  if (!IsPositive(BaseOf(spec))) return rule::rounding_base;
  if (exponent_dim == 0.0 || !std::isfinite(exponent_dim)) return rule::rounding_exponent_dim;
  return IsRegular(NearestFloat(spec.position_scale)) ? rule::ok : rule::rounding_position_scale;
}

}  // namespace

bool HasPairs(const posenc_spec& spec) {
  const std::size_t columns = ColumnsOfPairs(spec);
  return columns > 1 || (columns == 1 && (spec.odd_column == POSENC_ODD_HALF_PAIR ||
                                          spec.odd_column == POSENC_ODD_COSINE_LAST));
}

std::size_t PairCount(const posenc_spec& spec) {
  const std::size_t columns = ColumnsOfPairs(spec);
  const std::size_t pairs = columns / 2 + (spec.odd_column == POSENC_ODD_HALF_PAIR ? columns % 2 : 0);
  return pairs == 0 ? 1 : pairs;
}

// Frameworks round the base first. If a base is close to 1, that makes different frequencies, so posenc must
// do the same.
double BaseOf(const posenc_spec& spec) {
  const bool is_rounded =
      IsOneOf(spec.phase_rounding, POSENC_F32_POW_DIV, POSENC_F32_INV_FREQ, POSENC_F32_ITERATED);
  return is_rounded ? NearestFloat(spec.base) : spec.base;
}

double ExponentDimOf(const posenc_spec& spec) {
  const double given = spec.exponent_dim == 0.0 ? static_cast<double>(spec.dim) : spec.exponent_dim;
  const bool is_rounded = IsOneOf(spec.phase_rounding, POSENC_F32_POW_DIV, POSENC_F32_LOG_DIV,
                                  POSENC_F32_INV_FREQ, POSENC_F32_ITERATED, POSENC_F32_LOG_INCREMENT);
  return is_rounded ? NearestFloat(given) : given;
}

FrequencyList ListOf(const posenc_spec& spec) {
  return {spec.frequencies, spec.frequencies_f32, spec.frequency_count,
          spec.phase_rounding == POSENC_F32_LIST};
}

posenc_status CheckSpec(const posenc_spec& spec) {
  if (const posenc_status status = CheckMembers(spec); status != POSENC_OK) return status;
  FrequencyList list = ListOf(spec);
  list.are_rounded = false;
  const bool is_exact = spec.phase_rounding == POSENC_NO_PHASE_ROUNDING;
  const posenc_status status =
      CheckList(list, PairCount(spec), is_exact || spec.phase_rounding == POSENC_F32_LIST);
  if (status != POSENC_OK) return status;
  if (spec.min_timescale != 1.0 && list.count != 0) return rule::min_timescale_with_list;
  if (spec.min_timescale != 1.0 && !is_exact && spec.phase_rounding != POSENC_F32_LOG_INCREMENT)
    return rule::min_timescale_with_rounding;
  return CheckRounding(spec);
}

}  // namespace internal
}  // namespace posenc
