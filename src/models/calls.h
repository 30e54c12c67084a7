// What src/models needs from the core library, called through public C functions only: posenc's
// floating-point state, and writing specs of programs that were compiled with another version of posenc.
#ifndef POSENC_SRC_MODELS_CALLS_H_
#define POSENC_SRC_MODELS_CALLS_H_

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "posenc/rotary_c.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {
namespace models {

// Runs work() in posenc's floating-point state, and returns its status.
template <class Work>
posenc_status InFpState(const Work& work) {
  struct Job {
    const Work& work;
    posenc_status result;
  } job{work, POSENC_OK};
  const auto run = [](void* data) { static_cast<Job*>(data)->result = static_cast<Job*>(data)->work(); };
  const posenc_status status = posenc_with_fp_state(run, &job);
  return status != POSENC_OK ? status : job.result;
}

inline posenc_status Init(posenc_spec* spec, std::size_t struct_size) {
  return posenc_spec_init(spec, struct_size);
}
inline posenc_status Init(posenc_rotary_spec* spec, std::size_t struct_size) {
  return posenc_rotary_spec_init(spec, struct_size);
}

// Writes the members that a caller with this struct_size knows. On failure *to stays as it is.
template <class Spec>
posenc_status WriteSpec(Spec from, std::size_t struct_size, Spec* to) {
  const posenc_status status = Init(to, struct_size);  // refuses wrong sizes; clears members unknown here
  if (status != POSENC_OK) return status;
  from.struct_size = struct_size;
  std::memcpy(to, &from, std::min(sizeof(from), struct_size));
  return rule::ok;
}

}  // namespace models
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_MODELS_CALLS_H_
