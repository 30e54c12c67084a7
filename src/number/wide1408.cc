// Sums of 1,408 bits: as many as the exact sum of four products of three doubles has (frequency/sums.cc).
#include "number/exact.h"

#include "number/wide_arithmetic.h"

namespace posenc {
namespace internal {

template Wide1408 FromInteger<22>(std::int64_t);
template Wide1408 FromDouble<22>(double);
template double ToDouble(const Wide1408 &);
template Wide1408 Add(const Wide1408 &, const Wide1408 &);
template Wide1408 Subtract(const Wide1408 &, const Wide1408 &);
template Wide1408 Multiply(const Wide1408 &, const Wide1408 &);
template std::int64_t NearestInteger(const Wide1408 &);

}  // namespace internal
}  // namespace posenc
