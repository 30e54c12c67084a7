// What operators take from ONNX Runtime, and what they tell it: attributes, tensors and errors; and loops
// that ONNX Runtime's threads share.
#ifndef POSENC_ONNXRUNTIME_ARGUMENTS_H_
#define POSENC_ONNXRUNTIME_ARGUMENTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "onnxruntime.h"
#include "posenc/posenc_c.h"

namespace posenc_onnxruntime {

// What is wrong with a node or a call, in a sentence. operators.cc makes an OrtStatus of it.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws an Error with posenc's sentence, after `what` and a colon if there is one; nothing for POSENC_OK.
void Check(posenc_status status, const std::string& what = {});

using Shape = std::vector<std::int64_t>;

// "[1, 3]"
std::string ToText(const Shape& shape);

// Of the element with this place among all: "positions[1, 3]".
std::string ToText(const std::string& name, const Shape& shape, std::size_t index);

// The attribute of a node, or nothing if the node has none of that name; an Error if it is of another type. T
// is std::int64_t, float or std::string.
template <class T>
std::optional<T> Attribute(const Ort::ConstKernelInfo& info, const char* name);

// The attribute `spec`. All nodes must have it, because ONNX Runtime passes over attributes with misspelt
// names.
std::string SpecAttribute(const Ort::ConstKernelInfo& info);

// The attribute `scale`; 1 by default.
float ScaleAttribute(const Ort::ConstKernelInfo& info);

// Columns of an input as far as the model states its shape: the last axis; 0 if unknown.
std::size_t StatedColumns(const Ort::ConstKernelInfo& info, std::size_t index, std::size_t* axes = nullptr);

struct Tensor {
  void* data = nullptr;  // of inputs only read
  posenc_type type = {};
  Shape shape;
  std::size_t count = 0;         // of elements
  std::size_t element_size = 0;  // bytes; 0 if an optional input is missing

  explicit operator bool() const { return element_size != 0; }
  char* At(std::size_t element) const { return static_cast<char*>(data) + element * element_size; }
  posenc_list ListAt(std::size_t element) const { return {type, At(element)}; }
  posenc_rows RowsAt(std::size_t element, std::size_t stride) const { return {type, At(element), stride}; }
};
Tensor Input(const Ort::KernelContext& context, std::size_t index);

// Without its shape, which would be a copy.
Tensor Output(const Ort::KernelContext& context, const Shape& shape, posenc_type type);

// What a call of posenc says: a status, and which entry of a list is at fault.
struct Outcome {
  posenc_status status = POSENC_OK;
  std::size_t index = 0;
  bool is_id = false;  // the entry is one of ids, and not of positions

  bool IsOutOfRange() const { return posenc_status_kind(status) == POSENC_OUT_OF_RANGE; }
};

// Rows [sequences, rows] in pieces that are worth a thread's while.
class Pieces {
 public:
  // A piece is `unit` rows of a sequence, or a multiple of them that makes about 128 KB.
  Pieces(std::size_t sequences, std::size_t rows, std::size_t row_size, std::size_t unit);

  // Calls work(sequence, first, rows) for each piece, in ONNX Runtime's threads, and returns the outcome of
  // the first one that failed. work returns an Outcome; of exceptions it only throws std::bad_alloc.
  template <class Work>
  Outcome ForEach(const Ort::KernelContext& context, const Work& work) const {
    Loop<Work> loop{*this, work};
    const std::size_t count = sequences_ * per_sequence_;
    if (count == 1) {
      Loop<Work>::Do(&loop, 0);
    } else if (count > 1) {
      context.ParallelFor(&Loop<Work>::Do, count, 0, &loop);
    }
    return loop.outcome;
  }

 private:
  template <class Work>
  struct Loop {
    const Pieces& pieces;
    const Work& work;
    std::mutex mutex{};
    std::size_t failed = SIZE_MAX;  // the first piece that failed
    Outcome outcome{};

    static void Do(void* self, std::size_t i) {
      auto& loop = *static_cast<Loop*>(self);
      const Pieces& p = loop.pieces;
      const std::size_t first = i % p.per_sequence_ * p.piece_;
      Outcome outcome{POSENC_NO_MEMORY, 0};
      try {
        outcome = loop.work(i / p.per_sequence_, first, std::min(p.piece_, p.rows_ - first));
      } catch (const std::bad_alloc&) {  // a thread of ONNX Runtime's would end the process
      }
      if (outcome.status == POSENC_OK) return;
      const std::lock_guard<std::mutex> lock(loop.mutex);
      if (i >= loop.failed) return;
      loop.failed = i;
      loop.outcome = outcome;
    }
  };

  std::size_t sequences_, rows_, piece_, per_sequence_;
};

}  // namespace posenc_onnxruntime

#endif  // POSENC_ONNXRUNTIME_ARGUMENTS_H_
