// Turns a rotary's spec into a schedule with a scaling (for axial axes: one schedule for each axis), and
// computes the constants that all pairs share. In formulas f is factor, L length, L0 original_length, r
// rotary_dim.
#include "number/exact.h"

#include "frequency/scaling.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <new>

#include "frequency/table.h"
#include "spec/check_members.h"

namespace posenc {
namespace internal {
namespace {

// No unscaled frequency with a larger |ln| can be in range after scaling: scaled frequencies span 2^157, and
// a factor and a position_scale can each move one by 2^1074. Logarithms up to this size have errors of
// 2^-232, still below what a schedule promises.
constexpr double kMaxLog = 1600.0;

template <int kLimbs>
Wide<kLimbs> FromSize(std::size_t n) {
  return FromInteger<kLimbs>(static_cast<std::int64_t>(n));
}

// max(1, 2^n - 1) with n = ceil(log2(L / L0) + 1): Qwen 1's modeling_qwen.py, get_ntk_alpha. Exact as long as
// 2^n - 1 fits.
template <int kLimbs>
Wide<kLimbs> QwenNtkFactor(const posenc_rotary_spec& spec) {
  const auto length = FromDouble<4>(spec.length), original = FromDouble<4>(spec.original_length);
  const bool rounds_up = length.limb[3] > original.limb[3];  // neither has more than 53 bits
  const std::int64_t n = length.exponent - original.exponent + (rounds_up ? 1 : 0) + 1;
  auto power = FromSize<kLimbs>(1);
  if (n <= 1) return power;
  power.exponent += n;
  return Subtract(power, FromSize<kLimbs>(1));
}

// The factor by which NTK scales the base. It is exact except for POSENC_DYNAMIC_NTK, where it is f L / L0 -
// (f - 1), as in transformers' _compute_dynamic_ntk_parameters. That is computed as 1 + f (L - L0) / L0, in
// which nothing cancels.
template <int kLimbs>
Wide<kLimbs> NtkFactor(const posenc_rotary_spec& spec) {
  if (spec.scaling == POSENC_QWEN_NTK) return QwenNtkFactor<kLimbs>(spec);
  const auto factor = FromDouble<kLimbs>(spec.factor), one = FromSize<kLimbs>(1);
  if (spec.scaling != POSENC_DYNAMIC_NTK) return factor;
  if (spec.length <= spec.original_length) return one;
  const auto original = FromDouble<kLimbs>(spec.original_length);
  const Wide<kLimbs> growth = Divide(Subtract(FromDouble<kLimbs>(spec.length), original), original);
  return Add(one, Multiply(factor, growth));
}

// ln of the number by which the scaling multiplies the base: f for POSENC_MIXED_NTK, NtkFactor^(r / (r - 2))
// for the NTK scalings, else 1. With r = 2 the base does not matter, because the exponent of the only pair is
// 0.
template <int kLimbs>
Wide<kLimbs> LogOfBaseFactor(const posenc_rotary_spec& spec) {
  if (spec.scaling == POSENC_MIXED_NTK) return Log<kLimbs>(spec.factor);
  if (!IsNtk(spec) || spec.rotary_dim == 2) return {};
  const Wide<kLimbs> power = Divide(FromSize<kLimbs>(spec.rotary_dim), FromSize<kLimbs>(spec.rotary_dim - 2));
  return Multiply(power, Log(NtkFactor<kLimbs>(spec)));
}

// ln of the scaled base. It is a sum of two logarithms, which may cancel. If more than 3 bits of 256 cancel,
// the sum is computed again in 1,024 bits. If more than 900 of those cancel, the scaled base is taken to be 1
// and the sum to be 0, because no number of bits can show that.
template <int kLimbs>
Wide<kLimbs> LogBase(const posenc_rotary_spec& spec) {
  // The relative error of NtkFactor is an absolute error of its logarithm, so a factor near 1 counts as a
  // logarithm of this exponent.
  constexpr std::int64_t kLogOfNearOne = -9;
  const auto log_base = Log<kLimbs>(spec.base), log_factor = LogOfBaseFactor<kLimbs>(spec);
  if (log_factor.IsZero()) return log_base;
  const Wide<kLimbs> log = Add(log_base, log_factor);
  const std::int64_t largest = std::max({log_base.exponent, log_factor.exponent, kLogOfNearOne});
  if constexpr (kLimbs == 4) {
    return log.IsZero() || largest - log.exponent > 3 ? TopOf<4>(LogBase<16>(spec)) : log;
  } else {
    return largest - log.exponent > 900 ? Wide<kLimbs>() : log;
  }
}

// YaRN's find_correction_dim: the number of the pair that makes beta turns in L0 positions, as a real number,
// r ln(L0 / (2 pi beta)) / (2 ln base).
template <int kLimbs>
Wide<kLimbs> CorrectionDim(double beta, const posenc_rotary_spec& spec, const Wide<kLimbs>& log_base) {
  Wide<kLimbs> wavelengths =
      Multiply(FromDouble<kLimbs>(spec.original_length), QuarterTurnsPerRadian<kLimbs>());
  wavelengths.exponent -= 2;
  const Wide<kLimbs> log = Log(Divide(wavelengths, FromDouble<kLimbs>(beta)));
  return Divide(Multiply(FromSize<kLimbs>(spec.rotary_dim / 2), log), log_base);
}

// floor(x) for a correction dim x. x is never an integer, because pi is transcendental. If x is beyond the
// last pair, its value does not matter, so it is limited to kBeyond.
double Floor(const Wide256& x) {
  constexpr double kBeyond = 2.0 * POSENC_MAX_ROTARY_DIM;
  const double near = ToDouble(x);
  if (near > kBeyond) return kBeyond;
  if (near < -kBeyond) return -kBeyond;
  const std::int64_t nearest = NearestInteger(x);
  const bool is_above = Subtract(x, FromInteger<4>(nearest)).negative;
  return static_cast<double>(is_above ? nearest - 1 : nearest);
}

// Sets the ramp as YaRN's find_correction_range and linear_ramp_mask do. Its ends are the correction dims of
// beta_fast and beta_slow, limited to 0 and r - 1. A width of 0 becomes 1/1000.
template <int kLimbs>
void SetYarnRamp(const Scaling& scaling, ScalingConstants<kLimbs>* constants) {
  const posenc_rotary_spec& spec = scaling.spec;
  const bool is_rounded = spec.truncate != 0;
  const auto last = FromSize<kLimbs>(spec.rotary_dim - 1);
  Wide<kLimbs> low = is_rounded ? FromDouble<kLimbs>(scaling.ramp_low)
                                : CorrectionDim(spec.beta_fast, spec, constants->log_base);
  Wide<kLimbs> high = is_rounded ? FromDouble<kLimbs>(scaling.ramp_high)
                                 : CorrectionDim(spec.beta_slow, spec, constants->log_base);
  if (low.negative) low = {};
  if (!Subtract(high, last).negative) high = last;
  constants->low = low;
  constants->width = Subtract(high, low);
  if (constants->width.IsZero()) constants->width = Divide(FromSize<kLimbs>(1), FromSize<kLimbs>(1000));
}

// An estimate of the largest |ln| of the unscaled frequencies, leaving out frequencies that are 0. With a
// list it is 0.
double LargestLog(const Schedule& schedule) {
  const Scaling& scaling = *schedule.scaling;
  std::size_t last = 0;  // the largest entry whose frequency is not 0
  for (std::size_t i = 0; !schedule.IsListed() && i < scaling.spec.rotary_dim / 2; ++i) {
    const std::size_t entry = PlaceOf(scaling.spec, i).entry;
    if (scaling.IsNonzero(entry)) last = std::max(last, entry);
  }
  const double exponent = 2.0 * static_cast<double>(last) / std::fabs(schedule.exponent_dim);
  const double log_base = std::fabs(ToDouble(scaling.constants.log_base));
  return exponent == 0.0 || log_base == 0.0 ? 0.0 : exponent * log_base;
}

// Whether the ramp magnifies the errors of 256 bits so much that a schedule's promise would not hold.
bool IsSteep(const Schedule& schedule) {
  const Scaling& scaling = *schedule.scaling;
  const posenc_rotary_spec& spec = scaling.spec;
  const double low = ToDouble(scaling.constants.low), width = ToDouble(scaling.constants.width);
  const double step = spec.factor > 1.0 ? spec.factor : 1.0 / spec.factor;
  // An upper bound of the error of w_i, in multiples of a logarithm's error, 2^-231.
  double magnified = 0.0;
  if (spec.scaling == POSENC_LLAMA3 && width > 0.0) {  // with width 0, pi keeps every pair off the jump
    magnified = step * (low + width) / width * (LargestLog(schedule) + 1.0) / 2.0;
  } else if (IsYarn(spec) && spec.truncate == 0 && width > 0.0) {
    const double pairs_per_log = static_cast<double>(spec.rotary_dim) / (2.0 * ApproximateLog(spec.base));
    magnified = step * 2.0 * (low + width + 1.0 + pairs_per_log) / width;
  }
  return !(magnified < 1024.0);
}

// The amplitude A, rounded to double; it may be infinite. If the spec has no amplitude, the scaling sets it,
// as in transformers' modeling_rope_utils.py, where f <= 1 counts as ln f = 0:
//   LongRoPE  sqrt(1 + ln f / ln L0)
//   YaRN      amplitude_factor (0.1 mscale ln f + 1) / (0.1 mscale_all_dim ln f + 1)
double AmplitudeOf(const posenc_rotary_spec& spec) {
  if (spec.amplitude != 0.0) return spec.amplitude;
  if (!IsOneOf(spec.scaling, POSENC_YARN, POSENC_LONGROPE)) return 1.0;
  if (spec.factor <= 1.0) return spec.scaling == POSENC_YARN ? spec.amplitude_factor : 1.0;
  const auto one = FromInteger<4>(1), log_factor = Log<4>(spec.factor);
  if (spec.scaling == POSENC_LONGROPE) {  // the root by logarithms; a root that is a double comes out exact
    Wide256 half = Log(Add(one, Divide(log_factor, Log<4>(spec.original_length))));
    --half.exponent;
    return ToDouble(Exp(half));
  }
  const auto term = [&](double mscale) {
    return Add(one, Divide(Multiply(FromDouble<4>(mscale), log_factor), FromInteger<4>(10)));
  };
  const Wide256 numerator = Multiply(FromDouble<4>(spec.amplitude_factor), term(spec.mscale));
  return ToDouble(Divide(numerator, term(spec.mscale_all_dim)));
}

// The list of factors that applies: LongRoPE has one for short and one for long contexts. The list is empty
// if the scaling takes no factors.
FrequencyList FactorsOf(const posenc_rotary_spec& spec) {
  if (!TakesFactors(spec)) return {};
  const bool are_long = spec.scaling == POSENC_LONGROPE && spec.length > spec.original_length;
  return {are_long ? spec.long_factors : spec.factors, are_long ? spec.long_factors_f32 : spec.factors_f32,
          spec.factor_count, POSENC_RADIANS};
}

void ClearPointers(posenc_rotary_spec* spec) {
  spec->factors = spec->long_factors = spec->frequencies = nullptr;
  spec->factors_f32 = spec->long_factors_f32 = spec->frequencies_f32 = nullptr;
  spec->target = nullptr;
}

// The rest of a list, from entry `first` on; null for a null list.
template <class T>
const T* From(const T* list, std::size_t first) {
  return list == nullptr ? nullptr : list + first;
}

// Treats one axial axis as a rotary by itself: returns the spec of a rotary with one axis and `pairs` pairs,
// one or more. `first` is the axis' first pair in `spec`, which has been checked.
posenc_rotary_spec SpecOfAxis(const posenc_rotary_spec& spec, std::size_t first, std::size_t pairs) {
  posenc_rotary_spec part = spec;
  part.exponent_dim = static_cast<double>(2 * pairs);
  part.factors = From(spec.factors, first);
  part.factors_f32 = From(spec.factors_f32, first);
  part.long_factors = From(spec.long_factors, first);
  part.long_factors_f32 = From(spec.long_factors_f32, first);
  part.frequencies = From(spec.frequencies, first);
  part.frequencies_f32 = From(spec.frequencies_f32, first);
  if (spec.factor_count != 0) part.factor_count = pairs;
  if (spec.frequency_count != 0) part.frequency_count = pairs;
  part.head_dim = part.rotary_dim = 2 * pairs;
  part.rotary_offset = 0;
  part.axes = 1;
  part.axis_order = POSENC_CONSECUTIVE_AXES;
  for (std::size_t& section : part.sections) section = 0;
  return part;
}

// Turns a checked spec (for axial axes: the spec of one axis) into a schedule. *scaling and *schedule must be
// zero before. Afterwards *schedule points to *scaling and to the caller's lists, which are not copied. On an
// error nothing of the schedule may be evaluated.
posenc_status MakeSchedule(const posenc_rotary_spec& spec, Scaling* scaling, Schedule* schedule) {
  scaling->spec = spec;
  ClearPointers(&scaling->spec);
  schedule->base = spec.base;
  schedule->min_timescale = 1.0;
  schedule->exponent_dim = spec.exponent_dim;
  schedule->scale = spec.position_scale;
  schedule->list = ListOf(spec);
  schedule->factors = FactorsOf(spec);
  schedule->scaling = scaling;
  schedule->calls = &kScalingCalls;
  schedule->is_exact =
      schedule->IsListed() && spec.unit != POSENC_RADIANS && spec.scaling == POSENC_NO_SCALING;

  scaling->amplitude = AmplitudeOf(spec);
  if (!IsGain(scaling->amplitude)) return rule::made_amplitude;
  if (IsNtk(spec) && !std::isfinite(ToDouble(NtkFactor<4>(spec))))
    return spec.scaling == POSENC_QWEN_NTK ? rule::ntk_lengths : rule::dynamic_factor;
  if (spec.scaling == POSENC_PROPORTIONAL) {  // rounded to double, so that 0.3 counts as three tenths
    scaling->nonzero = static_cast<std::size_t>(spec.proportion * static_cast<double>(spec.rotary_dim)) / 2;
  }
  if (IsYarn(spec) && spec.truncate != 0) {
    const auto log_base = Log<4>(spec.base);
    scaling->ramp_low = Floor(CorrectionDim(spec.beta_fast, spec, log_base));
    scaling->ramp_high = -Floor(Negate(CorrectionDim(spec.beta_slow, spec, log_base)));
  }
  scaling->constants = MakeConstants<4>(*schedule);
  // Exp cannot take larger exponents. Some scaled frequency is out of range in this case anyway.
  if (schedule->scale != 0.0 && !(LargestLog(*schedule) < kMaxLog)) return rule::frequency_range;
  scaling->is_steep = IsSteep(*schedule);
  return rule::ok;
}

// MakeSchedule; then checks that all frequencies are in range, and plans the phase rounding. Sets *has_large
// if some |w_i| exceeds four quarter turns.
posenc_status PlanSchedule(const posenc_rotary_spec& spec, Scaling* scaling, Schedule* schedule,
                           PhaseRounding* phases, bool* has_large) {
  if (const posenc_status status = MakeSchedule(spec, scaling, schedule); status != POSENC_OK) return status;
  if (!AreInRange(*schedule, has_large)) return rule::frequency_range;
  return PlanPhaseRounding(*schedule, phases);
}

// PlanSchedule for axial axes: each becomes a rotary with one axis, in axes [spec.axes].
posenc_status PlanAxes(const posenc_rotary_spec& spec, AxisSchedule* axes, RotaryTable* table,
                       bool* has_large) {
  Schedule& schedule = table->frequencies.schedule;
  table->scaling.spec = spec;
  ClearPointers(&table->scaling.spec);
  schedule.scaling = &table->scaling;
  schedule.calls = &kScalingCalls;
  schedule.scale = 1.0;
  schedule.list.unit = spec.unit;
  std::size_t first = 0;
  for (std::size_t k = 0; k < spec.axes; ++k) {
    AxisSchedule& axis = *::new (&axes[k]) AxisSchedule{};
    table->axis_bytes += sizeof(axis);
    const std::size_t pairs = spec.sections[k];
    if (pairs == 0) continue;
    const posenc_status status = PlanSchedule(SpecOfAxis(spec, first, pairs), &axis.scaling, &axis.schedule,
                                              &table->frequencies.phase_rounding, has_large);
    if (status != POSENC_OK) return status;
    first += pairs;
    table->axis_bytes += (axis.schedule.list.count + axis.schedule.factors.count) * sizeof(double);
    table->scaling.amplitude = axis.scaling.amplitude;  // all axes have the same
    schedule.is_exact = axis.schedule.is_exact;
  }
  return rule::ok;
}

// Puts the schedules of axial axes, and copies of their lists, into memory [axis_bytes].
void FillAxes(void* memory, const AxisSchedule* planned, RotaryTable* table) {
  Scaling& scaling = table->scaling;
  auto* const axes = static_cast<AxisSchedule*>(memory);
  auto* lists = reinterpret_cast<double*>(axes + scaling.spec.axes);
  for (std::size_t k = 0; k < scaling.spec.axes; ++k) {
    AxisSchedule& axis = *::new (&axes[k]) AxisSchedule(planned[k]);
    axis.schedule.scaling = &axis.scaling;
    lists = axis.schedule.list.MoveTo(lists);
    lists = axis.schedule.factors.MoveTo(lists);
  }
  scaling.axes = axes;
}

std::size_t OffsetBytes(const RotaryTable& table) {
  return table.has_offsets ? (2 * kMaxOffset * table.frequencies.count + kPadding) * sizeof(double) : 0;
}

}  // namespace

template <int kLimbs>
ScalingConstants<kLimbs> MakeConstants(const Schedule& schedule) {
  const Scaling& scaling = *schedule.scaling;
  const posenc_rotary_spec& spec = scaling.spec;
  const auto one = FromSize<kLimbs>(1);
  ScalingConstants<kLimbs> constants;
  constants.scale = FromDouble<kLimbs>(schedule.scale);
  if (!schedule.IsListed() || IsYarn(spec)) constants.log_base = LogBase<kLimbs>(spec);
  if (spec.scaling == POSENC_MIXED_NTK) {
    const Wide<kLimbs> log = Divide(Log<kLimbs>(spec.factor), FromSize<kLimbs>(spec.rotary_dim / 2));
    constants.scale = Multiply(constants.scale, Exp(Negate(log)));
  }
  if (IsYarn(spec)) SetYarnRamp(scaling, &constants);
  if (spec.scaling == POSENC_YARN_LOG) constants.log_factor = Log<kLimbs>(spec.factor);
  if (spec.scaling == POSENC_LLAMA3) {
    constants.low = FromDouble<kLimbs>(spec.low_freq_factor);
    constants.width = Subtract(FromDouble<kLimbs>(spec.high_freq_factor), constants.low);
  }
  if (!constants.width.IsZero()) constants.inverse_width = Divide(one, constants.width);
  const bool divides =
      IsYarn(spec) || IsOneOf(spec.scaling, POSENC_LINEAR, POSENC_LLAMA3, POSENC_PROPORTIONAL);
  if (divides) constants.inverse_factor = Divide(one, FromDouble<kLimbs>(spec.factor));
  return constants;
}
template ScalingConstants<4> MakeConstants(const Schedule&);
template ScalingConstants<16> MakeConstants(const Schedule&);

posenc_status PlanRotaryTable(const posenc_rotary_spec& spec, AxisSchedule* axes, RotaryTable* table) {
  *table = {};
  FrequencyTable& frequencies = table->frequencies;
  posenc_rotary_spec checked = spec;
  if (const posenc_status status = CheckSpec(&checked); status != POSENC_OK) return status;
  bool has_large = false;
  const posenc_status status = IsAxial(checked)
                                   ? PlanAxes(checked, axes, table, &has_large)
                                   : PlanSchedule(checked, &table->scaling, &frequencies.schedule,
                                                  &frequencies.phase_rounding, &has_large);
  frequencies.axis_count = checked.axes;
  PlanArrays(checked.rotary_dim / 2, has_large, &frequencies);
  return status;
}

std::size_t ArrayBytes(const RotaryTable& table) {
  return ArrayBytes(table.frequencies) + table.axis_bytes + OffsetBytes(table);
}

void FillRotaryTable(void* memory, const AxisSchedule* planned, RotaryTable* table) {
  FrequencyTable& frequencies = table->frequencies;
  frequencies.schedule.scaling = &table->scaling;  // the table may have been copied since it was planned
  unsigned char* const axes = static_cast<unsigned char*>(memory) + ArrayBytes(frequencies);
  if (table->axis_bytes != 0) FillAxes(axes, planned, table);
  FillTable(memory, &frequencies);
  for (std::size_t i = 0; frequencies.axes != nullptr && i < frequencies.count; ++i) {
    frequencies.axes[i] = static_cast<std::uint8_t>(PlaceOf(table->scaling.spec, i).axis);
  }
  if (!table->has_offsets) return;
  unsigned char* const offsets = axes + table->axis_bytes;
  table->offsets = reinterpret_cast<double*>(offsets);
  std::memset(offsets, 0, OffsetBytes(*table));
}

}  // namespace internal
}  // namespace posenc
