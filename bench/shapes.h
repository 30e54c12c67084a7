// Shapes of batches and grids that several groups of rows measure.
#ifndef POSENC_BENCH_SHAPES_H_
#define POSENC_BENCH_SHAPES_H_

#include <cstddef>
#include <string>

#include "suite.h"

namespace posenc {
namespace bench {

struct BatchShape {
  std::size_t batch;
  Shape sequence;

  std::size_t entries() const { return batch * sequence.entries(); }
  std::string name() const { return std::to_string(batch) + "x" + sequence.name(); }
};
constexpr BatchShape kBatchShapes[] = {{32, {1, 1024}}, {4, {64, 512}}, {8, {512, 512}}};

// Axes with equal dims. The columns of the last axis come first, as in MAE.
struct GridShape {
  std::size_t counts[3];  // the first one may be 1
  std::size_t dim;        // columns of a row

  std::size_t axes() const { return counts[0] == 1 ? 2 : 3; }
  std::size_t count(std::size_t axis) const { return counts[axis + 3 - axes()]; }
  std::size_t axis_dim() const { return dim / axes(); }
  Shape table() const { return {counts[0] * counts[1] * counts[2], dim}; }
  std::string name() const {
    std::string name;
    for (std::size_t a = 0; a < axes(); ++a) name += std::to_string(count(a)) + "x";
    return name + std::to_string(dim);
  }
};
constexpr GridShape kGridShapes[] = {
    {{1, 14, 14}, 768}, {{1, 32, 32}, 1024}, {{1, 64, 64}, 1024}, {{16, 32, 32}, 1152}};
constexpr GridShape kNarrowGridShapes[] = {{{1, 14, 14}, 768}, {{1, 64, 64}, 1024}};

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_SHAPES_H_
