#include "arguments.h"

#include "spec/text.h"

namespace posenc_onnxruntime {
namespace {

// Reads an attribute. For every failure ONNX Runtime says only that there is no such attribute of this type.
template <class T>
bool Has(const Ort::ConstKernelInfo& info, const char* name) {
  try {
    info.GetAttribute<T>(name);
    return true;
  } catch (const Ort::Exception&) {
    return false;
  }
}
template <class T>
bool HasList(const Ort::ConstKernelInfo& info, const char* name) {
  try {
    info.GetAttributes<T>(name);
    return true;
  } catch (const Ort::Exception&) {
    return false;
  }
}

const char* NameOf(const std::int64_t*) { return "an integer"; }
const char* NameOf(const float*) { return "a float"; }
const char* NameOf(const std::string*) { return "a string"; }

posenc_type TypeOf(ONNXTensorElementDataType type) {
  switch (type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
      return POSENC_F32;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16:
      return POSENC_BF16;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16:
      return POSENC_F16;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE:
      return POSENC_F64;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32:
      return POSENC_I32;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
      return POSENC_I64;
    default:
      throw Error("a tensor has a type that posenc does not take");
  }
}

std::size_t SizeOf(posenc_type type) {
  switch (type) {
    case POSENC_BF16:
    case POSENC_F16:
      return 2;
    case POSENC_F32:
    case POSENC_I32:
      return 4;
    case POSENC_F64:
    case POSENC_I64:
      return 8;
  }
  throw Error("posenc does not know the size of a type");
}

std::size_t CountOf(const Shape& shape) {
  std::size_t count = 1;
  for (const std::int64_t n : shape) count *= static_cast<std::size_t>(n);
  return count;
}

}  // namespace

void Check(posenc_status status, const std::string& what) {
  if (status == POSENC_OK) return;
  const bool is_memory = posenc_status_kind(status) == POSENC_NO_MEMORY;
  throw Error((what.empty() ? what : what + ": ") +
              (is_memory ? "there is not enough memory" : posenc_status_message(status)));
}

std::string ToText(const Shape& shape) {
  std::string text;
  for (const std::int64_t n : shape) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return "[" + text + "]";
}

std::string ToText(const std::string& name, const Shape& shape, std::size_t index) {
  Shape indices(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const auto n = static_cast<std::size_t>(shape[axis]);
    indices[axis] = static_cast<std::int64_t>(index % n);
    index /= n;
  }
  return indices.empty() ? name : name + ToText(indices);
}

template <class T>
std::optional<T> Attribute(const Ort::ConstKernelInfo& info, const char* name) {
  if (Has<T>(info, name)) return info.GetAttribute<T>(name);
  if (Has<std::int64_t>(info, name) || Has<float>(info, name) || Has<std::string>(info, name) ||
      HasList<std::int64_t>(info, name) || HasList<float>(info, name)) {
    throw Error(std::string("the attribute ") + name + " must be " + NameOf(static_cast<T*>(nullptr)));
  }
  return {};
}
template std::optional<std::int64_t> Attribute(const Ort::ConstKernelInfo&, const char*);
template std::optional<float> Attribute(const Ort::ConstKernelInfo&, const char*);
template std::optional<std::string> Attribute(const Ort::ConstKernelInfo&, const char*);

std::optional<double> NumberAttribute(const Ort::ConstKernelInfo& info, const char* name) {
  if (!Has<std::string>(info, name)) {
    const auto number = Attribute<float>(info, name);
    if (!number) return {};
    return static_cast<double>(*number);
  }
  double number = 0;
  const std::string text = info.GetAttribute<std::string>(name);
  if (!posenc::internal::ReadNumber(text, &number)) {
    throw Error("the attribute " + std::string(name) + " must be a float, or a string with a number, not '" +
                posenc::internal::Cut(text) + "'");
  }
  return number;
}

std::string SpecAttribute(const Ort::ConstKernelInfo& info) {
  const auto spec = Attribute<std::string>(info, "spec");
  if (!spec) throw Error("the attribute spec is missing, a string such as 'preset=llama3'; it may be empty");
  return *spec;
}

float ScaleAttribute(const Ort::ConstKernelInfo& info) {
  return Attribute<float>(info, "scale").value_or(1.0f);
}

std::size_t StatedColumns(const Ort::ConstKernelInfo& info, std::size_t index, std::size_t* axes) {
  const Shape shape = info.GetInputTypeInfo(index).GetTensorTypeAndShapeInfo().GetShape();
  if (axes != nullptr) *axes = shape.size();
  return shape.empty() || shape.back() < 0 ? 0 : static_cast<std::size_t>(shape.back());
}

Tensor Input(const Ort::KernelContext& context, std::size_t index) {
  Tensor tensor;
  if (index >= context.GetInputCount()) return tensor;
  const Ort::ConstValue value = context.GetInput(index);
  if (value == nullptr) return tensor;
  const auto info = value.GetTensorTypeAndShapeInfo();
  tensor.type = TypeOf(info.GetElementType());
  tensor.shape = info.GetShape();
  tensor.data = const_cast<void*>(value.GetTensorRawData());
  tensor.count = CountOf(tensor.shape);
  tensor.element_size = SizeOf(tensor.type);
  return tensor;
}

Tensor Output(const Ort::KernelContext& context, const Shape& shape, posenc_type type) {
  Ort::UnownedValue value = context.GetOutput(0, shape);
  return {value.GetTensorMutableRawData(), type, {}, CountOf(shape), SizeOf(type)};
}

Pieces::Pieces(std::size_t sequences, std::size_t rows, std::size_t row_size, std::size_t unit)
    : sequences_(sequences), rows_(rows) {
  constexpr std::size_t kPieceSize = std::size_t{128} << 10;
  piece_ = unit * std::max<std::size_t>(1, kPieceSize / std::max<std::size_t>(1, row_size * unit));
  per_sequence_ = (rows + piece_ - 1) / piece_;
}

}  // namespace posenc_onnxruntime
