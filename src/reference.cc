#include "reference.h"

#include "elements.h"

namespace posenc {
namespace internal {
namespace {

// The phase of one pair, in quarter turns.
class Phase {
 public:
  Phase(const FrequencyTable& table, std::size_t pair) : recipe_(table.recipe) {
    if (recipe_ == Recipe::kExact) {
      step_ = Multiply(table.schedule.Frequency(table.first + pair), QuarterTurnsPerRadian());
    } else {
      divisor_ = table.divisors[pair];
    }
  }

  // Relative error below 2^-kBits.
  static constexpr int kBits = kFrequencyBits - 1;
  Wide At(std::int64_t position) const {
    if (recipe_ == Recipe::kExact) return Multiply(FromInteger(position), step_);
    const float radians = static_cast<float>(position) / divisor_;
    return Multiply(FromDouble(static_cast<double>(radians)), QuarterTurnsPerRadian());
  }

 private:
  Recipe recipe_;
  Wide step_;
  float divisor_ = 1.0f;
};

// One entry each, and how many of the two could not be decided.
std::size_t EvaluatePair(const Wide& phase, ElementType type, float* sine, float* cosine) {
  if (phase.IsZero()) {
    *sine = 0.0f;
    *cosine = 1.0f;
    return 0;
  }
  const std::int64_t quarter_turns = NearestInteger(phase);
  const Wide r = Subtract(phase, FromInteger(quarter_turns));
  Wide s, c;
  SinCosQuarterTurns(r, &s, &c);
  // The error of the phase, relative to what is left of it after the reduction.
  const auto cancelled = static_cast<int>(phase.exponent - r.exponent);
  const int phase_bits = r.IsZero() ? 0 : Phase::kBits - 1 - (cancelled > 0 ? cancelled : 0);
  const int bits = (phase_bits < kSinCosBits ? phase_bits : kSinCosBits) - 1;

  const bool swap = (quarter_turns & 1) != 0;
  const bool negate_sine = (quarter_turns & 2) != 0;
  Wide sine_value = swap ? c : s;
  Wide cosine_value = swap ? s : c;
  if (negate_sine) sine_value = Negate(sine_value);
  if (negate_sine != swap) cosine_value = Negate(cosine_value);
  bool sine_decided = true, cosine_decided = true;
  const Format format = type == kFloat32    ? kFloat32Format
                        : type == kBFloat16 ? kBFloat16Format
                                            : kFloat16Format;
  *sine = RoundToFormat(sine_value, format, bits, &sine_decided);
  *cosine = RoundToFormat(cosine_value, format, bits, &cosine_decided);
  return (sine_decided ? 0u : 1u) + (cosine_decided ? 0u : 1u);
}

// first * ratio^i by binary powers, each entry on its own.
void ReferenceGeometric(DoubleDouble first, const DoubleDouble* powers, std::size_t count, double* high,
                        double* low) {
  const auto widen = [](DoubleDouble x) { return Add(FromDouble(x.high), FromDouble(x.low)); };
  for (std::size_t i = 0; i < count; ++i) {
    Wide step = widen(first);
    for (std::size_t k = 0; i >> k != 0; ++k) {
      if ((i >> k) & 1) step = Multiply(step, widen(powers[k]));
    }
    high[i] = ToDouble(step);
    low[i] = ToDouble(Subtract(step, FromDouble(high[i])));
  }
}

// data = PE rounded to `format`, or sources * scale + PE if scale is not null, stored as kType.
template <ElementType kType>
Tally ReferenceRows(const FrequencyTable& table, const Columns& columns, const Rows& rows, ElementType format,
                    const float* scale) {
  using Element = ElementOf<kType>;
  Tally tally;
  for (std::size_t i = 0; i < columns.sines; ++i) {
    const Phase phase(table, i);
    const std::size_t sine_column = columns.sine_offset + i * columns.step;
    const std::size_t cosine_column = columns.cosine_offset + i * columns.step;
    for (std::size_t r = 0; r < rows.count; ++r) {
      float sine, cosine;
      tally.undecided += EvaluatePair(phase.At(rows.Position(r)), format, &sine, &cosine);
      Element* to = static_cast<Element*>(rows.data) + r * rows.stride;
      const Element* from = rows.sources == nullptr ? to : static_cast<const Element*>(rows.sources[r]);
      StoreEntries(kType, &sine, 1, 1, scale, from + sine_column, to + sine_column);
      if (i < columns.cosines)
        StoreEntries(kType, &cosine, 1, 1, scale, from + cosine_column, to + cosine_column);
    }
  }
  tally.recomputed = columns.sines * rows.count;
  return tally;
}

template <ElementType kType>
Tally ReferenceWrite(const FrequencyTable& table, const Columns& columns, const Rows& rows) {
  return ReferenceRows<kType>(table, columns, rows, kType, nullptr);
}

template <ElementType kType>
Tally ReferenceAdd(const FrequencyTable& table, const Columns& columns, const Rows& rows, float scale) {
  return ReferenceRows<kType>(table, columns, rows, kFloat32, &scale);
}

template <ElementType kType>
void ReferenceAddEntries(const float* entries, std::size_t count, float scale, void* x) {
  StoreEntries(kType, entries, count, 1, &scale, x, x);
}

}  // namespace

void RecomputePairs(const FrequencyTable& table, ElementType format, std::int64_t position, std::size_t first,
                    const std::uint64_t* flags, std::size_t lanes, float* sines, float* cosines,
                    Tally& tally) {
  for (std::size_t k = 0; k < lanes; ++k) {
    if (flags[k] == 0) continue;
    ++tally.recomputed;
    tally.undecided += EvaluatePair(Phase(table, first + k).At(position), format, &sines[k], &cosines[k]);
  }
}

const Kernels kReferenceKernels = {
    0,
    "REFERENCE",
    &ReferenceGeometric,
    nullptr,
    {&ReferenceWrite<kFloat32>, &ReferenceWrite<kBFloat16>, &ReferenceWrite<kFloat16>},
    {&ReferenceAdd<kFloat32>, &ReferenceAdd<kBFloat16>, &ReferenceAdd<kFloat16>},
    {&ReferenceAddEntries<kFloat32>, &ReferenceAddEntries<kBFloat16>, &ReferenceAddEntries<kFloat16>}};

}  // namespace internal
}  // namespace posenc
