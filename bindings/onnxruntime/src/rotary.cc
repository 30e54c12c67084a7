// The operators RotaryEmbedding and RotaryCosSin. RotaryEmbedding accepts the inputs of
// com.microsoft.RotaryEmbedding (input, position_ids, cos_cache, sin_cache) and of ai.onnx (X, cos_cache,
// sin_cache, position_ids). The input of integers is position_ids, wherever it stands; caches are not read.
// A fifth input, `like`, sets the type of the result. With the attribute norm_epsilon, each head is
// normalized by RMSNorm before it rotates. A sixth input, norm_weight, has the weights of the norm.
// RotaryCosSin makes such caches.

#include <utility>

#include "arguments.h"
#include "operators.h"
#include "posenc/rotary.h"
#include "posenc/rotary_norm_c.h"
#include "spec_text.h"

namespace posenc_onnxruntime {
namespace {

// kPositions is the index of the input position_ids, 1 or 3.
template <std::size_t kPositions>
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
    if (!(scale_ >= 0x1p-64f && scale_ <= 0x1p64f)) throw Error("scale must be 2^-64 .. 2^64");
    SetNorm(info);
  }

  void Compute(const Ort::KernelContext& context) const override {
    const Tensor x = Input(context, 0);
    const Layout layout(x, rotary_.head_dim(), heads_);
    const Tensor ids = Input(context, kPositions);
    RequireCaches(context, static_cast<bool>(ids));
    const Positions positions(ids, layout, axes_);
    const Tensor like = Input(context, kLike);
    const Tensor weight = Input(context, kNormWeight);
    const posenc_norm norm = NormOf(weight, layout);
    const Tensor out = Output(context, x.shape, like ? like.type : x.type);
    const Pieces pieces(layout.batch, layout.tokens, layout.heads * layout.head_dim * x.element_size, kUnit);
    const Outcome outcome =
        pieces.ForEach(context, [&](std::size_t sequence, std::size_t first, std::size_t tokens) {
          posenc_heads heads{};
          const std::size_t start =
              sequence * layout.tokens * layout.heads * layout.head_dim + first * layout.token_stride;
          heads.type = out.type;
          heads.source_type = x.type;
          heads.data = out.At(start);
          heads.source = x.At(start);
          heads.heads = layout.heads;
          heads.token_stride = layout.token_stride;
          heads.head_stride = layout.head_stride;
          heads.scale = scale_;
          heads.norm = has_norm_ ? &norm : nullptr;
          return positions.Rotate(rotary_.get(), sequence, first, tokens, heads);
        });
    if (outcome.status != POSENC_OK) Check(outcome.status, positions.NameOf(outcome));
  }

 private:
  static constexpr std::size_t kLike = 4, kNormWeight = 5;  // the indices of inputs

  // A piece has a multiple of this many tokens: posenc evaluates sines once for so many.
  static constexpr std::size_t kUnit = 8;

  // Requires two caches [rows, pairs] or none, among the inputs of floats. Any other input could mean
  // something that the result would then lack.
  void RequireCaches(const Ort::KernelContext& context, bool has_ids) const {
    std::vector<Shape> caches;
    for (std::size_t i = 1; i < kLike; ++i) {
      if (i == kPositions) continue;
      if (const Tensor cache = Input(context, i)) caches.push_back(cache.shape);
    }
    if (caches.empty()) return;
    if (caches.size() == 1) {
      throw Error("one input of floats beside x, of the shape " + ToText(caches[0]) +
                  ": there must be two caches, cosines and sines, or none, and position_ids must be int64");
    }
    // ai.onnx takes caches [batch, tokens, pairs] instead of position_ids. Then only the caches know the
    // positions.
    if (caches[0].size() == 3 && !has_ids) {
      throw Error("a cache's shape is " + ToText(caches[0]) +
                  ", and posenc does not read caches: add position_ids");
    }
    const auto pairs = static_cast<std::int64_t>(rotary_.frequency_count());
    if (caches[0] != caches[1] || caches[0].size() != 2 || caches[0][1] != pairs) {
      throw Error("the caches' shapes are " + ToText(caches[0]) + " and " + ToText(caches[1]) +
                  ", not both [rows, " + std::to_string(pairs) + "]");
    }
  }

  // head_dim, if the model states the shape of x, which is [batch, tokens, heads * head_dim] or
  // [batch, heads, tokens, head_dim]; otherwise 0.
  std::size_t StatedHeadDim(const Ort::ConstKernelInfo& info) const {
    std::size_t axes = 0;
    const std::size_t columns = StatedColumns(info, 0, &axes);
    if (axes == 4) return columns;
    if (axes != 3 || heads_ == 0) return 0;
    if (columns % heads_ != 0) {
      throw Error("num_heads " + std::to_string(heads_) + " does not divide the " + std::to_string(columns) +
                  " columns of the input");
    }
    return columns / heads_;
  }

  // The axes of x.
  struct Layout {
    Layout(const Tensor& x, std::size_t elements, std::size_t stated_heads) : head_dim(elements) {
      const Shape& shape = x.shape;
      if (shape.size() != 3 && shape.size() != 4) {
        Refuse(shape, ", not [batch, tokens, hidden] or [batch, heads, tokens, head_dim]");
      }
      const bool heads_first = shape.size() == 4;
      const auto size = [&](std::size_t axis) { return static_cast<std::size_t>(shape[axis]); };
      batch = size(0);
      tokens = size(heads_first ? 2 : 1);
      heads = heads_first ? size(1) : size(2) / head_dim;
      if (heads_first && size(3) != head_dim) Refuse(shape, ", and head_dim is " + std::to_string(head_dim));
      if (!heads_first && size(2) % head_dim != 0) {
        Refuse(shape, ", whose last axis is not a multiple of head_dim " + std::to_string(head_dim));
      }
      if (stated_heads != 0 && heads != stated_heads) {
        Refuse(shape,
               " of " + std::to_string(heads) + " heads, and num_heads is " + std::to_string(stated_heads));
      }
      token_stride = heads_first ? head_dim : heads * head_dim;
      head_stride = heads_first ? tokens * head_dim : head_dim;
    }

    [[noreturn]] static void Refuse(const Shape& shape, const std::string& what) {
      throw Error("the input's shape is " + ToText(shape) + what);
    }

    std::size_t batch, tokens, heads, head_dim, token_stride, head_stride;
  };

  // Takes the attributes of the norm.
  void SetNorm(const Ort::ConstKernelInfo& info) {
    const auto epsilon = NumberAttribute(info, "norm_epsilon");
    has_norm_ = epsilon.has_value();
    norm_.epsilon = epsilon.value_or(0);
    norm_.plus_one = NormFlag(info, "norm_plus_one");
    norm_.over_heads = NormFlag(info, "norm_over_heads");
    if (!has_norm_) return;
    // The library checks epsilon in a call, so call it for no tokens.
    float none = 0.0f;
    posenc_heads heads{};
    heads.type = POSENC_F32;
    heads.data = &none;
    heads.heads = 1;
    heads.token_stride = heads.head_stride = rotary_.head_dim();
    const posenc_norm norm = {nullptr, {}, norm_.epsilon, 0, norm_.over_heads};
    heads.norm = &norm;
    Check(posenc_rotate(rotary_.get(), 0, 0, &heads, 1), "norm_epsilon");
  }

  std::int32_t NormFlag(const Ort::ConstKernelInfo& info, const char* name) const {
    const auto flag = Attribute<std::int64_t>(info, name);
    if (!flag) return 0;
    if (*flag != 0 && *flag != 1) throw Error(std::string(name) + " must be 0 or 1");
    if (!has_norm_) throw Error(std::string(name) + " needs norm_epsilon");
    return static_cast<std::int32_t>(*flag);
  }

  // The norm of a call, with its weights.
  posenc_norm NormOf(const Tensor& weight, const Layout& layout) const {
    posenc_norm norm = norm_;
    if (!weight && norm.plus_one != 0) throw Error("norm_plus_one needs the input norm_weight");
    if (!weight) return norm;
    if (!has_norm_) throw Error("norm_weight needs the attribute norm_epsilon");
    const auto heads = static_cast<std::int64_t>(layout.heads),
               dim = static_cast<std::int64_t>(layout.head_dim);
    const Shape each = {dim}, all = {heads * dim}, rows = {heads, dim};
    if (norm.over_heads == 0 ? weight.shape != each : weight.shape != all && weight.shape != rows) {
      throw Error("the shape of norm_weight is " + ToText(weight.shape) + ", not " +
                  (norm.over_heads == 0 ? ToText(each)
                                        : ToText(rows) + " or " + ToText(all) + " with norm_over_heads"));
    }
    norm.weight = weight.data;
    norm.weight_type = weight.type;
    return norm;
  }

  // The positions of tokens. Without position_ids, each sequence begins at 0. A single position id is the
  // first position of each sequence. Otherwise there is a list [batch, tokens] or, with several axes, [axes,
  // batch, tokens].
  struct Positions {
    Positions(Tensor ids, const Layout& layout, std::size_t position_axes)
        : list(std::move(ids)), axes(position_axes), batch(layout.batch), tokens(layout.tokens) {
      if (!list) return;
      is_run = list.count == 1;
      if (is_run) start = *static_cast<const std::int64_t*>(list.data);
      if (is_run && (list.shape.size() < 2 || batch * tokens == 1)) return;
      Shape each = {static_cast<std::int64_t>(batch), static_cast<std::int64_t>(tokens)};
      if (axes > 1) each.insert(each.begin(), static_cast<std::int64_t>(axes));
      if (list.shape != each) {
        throw Error("the shape of position_ids is " + ToText(list.shape) + ", not [1] or " + ToText(each));
      }
    }

    Outcome Rotate(const posenc_rotary* rotary, std::size_t sequence, std::size_t first, std::size_t count,
                   const posenc_heads& heads) const {
      if (is_run) {
        const auto skipped = static_cast<std::int64_t>(first);
        const bool is_far = start > INT64_MAX - skipped;  // then it is out of range, too
        return {posenc_rotate(rotary, is_far ? INT64_MAX : start + skipped, count, &heads, 1), 0};
      }
      const std::size_t place = sequence * tokens + first;
      const auto* own = static_cast<const std::int64_t*>(list.data) + place;
      std::vector<std::int64_t> copy;
      for (std::size_t axis = 0; axes > 1 && axis < axes; ++axis) {
        const std::int64_t* const from = own + axis * batch * tokens;
        copy.insert(copy.end(), from, from + count);
      }
      const posenc_list at = {POSENC_I64, axes > 1 ? copy.data() : own};
      std::size_t bad = 0;
      const posenc_status status = posenc_rotate_at(rotary, &at, count, &heads, 1, &bad);
      return {status, bad / count * batch * tokens + place + bad % count};
    }

    // The name, for a message, of what is out of range.
    std::string NameOf(const Outcome& outcome) const {
      if (!outcome.IsOutOfRange()) return "";
      return is_run ? "tokens from position " + std::to_string(start) + " on"
                    : ToText("position_ids", list.shape, outcome.index);
    }

    Tensor list;
    std::size_t axes, batch, tokens;
    bool is_run = true;
    std::int64_t start = 0;
  };

  posenc::Rotary rotary_;
  std::size_t heads_ = 0, axes_ = 1;
  float scale_;
  bool has_norm_ = false;
  posenc_norm norm_{};  // without weights
};

// Inputs: positions [...], or [axes, ...] with several axes; like, optional, whose type is the type of the
// result. Output: [..., rotary_dim], the cosines of all pairs and then the sines, times the amplitude.
class RotaryCosSin : public Kernel {
 public:
  explicit RotaryCosSin(const Ort::ConstKernelInfo& info) {
    const SpecText<posenc_rotary_spec> text(SpecAttribute(info), 0);
    axes_ = text.spec.axes;
    Check(posenc::Rotary::Create(text.spec, &rotary_), "spec");
  }

  void Compute(const Ort::KernelContext& context) const override {
    const Tensor list = Input(context, 0), like = Input(context, 1);
    Shape shape = list.shape;
    if (axes_ > 1) {
      if (shape.empty() || shape[0] != static_cast<std::int64_t>(axes_)) {
        throw Error("the shape of positions is " + ToText(shape) + ", not [" + std::to_string(axes_) +
                    ", ...]");
      }
      shape.erase(shape.begin());
    }
    const std::size_t rows = list.count / axes_, columns = 2 * rotary_.frequency_count();
    shape.push_back(static_cast<std::int64_t>(columns));
    const Tensor out = Output(context, shape, like ? like.type : POSENC_F32);
    // With several axes the list is one piece, because the positions of a part would not be next to each
    // other.
    const Pieces pieces(1, rows, columns * out.element_size, axes_ > 1 ? std::max<std::size_t>(rows, 1) : 64);
    const Outcome outcome = pieces.ForEach(context, [&](std::size_t, std::size_t first, std::size_t count) {
      const posenc_cache cache{POSENC_CACHE_COS_SIN, out.type, out.At(first * columns), nullptr, columns};
      const posenc_list at = list.ListAt(first);
      std::size_t bad = 0;
      const posenc_status status = posenc_write_cache_at(rotary_.get(), &at, count, &cache, &bad);
      return Outcome{status, first + bad};
    });
    if (outcome.status != POSENC_OK) Check(outcome.status, ToText("positions", list.shape, outcome.index));
  }

 private:
  posenc::Rotary rotary_;
  std::size_t axes_ = 1;
};

}  // namespace

void AppendRotary(std::vector<Operator>* operators) {
  constexpr ElementType kId = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, kF32 = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                        kF16 = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16,
                        kBf16 = ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16;
  // Without position_ids, the operators with both orders of inputs match, and do the same. Without `like` or
  // norm_weight, several operators match, too, and ONNX Runtime takes the first one. So the operators whose
  // output has the type of x come first.
  const auto append = [&](ElementType t, ElementType out) {
    const bool is_in_place = t == out;
    for (const ElementType weight : {kF32, kF16, kBf16}) {
      operators->push_back({"RotaryEmbedding",
                            {t, kId, t, t, out, weight},
                            1,
                            out,
                            is_in_place,
                            Make<RotaryKernel<1>>});  // com.microsoft's
      operators->push_back({"RotaryEmbedding",
                            {t, t, t, kId, out, weight},
                            1,
                            out,
                            is_in_place,
                            Make<RotaryKernel<3>>});  // ai.onnx's
    }
  };
  for (const ElementType t : {kF32, kF16, kBf16}) append(t, t);
  for (const ElementType out : {kF16, kBf16}) append(kF32, out);
  for (const ElementType t : {kF32, kF16, kBf16}) {
    for (const ElementType position :
         {kId, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
          ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE}) {
      operators->push_back({"RotaryCosSin", {position, t}, 1, t, false, Make<RotaryCosSin>});
    }
  }
}

}  // namespace posenc_onnxruntime
