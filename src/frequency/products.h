// The steps of a geometric sequence, as products of powers of its ratio.
#ifndef POSENC_SRC_FREQUENCY_PRODUCTS_H_
#define POSENC_SRC_FREQUENCY_PRODUCTS_H_

#include <cstddef>

#include "number/wide.h"

namespace posenc {
namespace internal {

// Writes first, first * ratio, first * ratio^2 and so on as sums of two doubles, high + low [count].
void FillProducts(const Wide256& first, const Wide256& ratio, std::size_t count, double* high, double* low);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_PRODUCTS_H_
