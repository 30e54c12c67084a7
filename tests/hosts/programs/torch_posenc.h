// What the operators for libtorch share: the types of tensors, and errors.
#ifndef POSENC_TESTS_HOSTS_PROGRAMS_TORCH_POSENC_H_
#define POSENC_TESTS_HOSTS_PROGRAMS_TORCH_POSENC_H_

#include <ATen/ATen.h>
#include <posenc/posenc_c.h>

inline void CheckOk(posenc_status status, const char* name) {
  TORCH_CHECK(status == POSENC_OK, name, ": ", posenc_status_message(status));
}

inline posenc_type TypeOf(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return POSENC_F32;
    case at::kBFloat16:
      return POSENC_BF16;
    case at::kHalf:
      return POSENC_F16;
    case at::kInt:
      return POSENC_I32;
    case at::kLong:
      return POSENC_I64;
    default:
      return posenc_type{};  // no posenc type; the calls report it
  }
}

#endif  // POSENC_TESTS_HOSTS_PROGRAMS_TORCH_POSENC_H_
