// The peer pytorch: the code of the PyTorch tutorials, by libtorch on one thread.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/version.h>

#include <cmath>

#include "peers.h"

namespace posenc {
namespace bench {
namespace {

// position = torch.arange(first, first + rows).unsqueeze(1)
// div_term = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
// pe[:, 0::2] = torch.sin(position * div_term)
// pe[:, 1::2] = torch.cos(position * div_term)
void WriteRecipe(int first, std::size_t rows, std::size_t dim, float* out) {
  const auto row_count = static_cast<std::int64_t>(rows);
  const auto columns = static_cast<std::int64_t>(dim);
  at::Tensor pe = at::from_blob(out, {row_count, columns}, at::kFloat);
  const at::Tensor position = at::arange(first, first + row_count, at::kFloat).unsqueeze(1);
  const at::Tensor div_term =
      at::exp(at::arange(0, columns, 2, at::kFloat) * (-std::log(10000.0) / static_cast<double>(dim)));
  pe.slice(1, 0, columns, 2).copy_(at::sin(position * div_term));
  pe.slice(1, 1, columns, 2).copy_(at::cos(position * div_term));
}

}  // namespace

Peer<float> PyTorch() {
  return {"pytorch", "libtorch " TORCH_VERSION " exp, outer product, sin and cos into slices",
          [](std::size_t dim) -> Peer<float>::Writer {
            at::set_num_threads(1);
            return [dim](int first, std::size_t rows, float* out) { WriteRecipe(first, rows, dim, out); };
          },
          ""};
}

}  // namespace bench
}  // namespace posenc
