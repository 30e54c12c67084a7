// Rows that a matrix repeats, as that of a grid does: each is computed once, then copied or added wherever it
// belongs.
#ifndef POSENC_SRC_KERNEL_COPIES_H_
#define POSENC_SRC_KERNEL_COPIES_H_

#include <cstddef>

namespace posenc {
namespace internal {

// Row i belongs to the places (o, i, j) of [outer, rows, inner]:
//
//   row i             from + i * from_stride                                        `bytes` long
//   place (o, i, j)   to + o * outer_stride + (i * inner + j) * to_stride
//
// Strides are in bytes. A row and a place are the same or do not overlap.
struct Copies {
  const unsigned char* from;
  std::size_t from_stride;
  std::size_t rows;
  std::size_t bytes;  // of a row
  unsigned char* to;
  std::size_t to_stride;
  std::size_t inner;
  std::size_t outer;
  std::size_t outer_stride;

  // Calls copy(row, place) for each place of each row, unless both are the same; outer first, then rows, then
  // inner.
  template <class Copy>
  void ForEach(const Copy& copy) const {
    for (std::size_t o = 0; o < outer; ++o) {
      unsigned char* place = to + o * outer_stride;
      for (std::size_t i = 0; i < rows; ++i) {
        const unsigned char* const row = from + i * from_stride;
        for (std::size_t j = 0; j < inner; ++j, place += to_stride) {
          if (place != row) copy(row, place);
        }
      }
    }
  }
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_COPIES_H_
