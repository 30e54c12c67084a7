// A handle and the arrays behind it, in one block of memory: the three ways of creating a noun, from its
// plan. A plan is made of a caller's spec: Make(from) checks that spec, after which bytes() says what memory
// the block takes; Finish() settles what takes longer; Build(memory, owned) makes the handle, at the start of
// the block; Read() is what of the caller's it reads.
#ifndef POSENC_SRC_API_BLOCK_H_
#define POSENC_SRC_API_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <new>

#include "call/checks.h"
#include "frequency/schedule.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

inline constexpr std::size_t kAlignment = 128;

// Of a handle: the arrays begin there.
template <class Handle>
inline constexpr std::size_t kHandleBytes = (sizeof(Handle) + kAlignment - 1) / kAlignment* kAlignment;

inline Bytes BytesOf(const FrequencyList& list) {
  return list.data() == nullptr ? Bytes{nullptr, 0} : Bytes{list.data(), list.bytes()};
}

template <class Plan, class Spec, class Handle>
posenc_status CreateBlock(const Spec* from, Handle** handle) {
  if (handle == nullptr) return POSENC_NULL_POINTER;
  Plan plan;
  if (const posenc_status status = plan.Make(from); status != POSENC_OK) return status;
  if (const posenc_status status = plan.Finish(); status != POSENC_OK) return status;
  void* memory = ::operator new (plan.bytes(), std::align_val_t{kAlignment}, std::nothrow);
  if (memory == nullptr) return POSENC_OUT_OF_MEMORY;
  *handle = plan.Build(memory, true);
  return POSENC_OK;
}

// Memory of any alignment has room for the block.
template <class Plan, class Spec>
posenc_status SizeOfBlock(const Spec* from, std::size_t* bytes) {
  if (bytes == nullptr) return POSENC_NULL_POINTER;
  Plan plan;
  if (const posenc_status status = plan.Make(from); status != POSENC_OK) return status;
  *bytes = plan.bytes() + kAlignment - 1;
  return POSENC_OK;
}

template <class Plan, class Spec, class Handle>
posenc_status CreateBlockIn(const Spec* from, void* memory, std::size_t bytes, Handle** handle) {
  if (memory == nullptr || handle == nullptr) return POSENC_NULL_POINTER;
  Plan plan;
  if (const posenc_status status = plan.Make(from); status != POSENC_OK) return status;
  if (const posenc_status status = plan.Finish(); status != POSENC_OK) return status;
  const Bytes whole{memory, bytes};
  if (Overlap(whole, {handle, sizeof(Handle*)}) || Overlap(whole, {from, from->struct_size}))
    return POSENC_BUFFERS_OVERLAP;
  for (const Bytes& read : plan.Read()) {
    if (Overlap(whole, read)) return POSENC_BUFFERS_OVERLAP;
  }
  const std::size_t skipped = (0 - reinterpret_cast<std::uintptr_t>(memory)) % kAlignment;
  if (bytes < skipped || bytes - skipped < plan.bytes()) return POSENC_MEMORY_TOO_SMALL;
  *handle = plan.Build(static_cast<unsigned char*>(memory) + skipped, false);
  return POSENC_OK;
}

template <class Handle>
void DestroyBlock(Handle* handle) {
  if (handle == nullptr || !handle->owned) return;
  handle->~Handle();
  ::operator delete (handle, std::align_val_t{kAlignment});
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_API_BLOCK_H_
