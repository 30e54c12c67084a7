// The queue of undecided pairs. Its code has no vectors, so it is compiled once for all targets.
#include "number/exact.h"

#include "kernel/highway_settings.h"

#include "kernel/heads.h"

#include "hwy/base.h"
#include "number/elements.h"

namespace posenc {
namespace internal {

void UndecidedPairs::Append(const Rotation& rotation, const Heads& heads, PairCursor at, std::uint64_t pairs,
                            const void* from, std::size_t apart) {
  const std::size_t from_size = ElementSize(types.from), size = ElementSize(types.to);
  const auto* elements = static_cast<const unsigned char*>(from);
  unsigned char* data = heads.data + at.head * heads.stride;
  for (; pairs != 0; pairs &= pairs - 1) {
    const std::size_t k = hwy::Num0BitsBelowLS1Bit_Nonzero64(pairs), index = at.pair + k;
    if (index >= rotation.table.count) return;
    const std::size_t n = count++;
    const PairIndex here = ElementsOf(heads.pairing, k, apart),
                    there = ElementsOf(heads.pairing, index, heads.apart);
    const PhaseStep step(rotation.table, rotation.multiples[index], index);
    pair[n] = static_cast<std::uint32_t>(index);
    a[n] = LoadBits(types.from, elements + here.a * from_size);
    b[n] = LoadBits(types.from, elements + here.b * from_size);
    multiple[n] = rotation.multiples[index];
    high[n] = step.high;
    low[n] = step.low;
    x[n] = data + there.a * size;
    y[n] = data + there.b * size;
  }
}

}  // namespace internal
}  // namespace posenc
