// RegisterCustomOps, the only function that the library exports: passes the operators to ONNX Runtime, as C
// structs. No exception leaves this file.

#include "operators.h"

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "arguments.h"

namespace posenc_onnxruntime {
namespace {

// The oldest version of ONNX Runtime's interface that is sufficient: since 1.18 an operator can say that it
// may work in place.
constexpr std::uint32_t kApiVersion = 18;

// Calls work(), and converts what it throws into a status.
template <class Work>
OrtStatusPtr Caught(const Work& work) noexcept {
  try {
    work();
    return nullptr;
  } catch (const std::exception& error) {
    return Ort::GetApi().CreateStatus(ORT_INVALID_ARGUMENT, error.what());
  } catch (...) {
    return Ort::GetApi().CreateStatus(ORT_FAIL, "an unknown exception");
  }
}

// Makes the kernel of a node. Error messages name the node, as ONNX Runtime itself does for errors of calls.
std::unique_ptr<Kernel> MakeNode(const Operator& op, const Ort::ConstKernelInfo& info) {
  try {
    return op.make(info);
  } catch (const Error& error) {
    throw Error(std::string("node '") + info.GetNodeName() + "' (posenc." + op.name + "): " + error.what());
  }
}

// An operator as ONNX Runtime takes it. It does not infer shapes: then ONNX Runtime 1.21 would read the types
// of all inputs, even of optional inputs that are left out, and crash.
struct CustomOp : OrtCustomOp {
  explicit CustomOp(Operator of) : OrtCustomOp{}, op(std::move(of)) {
    version = kApiVersion;
    GetName = [](const OrtCustomOp* self) { return Of(self).name; };
    GetExecutionProviderType = [](const OrtCustomOp*) -> const char* { return nullptr; };  // the CPU
    GetInputTypeCount = [](const OrtCustomOp* self) { return Of(self).inputs.size(); };
    GetInputType = [](const OrtCustomOp* self, size_t i) { return Of(self).inputs[i]; };
    GetInputCharacteristic = [](const OrtCustomOp* self, size_t i) {
      return i < Of(self).required ? INPUT_OUTPUT_REQUIRED : INPUT_OUTPUT_OPTIONAL;
    };
    GetInputMemoryType = [](const OrtCustomOp*, size_t) { return OrtMemTypeDefault; };
    GetOutputTypeCount = [](const OrtCustomOp*) -> size_t { return 1; };
    GetOutputType = [](const OrtCustomOp* self, size_t) { return Of(self).output; };
    GetOutputCharacteristic = [](const OrtCustomOp*, size_t) { return INPUT_OUTPUT_REQUIRED; };
    GetStartVersion = [](const OrtCustomOp*) { return 1; };
    GetEndVersion = [](const OrtCustomOp*) { return INT32_MAX; };
    CreateKernelV2 = [](const OrtCustomOp* self, const OrtApi*, const OrtKernelInfo* info, void** kernel) {
      return Caught([&] { *kernel = MakeNode(Of(self), Ort::ConstKernelInfo(info)).release(); });
    };
    KernelComputeV2 = [](void* kernel, OrtKernelContext* context) {
      return Caught([&] { static_cast<const Kernel*>(kernel)->Compute(Ort::KernelContext(context)); });
    };
    KernelDestroy = [](void* kernel) { delete static_cast<Kernel*>(kernel); };
    if (op.may_be_in_place) {
      GetMayInplace = [](int** inputs, int** outputs) -> size_t {
        *inputs = new int[1]{0};
        *outputs = new int[1]{0};
        return 1;
      };
      ReleaseMayInplace = [](int* inputs, int* outputs) {
        delete[] inputs;
        delete[] outputs;
      };
    }
  }

  static const Operator& Of(const OrtCustomOp* self) { return static_cast<const CustomOp*>(self)->op; }

  Operator op;
};

// The operators, which live until the process ends, because sessions use them as long as they live.
const Ort::CustomOpDomain& Domain() {
  static const std::deque<CustomOp>* const custom_ops = [] {
    std::vector<Operator> operators;
    AppendEncodings(&operators);
    AppendRotary(&operators);
    auto* made = new std::deque<CustomOp>;
    for (Operator& op : operators) made->emplace_back(std::move(op));
    return made;
  }();
  static const auto* const domain = [] {
    auto* made = new Ort::CustomOpDomain("posenc");
    for (const CustomOp& op : *custom_ops) made->Add(&op);
    return made;
  }();
  return *domain;
}

}  // namespace
}  // namespace posenc_onnxruntime

// SessionOptions.register_custom_ops_library calls this function.
extern "C" __attribute__((visibility("default"))) OrtStatus* ORT_API_CALL
RegisterCustomOps(OrtSessionOptions* options, const OrtApiBase* base) {
  using namespace posenc_onnxruntime;
  const OrtApi* const api = base->GetApi(kApiVersion);
  if (api == nullptr) {
    return base->GetApi(1)->CreateStatus(ORT_FAIL, "posenc's operators need ONNX Runtime 1.18 or newer");
  }
  Ort::InitApi(api);
  return Caught([&] { Ort::UnownedSessionOptions(options).Add(Domain()); });
}
