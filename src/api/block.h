// A handle and the arrays behind it, in one block of memory: what creation makes of a plan. A plan says how
// many `bytes()` it takes, and `Build(memory, owned)` makes the handle, at the start of the block.
#ifndef POSENC_SRC_API_BLOCK_H_
#define POSENC_SRC_API_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>

#include "call/checks.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

inline constexpr std::size_t kAlignment = 128;

// Of a handle: the arrays begin there.
template <class Handle>
inline constexpr std::size_t kHandleBytes = (sizeof(Handle) + kAlignment - 1) / kAlignment* kAlignment;

// Memory of any alignment has room for the block.
template <class Plan>
std::size_t BytesIn(const Plan& plan) {
  return plan.bytes() + kAlignment - 1;
}

template <class Plan, class Handle>
posenc_status CreateBlock(const Plan& plan, Handle** handle) {
  void* memory = ::operator new (plan.bytes(), std::align_val_t{kAlignment}, std::nothrow);
  if (memory == nullptr) return POSENC_OUT_OF_MEMORY;
  *handle = plan.Build(memory, true);
  return POSENC_OK;
}

// What is `read` is not to be in that memory.
template <class Plan, class Handle>
posenc_status CreateBlockIn(const Plan& plan, std::initializer_list<Bytes> read, void* memory,
                            std::size_t bytes, Handle** handle) {
  const Bytes whole{memory, bytes};
  if (Overlap(whole, {handle, sizeof(Handle*)})) return POSENC_BUFFERS_OVERLAP;
  for (const Bytes& other : read) {
    if (Overlap(whole, other)) return POSENC_BUFFERS_OVERLAP;
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
