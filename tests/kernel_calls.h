// Calls the library's own loop over rows, for tests that look at its Tally.
#ifndef POSENC_TESTS_KERNEL_CALLS_H_
#define POSENC_TESTS_KERNEL_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "api/handle.h"
#include "call/call.h"
#include "posenc/posenc.h"

namespace posenc {

// The object behind the handle.
inline const internal::Encoder& InsideOf(const Encoder& encoder) { return encoder.get()->encoder; }

// Writes rows at consecutive positions to data [rows, dim].
template <class T>
internal::Tally WalkRun(const Encoder& encoder, std::int64_t first, std::size_t rows, T* data) {
  return internal::WalkRows({InsideOf(encoder), TypeOf<T>()}, first, internal::List(), rows,
                            {data, encoder.dim()});
}

// Writes rows at a list of positions.
template <class T>
internal::Tally WalkList(const Encoder& encoder, const std::vector<double>& positions, T* data) {
  return internal::WalkRows({InsideOf(encoder), TypeOf<T>()}, 0, {POSENC_F64, positions.data()},
                            positions.size(), {data, encoder.dim()});
}

}  // namespace posenc

#endif  // POSENC_TESTS_KERNEL_CALLS_H_
