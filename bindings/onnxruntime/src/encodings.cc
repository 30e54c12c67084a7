// The operators SinusoidalEncoding, AddPositions and EmbedTokens.

#include <cstring>
#include <utility>

#include "arguments.h"
#include "operators.h"
#include "posenc/posenc.h"
#include "spec_text.h"

namespace posenc_onnxruntime {
namespace {

// The library computes rows of runs in blocks of this many.
constexpr std::size_t kUnit = 64;

template <class Integer>
bool IsRun(const Integer* positions, std::size_t count) {
  for (std::size_t i = 1; i < count; ++i) {
    if (static_cast<std::uint64_t>(positions[i]) != static_cast<std::uint64_t>(positions[i - 1]) + 1)
      return false;
  }
  return true;
}

// The positions of rows [..., tokens]. Without a list, each sequence begins at 0. A list with a single
// integer is the first position of each sequence. Any other list has a position for each row, or positions
// [tokens] that all sequences share.
class Positions {
 public:
  Positions(Tensor list, const Shape& rows) : list_(std::move(list)), tokens_(1) {
    if (!rows.empty()) tokens_ = static_cast<std::size_t>(rows.back());
    sequences_ = 1;
    for (std::size_t axis = 0; axis + 1 < rows.size(); ++axis)
      sequences_ *= static_cast<std::size_t>(rows[axis]);
    if (!list_) return;
    is_list_ = true;
    if (list_.shape == rows) {
      tokens_ *= sequences_;
      sequences_ = 1;
    } else if (list_.count == 1 && list_.shape.size() < 2 &&
               (list_.type == POSENC_I64 || list_.type == POSENC_I32)) {
      is_list_ = false;
      start_ = At(0);
    } else if (list_.shape != Shape{static_cast<std::int64_t>(tokens_)}) {
      throw Error("the shape of positions is " + ToText(list_.shape) + ", not " + ToText(rows) + ", " +
                  ToText(Shape{static_cast<std::int64_t>(tokens_)}) + " or, for an integer, [1]");
    }
  }

  std::size_t sequences() const { return sequences_; }
  std::size_t tokens() const { return tokens_; }

  // Calls run(first position) or list(positions) for tokens from `first` on, and returns the outcome. A list
  // of consecutive integers is passed as a run, too, because runs are faster.
  template <class Run, class List>
  Outcome Use(std::size_t first, std::size_t count, const Run& run, const List& list) const {
    if (!is_list_) {
      const auto skipped = static_cast<std::int64_t>(first);
      return run(start_ > INT64_MAX - skipped ? INT64_MAX : start_ + skipped);  // INT64_MAX is out of range
    }
    const posenc_list own = list_.ListAt(first);
    const bool is_run = own.type == POSENC_I64   ? IsRun(static_cast<const std::int64_t*>(own.data), count)
                        : own.type == POSENC_I32 ? IsRun(static_cast<const std::int32_t*>(own.data), count)
                                                 : false;
    if (is_run && count > 1) {
      const Outcome outcome = run(At(first));
      if (!outcome.IsOutOfRange()) return outcome;
    }
    return list(own);
  }

  // The name, for a message, of what is out of range.
  std::string NameOf(const Outcome& outcome) const {
    return is_list_ ? ToText("positions", list_.shape, outcome.index)
                    : "rows from position " + std::to_string(start_) + " on";
  }

 private:
  std::int64_t At(std::size_t i) const {
    return list_.type == POSENC_I64 ? static_cast<const std::int64_t*>(list_.data)[i]
                                    : static_cast<const std::int32_t*>(list_.data)[i];
  }

  Tensor list_;
  std::size_t sequences_, tokens_;
  bool is_list_ = false;
  std::int64_t start_ = 0;
};

// The shape of a tensor without its last axis: one element for each row.
Shape WithoutColumns(const Shape& shape) { return {shape.begin(), shape.end() - 1}; }

Shape WithColumns(Shape shape, std::size_t columns) {
  shape.push_back(static_cast<std::int64_t>(columns));
  return shape;
}

// Whether ids[i] is a row of the table.
bool IsId(const Tensor& ids, std::size_t i, std::size_t vocabulary) {
  const std::int64_t id = ids.type == POSENC_I64 ? static_cast<const std::int64_t*>(ids.data)[i]
                                                 : static_cast<const std::int32_t*>(ids.data)[i];
  return id >= 0 && static_cast<std::uint64_t>(id) < vocabulary;
}

class EncoderKernel : public Kernel {
 protected:
  EncoderKernel(const Ort::ConstKernelInfo& info, std::size_t dim) {
    const SpecText<posenc_spec> text(SpecAttribute(info), dim);
    Check(posenc::Encoder::Create(text.spec, &encoder_), "spec");
  }

  const posenc_encoder* encoder() const { return encoder_.get(); }
  std::size_t dim() const { return encoder_.dim(); }

  void RequireColumns(const char* name, const Shape& shape) const {
    if (shape.empty() || shape.back() != static_cast<std::int64_t>(dim())) {
      throw Error(std::string("the shape of ") + name + " is " + ToText(shape) + ", and dim is " +
                  std::to_string(dim()));
    }
  }

 private:
  posenc::Encoder encoder_;
};

// Inputs: positions [...]; like, optional, whose type is the type of the result. Output: encoding [..., dim].
class SinusoidalEncoding : public EncoderKernel {
 public:
  explicit SinusoidalEncoding(const Ort::ConstKernelInfo& info) : EncoderKernel(info, 0) {}

  void Compute(const Ort::KernelContext& context) const override {
    const Tensor list = Input(context, 0), like = Input(context, 1);
    const Positions positions(list, list.shape);
    const Tensor out = Output(context, WithColumns(list.shape, dim()), like ? like.type : POSENC_F32);
    const Pieces pieces(positions.sequences(), positions.tokens(), dim() * out.element_size, kUnit);
    const Outcome outcome = pieces.ForEach(context, [&](std::size_t, std::size_t first, std::size_t rows) {
      const posenc_rows to = out.RowsAt(first * dim(), dim());
      return positions.Use(
          first, rows,
          [&](std::int64_t start) {
            return Outcome{posenc_write(encoder(), start, rows, &to), 0};
          },
          [&](const posenc_list& own) {
            std::size_t bad = 0;
            const posenc_status status = posenc_write_at(encoder(), &own, rows, &to, &bad);
            return Outcome{status, first + bad};
          });
    });
    if (outcome.status != POSENC_OK) Check(outcome.status, positions.NameOf(outcome));
  }
};

// Inputs: x [..., tokens, dim]; positions, optional. Output: x * scale + PE, in the shape of x.
class AddPositions : public EncoderKernel {
 public:
  explicit AddPositions(const Ort::ConstKernelInfo& info)
      : EncoderKernel(info, StatedColumns(info, 0)), scale_(ScaleAttribute(info)) {}

  void Compute(const Ort::KernelContext& context) const override {
    const Tensor x = Input(context, 0);
    RequireColumns("x", x.shape);
    const Positions positions(Input(context, 1), WithoutColumns(x.shape));
    const Tensor out = Output(context, x.shape, x.type);
    const Pieces pieces(positions.sequences(), positions.tokens(), dim() * x.element_size, kUnit);
    const Outcome outcome =
        pieces.ForEach(context, [&](std::size_t sequence, std::size_t first, std::size_t rows) {
          const std::size_t start_of = (sequence * positions.tokens() + first) * dim();
          const posenc_rows to = out.RowsAt(start_of, dim());
          if (to.data != x.At(start_of)) std::memcpy(to.data, x.At(start_of), rows * dim() * x.element_size);
          return positions.Use(
              first, rows,
              [&](std::int64_t start) {
                return Outcome{posenc_add(encoder(), start, rows, &to, scale_), 0};
              },
              [&](const posenc_list& own) {
                std::size_t bad = 0;
                const posenc_status status = posenc_add_at(encoder(), &own, rows, &to, scale_, &bad);
                return Outcome{status, first + bad};
              });
        });
    if (outcome.status != POSENC_OK) Check(outcome.status, positions.NameOf(outcome));
  }

 private:
  float scale_;
};

// Inputs: ids [..., tokens]; table [vocabulary, dim]; positions, optional. Output: table[ids] * scale + PE,
// [..., tokens, dim].
class EmbedTokens : public EncoderKernel {
 public:
  explicit EmbedTokens(const Ort::ConstKernelInfo& info)
      : EncoderKernel(info, StatedColumns(info, 1)), scale_(ScaleAttribute(info)) {}

  void Compute(const Ort::KernelContext& context) const override {
    const Tensor ids = Input(context, 0), table = Input(context, 1);
    RequireColumns("table", table.shape);
    if (table.shape.size() != 2)
      throw Error("the shape of table is " + ToText(table.shape) + ", not [vocabulary, dim]");
    const Positions positions(Input(context, 2), ids.shape);
    const Tensor out = Output(context, WithColumns(ids.shape, dim()), table.type);
    const auto vocabulary = static_cast<std::size_t>(table.shape[0]);
    const Pieces pieces(positions.sequences(), positions.tokens(), dim() * out.element_size, kUnit);
    const Outcome outcome =
        pieces.ForEach(context, [&](std::size_t sequence, std::size_t first, std::size_t rows) {
          const std::size_t row = sequence * positions.tokens() + first;
          const posenc_lookup lookup = {ids.ListAt(row), table.type, table.data, vocabulary, dim()};
          const posenc_rows to = out.RowsAt(row * dim(), dim());
          std::size_t bad = 0;
          const auto at_fault = [&](posenc_status status) {
            // The index of an id counts through all sequences; the index of a position counts within a
            // sequence.
            const bool is_id =
                posenc_status_kind(status) == POSENC_OUT_OF_RANGE && !IsId(ids, row + bad, vocabulary);
            return Outcome{status, bad + (is_id ? row : first), is_id};
          };
          return positions.Use(
              first, rows,
              [&](std::int64_t start) {
                return at_fault(posenc_embed(encoder(), &lookup, start, rows, &to, scale_, &bad));
              },
              [&](const posenc_list& own) {
                return at_fault(posenc_embed_at(encoder(), &lookup, &own, rows, &to, scale_, &bad));
              });
        });
    if (outcome.status == POSENC_OK) return;
    Check(outcome.status,
          outcome.is_id ? ToText("ids", ids.shape, outcome.index) : positions.NameOf(outcome));
  }

 private:
  float scale_;
};

}  // namespace

void AppendEncodings(std::vector<Operator>* operators) {
  constexpr ElementType kF32 = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                        kF16 = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16,
                        kBf16 = ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16,
                        kF64 = ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE,
                        kI32 = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32,
                        kI64 = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
  // If `like` or positions are left out, several operators match, and ONNX Runtime takes the first. So float
  // and int64 come first.
  for (const ElementType t : {kF32, kF16, kBf16}) {
    for (const ElementType position : {kI64, kI32, kF32, kF64}) {
      operators->push_back({"SinusoidalEncoding", {position, t}, 1, t, false, Make<SinusoidalEncoding>});
      operators->push_back({"AddPositions", {t, position}, 1, t, true, Make<AddPositions>});
      for (const ElementType id : {kI64, kI32}) {
        operators->push_back({"EmbedTokens", {id, t, position}, 2, t, false, Make<EmbedTokens>});
      }
    }
  }
}

}  // namespace posenc_onnxruntime
