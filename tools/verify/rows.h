// Cases as rows of text.
//
//   row   = term ...                      each combination of what the terms say, the last one's varying
//   fastest term  = key=value,value ...           each of the values in turn
//         | { row | row ... }             the combinations of each row in turn
//         | $name                         a row that has a name, see kNamed
//
// A key is a member of Case or of either spec. A value is a number or a
// word, a list has slashes: 1/0.5/0x1p-3. `at` is where: a run, -3..28, or the type of a list and the list,
// f64:0.5/1e9 or f64:small, see NamedLists; `list=f64` behind a run passes its positions as a list.
//
// The label of a case is the row of this case alone.
#ifndef POSENC_TOOLS_VERIFY_ROWS_H_
#define POSENC_TOOLS_VERIFY_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "verify/case.h"

namespace posenc {
namespace tools {

// Appends the cases of rows; there are no sums of doubles. Unless a row says which, the seed of a case is
// `seed`, then seed + 1 and so on; labels of rotations say it. A row that is none aborts the program.
void AppendRows(const std::vector<const char*>& rows, std::uint32_t seed, std::vector<Case>* cases);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_ROWS_H_
