#include "tally.h"

#include <algorithm>
#include <cstring>

#include "access.h"
#include "store_policy.h"

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

internal::ElementType TypeOf(oracle::Format format) {
  if (format == oracle::Format::kFloat32) return internal::kFloat32;
  return format == oracle::Format::kBFloat16 ? internal::kBFloat16 : internal::kFloat16;
}

}  // namespace

Tally WriteAndCount(const Encoder& encoder, oracle::Format format, std::int64_t first, std::int64_t step,
                    bool as_list, std::size_t rows, void* data) {
  const Kernels& kernels = FindKernels(encoder.target());
  const internal::FrequencyTable& table = *internal::Access::Table(encoder.frequencies());
  const internal::Columns columns = internal::MakeColumns(encoder.layout(), encoder.dim());
  const std::size_t size = format == oracle::Format::kFloat32 ? 4 : 2;
  const bool stream = !as_list && internal::ShouldStream(columns, size, rows, data, encoder.dim());
  double positions[Rows::kMax];
  Tally tally;
  for (std::size_t r = 0; r < rows; r += Rows::kMax) {
    Rows block{};
    block.first = first + static_cast<std::int64_t>(r) * step;
    block.count = std::min(Rows::kMax, rows - r);
    block.data = static_cast<unsigned char*>(data) + r * encoder.dim() * size;
    block.stride = encoder.dim();
    block.stream = stream;
    if (as_list) {
      for (std::size_t k = 0; k < block.count; ++k) {
        positions[k] = static_cast<double>(block.first + static_cast<std::int64_t>(k) * step);
      }
      block.positions = positions;
    }
    Accumulate(kernels.write[TypeOf(format)](table, columns, block), &tally);
  }
  return tally;
}

void Accumulate(const Tally& part, Tally* whole) {
  whole->direct += part.direct;
  whole->recomputed += part.recomputed;
  whole->undecided += part.undecided;
}

}  // namespace tools
}  // namespace posenc
