#include "frequency/recipe.h"

#include "frequency/float_steps.h"
#include "frequency/schedule.h"
#include "number/wide.h"

namespace posenc {
namespace internal {
namespace {

bool IsOfDoubles(posenc_phase_rounding rounding) {
  return rounding == POSENC_F64_POW_DIV || rounding == POSENC_F64_POW_MUL;
}

// pow(base, exponent) as a float, or 1 / that. log_base is that of base / min_timescale.
double Value(const posenc_spec& spec, const Wide256& log_base, std::size_t pair) {
  const float least = NearestFloat(spec.min_timescale);
  // However little exponent_dim is.
  if (pair == 0 || log_base.IsZero()) return static_cast<double>(least);
  const double exponent_dim = ExponentDimOf(spec);
  const auto i = static_cast<double>(pair);
  const auto as_float = [](double x) { return static_cast<double>(NearestFloat(x)); };
  switch (spec.phase_rounding) {
    case POSENC_F32_POW_DIV:
      return as_float(ExpAsFloat(QuotientAsFloat(2.0 * i, exponent_dim), log_base));
    case POSENC_F32_EXP: {
      Wide256 rate = Negate(Divide(log_base, FromDouble<4>(exponent_dim)));
      ++rate.exponent;  // of i instead of 2i
      return as_float(ExpAsFloat(static_cast<float>(i) * NearestFloat(rate), FromInteger<4>(1)));
    }
    case POSENC_F32_LOG_DIV: {
      const float product = NearestFloat(Negate(log_base)) * static_cast<float>(i);
      return as_float(ExpAsFloat(product / (static_cast<float>(exponent_dim) / 2.0f), FromInteger<4>(1)));
    }
    case POSENC_F32_LOG_INCREMENT: {
      const float rate = NearestFloat(log_base) / (static_cast<float>(exponent_dim) / 2.0f);
      return as_float(least * ExpAsFloat(static_cast<float>(i) * -rate, FromInteger<4>(1)));
    }
    case POSENC_F32_INV_FREQ:
      return as_float(1.0f / ExpAsFloat(QuotientAsFloat(2.0 * i, exponent_dim), log_base));
    case POSENC_F64_INV_FREQ:
      return as_float(1.0 / ExpAsType(2.0 * i / exponent_dim, log_base, POSENC_F64));
    case POSENC_F64_POW_DIV:
      return ExpAsType(2.0 * i / exponent_dim, log_base, POSENC_F64);
    default:  // POSENC_F64_POW_MUL
      return ExpAsType(-2.0 * i / exponent_dim, log_base, POSENC_F64);
  }
}

}  // namespace

Recipe MakeRecipe(const posenc_spec& spec, double* values) {
  Recipe recipe = {spec.phase_rounding, spec.position_scale, 1.0f, values};
  if (recipe.IsNone()) return recipe;
  if (!IsOfDoubles(spec.phase_rounding))
    recipe.scale = static_cast<double>(NearestFloat(spec.position_scale));
  const std::size_t count = PairCount(spec);
  if (spec.phase_rounding == POSENC_F32_LIST) {
    const FrequencyList list = ListOf(spec);
    for (std::size_t i = 0; i < count; ++i) values[i] = list[i];
    return recipe;
  }
  Wide256 log_base = Log<4>(BaseOf(spec));
  if (spec.min_timescale != 1.0) log_base = Subtract(log_base, Log<4>(spec.min_timescale));
  if (spec.phase_rounding == POSENC_F32_ITERATED) {
    recipe.ratio = ExpAsFloat(QuotientAsFloat(-2.0, ExponentDimOf(spec)), log_base);
    return recipe;
  }
  for (std::size_t i = 0; i < count; ++i) values[i] = Value(spec, log_base, i);
  return recipe;
}

void Recipe::Fill(double position, std::size_t first, std::size_t count, double* phases) const {
  const auto start = static_cast<float>(position), float_scale = static_cast<float>(scale);
  const double* const of_first = rounding == POSENC_F32_ITERATED ? nullptr : values + first;
  const auto put = [&](std::size_t i, float phase) { phases[i] = static_cast<double>(float_scale * phase); };
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

}  // namespace internal
}  // namespace posenc
