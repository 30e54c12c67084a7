// posenc's rotary embeddings as an operator of libtorch, in place:
//
//   posenc::rotary_(Tensor(a!) q, Tensor(b!) k, Tensor positions, *, str preset="llama", float? base=None,
//                   bool inverse=False) -> ()
//
// q and k [batch, heads, tokens, head_dim] are float32, bfloat16 or float16, on the CPU. Only the stride of
// head_dim must be 1. So a projection's output [batch, tokens, heads, head_dim] can be transposed as a view,
// without a copy. q and k may have different numbers of heads. positions [tokens] or [batch, tokens] are
// int32 or int64. If the operator refuses, it changes nothing.
#include <ATen/ATen.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/Parallel.h>
#include <posenc/models_c.h>
#include <posenc/rotary_c.h>
#include <torch/library.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>

#include "torch_posenc.h"

namespace {

void Check(posenc_status status) { CheckOk(status, "posenc::rotary_"); }

struct Destroy {
  void operator()(posenc_rotary* rotary) const { posenc_rotary_destroy(rotary); }
};
using Rotary = std::unique_ptr<posenc_rotary, Destroy>;

// Takes microseconds. A model that is used for long would keep the rotary.
Rotary MakeRotary(const std::string& preset, std::int64_t head_dim, c10::optional<double> base) {
  posenc_rotary_spec spec;
  Check(posenc_rotary_spec_preset(&spec, sizeof(spec), preset.c_str(), static_cast<std::size_t>(head_dim),
                                  nullptr));
  spec.base = base.value_or(spec.base);
  posenc_rotary* rotary = nullptr;
  Check(posenc_rotary_create(&spec, &rotary));
  return Rotary(rotary);
}

// The heads of a sequence, beginning at a token.
posenc_heads HeadsOf(const at::Tensor& x, std::int64_t sequence, std::int64_t token, bool inverse) {
  const std::int64_t begin = sequence * x.stride(0) + token * x.stride(2);
  posenc_heads heads{};
  heads.type = TypeOf(x.scalar_type());
  heads.data = static_cast<char*>(x.data_ptr()) + begin * static_cast<std::int64_t>(x.element_size());
  heads.heads = static_cast<std::size_t>(x.size(1));
  heads.token_stride = static_cast<std::size_t>(x.stride(2));
  heads.head_stride = static_cast<std::size_t>(x.stride(1));
  heads.inverse = inverse ? 1 : 0;
  return heads;
}

void CheckTensors(const at::Tensor& q, const at::Tensor& k, const at::Tensor& positions) {
  for (const at::Tensor& x : {q, k}) {
    TORCH_CHECK(
        x.dim() == 4 && x.stride(3) == 1 && x.device().is_cpu(),
        "posenc::rotary_: q and k must be [batch, heads, tokens, head_dim] on the CPU, head_dim dense");
    at::assert_no_internal_overlap(x);
  }
  at::assert_no_overlap(q, k);
  TORCH_CHECK(q.scalar_type() == k.scalar_type() && q.size(0) == k.size(0) && q.size(2) == k.size(2) &&
                  q.size(3) == k.size(3),
              "posenc::rotary_: q and k may differ only in the number of heads");
  TORCH_CHECK((positions.dim() == 1 || positions.dim() == 2) && positions.device().is_cpu(),
              "posenc::rotary_: positions must be [tokens] or [batch, tokens] on the CPU");
}

void RotaryInPlace(at::Tensor& q, at::Tensor& k, const at::Tensor& positions, c10::string_view preset,
                   c10::optional<double> base, bool inverse) {
  CheckTensors(q, k, positions);
  const std::int64_t sequences = q.size(0), tokens = q.size(2);
  const at::Tensor list = positions.expand({sequences, tokens}).contiguous();
  const Rotary rotary = MakeRotary(std::string(preset), q.size(3), base);
  const auto* from = static_cast<const char*>(list.data_ptr());
  const auto positions_from = [&](std::int64_t token) -> posenc_list {
    return {TypeOf(list.scalar_type()), from + token * static_cast<std::int64_t>(list.element_size())};
  };
  const auto count = static_cast<std::size_t>(list.numel());
  // A call without tensors only checks. It checks all positions before any thread rotates.
  const posenc_list all = positions_from(0);
  Check(posenc_rotate_at(rotary.get(), &all, count, nullptr, 0, nullptr));

  // torch's threads, each with a range of the tokens of all sequences.
  std::atomic<posenc_status> status{POSENC_OK};
  at::parallel_for(0, list.numel(), /*grain_size=*/16, [&](std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const std::int64_t sequence = begin / tokens, token = begin % tokens;
      const std::int64_t some = std::min(end - begin, tokens - token);
      const posenc_heads both[] = {HeadsOf(q, sequence, token, inverse),
                                   HeadsOf(k, sequence, token, inverse)};
      const posenc_list range = positions_from(begin);
      const posenc_status result =
          posenc_rotate_at(rotary.get(), &range, static_cast<std::size_t>(some), both, 2, nullptr);
      if (result != POSENC_OK) status = result;
      begin += some;
    }
  });
  Check(status);
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(posenc, library) {
  library.def(
      "rotary_(Tensor(a!) q, Tensor(b!) k, Tensor positions, *, str preset='llama', float? base=None, "
      "bool inverse=False) -> ()");
  library.impl("rotary_", c10::DispatchKey::CPU, TORCH_FN(RotaryInPlace));
}
