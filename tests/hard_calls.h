// Entries that are hard to add to and to turn, for the calls of calls.h.
#ifndef POSENC_TESTS_HARD_CALLS_H_
#define POSENC_TESTS_HARD_CALLS_H_

#include <cmath>
#include <cstring>

#include "calls.h"
#include "rotary_cases.h"

namespace posenc {

template <class T>
void MakeHard(Buffer* buffer) {
  PairMaker<T> maker(11);
  for (std::size_t k = 0; k + 1 < buffer->count(); k += 2) {
    const double angle = static_cast<double>(k / 2 % 100);
    const Rotated<T> pair = maker.Make(k / 2, std::cos(angle), std::sin(angle), 1.0);
    std::memcpy(&buffer->content[k * sizeof(T)], &pair.x, sizeof(T));
    std::memcpy(&buffer->content[(k + 1) * sizeof(T)], &pair.y, sizeof(T));
  }
}

// Pairs of every kind, some of which take 1,024 bits to turn.
inline void MakeHard(Call* call) {
  for (Buffer& buffer : call->buffers) {
    if (buffer.values != Values::kEntries || buffer.use == Use::kWritten) continue;
    if (buffer.type == POSENC_F32) MakeHard<float>(&buffer);
    if (buffer.type == POSENC_BF16) MakeHard<BFloat16>(&buffer);
    if (buffer.type == POSENC_F16) MakeHard<Float16>(&buffer);
  }
  call->Settle();
}

}  // namespace posenc

#endif  // POSENC_TESTS_HARD_CALLS_H_
