// The rows of the digest's cases, in groups. Each group is a test, too (tests/cases_test.cc).
#ifndef POSENC_TOOLS_VERIFY_ROW_GROUPS_H_
#define POSENC_TOOLS_VERIFY_ROW_GROUPS_H_

#include <cstdint>
#include <vector>

namespace posenc {
namespace tools {

struct RowGroup {
  const char* name;
  std::vector<const char*> rows;
  std::uint32_t seed = 0;  // of the first case (AppendRows)
};

std::vector<RowGroup> EncodingRows();
std::vector<RowGroup> RotaryRows();
std::vector<RowGroup> NormRows();

// Whole tables, which are too large for the digest.
std::vector<RowGroup> TableRows();

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_ROW_GROUPS_H_
