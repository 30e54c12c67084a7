// Highway's settings, which must be the same in all files. Include it before any header of Highway.
#ifndef POSENC_SRC_KERNEL_HIGHWAY_SETTINGS_H_
#define POSENC_SRC_KERNEL_HIGHWAY_SETTINGS_H_

#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE  // each target exactly once
#endif

#ifndef HWY_WANT_AVX3_DL
#define HWY_WANT_AVX3_DL  // for VBMI2's shift of two words, which saves three operations
#endif

#ifndef HWY_DISABLED_TARGETS
// Better targets than AVX3_DL would have the same code. Targets before SSE4 (SSSE3; in later versions of
// Highway SSE2) are the best of no CPU of interest.
#define HWY_DISABLED_TARGETS ((HWY_AVX3_DL - 1) | (7 * HWY_SSSE3))
#endif

#undef HWY_BROKEN_EMU128
#define HWY_BROKEN_EMU128 1  // with every compiler SCALAR is the target without vectors

#endif  // POSENC_SRC_KERNEL_HIGHWAY_SETTINGS_H_
