// Areas and entries in words.
#ifndef POSENC_TOOLS_VERIFY_DESCRIBE_H_
#define POSENC_TOOLS_VERIFY_DESCRIBE_H_

#include <string>

#include "verify/cases.h"

namespace posenc {
namespace tools {

// Its own name or, without one, its first case's label.
std::string NameOf(const Group& group);

// "sine" or "cosine", of a rotation "y" or "x".
const char* EntryName(const Case& c, bool is_second);

// "0x3f800000 (1)"
std::string ShowEntry(posenc_type type, std::uint64_t bits);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_DESCRIBE_H_
