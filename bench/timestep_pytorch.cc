// Embeddings of timesteps by get_timestep_embedding of diffusers, with libtorch on one thread.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cmath>

#include "timestep_peers.h"

namespace posenc {
namespace bench {

// exponent = -math.log(10000) * torch.arange(0, half, dtype=torch.float32)
// emb = timesteps[:, None].float() * torch.exp(exponent / half)[None, :]
// emb = torch.cat([torch.sin(emb), torch.cos(emb)], dim=-1)
// emb = torch.cat([emb[:, half:], emb[:, :half]], dim=-1)
void WriteTimestepsByTorch(const float* timesteps, std::size_t rows, std::size_t dim, float* out) {
  at::set_num_threads(1);
  const auto row_count = static_cast<std::int64_t>(rows), half = static_cast<std::int64_t>(dim / 2);
  at::Tensor result = at::from_blob(out, {row_count, 2 * half}, at::kFloat);
  const at::Tensor t = at::from_blob(const_cast<float*>(timesteps), {row_count, 1}, at::kFloat);  // only read
  const at::Tensor exponent = -std::log(10000.0) * at::arange(0, half, at::kFloat);
  const at::Tensor phases = t * at::exp(exponent / half).unsqueeze(0);
  const at::Tensor rows_of = at::cat({at::sin(phases), at::cos(phases)}, -1);
  at::cat_out(result, {rows_of.slice(1, half), rows_of.slice(1, 0, half)}, -1);
}

}  // namespace bench
}  // namespace posenc
