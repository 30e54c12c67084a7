// posenc_spec, as programs of other versions pass it.
#ifndef POSENC_SRC_API_SPEC_H_
#define POSENC_SRC_API_SPEC_H_

#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// The spec of a caller, who may know fewer or more members of it. struct_size is that of the caller.
posenc_status CopySpec(const posenc_spec* from, posenc_spec* to);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_API_SPEC_H_
