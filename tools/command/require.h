// Declares how a program handles a status that is not POSENC_OK. The code in tools/ calls Require, and each
// program defines it, with or without exceptions.
#ifndef POSENC_TOOLS_COMMAND_REQUIRE_H_
#define POSENC_TOOLS_COMMAND_REQUIRE_H_

#include "posenc/posenc.h"

namespace posenc {
namespace tools {

// Returns only if `status` is POSENC_OK. In the command it throws a UsageError with the message of the
// status.
void Require(posenc_status status);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_REQUIRE_H_
