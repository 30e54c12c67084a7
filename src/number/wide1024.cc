// Rarely run, so compiled for size (CMakeLists.txt).
#include "number/wide_arithmetic.h"

namespace posenc {
namespace internal {

POSENC_INSTANTIATE_WIDE(16)

}  // namespace internal
}  // namespace posenc
