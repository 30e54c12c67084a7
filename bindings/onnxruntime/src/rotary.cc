// RotaryEmbedding, with the inputs of com.microsoft.RotaryEmbedding (input, position_ids, cos_cache,
// sin_cache) or those of ai.onnx (X, cos_cache, sin_cache, position_ids). The position ids are the input of
// integers, wherever it is; caches are not read.

#include <memory>

#include "arguments.h"
#include "operators.h"
#include "posenc/rotary.h"
#include "spec_text.h"

namespace posenc_onnxruntime {
namespace {

constexpr std::size_t kInputs = 4;

class RotaryKernel : public Kernel {
 public:
  explicit RotaryKernel(const Ort::ConstKernelInfo& info) : scale_(ScaleAttribute(info)) {
    const auto heads = Attribute<std::int64_t>(info, "num_heads").value_or(0);
    if (heads < 0) throw Error("num_heads must not be negative");
    heads_ = static_cast<std::size_t>(heads);
    SpecText<posenc_rotary_spec> text(SpecAttribute(info), StatedHeadDim(info));
    if (const auto interleaved = Attribute<std::int64_t>(info, "interleaved")) {
      if (*interleaved != 0 && *interleaved != 1) throw Error("interleaved must be 0 or 1");
      text.spec.pairing = *interleaved == 1 ? POSENC_NEIGHBOURS : POSENC_HALF_SPLIT;
    }
    const auto rotary_dim = Attribute<std::int64_t>(info, "rotary_embedding_dim").value_or(0);
    if (rotary_dim < 0) throw Error("rotary_embedding_dim must not be negative");
    if (rotary_dim > 0) text.spec.rotary_dim = static_cast<std::size_t>(rotary_dim);
    axes_ = text.spec.axes;
    Check(posenc::Rotary::Create(text.spec, &rotary_), "spec");
    if (scale_ == 0.0f) Check(POSENC_BAD_AMPLITUDE, "scale");
  }

  void Compute(const Ort::KernelContext& context) const override {
    const Tensor x = Input(context, 0);
    const Layout layout(x, rotary_.head_dim(), heads_);
    const Positions positions(context, x, layout, axes_);
    const Tensor out = Output(context, x.shape, x.type);
    const Pieces pieces(layout.batch, layout.tokens, layout.heads * layout.head_dim * x.element_size, kUnit);
    const Outcome outcome =
        pieces.ForEach(context, [&](std::size_t sequence, std::size_t first, std::size_t tokens) {
          posenc_heads heads{};
          const std::size_t start =
              sequence * layout.tokens * layout.heads * layout.head_dim + first * layout.token_stride;
          heads.data = out.At(start);
          heads.source = x.data == out.data ? nullptr : x.At(start);
          heads.heads = layout.heads;
          heads.token_stride = layout.token_stride;
          heads.head_stride = layout.head_stride;
          heads.scale = scale_;
          return positions.Rotate(rotary_.c_rotary(), sequence, first, tokens, x.type, heads);
        });
    if (outcome.status != POSENC_OK) Check(outcome.status, positions.NameOf(outcome));
  }

 private:
  // A piece has a multiple of as many tokens as posenc computes by one evaluation of sines.
  static constexpr std::size_t kUnit = 8;

  // Of x [batch, tokens, heads * head_dim] or [batch, heads, tokens, head_dim], as far as the model states
  // it; else 0.
  std::size_t StatedHeadDim(const Ort::ConstKernelInfo& info) const {
    std::size_t axes = 0;
    const std::size_t columns = StatedColumns(info, 0, &axes);
    if (axes == 4) return columns;
    return axes == 3 && heads_ != 0 && columns % heads_ == 0 ? columns / heads_ : 0;
  }

  struct Layout {
    Layout(const Tensor& x, std::size_t elements, std::size_t stated_heads) : head_dim(elements) {
      const auto size = [&](std::size_t axis) { return static_cast<std::size_t>(x.shape[axis]); };
      const std::string shape = "the input's shape is " + ToText(x.shape);
      if (x.shape.size() != 3 && x.shape.size() != 4) {
        throw Error(shape + ", not [batch, tokens, hidden] or [batch, heads, tokens, head_dim]");
      }
      batch = size(0);
      if (x.shape.size() == 4) {
        heads = size(1);
        tokens = size(2);
        if (size(3) != head_dim) throw Error(shape + ", and head_dim is " + std::to_string(head_dim));
        if (stated_heads != 0 && heads != stated_heads) {
          throw Error(shape + ", and num_heads is " + std::to_string(stated_heads));
        }
        token_stride = head_dim;
        head_stride = tokens * head_dim;
        return;
      }
      tokens = size(1);
      heads = size(2) / head_dim;
      if (size(2) % head_dim != 0 || (stated_heads != 0 && heads != stated_heads)) {
        throw Error(shape + ", whose last axis is not " +
                    (stated_heads == 0 ? "a multiple of" : std::to_string(stated_heads) + " heads of") +
                    " head_dim " + std::to_string(head_dim));
      }
      token_stride = heads * head_dim;
      head_stride = head_dim;
    }

    std::size_t batch, tokens, heads, head_dim, token_stride, head_stride;
  };

  // No positions: from 0 on. One: from there on, in each sequence. Else [batch, tokens], and before it the
  // axes of positions that have several.
  struct Positions {
    Positions(const Ort::KernelContext& context, const Tensor& x, const Layout& layout,
              std::size_t position_axes)
        : axes(position_axes), all(layout.batch * layout.tokens), sequence_tokens(layout.tokens) {
      for (std::size_t i = 1; i < kInputs && !list; ++i) {
        const Tensor input = Input(context, i);
        if (input && input.type == POSENC_I64) list = input;
      }
      Shape each = {x.shape[0], x.shape[x.shape.size() - 2]};
      if (axes > 1) each.insert(each.begin(), static_cast<std::int64_t>(axes));
      if (!list || list.shape == each) return;
      if (list.count != 1) {
        throw Error("the shape of position_ids is " + ToText(list.shape) + ", not [1] or " + ToText(each));
      }
      start = *static_cast<const std::int64_t*>(list.data);
      is_run = true;
    }

    Outcome Rotate(const posenc_rotary* rotary, std::size_t sequence, std::size_t first, std::size_t tokens,
                   posenc_type type, const posenc_heads& heads) const {
      if (!list || is_run) {
        const auto skipped = static_cast<std::int64_t>(first);
        const bool is_far = start > INT64_MAX - skipped;  // thus out of range
        return {posenc_rotate(rotary, is_far ? INT64_MAX : start + skipped, tokens, type, &heads, 1), 0};
      }
      const auto* own = static_cast<const std::int64_t*>(list.data) + sequence * sequence_tokens + first;
      std::vector<std::int64_t> copy;
      if (axes > 1) {
        for (std::size_t axis = 0; axis < axes; ++axis)
          copy.insert(copy.end(), own + axis * all, own + axis * all + tokens);
        own = copy.data();
      }
      std::size_t bad = 0;
      const posenc_status status = posenc_rotate_at(rotary, POSENC_I64, own, tokens, type, &heads, 1, &bad);
      return {status, bad / tokens * all + sequence * sequence_tokens + first + bad % tokens};
    }

    // What a status is about.
    std::string NameOf(const Outcome& outcome) const {
      if (outcome.status != POSENC_POSITION_OUT_OF_RANGE) return "";
      if (!list || is_run) return "tokens from position " + std::to_string(start) + " on";
      return ToText("position_ids", list.shape, outcome.index);
    }

    std::size_t axes, all, sequence_tokens;
    Tensor list;
    bool is_run = false;
    std::int64_t start = 0;
  };

  posenc::Rotary rotary_;
  std::size_t heads_ = 0, axes_ = 1;
  float scale_;
};

}  // namespace

void AppendRotary(std::vector<Operator>* operators) {
  constexpr ElementType kId = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
  for (const ElementType t : {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16,
                              ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16}) {
    const auto make = [](const Ort::ConstKernelInfo& info) -> std::unique_ptr<Kernel> {
      return std::make_unique<RotaryKernel>(info);
    };
    operators->push_back({"RotaryEmbedding", {t, kId, t, t}, 1, t, true, make});  // com.microsoft's
    operators->push_back({"RotaryEmbedding", {t, t, t, kId}, 1, t, true, make});  // ai.onnx's
  }
}

}  // namespace posenc_onnxruntime
