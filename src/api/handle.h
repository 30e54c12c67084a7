// The handles of the C functions. A handle begins its block of memory; the arrays of its table follow.
#ifndef POSENC_SRC_API_HANDLE_H_
#define POSENC_SRC_API_HANDLE_H_

#include "call/encoder.h"
#include "call/rotary.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"

struct posenc_encoder {
  posenc::internal::Encoder encoder;
  bool owned;  // whether the library frees the block; else it is the caller's memory
};

struct posenc_rotary {
  posenc::internal::Rotary rotary;
  bool owned;
};

#endif  // POSENC_SRC_API_HANDLE_H_
