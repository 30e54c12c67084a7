// Checks of the lists that calls of a rotary take: positions of tokens.
#ifndef POSENC_SRC_API_TOKEN_LIST_H_
#define POSENC_SRC_API_TOKEN_LIST_H_

#include <cstddef>

#include "call/call.h"
#include "posenc/posenc_c.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {

// Checks a list's type, and that its pointer is not null if there are tokens.
inline posenc_status CheckTokenList(const posenc_list* positions, std::size_t tokens) {
  if (positions == nullptr) return rule::null_positions;
  if (!IsPositionType(positions->type)) return rule::type_positions;
  return positions->data == nullptr && tokens != 0 ? rule::null_positions_data : rule::ok;
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_API_TOKEN_LIST_H_
