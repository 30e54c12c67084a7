// Creation of every noun: a handle and the arrays behind it, in one block of memory, from the noun's plan:
//
//   spec, handle     the caller's spec, copied; the handle without its arrays
//   Make()           checks the spec and sets the handle
//   Finish()         checks what takes longer and is not needed to know the size
//   ArraySize()      bytes of the arrays
//   Read()           the caller's lists, which creation reads
//   Fill(memory, h)  puts the arrays of the handle *h into memory [ArraySize()]
//
// Make, Finish and Fill run in the floating-point state of number/fp_state.h.
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

// The alignment of a block and of its arrays, in bytes.
inline constexpr std::size_t kAlignment = 128;

// Where the arrays begin in a block, in bytes.
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

// Sets *bytes to a size of memory that is enough at any alignment.
template <class Plan, class Spec>
posenc_status MemorySize(const Spec* from, std::size_t* bytes) {
  if (bytes == nullptr) return rule::null_bytes;
  Plan plan;
  const posenc_status status = MakePlan(from, &plan);
  if (status == POSENC_OK) *bytes = BlockSize(plan) + kAlignment - 1;
  return status;
}

// Moves *memory, a caller's [bytes], to where a block can begin. The memory must overlap nothing else that
// creation reads or writes.
template <class Plan, class Spec, class Handle>
posenc_status PlaceBlock(const Plan& plan, const Spec* from, std::size_t bytes, Handle** handle,
                         void** memory) {
  const Bytes whole{*memory, bytes};
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

// Creates a handle in memory [bytes] of the caller's or, if `owned`, in memory that Destroy frees. On failure
// *handle stays as it is.
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
