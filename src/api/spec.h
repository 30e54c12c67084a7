// posenc_spec, as programs of other versions pass it.
#ifndef POSENC_SRC_API_SPEC_H_
#define POSENC_SRC_API_SPEC_H_

#include <cstddef>

#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// The spec of a caller, who may know fewer or more members of it. struct_size is that of the caller.
posenc_status CopySpec(const posenc_spec* from, posenc_spec* to);

// The reverse: a spec for a caller who knows struct_size bytes of it. On failure *to is left as it was.
posenc_status WriteSpec(const posenc_spec& from, std::size_t struct_size, posenc_spec* to);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_API_SPEC_H_
