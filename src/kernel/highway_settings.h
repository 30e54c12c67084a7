// Included before any header of Highway's: its settings must be the same in all units.
#ifndef POSENC_SRC_KERNEL_HIGHWAY_SETTINGS_H_
#define POSENC_SRC_KERNEL_HIGHWAY_SETTINGS_H_

#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE  // each target exactly once
#endif

#ifndef HWY_WANT_AVX3_DL
#define HWY_WANT_AVX3_DL  // has a shift that saves three steps
#endif

#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL - 1)  // those that are better still would be the same code again
#endif

#endif  // POSENC_SRC_KERNEL_HIGHWAY_SETTINGS_H_
