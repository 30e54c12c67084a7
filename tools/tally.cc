#include "tally.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "frequencies.h"

namespace posenc {
namespace tools {
namespace {

using internal::Kernels;
using internal::Rows;
using internal::Tally;

const Kernels& FindKernels(const char* name) {
  std::size_t count = 0;
  const Kernels* const* all = internal::AllKernels(&count);
  return **std::find_if(all, all + count, [=](const Kernels* k) { return std::strcmp(k->name, name) == 0; });
}

internal::Columns ColumnsOf(const Spec& spec) {
  const std::size_t cosines = spec.dim / 2, sines = spec.dim - cosines;
  if (spec.layout == Layout::kInterleaved) return {sines, cosines, 0, 1, 2};
  if (spec.layout == Layout::kSinCos) return {sines, cosines, 0, sines, 1};
  return {sines, cosines, cosines, 0, 1};
}

internal::ElementType TypeOf(oracle::Format format) {
  if (format == oracle::Format::kFloat32) return internal::kFloat32;
  return format == oracle::Format::kBFloat16 ? internal::kBFloat16 : internal::kFloat16;
}

}  // namespace

Tally CountTiers(const Case& c, const Encoder& encoder, std::size_t row, std::size_t rows) {
  const Kernels& kernels = FindKernels(encoder.target());
  const internal::FrequencyTable& table = *internal::Access::Table(encoder.frequencies());
  const std::size_t dim = c.spec.dim;
  std::vector<float> data(Rows::kMax * dim);  // the largest elements
  std::vector<std::int64_t> positions;
  for (std::size_t r = row; r < row + rows; ++r) positions.push_back(c.Position(r));
  Tally tally;
  for (std::size_t r = 0; r < rows; r += Rows::kMax) {
    Rows block{};
    block.positions = c.step == 1 ? nullptr : positions.data() + r;
    block.first = positions[r];
    block.count = std::min(Rows::kMax, rows - r);
    block.data = data.data();
    block.stride = dim;
    const Tally part = kernels.write[TypeOf(c.format)](table, ColumnsOf(c.spec), block);
    tally.direct += part.direct;
    tally.recomputed += part.recomputed;
    tally.undecided += part.undecided;
  }
  return tally;
}

}  // namespace tools
}  // namespace posenc
