// The C functions that set a spec to its defaults. They are in a separate file so that a program that only
// fills in specs does not link kernels.

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
