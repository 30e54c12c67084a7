// Calls of the kernels themselves, for tests that look at their Tally.
#ifndef POSENC_TESTS_KERNEL_CALLS_H_
#define POSENC_TESTS_KERNEL_CALLS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "access.h"
#include "kernels.h"
#include "per_target.h"

namespace posenc {

template <class T>
inline constexpr internal::ElementType kElementType = std::is_same_v<T, float>      ? internal::kFloat32
                                                      : std::is_same_v<T, BFloat16> ? internal::kBFloat16
                                                                                    : internal::kFloat16;

// The row of the kernel table with that name.
inline const internal::Kernels& KernelsOf(const std::string& name) {
  std::size_t count = 0;
  const internal::Kernels* const* rows = internal::AllKernels(&count);
  std::size_t i = 0;
  while (i + 1 < count && name != rows[i]->name) ++i;
  return *rows[i];
}

inline const internal::FrequencyTable& TableOf(const Frequencies& frequencies) {
  return *internal::Access::Table(frequencies);
}

// Writes (or, if scale is not null, adds) the rows of a run to data [rows, dim], block by block.
template <class T>
internal::Tally RunKernel(const Encoder& encoder, std::int64_t first, std::size_t rows, T* data,
                          const float* scale = nullptr) {
  const internal::Kernels& kernels = KernelsOf(encoder.target());
  const internal::FrequencyTable& table = TableOf(encoder.frequencies());
  const internal::Columns columns = internal::MakeColumns(encoder.layout(), encoder.dim());
  internal::Tally tally;
  for (std::size_t begin = 0; begin < rows; begin += internal::Rows::kMax) {
    internal::Rows block{};
    block.first = first + static_cast<std::int64_t>(begin);
    block.count = std::min(rows - begin, internal::Rows::kMax);
    block.data = data + begin * encoder.dim();
    block.stride = encoder.dim();
    tally += scale == nullptr ? kernels.write[kElementType<T>](table, columns, block)
                              : kernels.add[kElementType<T>](table, columns, block, *scale);
  }
  return tally;
}

// Writes the rows of a list of at most Rows::kMax positions.
template <class T>
internal::Tally ListKernel(const Encoder& encoder, const std::vector<double>& positions, T* data) {
  internal::Rows rows{};
  rows.positions = positions.data();
  rows.count = positions.size();
  rows.data = data;
  rows.stride = encoder.dim();
  return KernelsOf(encoder.target())
      .write[kElementType<T>](TableOf(encoder.frequencies()),
                              internal::MakeColumns(encoder.layout(), encoder.dim()), rows);
}

}  // namespace posenc

#endif  // POSENC_TESTS_KERNEL_CALLS_H_
