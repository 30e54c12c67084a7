// posenc as an operator of libtorch:
//
//   posenc::sinusoidal(Tensor positions, int dim, *, float base=10000, ScalarType? dtype=None) -> Tensor
//
// positions [rows] are int32 or int64, on the CPU. The result [rows, dim] is float32, or bfloat16 or float16
// if dtype says so. Every entry is correctly rounded. In Python:
// torch.ops.load_library("libposenc_torch.so"), then torch.ops.posenc.sinusoidal(torch.arange(5000), 512).
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <posenc/posenc_c.h>
#include <torch/library.h>

#include <atomic>
#include <memory>

#include "torch_posenc.h"

namespace {

void Check(posenc_status status) { CheckOk(status, "posenc::sinusoidal"); }

struct Destroy {
  void operator()(posenc_encoder* encoder) const { posenc_encoder_destroy(encoder); }
};
using Encoder = std::unique_ptr<posenc_encoder, Destroy>;

// Takes microseconds. A model that is used for long would keep the encoder.
Encoder MakeEncoder(std::int64_t dim, double base) {
  posenc_spec spec;
  Check(posenc_spec_init(&spec, sizeof(spec)));
  spec.dim = dim < 0 ? 0 : static_cast<std::size_t>(dim);
  spec.base = base;
  posenc_encoder* encoder = nullptr;
  Check(posenc_encoder_create(&spec, &encoder));
  return Encoder(encoder);
}

at::Tensor Sinusoidal(const at::Tensor& positions, std::int64_t dim, double base,
                      c10::optional<at::ScalarType> given_dtype) {
  TORCH_CHECK(positions.dim() == 1 && positions.device().is_cpu(), "positions must be a vector on the CPU");
  const at::ScalarType dtype = given_dtype.value_or(at::kFloat);
  const Encoder encoder = MakeEncoder(dim, base);
  const at::Tensor list = positions.contiguous();
  at::Tensor out = at::empty({list.numel(), dim}, list.options().dtype(dtype));
  const auto* from = static_cast<const char*>(list.data_ptr());
  auto* to = static_cast<char*>(out.data_ptr());
  const auto row_bytes = static_cast<std::size_t>(dim) * out.element_size();

  // torch's threads, each with a range of rows.
  std::atomic<posenc_status> status{POSENC_OK};
  at::parallel_for(0, list.numel(), /*grain_size=*/64, [&](std::int64_t begin, std::int64_t end) {
    const auto first = static_cast<std::size_t>(begin), rows = static_cast<std::size_t>(end - begin);
    const posenc_list range = {TypeOf(list.scalar_type()), from + first * list.element_size()};
    const posenc_rows part = {TypeOf(dtype), to + first * row_bytes, static_cast<std::size_t>(dim)};
    const posenc_status result = posenc_write_at(encoder.get(), &range, rows, &part, nullptr);
    if (result != POSENC_OK) status = result;
  });
  Check(status);
  return out;
}

}  // namespace

TORCH_LIBRARY(posenc, library) {
  library.def(
      "sinusoidal(Tensor positions, int dim, *, float base=10000., ScalarType? dtype=None) -> Tensor");
  library.impl("sinusoidal", c10::DispatchKey::CPU, TORCH_FN(Sinusoidal));
}
