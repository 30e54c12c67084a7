// What an accepted call on a rotary must write: head by head and row by row, by calls on memory of their own,
// which are held against the formula.
#ifndef POSENC_TESTS_FUZZ_ROTARY_EXPECTED_H_
#define POSENC_TESTS_FUZZ_ROTARY_EXPECTED_H_

#include "fuzzing.h"
#include "posenc/rotary_c.h"
#include "rotary_call_input.h"

namespace posenc {
namespace fuzz {

// Writes it to `want`, from the memory before the call. Of the elements that turn a NaN of the exact
// arithmetic is checked.
void Perform(const RotaryCall& call, const posenc_rotary* rotary, const Parts& before, const Parts& want);

// Where `got` and `want` have a NaN of the fast arithmetic, which may be any, takes it over.
void TakeNans(const RotaryCall& call, const Parts& got, const Parts& want);

}  // namespace fuzz
}  // namespace posenc

#endif  // POSENC_TESTS_FUZZ_ROTARY_EXPECTED_H_
