// Says which number each column of a row holds. Written from the documentation in posenc_c.h, without the
// library's code.
#ifndef POSENC_TOOLS_ORACLE_COLUMNS_H_
#define POSENC_TOOLS_ORACLE_COLUMNS_H_

#include <cstddef>
#include <vector>

#include "posenc/posenc.h"

namespace posenc {
namespace oracle {

struct Entry {
  enum Kind { kSine, kCosine, kZero, kPosition };
  Kind kind;
  std::size_t pair;

  bool sine() const { return kind == kSine; }
  bool IsOfPair() const { return kind == kSine || kind == kCosine; }
};

// What each column holds: [spec.dim].
std::vector<Entry> EntriesOf(const posenc_spec& spec);

// How many pairs these columns need, at least 1.
std::size_t PairsOf(const posenc_spec& spec);

}  // namespace oracle
}  // namespace posenc

#endif  // POSENC_TOOLS_ORACLE_COLUMNS_H_
