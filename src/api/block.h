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
#include "number/compiler.h"
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

// The bytes of memory that are enough for a block, whatever the alignment of the memory is.
inline std::size_t SizeWithAlignment(std::size_t block) { return block + kAlignment - 1; }

// The memory in which a caller wants a block. It may have any alignment.
struct GivenMemory {
  void* data;
  std::size_t bytes;

  Bytes All() const { return {data, bytes}; }
  bool IsInAddressSpace() const { return bytes <= PTRDIFF_MAX && bytes <= UINTPTR_MAX - AddressOf(data); }
  bool HasRoomFor(std::size_t block) const { return bytes >= Skipped() && bytes - Skipped() >= block; }
  void* BlockBegin() const { return static_cast<unsigned char*>(data) + Skipped(); }

 private:
  std::size_t Skipped() const { return (0 - AddressOf(data)) % kAlignment; }
};

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
  if (plan.refusal == POSENC_OK) *bytes = SizeWithAlignment(BlockSize(plan));
  return plan.refusal;
}

// Checks the caller's memory. It must not overlap anything else that creation reads or writes.
template <class Plan, class Handle>
posenc_status CheckMemory(const Plan& plan, const GivenMemory& memory, Handle** handle) {
  const Bytes whole = memory.All();
  if (!memory.IsInAddressSpace()) return rule::size_memory;
  if (Overlap(whole, {handle, sizeof(Handle*)}) || Overlap(whole, {plan.from, plan.from->struct_size}))
    return rule::overlap_memory;
  for (const Bytes& read : plan.Read()) {
    if (Overlap(whole, read)) return rule::overlap_memory;
  }
  return memory.HasRoomFor(BlockSize(plan)) ? rule::ok : rule::small_memory;
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

// The same in the caller's memory.
template <class Plan, class Handle>
posenc_status CreateIn(const GivenMemory& memory, Plan&& plan, Handle** handle) {
  if (handle == nullptr) return rule::null_made;
  if (memory.data == nullptr) return rule::null_memory;
  if (plan.refusal != POSENC_OK) return plan.refusal;
  posenc_status status = InFpState([&] { return plan.Finish(); });
  if (status == POSENC_OK) status = CheckMemory(plan, memory, handle);
  return status != POSENC_OK ? status : FillBlock(plan, memory.BlockBegin(), false, handle);
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
