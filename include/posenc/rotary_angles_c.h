// The angles of a step for C (C99): the cosines and sines of its tokens, made once and used by every layer.
//
// A model rotates q and k at the same positions in each of its layers, and posenc_rotate computes their
// cosines and sines again in each call. To save this work, make the angles of the tokens once in each step,
// and rotate by them in each layer. The bits are the same as with posenc_rotate, also with POSENC_FAST.
//
//   to do this                                         call this
//   learn how much memory angles need                  posenc_angles_memory_size
//   make the angles of consecutive tokens              posenc_angles_make
//   make the angles of tokens at any positions         posenc_angles_make_at
//   rotate by angles                                   posenc_rotate_by_angles
//
//   posenc_angles* angles = NULL;  // memory [bytes] may be the same in each step
//   posenc_status status = posenc_angles_make(rotary, n_past, tokens, memory, bytes, &angles);
//   for (int n = 0; n < layers && status == POSENC_OK; ++n)
//     status = posenc_rotate_by_angles(rotary, angles, 0, tokens, tensors[n], 2);
//   if (status != POSENC_OK) puts(posenc_status_message(status));
//
// The list "In all headers" at the top of posenc_c.h holds here too.
#ifndef POSENC_ROTARY_ANGLES_C_H_
#define POSENC_ROTARY_ANGLES_C_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming)
#include "posenc/rotary_c.h"

#ifdef __cplusplus
extern "C" {
#endif

// The angles of some tokens. They are in your memory, so there is nothing to destroy. They never change, so
// threads may share them. Do not move or copy that memory, and keep the rotary as long as the angles: they
// contain addresses.
typedef struct posenc_angles posenc_angles;

// *bytes becomes a size that is enough for the angles of that number of tokens, at any alignment of the
// memory. With rotary_dim 128 a token takes 2.3 KB, or 2 KB if the rotary has POSENC_FAST. On AArch64 it
// takes 3.1 KB. If the rotary has several axes or a phase_rounding, each of these numbers is 1 KB larger.
POSENC_CALL posenc_angles_memory_size(const posenc_rotary* rotary, size_t tokens, size_t* bytes);

// Makes the angles of tokens in memory [bytes], and sets *angles to an address in it. Token t is at position
// first_position + t on all axes. What was in the memory before is lost, such as the angles of an earlier
// step. If the call fails, nothing in the memory changes.
POSENC_CALL posenc_angles_make(const posenc_rotary* rotary, int64_t first_position, size_t tokens,
                               void* memory, size_t bytes, posenc_angles** angles);

// The same at positions [axes, tokens]. *bad_index means the same as in posenc_rotate_at.
POSENC_CALL posenc_angles_make_at(const posenc_rotary* rotary, const posenc_list* positions, size_t tokens,
                                  void* memory, size_t bytes, posenc_angles** angles, size_t* bad_index);

// Rotates tensors [count] as posenc_rotate does. Token t of the tensors is rotated by the angles that were
// made for token first_token + t. So first_token is 0 if the tensors begin with the first of the tokens for
// which angles were made. The angles must have been made with this rotary.
POSENC_CALL posenc_rotate_by_angles(const posenc_rotary* rotary, const posenc_angles* angles,
                                    int64_t first_token, size_t tokens, const posenc_heads* tensors,
                                    size_t count);

#ifdef __cplusplus
}  // extern "C"
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)

#endif  // POSENC_ROTARY_ANGLES_C_H_
