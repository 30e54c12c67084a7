// Tables of no encoding that are a common mistake: a frequency for each column (docs/something-else.md).
#ifndef POSENC_TOOLS_COMMAND_COLUMN_FREQUENCIES_H_
#define POSENC_TOOLS_COMMAND_COLUMN_FREQUENCIES_H_

#include <optional>

#include "command/npy.h"
#include "command/table_search.h"

namespace posenc {
namespace tools {

// The positions p, if column c is sin(p 10000^(-2c/d)) for even c, the cosine for odd c.
std::optional<Positions> FindColumnFrequencies(const NpyTable& table);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_COLUMN_FREQUENCIES_H_
