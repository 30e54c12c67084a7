// The queue of undecided pairs (heads.h). It has no vectors, so it is compiled once for all targets.
#include "number/exact.h"

#include "kernel/highway_settings.h"

#include "kernel/heads.h"

#include "hwy/base.h"
#include "number/elements.h"

namespace posenc {
namespace internal {

void QueueUndecided(posenc_type type, std::uint64_t pairs, const void* from, std::size_t apart, PairCursor at,
                    const Rotation& rotation, const Heads& heads, UndecidedPairs& undecided) {
  const std::size_t size = ElementSize(type);
  const auto* elements = static_cast<const unsigned char*>(from);
  unsigned char* data = heads.data + at.head * heads.stride;
  for (; pairs != 0; pairs &= pairs - 1) {
    const std::size_t k = hwy::Num0BitsBelowLS1Bit_Nonzero64(pairs), n = undecided.count++;
    const std::size_t pair = at.pair + k;
    const PairIndex here = ElementsOf(heads.pairing, k, apart),
                    there = ElementsOf(heads.pairing, pair, heads.apart);
    const PhaseStep step(rotation.table, rotation.multiples[pair], pair);
    undecided.pair[n] = static_cast<std::uint32_t>(pair);
    undecided.a[n] = LoadBits(type, elements + here.a * size);
    undecided.b[n] = LoadBits(type, elements + here.b * size);
    undecided.multiple[n] = rotation.multiples[pair];
    undecided.high[n] = step.high;
    undecided.low[n] = step.low;
    undecided.x[n] = data + there.a * size;
    undecided.y[n] = data + there.b * size;
  }
}

}  // namespace internal
}  // namespace posenc
