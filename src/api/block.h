// Creates encoders and rotaries. Both are one block of memory: a handle, and the arrays of its table behind
// it. What differs between them is in a plan, a class with these members:
//
//   spec             a copy of the caller's spec
//   handle           the handle, still without its arrays
//   Make()           checks the spec and sets the handle
//   Finish()         does the checks that take longer and that the size does not depend on
//   ArraySize()      the bytes of the arrays
//   Read()           the caller's lists, which creation reads
//   Fill(memory, h)  lays out and fills the arrays of the handle *h in memory [ArraySize()]
//
// Make, Finish and Fill run in posenc's floating-point state (number/fp_state.h).
#ifndef POSENC_SRC_API_BLOCK_H_
#define POSENC_SRC_API_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <new>

#include "call/checks.h"
#include "frequency/schedule.h"
#include "number/cache_size.h"
#include "number/fp_state.h"
#include "posenc/posenc_c.h"
#include "spec/rules.h"
#include "spec/versioned.h"

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

template <class Plan, class Spec>
posenc_status MakePlan(const Spec* from, Plan* plan) {
  const posenc_status status = CopySpec(from, &plan->spec);
  return status != POSENC_OK ? status : InFpState([&] { return plan->Make(); });
}

template <class Plan>
std::size_t BlockSize(const Plan& plan) {
  return kHandleSize<decltype(plan.handle)> + plan.ArraySize();
}

// Sets *bytes to a size that is enough for the caller's memory, whatever its alignment is.
template <class Plan, class Spec>
posenc_status MemorySize(const Spec* from, std::size_t* bytes) {
  if (bytes == nullptr) return rule::null_bytes;
  Plan plan;
  const posenc_status status = MakePlan(from, &plan);
  if (status == POSENC_OK) *bytes = BlockSize(plan) + kAlignment - 1;
  return status;
}

// Checks the caller's memory [bytes], and moves *memory to the first address at which a block can begin. The
// memory must not overlap anything else that creation reads or writes.
template <class Plan, class Spec, class Handle>
posenc_status PlaceBlock(const Plan& plan, const Spec* from, std::size_t bytes, Handle** handle,
                         void** memory) {
  const Bytes whole{*memory, bytes};
  if (bytes > PTRDIFF_MAX || bytes > UINTPTR_MAX - reinterpret_cast<std::uintptr_t>(*memory))
    return rule::size_memory;
  if (Overlap(whole, {handle, sizeof(Handle*)}) || Overlap(whole, {from, from->struct_size}))
    return rule::overlap_memory;
  for (const Bytes& read : plan.Read()) {
    if (Overlap(whole, read)) return rule::overlap_memory;
  }
  const std::size_t skipped = (0 - reinterpret_cast<std::uintptr_t>(*memory)) % kAlignment;
  if (bytes < skipped || bytes - skipped < BlockSize(plan)) return rule::small_memory;
  *memory = static_cast<unsigned char*>(*memory) + skipped;
  return rule::ok;
}

// Creates a handle. If `owned`, this function allocates the memory, and Destroy frees it; else the block is
// in the caller's memory [bytes]. On failure *handle stays as it is.
template <class Plan, class Spec, class Handle>
posenc_status Create(const Spec* from, bool owned, void* memory, std::size_t bytes, Handle** handle) {
  if (handle == nullptr) return rule::null_made;
  if (memory == nullptr && !owned) return rule::null_memory;
  Plan plan;
  posenc_status status = MakePlan(from, &plan);
  if (status == POSENC_OK) status = InFpState([&] { return plan.Finish(); });
  if (status == POSENC_OK && !owned) status = PlaceBlock(plan, from, bytes, handle, &memory);
  if (status != POSENC_OK) return status;
  AskFirstLevelCache();
  if (owned) memory = ::operator new (BlockSize(plan), std::align_val_t{kAlignment}, std::nothrow);
  if (memory == nullptr) return rule::no_memory;
  plan.handle.owned = owned;
  auto* made = ::new (memory) Handle(plan.handle);
  InFpState([&] {
    plan.Fill(static_cast<unsigned char*>(memory) + kHandleSize<Handle>, made);
    return 0;
  });
  *handle = made;
  return rule::ok;
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
