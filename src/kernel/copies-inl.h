// Copying rows past the caches. Included once per target.
#if defined(POSENC_SRC_KERNEL_COPIES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_KERNEL_COPIES_INL_H_
#undef POSENC_SRC_KERNEL_COPIES_INL_H_
#else
#define POSENC_SRC_KERNEL_COPIES_INL_H_
#endif

#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernel/copies.h"

#if HWY_TARGET != HWY_SCALAR

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Copies each row to all its places (copies.h) by streaming stores. Rows are whole cache lines, of 64 bytes,
// and places begin at lines.
inline HWY_NOINLINE void StreamCopies(const Copies& copies) {
  copies.ForEach([&](const unsigned char* from, unsigned char* to) HWY_ATTR {
    const hn::CappedTag<std::uint8_t, 64> d;  // so that whole vectors fill a line
    for (std::size_t at = 0; at < copies.bytes; at += hn::Lanes(d)) {
      hn::Stream(hn::LoadU(d, from + at), d, to + at);
    }
  });
  hwy::FlushStream();
}

}  // namespace HWY_NAMESPACE
}  // namespace internal
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // HWY_SCALAR

#endif  // POSENC_SRC_KERNEL_COPIES_INL_H_
