// What the oracle says of accepted calls.
#ifndef POSENC_TESTS_FUZZ_JUDGE_H_
#define POSENC_TESTS_FUZZ_JUDGE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../call.h"

namespace posenc {
namespace fuzz {

using Bits = std::vector<std::vector<unsigned char>>;  // of buffers

// Whether NaNs of its results may have any bits.
bool HasFastNans(const Call& call);

// Makes all NaNs of elements one.
void ForgetNans(posenc_type type, unsigned char* elements, std::size_t count);

// Ends the run unless some rows and pairs of an accepted call's results are the oracle's, and elements of
// heads that do not turn are copied.
void CheckByOracle(Call* call, std::size_t sample);

}  // namespace fuzz
}  // namespace posenc

#endif  // POSENC_TESTS_FUZZ_JUDGE_H_
