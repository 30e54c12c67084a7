// Compares the results of accepted calls with the oracle.
#ifndef POSENC_TESTS_FUZZ_JUDGE_H_
#define POSENC_TESTS_FUZZ_JUDGE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../call.h"

namespace posenc {
namespace fuzz {

using Bits = std::vector<std::vector<unsigned char>>;  // the contents of buffers

// Whether NaNs in the results may have any bits.
bool HasFastNans(const Call& call);

// Replaces all NaNs among the elements by one NaN.
void ForgetNans(posenc_type type, unsigned char* elements, std::size_t count);

// Ends the run unless some rows and pairs of the results equal the oracle's, and elements that do not rotate
// are copied.
void CheckByOracle(Call* call, std::size_t sample);

}  // namespace fuzz
}  // namespace posenc

#endif  // POSENC_TESTS_FUZZ_JUDGE_H_
