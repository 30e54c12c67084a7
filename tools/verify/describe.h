// Describes areas and entries, for messages and reports.
#ifndef POSENC_TOOLS_VERIFY_DESCRIBE_H_
#define POSENC_TOOLS_VERIFY_DESCRIBE_H_

#include <string>

#include "verify/cases.h"

namespace posenc {
namespace tools {

// The name of the group or, if it is empty, the label of its first case.
std::string NameOf(const Group& group);

// "sine" or "cosine"; for a rotation, "y" or "x".
const char* EntryName(const Case& c, bool is_second);

// The bits and the value of an entry: "0x3f800000 (1)".
std::string ShowEntry(posenc_type type, std::uint64_t bits);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_DESCRIBE_H_
