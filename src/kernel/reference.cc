#include "kernel/reference.h"

#include "number/elements.h"

namespace posenc {
namespace internal {
namespace {

// The phases of one pair, in quarter turns.
template <int kLimbs>
class Phase {
 public:
  Phase(const FrequencyTable& table, std::size_t pair) : rounding_(table.phase_rounding) {
    if (rounding_ == POSENC_NO_PHASE_ROUNDING) {
      step_ = table.schedule.QuarterTurns<kLimbs>(table.first + pair);
      is_exact_ = table.schedule.IsExact();
    } else {
      divisor_ = static_cast<float>(table.divisors[pair]);
    }
  }

  // Relative error below 2^-kBits, and 0 if it is exact.
  static constexpr int kBits = kFrequencyBits<kLimbs> - 1;
  bool IsExact() const { return is_exact_; }
  Wide<kLimbs> At(double position) const {
    if (rounding_ == POSENC_NO_PHASE_ROUNDING) return Multiply(FromDouble<kLimbs>(position), step_);
    const float radians = static_cast<float>(position) / divisor_;
    return Multiply(FromDouble<kLimbs>(static_cast<double>(radians)), QuarterTurnsPerRadian<kLimbs>());
  }

 private:
  posenc_phase_rounding rounding_;
  Wide<kLimbs> step_;
  bool is_exact_ = false;
  float divisor_ = 1.0f;
};

constexpr int kMostLimbs = 16;

// Below 2^-79 a sine that cannot be told from a midpoint belongs to an angle that is one: the sine is on its
// side of zero (PROOF.md, section 5).
constexpr int kSmallExponent = -79;

template <int kLimbs>
double TowardZero(Wide<kLimbs> x, posenc_type type) {
  constexpr int kBelow = 200;
  Wide<kLimbs> step = x;
  step.exponent -= kBelow;
  bool decided = true;
  return RoundToType(Subtract(x, step), type, kBelow + 2, &decided);
}

// One entry each; false if so many bits leave one of them open.
template <int kLimbs>
bool EvaluatePair(const Phase<kLimbs>& pair, double position, posenc_type type, double* sine,
                  double* cosine) {
  const Wide<kLimbs> phase = pair.At(position);
  if (phase.IsZero()) {
    *sine = 0.0;
    *cosine = 1.0;
    return true;
  }
  const std::int64_t quarter_turns = NearestInteger(phase);
  const Wide<kLimbs> r = Subtract(phase, FromInteger<kLimbs>(quarter_turns));
  Wide<kLimbs> s, c;
  SinCosQuarterTurns(r, &s, &c);
  int bits = kSinCosBits<kLimbs> - 1;
  if (!pair.IsExact()) {
    // The error of the phase, relative to what is left of it after the reduction.
    const std::int64_t cancelled = r.IsZero() ? pair.kBits : phase.exponent - r.exponent;
    const auto phase_bits = static_cast<int>(pair.kBits - 1 - (cancelled > 0 ? cancelled : 0));
    if (phase_bits < bits) bits = phase_bits - 1;
  }

  const bool swap = (quarter_turns & 1) != 0;
  const bool negate_sine = (quarter_turns & 2) != 0;
  Wide<kLimbs> sine_value = swap ? c : s;
  Wide<kLimbs> cosine_value = swap ? s : c;
  if (negate_sine) sine_value = Negate(sine_value);
  if (negate_sine != swap) cosine_value = Negate(cosine_value);
  bool sine_decided = true, cosine_decided = true;
  *sine = RoundToType(sine_value, type, bits, &sine_decided);
  *cosine = RoundToType(cosine_value, type, bits, &cosine_decided);
  if (!sine_decided && kLimbs == kMostLimbs && phase.exponent < kSmallExponent) {
    *sine = TowardZero(sine_value, type);
    sine_decided = true;
  }
  return sine_decided && cosine_decided;
}

// The same in so many bits that it does not fail: see PROOF.md, section 5.
void EvaluateInMostBits(const FrequencyTable& table, std::size_t pair, double position, posenc_type type,
                        double* sine, double* cosine, Tally* tally) {
  ++tally->widest;
  EvaluatePair(Phase<kMostLimbs>(table, pair), position, type, sine, cosine);
}

}  // namespace

template <class Value>
void RecomputePairs(const FrequencyTable& table, posenc_type type, double position, std::size_t first,
                    const std::uint64_t* flags, std::size_t lanes, Value* sines, Value* cosines,
                    Tally& tally) {
  for (std::size_t k = 0; k < lanes; ++k) {
    if (flags[k] == 0) continue;
    double sine, cosine;
    ++tally.recomputed;
    if (!EvaluatePair(Phase<4>(table, first + k), position, type, &sine, &cosine)) {
      EvaluateInMostBits(table, first + k, position, type, &sine, &cosine, &tally);
    }
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
    const Phase<4> phase(table, i);
    for (std::size_t r = 0; r < rows.at.count; ++r) {
      double sine, cosine;
      const posenc_type rounded = scale == nullptr ? type : POSENC_F32;
      if (!EvaluatePair(phase, rows.at[r], rounded, &sine, &cosine)) {
        EvaluateInMostBits(table, i, rows.at[r], rounded, &sine, &cosine, &tally);
      }
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
