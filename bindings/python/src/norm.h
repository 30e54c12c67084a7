// posenc.Norm, which is a Python class, as the C functions take it.
#ifndef POSENC_PYTHON_NORM_H_
#define POSENC_PYTHON_NORM_H_

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

#include "arrays.h"
#include "posenc/rotary_norm_c.h"
#include "torch.h"

namespace posenc_python {

// Whether the object is a posenc.Norm.
bool IsNorm(nb::handle object);

// The norm of a tensor in a call. The weights stay in place as long as this object lives.
class Norm {
 public:
  // Raises TypeError if `object` is not a posenc.Norm or has members of a wrong type, and ValueError if the
  // weights do not have the shape for a tensor with this many heads. The library checks epsilon.
  Norm(nb::handle object, const std::string& name, size_t heads, size_t head_dim);

  const posenc_norm* get() const { return &norm_; }

 private:
  std::optional<Array> weight_;
  posenc_norm norm_{};
};

// The same for eager.cc. Returns false if Norm would raise an error, or if the weights may require a
// gradient.
bool ToDenseNorm(nb::handle object, size_t heads, size_t head_dim, posenc_norm* norm);

// Imports posenc._norm, which this file needs.
void ImportNorm();

}  // namespace posenc_python

#endif  // POSENC_PYTHON_NORM_H_
