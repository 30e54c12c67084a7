#include "targets.h"

#include <cstring>

namespace posenc {
namespace internal {

Status FindKernels(const char* name, const Kernels** kernels) {
  if (name == nullptr) {
    *kernels = &BestKernels();
    return Status::kOk;
  }
  std::size_t count;
  const Kernels* const* rows = AllKernels(&count);
  for (std::size_t i = 0; i < count; ++i) {
    if (std::strcmp(rows[i]->name, name) != 0) continue;
    if (!IsRunnable(*rows[i])) return Status::kUnavailableTarget;
    *kernels = rows[i];
    return Status::kOk;
  }
  return Status::kUnknownTarget;
}

}  // namespace internal

std::size_t Targets(Target (&targets)[kMaxTargets]) {
  std::size_t count;
  const internal::Kernels* const* rows = internal::AllKernels(&count);
  const internal::Kernels* best = &internal::BestKernels();
  for (std::size_t i = 0; i < count; ++i) {
    targets[i] = {rows[i]->name, internal::IsRunnable(*rows[i]), rows[i] == best};
  }
  return count;
}

}  // namespace posenc
