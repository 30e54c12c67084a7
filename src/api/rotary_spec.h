// posenc_rotary_spec, as programs of other versions pass it.
#ifndef POSENC_SRC_API_ROTARY_SPEC_H_
#define POSENC_SRC_API_ROTARY_SPEC_H_

#include <cstddef>

#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

// The spec of a caller, who may know fewer or more members of it. struct_size is that of the caller.
posenc_status CopyRotarySpec(const posenc_rotary_spec* from, posenc_rotary_spec* to);

// The reverse: a spec for a caller who knows struct_size bytes of it. On failure *to is left as it was.
posenc_status WriteRotarySpec(const posenc_rotary_spec& from, std::size_t struct_size,
                              posenc_rotary_spec* to);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_API_ROTARY_SPEC_H_
