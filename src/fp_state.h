// The floating-point environment of a call: round to nearest, no flushing of subnormals, exceptions
// masked, whatever the caller has set. Control and status come back as they were.
#ifndef POSENC_SRC_FP_STATE_H_
#define POSENC_SRC_FP_STATE_H_

#include "compiler.h"

namespace posenc {
namespace internal {

// Saves the state and sets the default one, for the lifetime of the object.
class FpState {
 public:
  FpState() {
    registers_.Read();
    registers_.SetDefault();
  }
  FpState(const FpState&) = delete;
  FpState& operator=(const FpState&) = delete;
  ~FpState() { registers_.Restore(); }

 private:
  FpRegisters registers_;
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FP_STATE_H_
