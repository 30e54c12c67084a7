// What the cases of posenc verify (tools/verify) do in a test if a call fails.
#include "command/require.h"

#include <gtest/gtest.h>

namespace posenc {
namespace tools {

void Require(posenc_status status) { ASSERT_EQ(status, POSENC_OK) << posenc_status_message(status); }

}  // namespace tools
}  // namespace posenc
