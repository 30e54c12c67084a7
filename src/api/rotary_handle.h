// The handle of the rotary's C functions: it comes first in its block of memory, then the arrays of its
// table.
#ifndef POSENC_SRC_API_ROTARY_HANDLE_H_
#define POSENC_SRC_API_ROTARY_HANDLE_H_

#include "call/rotary.h"
#include "posenc/rotary_c.h"

struct posenc_rotary {
  posenc::internal::Rotary rotary;
  bool owned;  // the block is ours, not the caller's
};

#endif  // POSENC_SRC_API_ROTARY_HANDLE_H_
