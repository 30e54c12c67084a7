// What the functions of angles read and write, for the list of calls (calls.h).
#ifndef POSENC_TESTS_ANGLE_CALLS_H_
#define POSENC_TESTS_ANGLE_CALLS_H_

#include <cstddef>
#include <cstring>

#include "calls.h"
#include "posenc/rotary_angles_c.h"

namespace posenc {
namespace rows_of {

// Rotates by angles of the call's tokens, which are at consecutive positions.
inline void ByAngles(Call& c) {
  std::size_t bytes = 0;
  posenc_angles* angles = nullptr;
  if (posenc_angles_memory_size(c.a.rotary, c.a.rows, &bytes) == POSENC_OK) {
    c.angle_memory.resize(bytes / sizeof(double) + 1);
    static_cast<void>(
        posenc_angles_make(c.a.rotary, c.setting.first, c.a.rows, c.angle_memory.data(), bytes, &angles));
  }
  c.a.angles = angles;
  c.pointers.emplace_back(&c.a.rotary, Refusal(rule::null_rotary));
  c.pointers.emplace_back(&c.a.angles, Refusal(rule::null_angles));
  Tensors(c);
  c.sizes.push_back({&c.a.rows, Refusal(rule::size_heads)});
  c.a.first = 0;
  RunOf(c, &c.a.first);
  c.runs.back().least = 0;
  c.runs.back().most = static_cast<std::int64_t>(c.a.rows) - 1;
}

// Makes angles. Then the call rotates heads by them, whose elements are its results.
template <bool kListed>
void MakeAngles(Call& c) {
  c.pointers.emplace_back(&c.a.rotary, Refusal(rule::null_rotary));
  if (posenc_angles_memory_size(c.a.rotary, c.a.rows, &c.a.bytes) != POSENC_OK) c.a.bytes = 1;
  c.Add("memory", &c.a.data, Use::kScratch, Values::kAny, kByte, {1, 1, c.a.bytes}).null = rule::null_memory;
  Object(c, "handle", &c.a.other, Use::kWritten, sizeof(void*)).null = rule::null_made_angles;
  c.Add("rotated", &c.a.tensors[0].data, Use::kAdded, Values::kEntries, POSENC_F32,
        {1, 1, c.a.rows * c.setting.rotary_spec.head_dim})
      .null = kNoArgument;
  c.sizes.push_back({&c.a.rows, Refusal(rule::size_angles)});
  if (kListed) List(c, Values::kPositions, c.setting.rotary_spec.axes * c.a.rows, &c.a.list, &c.a.list_type);
  if (!kListed) RunOf(c, &c.a.first);
}

inline posenc_status RotateByMade(posenc_status status, Arguments& a) {
  if (status != POSENC_OK) return status;
  posenc_angles* angles;
  std::memcpy(&angles, a.other, sizeof(posenc_angles*));
  std::memset(a.other, 0, sizeof(posenc_angles*));  // instead of an address, which is no result
  const std::size_t dim = posenc_rotary_head_dim(a.rotary);
  posenc_heads heads{};
  heads.type = POSENC_F32;
  heads.data = a.tensors[0].data;
  heads.heads = 1;
  heads.token_stride = heads.head_stride = dim;
  return posenc_rotate_by_angles(a.rotary, angles, 0, a.rows, &heads, 1);
}

inline void AnglesMemorySize(Call& c) {
  c.pointers.emplace_back(&c.a.rotary, Refusal(rule::null_rotary));
  Object(c, "bytes", &c.a.data, Use::kWritten, sizeof(std::size_t)).null = rule::null_bytes;
  c.sizes.push_back({&c.a.rows, Refusal(rule::size_angles)});
}

}  // namespace rows_of
}  // namespace posenc

#endif  // POSENC_TESTS_ANGLE_CALLS_H_
