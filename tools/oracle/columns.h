// Which number each column of a row holds, from the words of posenc_c.h.
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

// [spec.dim]
std::vector<Entry> EntriesOf(const posenc_spec& spec);

// The pairs that they need, at least one.
std::size_t PairsOf(const posenc_spec& spec);

}  // namespace oracle
}  // namespace posenc

#endif  // POSENC_TOOLS_ORACLE_COLUMNS_H_
