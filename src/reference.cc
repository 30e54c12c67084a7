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
      step_ = table.schedule.QuarterTurns(table.first + pair);
      is_exact_ = table.schedule.IsExact();
    } else {
      divisor_ = table.divisors[pair];
    }
  }

  // Relative error below 2^-kBits, and 0 if it is exact.
  static constexpr int kBits = kFrequencyBits - 1;
  bool IsExact() const { return is_exact_; }
  Wide At(double position) const {
    if (recipe_ == Recipe::kExact) return Multiply(FromDouble(position), step_);
    const float radians = static_cast<float>(position) / divisor_;
    return Multiply(FromDouble(static_cast<double>(radians)), QuarterTurnsPerRadian());
  }

 private:
  Recipe recipe_;
  Wide step_;
  bool is_exact_ = false;
  float divisor_ = 1.0f;
};

Format FormatOf(ElementType type) {
  switch (type) {
    case kBFloat16:
      return kBFloat16Format;
    case kFloat16:
      return kFloat16Format;
    case kFloat64:
      return kFloat64Format;
    default:
      return kFloat32Format;
  }
}

// The sine of a phase so small that it lies next to the angle, x. Only where that is a midpoint are they too
// close for `bits` (see PROOF.md, section 5); the sine is then on the side of zero.
double RoundSmallSine(const Wide& x, Format format, int bits, bool* decided) {
  bool is_off_midpoint = true;
  const double rounded = RoundToFormat(x, format, bits, &is_off_midpoint);
  if (is_off_midpoint) return rounded;
  constexpr int kBelow = 200;
  Wide step = x;
  step.exponent -= kBelow;
  return RoundToFormat(Subtract(x, step), format, kBelow + 2, decided);
}
constexpr int kSmallExponent = -79;

// One entry each, and how many of the two could not be decided.
std::size_t EvaluatePair(const Phase& pair, double position, ElementType type, double* sine, double* cosine) {
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
  const Format format = FormatOf(type);
  *sine = phase.exponent < kSmallExponent ? RoundSmallSine(sine_value, format, bits, &sine_decided)
                                          : RoundToFormat(sine_value, format, bits, &sine_decided);
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

// data = PE rounded to the type, or sources * scale + PE if scale is not null.
Tally ReferenceRows(const FrequencyTable& table, const Columns& columns, const Rows& rows, ElementType type,
                    const float* scale) {
  const std::size_t size = ElementSize(type);
  Tally tally;
  for (std::size_t i = 0; i < columns.sines; ++i) {
    const Phase phase(table, i);
    for (std::size_t r = 0; r < rows.count; ++r) {
      double sine, cosine;
      tally.undecided +=
          EvaluatePair(phase, rows.Position(r), scale == nullptr ? type : kFloat32, &sine, &cosine);
      auto* to = static_cast<unsigned char*>(rows.data) + r * rows.stride * size;
      const auto* from = rows.sources == nullptr ? to : static_cast<const unsigned char*>(rows.sources[r]);
      const auto store = [&](double entry, std::size_t column) {
        if (type == kFloat64) return StoreDoubles(&entry, 1, 1, to + column * size);
        const auto narrow = static_cast<float>(entry);
        StoreEntries(type, &narrow, nullptr, 0, 1, scale, from + column * size, to + column * size);
      };
      store(sine, columns.sine_offset + i * columns.step);
      if (i < columns.cosines) store(cosine, columns.cosine_offset + i * columns.step);
    }
  }
  tally.recomputed = columns.sines * rows.count;
  return tally;
}

template <ElementType kType>
Tally ReferenceWrite(const FrequencyTable& table, const Columns& columns, const Rows& rows) {
  return ReferenceRows(table, columns, rows, kType, nullptr);
}

template <ElementType kType>
Tally ReferenceAdd(const FrequencyTable& table, const Columns& columns, const Rows& rows, float scale) {
  return ReferenceRows(table, columns, rows, kType, &scale);
}

template <ElementType kType>
void ReferenceAddEntries(const float* entries, std::size_t count, float scale, void* x) {
  StoreEntries(kType, entries, nullptr, 0, count, &scale, x, x);
}

}  // namespace

template <class Value>
void RecomputePairs(const FrequencyTable& table, ElementType format, double position, std::size_t first,
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
template void RecomputePairs(const FrequencyTable&, ElementType, double, std::size_t, const std::uint64_t*,
                             std::size_t, float*, float*, Tally&);
template void RecomputePairs(const FrequencyTable&, ElementType, double, std::size_t, const std::uint64_t*,
                             std::size_t, double*, double*, Tally&);

const Kernels kReferenceKernels = {
    0,
    "REFERENCE",
    &ReferenceGeometric,
    nullptr,
    {&ReferenceWrite<kFloat32>, &ReferenceWrite<kBFloat16>, &ReferenceWrite<kFloat16>,
     &ReferenceWrite<kFloat64>},
    {&ReferenceAdd<kFloat32>, &ReferenceAdd<kBFloat16>, &ReferenceAdd<kFloat16>},
    {&ReferenceAddEntries<kFloat32>, &ReferenceAddEntries<kBFloat16>, &ReferenceAddEntries<kFloat16>}};

}  // namespace internal
}  // namespace posenc
