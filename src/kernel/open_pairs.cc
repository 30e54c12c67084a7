#include "kernel/highway_settings.h"

#include "kernel/open_pairs.h"

#include "hwy/base.h"
#include "number/elements.h"

namespace posenc {
namespace internal {

void ListOpen(posenc_type type, std::uint64_t pairs, const void* from, std::size_t apart, Progress at,
              const Rotation& rotation, const Heads& heads, OpenPairs& open) {
  const std::size_t size = ElementSize(type);
  const auto* elements = static_cast<const unsigned char*>(from);
  unsigned char* data = heads.data + at.head * heads.stride;
  for (; pairs != 0; pairs &= pairs - 1) {
    const std::size_t k = hwy::Num0BitsBelowLS1Bit_Nonzero64(pairs), n = open.count++;
    const std::size_t pair = at.pair + k;
    const PairIndex here = ElementsOf(heads.pairing, k, apart),
                    there = ElementsOf(heads.pairing, pair, heads.pairs);
    const PhaseStep step(rotation.table, rotation.token[pair], pair);
    open.pair[n] = static_cast<std::uint32_t>(pair);
    open.a[n] = LoadBits(type, elements + here.a * size);
    open.b[n] = LoadBits(type, elements + here.b * size);
    open.multiple[n] = rotation.token[pair];
    open.high[n] = step.high;
    open.low[n] = step.low;
    open.x[n] = data + there.a * size;
    open.y[n] = data + there.b * size;
  }
}

}  // namespace internal
}  // namespace posenc
