// What is to be done about a status that is not POSENC_OK, for code that serves programs with and without
// exceptions.
#ifndef POSENC_TOOLS_COMMAND_REQUIRE_H_
#define POSENC_TOOLS_COMMAND_REQUIRE_H_

#include "posenc/posenc.h"

namespace posenc {
namespace tools {

// Does not return unless it is POSENC_OK. The command's throws a UsageError with the status's message.
void Require(posenc_status status);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_REQUIRE_H_
