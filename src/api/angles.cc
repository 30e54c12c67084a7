// The C functions of angles (rotary_angles_c.h).

#include "number/exact.h"

#include <cstddef>
#include <cstdint>
#include <new>

#include "api/block.h"
#include "api/handle.h"
#include "api/token_list.h"
#include "call/angles.h"
#include "number/compiler.h"
#include "posenc/rotary_angles_c.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {
namespace {

std::size_t BlockSize(const StepAngles& angles) { return kHandleSize<posenc_angles> + angles.ArrayBytes(); }

// Whether angles are at the address at which they were made.
bool AreInPlace(const posenc_angles* angles) {
  return AddressOf(angles) % kAlignment == 0 &&
         AddressOf(angles->angles.Memory().data) == AddressOf(angles) + kHandleSize<posenc_angles>;
}

// Whether a block, and its alignment, fit into the address space.
bool IsInAddressSpace(const StepAngles& angles) {
  return angles.tokens() <=
         (PTRDIFF_MAX - SizeWithAlignment(kHandleSize<posenc_angles>)) / angles.TokenBytes();
}

posenc_status Make(const posenc_rotary& rotary, const TokenPositions& positions, const GivenMemory& memory,
                   posenc_angles** angles, std::size_t* bad_index) {
  if (angles == nullptr) return rule::null_made_angles;
  if (memory.data == nullptr) return rule::null_memory;
  StepAngles made(rotary.rotary, positions.tokens);
  if (!IsInAddressSpace(made)) return rule::size_angles;
  if (!memory.IsInAddressSpace()) return rule::size_memory;
  const Bytes whole = memory.All();
  if (Overlap(whole, {angles, sizeof(posenc_angles*)}) || Overlap(whole, {&rotary, rotary.block_bytes}))
    return rule::overlap_angles_memory;
  if (!memory.HasRoomFor(BlockSize(made))) return rule::small_angles;
  if (positions.tokens != 0) {
    const posenc_status status = CheckTokens(positions, whole, bad_index);
    if (status != POSENC_OK) return status;
  }
  auto* const block = static_cast<unsigned char*>(memory.BlockBegin());
  made.Fill(positions, block + kHandleSize<posenc_angles>);
  *angles = ::new (static_cast<void*>(block)) posenc_angles{made};
  return rule::ok;
}

}  // namespace
}  // namespace internal
}  // namespace posenc

using namespace posenc::internal;  // NOLINT(google-build-using-namespace)

posenc_status posenc_angles_memory_size(const posenc_rotary* rotary, size_t tokens, size_t* bytes) {
  if (rotary == nullptr) return rule::null_rotary;
  if (bytes == nullptr) return rule::null_bytes;
  const StepAngles angles(rotary->rotary, tokens);
  if (!IsInAddressSpace(angles)) return rule::size_angles;
  *bytes = SizeWithAlignment(BlockSize(angles));
  return rule::ok;
}

posenc_status posenc_angles_make(const posenc_rotary* rotary, int64_t first_position, size_t tokens,
                                 void* memory, size_t bytes, posenc_angles** angles) {
  if (rotary == nullptr) return rule::null_rotary;
  return Make(*rotary, {first_position, List(), rotary->rotary.axes, tokens}, {memory, bytes}, angles,
              nullptr);
}

posenc_status posenc_angles_make_at(const posenc_rotary* rotary, const posenc_list* positions, size_t tokens,
                                    void* memory, size_t bytes, posenc_angles** angles, size_t* bad_index) {
  if (rotary == nullptr) return rule::null_rotary;
  if (const posenc_status status = CheckTokenList(positions, tokens); status != POSENC_OK) return status;
  return Make(*rotary, {0, List(*positions), rotary->rotary.axes, tokens}, {memory, bytes}, angles,
              bad_index);
}

posenc_status posenc_rotate_by_angles(const posenc_rotary* rotary, const posenc_angles* angles,
                                      int64_t first_token, size_t tokens, const posenc_heads* tensors,
                                      size_t count) {
  if (rotary == nullptr) return rule::null_rotary;
  if (angles == nullptr) return rule::null_angles;
  if (!AreInPlace(angles)) return rule::angles_moved;
  return CallRotateByAngles(rotary->rotary, angles->angles, first_token, tokens, {tensors, count});
}
