// The handles of the C functions. Each comes first in its block of memory, then the arrays of its table.
#ifndef POSENC_SRC_API_HANDLE_H_
#define POSENC_SRC_API_HANDLE_H_

#include "call/encoder.h"
#include "call/rotary.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"

struct posenc_encoder {
  posenc::internal::Encoder encoder;
  bool owned;  // the block is ours, not the caller's
};

struct posenc_rotary {
  posenc::internal::Rotary rotary;
  bool owned;
};

#endif  // POSENC_SRC_API_HANDLE_H_
