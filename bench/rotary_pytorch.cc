// The peer torch: transformers' apply_rotary_pos_emb, by libtorch on one thread.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "rotary_peers.h"

namespace posenc {
namespace bench {
namespace {

at::Tensor Wrap(float* data, at::IntArrayRef sizes) { return at::from_blob(data, sizes, at::kFloat); }

at::Tensor RotateHalf(const at::Tensor& x) {
  const std::int64_t half = x.size(-1) / 2;
  return at::cat({-x.slice(-1, half), x.slice(-1, 0, half)}, -1);
}

}  // namespace

struct TorchRotation::Tensors {
  at::Tensor q, k, cosines, sines;

  void Rotate(at::Tensor& x) const { at::add_out(x, x * cosines, RotateHalf(x) * sines); }
};

TorchRotation::TorchRotation(const LoopWork<float>& work, const float* table) : tensors_(new Tensors) {
  at::set_num_threads(1);
  const auto tokens = static_cast<std::int64_t>(work.tokens), pairs = static_cast<std::int64_t>(work.pairs);
  const auto wrap = [&](const LoopTensor<float>& tensor) {
    return Wrap(tensor.data, {tokens, static_cast<std::int64_t>(tensor.heads), 2 * pairs});
  };
  tensors_->q = wrap(work.tensors[0]);
  tensors_->k = wrap(work.tensors[1]);
  const at::Tensor rows = Wrap(const_cast<float*>(table), {tokens, 1, 2 * pairs});  // only read
  const at::Tensor cosines = rows.slice(-1, 0, pairs), sines = rows.slice(-1, pairs);
  tensors_->cosines = at::cat({cosines, cosines}, -1);
  tensors_->sines = at::cat({sines, sines}, -1);
}

TorchRotation::~TorchRotation() { delete tensors_; }

void TorchRotation::Run() const {
  tensors_->Rotate(tensors_->q);
  tensors_->Rotate(tensors_->k);
}

}  // namespace bench
}  // namespace posenc
