// Creates encoders and rotaries. Both are one block of memory: a handle, and behind it what the handle points
// to. What differs between them is in a plan, a class with these members:
//
//   from             the caller's spec
//   refusal          the first mistake in the spec, or POSENC_OK
//   handle           the handle, still without its arrays
//   Finish()         does the checks that take longer and that the size does not depend on
//   ArraySize()      the bytes behind the handle
//   Read()           the caller's lists, which creation reads
//   Fill(memory, h)  lays out and fills the arrays of the handle *h in memory [ArraySize()]
//
// Finish and Fill run in posenc's floating-point state (number/fp_state.h).
#ifndef POSENC_SRC_API_BLOCK_H_
#define POSENC_SRC_API_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <new>

#include "call/checks.h"
#include "frequency/formula.h"
#include "number/cache_size.h"
#include "number/fp_state.h"
#include "posenc/posenc_c.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {

// The alignment of a block, and of the arrays in it, in bytes.
inline constexpr std::size_t kAlignment = 128;

// The bytes of a handle with its padding: here the arrays begin.
template <class Handle>
inline constexpr std::size_t kHandleSize = (sizeof(Handle) + kAlignment - 1) / kAlignment* kAlignment;

inline Bytes BytesOf(const FrequencyList& list) {
  return list.data() == nullptr ? Bytes{nullptr, 0} : Bytes{list.data(), list.bytes()};
}

template <class Plan>
std::size_t BlockSize(const Plan& plan) {
  return kHandleSize<decltype(plan.handle)> + plan.ArraySize();
}

// Sets *bytes to a size that is enough for the caller's memory, whatever its alignment is.
template <class Plan>
posenc_status MemorySize(const Plan& plan, std::size_t* bytes) {
  if (bytes == nullptr) return rule::null_bytes;
  if (plan.refusal == POSENC_OK) *bytes = BlockSize(plan) + kAlignment - 1;
  return plan.refusal;
}

// Checks the caller's memory [bytes], and moves *memory to the first address at which a block can begin. The
// memory must not overlap anything else that creation reads or writes.
template <class Plan, class Handle>
posenc_status PlaceBlock(const Plan& plan, std::size_t bytes, Handle** handle, void** memory) {
  const Bytes whole{*memory, bytes};
  if (bytes > PTRDIFF_MAX || bytes > UINTPTR_MAX - reinterpret_cast<std::uintptr_t>(*memory))
    return rule::size_memory;
  if (Overlap(whole, {handle, sizeof(Handle*)}) || Overlap(whole, {plan.from, plan.from->struct_size}))
    return rule::overlap_memory;
  for (const Bytes& read : plan.Read()) {
    if (Overlap(whole, read)) return rule::overlap_memory;
  }
  const std::size_t skipped = (0 - reinterpret_cast<std::uintptr_t>(*memory)) % kAlignment;
  if (bytes < skipped || bytes - skipped < BlockSize(plan)) return rule::small_memory;
  *memory = static_cast<unsigned char*>(*memory) + skipped;
  return rule::ok;
}

// Makes the handle in a block of memory, or returns no_memory if there is none.
template <class Plan, class Handle>
posenc_status FillBlock(const Plan& plan, void* memory, bool owned, Handle** handle) {
  if (memory == nullptr) return rule::no_memory;
  AskFirstLevelCache();
  auto* made = ::new (memory) Handle(plan.handle);
  made->owned = owned;
  InFpState([&] {
    plan.Fill(static_cast<unsigned char*>(memory) + kHandleSize<Handle>, made);
    return 0;
  });
  *handle = made;
  return rule::ok;
}

// Creates a handle in memory that this function allocates and Destroy frees. On failure *handle stays as it
// is.
template <class Plan, class Handle>
posenc_status Create(Plan&& plan, Handle** handle) {
  if (handle == nullptr) return rule::null_made;
  if (plan.refusal != POSENC_OK) return plan.refusal;
  if (const posenc_status status = InFpState([&] { return plan.Finish(); }); status != POSENC_OK)
    return status;
  void* const memory = ::operator new (BlockSize(plan), std::align_val_t{kAlignment}, std::nothrow);
  return FillBlock(plan, memory, true, handle);
}

// The same in the caller's memory [bytes].
template <class Plan, class Handle>
posenc_status CreateIn(void* memory, std::size_t bytes, Plan&& plan, Handle** handle) {
  if (handle == nullptr) return rule::null_made;
  if (memory == nullptr) return rule::null_memory;
  if (plan.refusal != POSENC_OK) return plan.refusal;
  posenc_status status = InFpState([&] { return plan.Finish(); });
  if (status == POSENC_OK) status = PlaceBlock(plan, bytes, handle, &memory);
  return status != POSENC_OK ? status : FillBlock(plan, memory, false, handle);
}

template <class Handle>
void Destroy(Handle* handle) {
  if (handle == nullptr || !handle->owned) return;
  handle->~Handle();
  ::operator delete (handle, std::align_val_t{kAlignment});
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_API_BLOCK_H_
