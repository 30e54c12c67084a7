// The C functions that begin a spec. A program that only fills specs links these, and no kernels.

#include "number/exact.h"

#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"
#include "spec/rows.h"
#include "spec/versioned.h"

using namespace posenc::internal;  // NOLINT(google-build-using-namespace)

posenc_status posenc_spec_init(posenc_spec* spec, size_t struct_size) {
  return WriteSpec(Default<posenc_spec>(), struct_size, spec);
}

posenc_status posenc_rotary_spec_init(posenc_rotary_spec* spec, size_t struct_size) {
  return WriteSpec(Default<posenc_rotary_spec>(), struct_size, spec);
}
