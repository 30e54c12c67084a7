// What a valid spec of an encoder is, and a list of frequencies of either noun. The order of the checks is
// which mistake is reported first. Frequencies out of range are found where they are computed (schedule.cc).
#include <cmath>
#include <cstddef>

#include "frequency/phase_rounding.h"
#include "frequency/schedule.h"
#include "spec/rows.h"

namespace posenc {
namespace internal {
namespace {

posenc_status CheckRounding(const posenc_spec& spec) {
  if (!IsValue<Of::phase_rounding>(spec.phase_rounding)) return POSENC_BAD_PHASE_ROUNDING;
  if (spec.phase_rounding == POSENC_F32_LIST && spec.frequency_count == 0) return POSENC_BAD_FREQUENCIES;
  if (spec.phase_rounding == POSENC_NO_PHASE_ROUNDING) return POSENC_OK;
  if (spec.frequency_unit != POSENC_RADIANS) return POSENC_ROUNDING_NEEDS_RADIANS;
  const double exponent_dim = ExponentDimOf(spec);
  if (!IsPositive(BaseOf(spec))) return POSENC_BAD_BASE;
  if (exponent_dim == 0.0 || !std::isfinite(exponent_dim)) return POSENC_BAD_EXPONENT_DIM;
  return IsRegular(NearestFloat(spec.position_scale)) ? POSENC_OK : POSENC_BAD_POSITION_SCALE;
}

}  // namespace

posenc_status CheckList(const FrequencyList& list, std::size_t pairs, bool rounding_takes_it) {
  if (!IsValue<Of::unit>(list.unit)) return POSENC_BAD_UNIT;
  if (list.doubles == nullptr && list.floats == nullptr && list.count == 0) return POSENC_OK;
  if ((list.doubles == nullptr) == (list.floats == nullptr)) return POSENC_BAD_FREQUENCIES;
  if (list.count != pairs) return POSENC_BAD_FREQUENCY_COUNT;
  if (!rounding_takes_it) return POSENC_ROUNDING_TAKES_NO_LIST;
  for (std::size_t i = 0; i < list.count; ++i) {
    if (!std::isfinite(list[i])) return POSENC_FREQUENCY_NOT_FINITE;
  }
  return POSENC_OK;
}

posenc_status CheckSpec(const posenc_spec& spec) {
  if (spec.dim == 0 || spec.dim > POSENC_MAX_DIM) return POSENC_BAD_DIM;
  if (!IsPositive(spec.base)) return POSENC_BAD_BASE;
  if (!std::isfinite(spec.exponent_dim)) return POSENC_BAD_EXPONENT_DIM;
  FrequencyList list = ListOf(spec);
  list.are_rounded = false;
  const bool is_exact = spec.phase_rounding == POSENC_NO_PHASE_ROUNDING;
  const posenc_status status =
      CheckList(list, PairCount(spec), is_exact || spec.phase_rounding == POSENC_F32_LIST);
  if (status != POSENC_OK) return status;
  if (!std::isfinite(spec.position_scale)) return POSENC_BAD_POSITION_SCALE;
  const bool has_min_timescale =
      list.count == 0 && (is_exact || spec.phase_rounding == POSENC_F32_LOG_INCREMENT);
  if (!IsPositive(spec.min_timescale) || (spec.min_timescale != 1.0 && !has_min_timescale))
    return POSENC_BAD_MIN_TIMESCALE;
  return CheckRounding(spec);
}

}  // namespace internal
}  // namespace posenc
