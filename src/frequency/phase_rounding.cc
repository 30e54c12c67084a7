// Computes rounded phases. These loops run for every row and every token.
#include "number/exact.h"

#include "frequency/phase_rounding.h"

#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

void PhaseRounding::Fill(double position, std::size_t first, std::size_t count, double* phases) const {
  const double* const of_first = values == nullptr ? nullptr : values + first;
  const float start = static_cast<float>(position) * position_factor;
  const auto float_scale = static_cast<float>(scale);
  const auto put = [&](std::size_t i, float phase) { phases[i] = float_scale * phase; };
  switch (rounding) {
    case POSENC_F64_POW_DIV:
      for (std::size_t i = 0; i < count; ++i) phases[i] = scale * (position / of_first[i]);
      break;
    case POSENC_F64_POW_MUL:
      for (std::size_t i = 0; i < count; ++i) phases[i] = scale * (position * of_first[i]);
      break;
    case POSENC_F32_POW_DIV:
      for (std::size_t i = 0; i < count; ++i) put(i, start / static_cast<float>(of_first[i]));
      break;
    case POSENC_F32_ITERATED: {
      float t = start;
      for (std::size_t i = 0; i < first; ++i) t *= ratio;
      for (std::size_t i = 0; i < count; ++i, t *= ratio) put(i, t);
      break;
    }
    default:
      for (std::size_t i = 0; i < count; ++i) put(i, start * static_cast<float>(of_first[i]));
  }
}

void PhaseRounding::FillOfAxes(const double* position, std::size_t axis_count, const std::uint8_t* axes,
                               std::size_t first, std::size_t count, double* phases) const {
  const bool is_iterated = rounding == POSENC_F32_ITERATED;
  const auto inverse_factor = static_cast<float>(scale);  // 1 / f, if iterated
  float at[POSENC_MAX_AXES] = {};
  for (std::size_t k = 0; k < axis_count; ++k) at[k] = static_cast<float>(position[k]) * position_factor;
  const auto advance = [&] {
    for (float& t : at) t *= ratio;
  };
  for (std::size_t i = 0; is_iterated && i < first; ++i) advance();
  for (std::size_t i = 0; i < count; ++i) {
    const float start = at[axes == nullptr ? 0 : axes[i]];
    const float value = values == nullptr ? 1.0f : static_cast<float>(values[first + i]);
    if (!is_iterated) {
      phases[i] = start * value;
      continue;
    }
    phases[i] = inverse_factor * start / value;
    advance();
  }
}

}  // namespace internal
}  // namespace posenc
