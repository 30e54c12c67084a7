// Makes cases from rows of text.
//
//   row  = term ...              all combinations of the terms; the last term varies fastest
//   term = key=value,value ...   each value in turn
//        | { row | row ... }     the combinations of each row in turn
//        | $name                 a row that has a name, see kNamed
//
// A key is a member of Case or of a spec. spec/text.h describes the values of members. 1..130 is each number
// from 1 to 130. A list may also have a name (lists.cc); a list that is too short is repeated. The key `at`
// gives the positions. A value is a run, -3..28, or a list with its type, f64:0.5:1e9 or f64:small. After a
// run, `rows=70` changes its length, and `list=f64` passes its positions as a list. The key `elements` gives
// the two elements of every pair that is rotated, 0x1.8p0:-0.5, instead of `inputs`.
//
// `norm=head` or `norm=token` normalizes q and k before they are rotated, with a mean over each head or over
// all heads of a token; `normed=k` normalizes only k. `weights` is a kind of weights (norm_inputs.h), or a
// list of them, which is repeated. `norm_inputs` is a kind of heads. With pairs, `inputs` and `elements` say
// what the elements are, and `elements` may be a longer list, which is repeated in each head.
//
// The label of a case is the row that makes only this case.
#ifndef POSENC_TOOLS_VERIFY_ROWS_H_
#define POSENC_TOOLS_VERIFY_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "verify/case.h"

namespace posenc {
namespace tools {

// Appends the cases of rows. Combinations that add doubles are left out, because the library cannot do it.
// Unless a row says `seed=`, the seeds of cases are `seed`, seed + 1 and so on; the labels of rotations
// include them. A row that is not well-formed aborts the program.
void AppendRows(const std::vector<const char*>& rows, std::uint32_t seed, std::vector<Case>* cases);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_ROWS_H_
