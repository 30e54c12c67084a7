#include "kernel/reference.h"

#include "kernel/wide_turn.h"
#include "number/elements.h"

namespace posenc {
namespace internal {
namespace {

// One entry each; false if so many bits leave one of them open.
template <int kLimbs>
bool RoundTurn(const WideTurn<kLimbs>& turn, posenc_type type, double* sine, double* cosine) {
  bool sine_decided = true, cosine_decided = true;
  *sine = RoundToType(turn.sine, type, turn.bits, &sine_decided);
  *cosine = RoundToType(turn.cosine, type, turn.bits, &cosine_decided);
  if (!sine_decided && kLimbs == kMostLimbs && turn.IsTiny()) {
    *sine = RoundBySeries(turn.sine, type, {}, FromInteger<kLimbs>(1), turn.Radians());
    sine_decided = true;
  }
  return (sine_decided || turn.IsSineKnown()) && (cosine_decided || turn.IsCosineKnown());
}

// In 1,024 bits, if need be, which do not fail: see PROOF.md, section 5. The phase may be null.
void EvaluatePair(const FrequencyTable& table, std::size_t pair, const Phase<4>* phase, double multiple,
                  posenc_type type, double* sine, double* cosine, Tally* tally) {
  const int known = table.KnownAngleAt(pair, multiple);
  if (known >= 0) {
    *sine = KnownSine(known, type);
    *cosine = KnownCosine(known, type);
    return;
  }
  const WideTurn<4> turn = TurnOf(phase != nullptr ? *phase : Phase<4>(table, pair), multiple);
  if (!RoundTurn(turn, type, sine, cosine)) {
    ++tally->widest;
    RoundTurn(TurnOf(Phase<kMostLimbs>(table, pair), multiple), type, sine, cosine);
  }
}

}  // namespace

template <class Value>
void RecomputePairs(const FrequencyTable& table, posenc_type type, const Multiples& multiples,
                    std::size_t first, const std::uint64_t* flags, std::size_t lanes, Value* sines,
                    Value* cosines, Tally& tally, std::size_t step) {
  for (std::size_t k = 0; k < lanes; ++k) {
    if (flags[k] == 0 || first + k >= table.count) continue;  // no pair, but what fills the vector
    double sine, cosine;
    ++tally.recomputed;
    EvaluatePair(table, first + k, nullptr, multiples[k], type, &sine, &cosine, &tally);
    sines[k * step] = static_cast<Value>(sine);
    cosines[k * step] = static_cast<Value>(cosine);
  }
}
template void RecomputePairs(const FrequencyTable&, posenc_type, const Multiples&, std::size_t,
                             const std::uint64_t*, std::size_t, float*, float*, Tally&, std::size_t);
template void RecomputePairs(const FrequencyTable&, posenc_type, const Multiples&, std::size_t,
                             const std::uint64_t*, std::size_t, double*, double*, Tally&, std::size_t);

Tally ReferenceRows(const FrequencyTable& table, const Columns& columns, const Rows& rows, posenc_type type,
                    const float* scale) {
  const std::size_t size = ElementSize(type);
  Tally tally;
  for (std::size_t i = 0; i < columns.pairs(); ++i) {
    const Phase<4> phase(table, i);
    for (std::size_t r = 0; r < rows.at.count; ++r) {
      double sine, cosine, multiple = rows.at[r];
      if (!table.recipe.IsNone()) table.FillPhases(rows.at[r], i, 1, &multiple);
      const posenc_type rounded = scale == nullptr ? type : POSENC_F32;
      EvaluatePair(table, i, &phase, multiple, rounded, &sine, &cosine, &tally);
      auto* to = static_cast<unsigned char*>(rows.data) + r * rows.stride * size;
      const auto* from = rows.sources == nullptr ? to : static_cast<const unsigned char*>(rows.sources[r]);
      const auto store = [&](double entry, std::size_t column) {
        if (type == POSENC_F64) return StoreDoubles(&entry, 1, 1, to + column * size);
        const auto narrow = static_cast<float>(entry);
        StoreEntries(type, &narrow, {}, 0, 1, scale, from + column * size, to + column * size);
      };
      if (i < columns.sines) store(sine, columns.sine_offset + i * columns.step);
      if (i < columns.cosines) store(cosine, columns.cosine_offset + i * columns.step);
    }
  }
  tally.recomputed = columns.pairs() * rows.at.count;
  return tally;
}

}  // namespace internal
}  // namespace posenc
