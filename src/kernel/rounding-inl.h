// Rounding: everything that decides whether a result is certain, and what it is then. The loops compute a
// result and know a bound of its error. If all real numbers within this bound round to one number of the
// type, the result is *decided*. Otherwise it is *undecided*, and a slower tier computes it again (Ziv's
// test). PROOF.md and the pages in proof/ argue that each test covers its bound.
//
// There are two kinds of tests:
//
//   part       a result is decided if                                           costs
//   windows    no midpoint of two numbers of the type is near                   a test of low bits
//   intervals  it rounds to one number, the bound added and subtracted          two roundings instead of one
//
// Windows are for normal numbers of a type, intervals for all. The tests are in rounding_windows-inl.h and
// rounding_intervals-inl.h. What both need to make floats of doubles is in rounding_packing-inl.h.
//
// What a test needs of an element type is in these files. How a type is loaded, converted and stored is in
// store-inl.h, for rotated pairs also in pairs-inl.h and bounded_sums-inl.h, and for single elements in
// number/elements.h and heads.h. Included once per target.
#if defined(POSENC_SRC_KERNEL_ROUNDING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_ROUNDING_INL_H_
#undef POSENC_SRC_KERNEL_ROUNDING_INL_H_
#else
#define POSENC_SRC_KERNEL_ROUNDING_INL_H_
#endif

#include "kernel/rounding_intervals-inl.h"
#include "kernel/rounding_packing-inl.h"
#include "kernel/rounding_windows-inl.h"

#endif  // POSENC_SRC_KERNEL_ROUNDING_INL_H_
