// Cases in words.
#ifndef POSENC_TOOLS_VERIFY_DESCRIBE_H_
#define POSENC_TOOLS_VERIFY_DESCRIBE_H_

#include <string>

#include "verify/cases.h"

namespace posenc {
namespace tools {

// "dim 512, base 10000, sin_cos, ...", "head_dim 128, base 500000, ..."
std::string DescribeSpec(const Case& c);

// "Write f16, dim 512, ...", "RotateAt f16, head_dim 128, ..."
std::string Describe(const Case& c);

// Of a rotation, the first case's spec and its own name. Else its own name or, without one, the first case's
// spec and, of a run of an encoder, positions.
std::string NameOf(const Group& group);

// "sine" or "cosine", of a rotation "y" or "x".
const char* EntryName(const Case& c, bool is_second);

// "0x3f800000 (1)"
std::string ShowEntry(posenc_type type, std::uint64_t bits);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_DESCRIBE_H_
