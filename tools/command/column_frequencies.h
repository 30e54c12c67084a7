// Recognizes a common mistake: a table with a frequency for each column, not for each pair. No encoding is
// such a table (docs/something-else.md).
#ifndef POSENC_TOOLS_COMMAND_COLUMN_FREQUENCIES_H_
#define POSENC_TOOLS_COMMAND_COLUMN_FREQUENCIES_H_

#include <optional>

#include "command/npy.h"
#include "command/table_search.h"

namespace posenc {
namespace tools {

// The positions p of the rows, if even columns c are sin(p 10000^(-2c/d)), and odd columns are the cosine of
// the same angle. Empty if the table is anything else.
std::optional<Positions> FindColumnFrequencies(const NpyTable& table);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_COLUMN_FREQUENCIES_H_
