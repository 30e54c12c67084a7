// The encodings that posenc verify writes.
#ifndef POSENC_TOOLS_VERIFY_ENCODING_CASES_H_
#define POSENC_TOOLS_VERIFY_ENCODING_CASES_H_

#include <cstdint>
#include <vector>

#include "verify/encoding_case.h"

namespace posenc {
namespace tools {

// All layouts and operations, odd dims, bases, scales and the ends of the range, for float32 and then for the
// 16-bit types; then positions that are no integers and listed frequencies, in all types; then what later
// versions appended.
std::vector<EncodingCase> EncodingDigestCases();

// The part of them that encoding_special_cases.cc makes, in its order.
void AppendSpecialCases(std::vector<EncodingCase>* cases);

std::vector<EncodingCase> EncodingTableCases();
std::vector<Group> EncodingAreas(std::uint64_t seed);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_ENCODING_CASES_H_
