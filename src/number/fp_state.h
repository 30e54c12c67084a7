// The floating-point environment of a call: round to nearest, subnormal numbers kept, exceptions masked,
// whatever the caller has set. Control and status are restored afterwards.
#ifndef POSENC_SRC_NUMBER_FP_STATE_H_
#define POSENC_SRC_NUMBER_FP_STATE_H_

#include "number/compiler.h"

namespace posenc {
namespace internal {

// Returns the result of work(), computed in that environment. Compilers may move arithmetic across accesses
// to the environment, but not out of a function that they cannot see into.
template <class Work>
auto InFpState(const Work& work) {
  struct Job {
    const Work& work;
    decltype(work()) result;
  } job{work, {}};
  void (*volatile unknown)(Job*) = [](Job* that) { that->result = that->work(); };
  FpRegisters registers;
  registers.Read();
  registers.SetDefault();
  unknown(&job);
  registers.Restore();
  return job.result;
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_NUMBER_FP_STATE_H_
