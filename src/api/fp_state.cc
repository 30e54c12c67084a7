// posenc_with_fp_state, which runs the caller's code in posenc's floating-point state.

#include "number/exact.h"

#include "number/fp_state.h"

#include "posenc/posenc_c.h"
#include "spec/rules.h"

using namespace posenc::internal;  // NOLINT(google-build-using-namespace)

posenc_status posenc_with_fp_state(void (*work)(void* data), void* data) {
  if (work == nullptr) return rule::null_work;
  return InFpState([&] {
    work(data);
    return rule::ok;
  });
}
