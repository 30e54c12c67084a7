#include "kernel/reference.h"

#include "kernel/wide_turn.h"
#include "number/elements.h"

namespace posenc {
namespace internal {
namespace {

// One entry each; false if so many bits leave one of them open.
template <int kLimbs>
bool EvaluatePair(const Phase<kLimbs>& pair, double multiple, posenc_type type, double* sine,
                  double* cosine) {
  const WideTurn<kLimbs> turn = TurnOf(pair, multiple);
  if (turn.is_zero) {
    *sine = 0.0;
    *cosine = 1.0;
    return true;
  }
  bool sine_decided = true, cosine_decided = true;
  *sine = RoundToType(turn.sine, type, turn.bits, &sine_decided);
  *cosine = RoundToType(turn.cosine, type, turn.bits, &cosine_decided);
  if (!sine_decided && kLimbs == kMostLimbs && turn.is_tiny) {
    *sine = TowardZero(turn.sine, type);
    sine_decided = true;
  }
  return sine_decided && cosine_decided;
}

// The same in so many bits that it does not fail: see PROOF.md, section 5.
void EvaluateInMostBits(const FrequencyTable& table, std::size_t pair, double multiple, posenc_type type,
                        double* sine, double* cosine, Tally* tally) {
  ++tally->widest;
  EvaluatePair(Phase<kMostLimbs>(table, pair), multiple, type, sine, cosine);
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
    if (!EvaluatePair(Phase<4>(table, first + k), multiples[k], type, &sine, &cosine)) {
      EvaluateInMostBits(table, first + k, multiples[k], type, &sine, &cosine, &tally);
    }
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
      if (!EvaluatePair(phase, multiple, rounded, &sine, &cosine)) {
        EvaluateInMostBits(table, i, multiple, rounded, &sine, &cosine, &tally);
      }
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
