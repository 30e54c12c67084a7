#include "number/exact.h"

#include "verify/describe.h"

#include <cstdio>

#include "oracle/format.h"

namespace posenc {
namespace tools {

std::string NameOf(const Group& group) { return group.name.empty() ? group.cases.front().label : group.name; }

const char* EntryName(const Case& c, bool is_second) {
  if (c.operation == Operation::kRotate) return is_second ? "y" : "x";
  return is_second ? "sine" : "cosine";
}

std::string ShowEntry(posenc_type type, std::uint64_t bits) {
  char text[64];
  std::snprintf(text, sizeof(text), "0x%0*llx (%.*g)", static_cast<int>(2 * TraitsOf(type).size),
                static_cast<unsigned long long>(bits), type == POSENC_F64 ? 17 : 9,
                oracle::Unpack(type, bits));
  return text;
}

}  // namespace tools
}  // namespace posenc
