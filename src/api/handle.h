// The handle of the C functions: it comes first in its block of memory, then the arrays of its table.
#ifndef POSENC_SRC_API_HANDLE_H_
#define POSENC_SRC_API_HANDLE_H_

#include "call/encoder.h"
#include "posenc/posenc_c.h"

struct posenc_encoder {
  posenc::internal::Encoder encoder;
  bool owned;  // the block is ours, not the caller's
};

#endif  // POSENC_SRC_API_HANDLE_H_
