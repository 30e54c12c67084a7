// What makes an operator: its kernel, and the types by which ONNX Runtime finds it.
#ifndef POSENC_ONNXRUNTIME_OPERATORS_H_
#define POSENC_ONNXRUNTIME_OPERATORS_H_

#include <memory>
#include <vector>

#include "onnxruntime.h"

namespace posenc_onnxruntime {

// A node of a session. Immutable: sessions may run in several threads at once.
class Kernel {
 public:
  virtual ~Kernel() = default;

  // Throws Error if the inputs do not suit it.
  virtual void Compute(const Ort::KernelContext& context) const = 0;
};

template <class Made>
std::unique_ptr<Kernel> Make(const Ort::ConstKernelInfo& info) {
  return std::make_unique<Made>(info);
}

using ElementType = ONNXTensorElementDataType;

// An operator for one choice of types. Those of one name have inputs that are optional, or not, alike.
struct Operator {
  const char* name;
  std::vector<ElementType> inputs;
  std::size_t required;  // inputs; the others are optional
  ElementType output;
  bool may_be_in_place;  // the output may take the memory of input 0
  std::unique_ptr<Kernel> (*make)(const Ort::ConstKernelInfo&);
};

// The operators with all choices of types. encodings.cc: SinusoidalEncoding, AddPositions, EmbedTokens;
// rotary.cc: RotaryEmbedding, RotaryCosSin.
void AppendEncodings(std::vector<Operator>* operators);
void AppendRotary(std::vector<Operator>* operators);

}  // namespace posenc_onnxruntime

#endif  // POSENC_ONNXRUNTIME_OPERATORS_H_
