// Names of targets: which row of the kernel table a Spec asks for.
#ifndef POSENC_SRC_TARGETS_H_
#define POSENC_SRC_TARGETS_H_

#include "kernels.h"
#include "posenc/posenc.h"

namespace posenc {
namespace internal {

// The row of that name, the best one if name is null.
Status FindKernels(const char* name, const Kernels** kernels);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_TARGETS_H_
