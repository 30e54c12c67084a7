// Hard inputs for the calls in calls.h: elements that are hard to add to or to rotate, and positions that are
// hard for encoders.
#ifndef POSENC_TESTS_HARD_CALLS_H_
#define POSENC_TESTS_HARD_CALLS_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "calls.h"
#include "rotary_cases.h"
#include "verify/worst_cases.h"

namespace posenc {

// SetKind, with one kind more. Its frequencies need 1,024 bits at the second position of runs, and at the
// first position of lists of doubles.
inline constexpr int kHardKinds = Setting::kKinds + 1;

inline void SetHardKind(int kind, Setting* setting) {
  setting->SetKind(kind);
  if (kind < Setting::kKinds) return;
  static const tools::HardAngle angle = tools::ReportedAngles().back();
  static const std::vector<double> frequencies(100, angle.frequency);
  setting->spec.frequencies = frequencies.data();
  setting->spec.frequency_count = (setting->spec.dim + 1) / 2;
  setting->spec.position_scale = angle.scale;
  setting->first = static_cast<std::int64_t>(angle.position) - 1;
}

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

// Fills in pairs of every kind. Some need 1,024 bits to rotate.
inline void MakeHard(Call* call) {
  for (Buffer& buffer : call->buffers) {
    const double position = tools::ReportedAngles().back().position;
    if (buffer.values == Values::kPositions && buffer.type == POSENC_F64)
      std::memcpy(buffer.content.data(), &position, sizeof(position));
    if (buffer.values != Values::kEntries || buffer.use == Use::kWritten) continue;
    static_assert(internal::kAreAllSummands<POSENC_F32, POSENC_BF16, POSENC_F16>);
    if (buffer.type == POSENC_F32) MakeHard<float>(&buffer);
    if (buffer.type == POSENC_BF16) MakeHard<BFloat16>(&buffer);
    if (buffer.type == POSENC_F16) MakeHard<Float16>(&buffer);
  }
  call->Settle();
}

}  // namespace posenc

#endif  // POSENC_TESTS_HARD_CALLS_H_
