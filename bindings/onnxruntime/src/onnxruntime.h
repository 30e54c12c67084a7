// Includes ONNX Runtime's C++ interface, without initializing it: RegisterCustomOps receives the pointer to
// its functions.
#ifndef POSENC_ONNXRUNTIME_ONNXRUNTIME_H_
#define POSENC_ONNXRUNTIME_ONNXRUNTIME_H_

#define ORT_API_MANUAL_INIT
#include <onnxruntime_cxx_api.h>
#undef ORT_API_MANUAL_INIT

#endif  // POSENC_ONNXRUNTIME_ONNXRUNTIME_H_
