// Detects what torch does besides computing: recording operators, gradients, versions of tensors. These
// functions never import torch. If it has not been imported, they return at once.
#ifndef POSENC_PYTHON_TORCH_H_
#define POSENC_PYTHON_TORCH_H_

#include <nanobind/nanobind.h>

#include <string>

#include "posenc/posenc_c.h"

namespace posenc_python {

namespace nb = nanobind;

// Raises RuntimeError while torch records operators (jit.trace, make_fx, fake tensors), because the record
// would lack what posenc computes. Every call of posenc begins with this check.
void RequireNoRecording();

bool IsTensor(nb::handle object);
bool IsStrided(nb::handle tensor);  // not sparse

// Raises ValueError if a tensor, or a tensor in a list, is more than the numbers in its memory; for example,
// if it requires a gradient while gradients are recorded. `instead` is the message's advice what to write
// instead. If it is null, the advice is how to use the tensor as a constant.
void RequireConstant(nb::handle object, const std::string& name, bool is_written = false,
                     const char* instead = nullptr);

// As long as the returned object lives, new tensors and views do not belong to a transform of torch.func.
nb::object OutsideTransforms();

// Call this after writing a tensor. Then backward() refuses to use its old elements.
void MoveVersion(nb::handle tensor);

// Whether torch does nothing but compute: it records no operators, transforms no functions, has no tangents,
// and no mode is active that could change how a tensor answers.
bool IsIdle();

// A contiguous, non-empty tensor in the CPU's memory. It is valid as long as the Python object lives.
struct DenseTensor {
  static constexpr size_t kMaxAxes = 8;

  size_t count() const;  // the number of elements

  void* data;
  posenc_type type;
  size_t axes;
  int64_t shape[kMaxAxes];
};

// Returns false if `object` is not such a tensor, or if it may require a gradient. Raises nothing.
bool ToDense(nb::handle object, DenseTensor* tensor);

// A new tensor of the same shape and type; *data becomes its memory. It is contiguous, or has the strides of
// `tensor`.
nb::object EmptyLike(nb::handle tensor, bool keeps_strides, void** data);

}  // namespace posenc_python

#endif  // POSENC_PYTHON_TORCH_H_
