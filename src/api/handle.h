// The structs behind the handles of the C functions. A handle is at the beginning of a block of memory; the
// arrays of its table follow in the same block (block.h).
#ifndef POSENC_SRC_API_HANDLE_H_
#define POSENC_SRC_API_HANDLE_H_

#include <cstddef>

#include "call/angles.h"
#include "call/encoder.h"
#include "call/rotary.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_angles_c.h"
#include "posenc/rotary_c.h"

struct posenc_encoder {
  posenc::internal::Encoder encoder;
  bool owned = false;  // whether the library allocated the block and must free it; else the caller did
};

struct posenc_rotary {
  posenc::internal::Rotary rotary;
  bool owned = false;
  std::size_t block_bytes = 0;  // of the handle and its arrays
};

struct posenc_angles {
  posenc::internal::StepAngles angles;
};

#endif  // POSENC_SRC_API_HANDLE_H_
