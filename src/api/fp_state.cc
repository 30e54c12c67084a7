// The C function that runs a caller's code in posenc's floating-point state.

#include "number/exact.h"

#include "number/fp_state.h"

#include "posenc/posenc_c.h"

posenc_status posenc_with_fp_state(void (*work)(void* data), void* data) {
  if (work == nullptr) return POSENC_NULL_POINTER;
  return posenc::internal::InFpState([&] {
    work(data);
    return POSENC_OK;
  });
}
