// posenc_targets, which lists the targets (instruction sets) that this build has.

#include "number/exact.h"

#include "kernel/targets.h"

#include "posenc/posenc_c.h"

size_t posenc_targets(posenc_target* targets, size_t capacity) {
  using namespace posenc::internal;
  std::int64_t all[POSENC_MAX_TARGETS];
  const std::size_t count = CompiledTargets(all);
  const std::int64_t best = BestTarget();
  for (std::size_t i = 0; targets != nullptr && i < count && i < capacity; ++i) {
    targets[i] = {NameOf(all[i]), IsRunnable(all[i]) ? 1 : 0, all[i] == best ? 1 : 0};
  }
  return count;
}
