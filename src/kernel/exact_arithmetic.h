// Whether the compiler kept arithmetic as it is written.
#ifndef POSENC_SRC_KERNEL_EXACT_ARITHMETIC_H_
#define POSENC_SRC_KERNEL_EXACT_ARITHMETIC_H_

#include <cstdint>

namespace posenc {
namespace internal {

// Whether the code of a compiled target rounds products before it adds to them. Takes nanoseconds.
bool IsExact(std::int64_t target);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_EXACT_ARITHMETIC_H_
