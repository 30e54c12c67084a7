#include "kernel/reference.h"

#include "number/elements.h"

namespace posenc {
namespace internal {
namespace {

// The phase of one pair, in quarter turns.
class Phase {
 public:
  Phase(const FrequencyTable& table, std::size_t pair) : rounding_(table.phase_rounding) {
    if (rounding_ == POSENC_NO_PHASE_ROUNDING) {
      step_ = table.schedule.QuarterTurns(table.first + pair);
      is_exact_ = table.schedule.IsExact();
    } else {
      divisor_ = static_cast<float>(table.divisors[pair]);
    }
  }

  // Relative error below 2^-kBits, and 0 if it is exact.
  static constexpr int kBits = kFrequencyBits - 1;
  bool IsExact() const { return is_exact_; }
  Wide At(double position) const {
    if (rounding_ == POSENC_NO_PHASE_ROUNDING) return Multiply(FromDouble(position), step_);
    const float radians = static_cast<float>(position) / divisor_;
    return Multiply(FromDouble(static_cast<double>(radians)), QuarterTurnsPerRadian());
  }

 private:
  posenc_phase_rounding rounding_;
  Wide step_;
  bool is_exact_ = false;
  float divisor_ = 1.0f;
};

// The sine of a phase so small that it lies next to the angle, x. Only where that is a midpoint are they too
// close for `bits` (see PROOF.md, section 5); the sine is then on the side of zero.
double RoundSmallSine(const Wide& x, posenc_type type, int bits, bool* decided) {
  bool is_off_midpoint = true;
  const double rounded = RoundToType(x, type, bits, &is_off_midpoint);
  if (is_off_midpoint) return rounded;
  constexpr int kBelow = 200;
  Wide step = x;
  step.exponent -= kBelow;
  return RoundToType(Subtract(x, step), type, kBelow + 2, decided);
}
constexpr int kSmallExponent = -79;

// One entry each, and how many of the two could not be decided.
std::size_t EvaluatePair(const Phase& pair, double position, posenc_type type, double* sine, double* cosine) {
  const Wide phase = pair.At(position);
  if (phase.IsZero()) {
    *sine = 0.0;
    *cosine = 1.0;
    return 0;
  }
  const std::int64_t quarter_turns = NearestInteger(phase);
  const Wide r = Subtract(phase, FromInteger(quarter_turns));
  Wide s, c;
  SinCosQuarterTurns(r, &s, &c);
  int bits = kSinCosBits - 1;
  if (!pair.IsExact()) {
    // The error of the phase, relative to what is left of it after the reduction.
    const auto cancelled = static_cast<int>(phase.exponent - r.exponent);
    const int phase_bits = r.IsZero() ? 0 : Phase::kBits - 1 - (cancelled > 0 ? cancelled : 0);
    bits = (phase_bits < kSinCosBits ? phase_bits : kSinCosBits) - 1;
  }

  const bool swap = (quarter_turns & 1) != 0;
  const bool negate_sine = (quarter_turns & 2) != 0;
  Wide sine_value = swap ? c : s;
  Wide cosine_value = swap ? s : c;
  if (negate_sine) sine_value = Negate(sine_value);
  if (negate_sine != swap) cosine_value = Negate(cosine_value);
  bool sine_decided = true, cosine_decided = true;
  *sine = phase.exponent < kSmallExponent ? RoundSmallSine(sine_value, type, bits, &sine_decided)
                                          : RoundToType(sine_value, type, bits, &sine_decided);
  *cosine = RoundToType(cosine_value, type, bits, &cosine_decided);
  return (sine_decided ? 0u : 1u) + (cosine_decided ? 0u : 1u);
}

}  // namespace

template <class Value>
void RecomputePairs(const FrequencyTable& table, posenc_type format, double position, std::size_t first,
                    const std::uint64_t* flags, std::size_t lanes, Value* sines, Value* cosines,
                    Tally& tally) {
  for (std::size_t k = 0; k < lanes; ++k) {
    if (flags[k] == 0) continue;
    double sine, cosine;
    ++tally.recomputed;
    tally.undecided += EvaluatePair(Phase(table, first + k), position, format, &sine, &cosine);
    sines[k] = static_cast<Value>(sine);
    cosines[k] = static_cast<Value>(cosine);
  }
}
template void RecomputePairs(const FrequencyTable&, posenc_type, double, std::size_t, const std::uint64_t*,
                             std::size_t, float*, float*, Tally&);
template void RecomputePairs(const FrequencyTable&, posenc_type, double, std::size_t, const std::uint64_t*,
                             std::size_t, double*, double*, Tally&);

Tally ReferenceRows(const FrequencyTable& table, const Columns& columns, const Rows& rows, posenc_type type,
                    const float* scale) {
  const std::size_t size = ElementSize(type);
  Tally tally;
  for (std::size_t i = 0; i < columns.sines; ++i) {
    const Phase phase(table, i);
    for (std::size_t r = 0; r < rows.at.count; ++r) {
      double sine, cosine;
      tally.undecided +=
          EvaluatePair(phase, rows.at[r], scale == nullptr ? type : POSENC_F32, &sine, &cosine);
      auto* to = static_cast<unsigned char*>(rows.data) + r * rows.stride * size;
      const auto* from = rows.sources == nullptr ? to : static_cast<const unsigned char*>(rows.sources[r]);
      const auto store = [&](double entry, std::size_t column) {
        if (type == POSENC_F64) return StoreDoubles(&entry, 1, 1, to + column * size);
        const auto narrow = static_cast<float>(entry);
        StoreEntries(type, &narrow, nullptr, 0, 1, scale, from + column * size, to + column * size);
      };
      store(sine, columns.sine_offset + i * columns.step);
      if (i < columns.cosines) store(cosine, columns.cosine_offset + i * columns.step);
    }
  }
  tally.recomputed = columns.sines * rows.at.count;
  return tally;
}

}  // namespace internal
}  // namespace posenc
