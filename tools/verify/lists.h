// Lists of numbers that have a name, for rows of cases (rows.h): positions, frequencies and factors.
#ifndef POSENC_TOOLS_VERIFY_LISTS_H_
#define POSENC_TOOLS_VERIFY_LISTS_H_

#include <string>
#include <vector>

namespace posenc {
namespace tools {

struct NumberList {
  std::vector<double> doubles;
  std::vector<float> floats;  // the same numbers
};

// The list with this name, or null. It lives on, because specs point to it.
const NumberList* ListNamed(const std::string& name);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_LISTS_H_
