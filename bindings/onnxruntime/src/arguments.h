// Attributes, tensors and errors of ONNX Runtime's operators, and loops that run in ONNX Runtime's threads.
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

// An error of a node or a call, with a sentence. operators.cc turns it into an OrtStatus.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws an Error with posenc's sentence for the status. If `what` is not empty, it comes first, followed by
// a colon. Does nothing for POSENC_OK.
void Check(posenc_status status, const std::string& what = {});

using Shape = std::vector<std::int64_t>;

// The shape as text: "[1, 3]".
std::string ToText(const Shape& shape);

// The name of one element of a tensor: "positions[1, 3]". `index` counts all elements in C order.
std::string ToText(const std::string& name, const Shape& shape, std::size_t index);

// The attribute of a node, or nothing if the node does not have it. Throws an Error if it has another type. T
// is std::int64_t, float or std::string.
template <class T>
std::optional<T> Attribute(const Ort::ConstKernelInfo& info, const char* name);

// The attribute as a double, or nothing if the node does not have it: a float, or a string such as "1e-6", of
// which the nearest double is taken. (ONNX has no attributes of doubles.)
std::optional<double> NumberAttribute(const Ort::ConstKernelInfo& info, const char* name);

// The attribute `spec`. Every node must have it: ONNX Runtime ignores attributes whose names are misspelt, so
// a missing `spec` could be a misspelt one.
std::string SpecAttribute(const Ort::ConstKernelInfo& info);

// The attribute `scale`, or 1 if the node does not have it.
float ScaleAttribute(const Ort::ConstKernelInfo& info);

// The number of columns of an input, which is its last axis, if the model states it; otherwise 0.
std::size_t StatedColumns(const Ort::ConstKernelInfo& info, std::size_t index, std::size_t* axes = nullptr);

struct Tensor {
  void* data = nullptr;  // must not be written if this is an input
  posenc_type type = {};
  Shape shape;
  std::size_t count = 0;         // number of elements
  std::size_t element_size = 0;  // in bytes; 0 if an optional input is missing

  explicit operator bool() const { return element_size != 0; }
  char* At(std::size_t element) const { return static_cast<char*>(data) + element * element_size; }
  posenc_list ListAt(std::size_t element) const { return {type, At(element)}; }
  posenc_rows RowsAt(std::size_t element, std::size_t stride) const { return {type, At(element), stride}; }
};
Tensor Input(const Ort::KernelContext& context, std::size_t index);

// An output. Its member `shape` stays empty, which saves a copy.
Tensor Output(const Ort::KernelContext& context, const Shape& shape, posenc_type type);

// The result of a call of posenc: a status and, if an entry of a list is out of range, its index.
struct Outcome {
  posenc_status status = POSENC_OK;
  std::size_t index = 0;
  bool is_id = false;  // whether `index` is an index of ids, not of positions

  bool IsOutOfRange() const { return posenc_status_kind(status) == POSENC_OUT_OF_RANGE; }
};

// Divides rows [sequences, rows] into pieces that are large enough for a thread.
class Pieces {
 public:
  // A piece is `unit` rows of a sequence, or a multiple of them that makes about 128 KB.
  Pieces(std::size_t sequences, std::size_t rows, std::size_t row_size, std::size_t unit);

  // Calls work(sequence, first, rows) for each piece, in ONNX Runtime's threads. Returns the outcome of the
  // first piece that failed. `work` returns an Outcome, and may throw only std::bad_alloc.
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
      } catch (const std::bad_alloc&) {  // in a thread of ONNX Runtime, an exception would end the process
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
