// Defines an operator: its kernel, and the types by which ONNX Runtime finds it.
#ifndef POSENC_ONNXRUNTIME_OPERATORS_H_
#define POSENC_ONNXRUNTIME_OPERATORS_H_

#include <memory>
#include <vector>

#include "onnxruntime.h"

namespace posenc_onnxruntime {

// The kernel of a node in a session. It never changes, because a session may run in several threads at once.
class Kernel {
 public:
  virtual ~Kernel() = default;

  // Throws Error if the inputs do not fit the node.
  virtual void Compute(const Ort::KernelContext& context) const = 0;
};

template <class Made>
std::unique_ptr<Kernel> Make(const Ort::ConstKernelInfo& info) {
  return std::make_unique<Made>(info);
}

using ElementType = ONNXTensorElementDataType;

// An operator for one choice of types. All operators with the same name have the same required inputs.
struct Operator {
  const char* name;
  std::vector<ElementType> inputs;
  std::size_t required;  // number of required inputs; the others are optional
  ElementType output;
  bool may_be_in_place;  // whether the output may use the memory of input 0
  std::unique_ptr<Kernel> (*make)(const Ort::ConstKernelInfo&);
};

// Append the operators with all choices of types: SinusoidalEncoding, AddPositions and EmbedTokens
// (encodings.cc), and RotaryEmbedding and RotaryCosSin (rotary.cc).
void AppendEncodings(std::vector<Operator>* operators);
void AppendRotary(std::vector<Operator>* operators);

}  // namespace posenc_onnxruntime

#endif  // POSENC_ONNXRUNTIME_OPERATORS_H_
