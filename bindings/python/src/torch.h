// What torch does besides computing, where posenc must know of it: operators that are recorded, gradients,
// versions of tensors. Nothing here imports torch; without it each function returns at once.
#ifndef POSENC_PYTHON_TORCH_H_
#define POSENC_PYTHON_TORCH_H_

#include <nanobind/nanobind.h>

#include <string>

#include "posenc/posenc_c.h"

namespace posenc_python {

namespace nb = nanobind;

// RuntimeError while torch records operators (jit.trace, make_fx, fake tensors), whose record would lack what
// posenc computes. Every call begins with it.
void RequireNoRecording();

bool IsTensor(nb::handle object);
bool IsStrided(nb::handle tensor);  // not sparse

// ValueError for a tensor, or a list with one, that requires a gradient while gradients are recorded, or is
// otherwise more than the numbers in its memory. `instead` says what to write then; null: for one that is
// read, how it may be taken as a constant.
void RequireConstant(nb::handle object, const std::string& name, bool is_written = false,
                     const char* instead = nullptr);

// While what it returns lives, tensors that are made, views too, belong to no transform of torch.func.
nb::object OutsideTransforms();

// For a tensor that has been written: backward() then refuses to use its former elements.
void MoveVersion(nb::handle tensor);

// Whether torch only computes: it records no operators, transforms no functions, and has neither tangents nor
// a mode that may change what a tensor answers.
bool IsIdle();

// A contiguous tensor with elements in the CPU's memory, and all that such a tensor is while torch is idle.
// It lives as long as the object that was asked.
struct DenseTensor {
  static constexpr size_t kMaxAxes = 8;

  size_t count() const;  // of elements

  void* data;
  posenc_type type;
  size_t axes;
  int64_t shape[kMaxAxes];
};

// False for whatever is no such tensor, or may require a gradient; nothing is raised.
bool ToDense(nb::handle object, DenseTensor* tensor);

// A new tensor of the same shape and type, and its memory; its strides are those of its shape, or the
// other's.
nb::object EmptyLike(nb::handle tensor, bool keeps_strides, void** data);

}  // namespace posenc_python

#endif  // POSENC_PYTHON_TORCH_H_
