// Included before any header of Highway's: its settings must be the same in all units.
#ifndef POSENC_SRC_KERNEL_ATTAINABLE_H_
#define POSENC_SRC_KERNEL_ATTAINABLE_H_

#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE  // each target exactly once
#endif

#endif  // POSENC_SRC_KERNEL_ATTAINABLE_H_
