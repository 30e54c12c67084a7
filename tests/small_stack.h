// Runs code on a stack of the size that a call is documented to need.
#ifndef POSENC_TESTS_SMALL_STACK_H_
#define POSENC_TESTS_SMALL_STACK_H_

#include <gtest/gtest.h>

#ifdef _WIN32
#include <cstdint>
#include <thread>
#else
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#endif

#include <cstddef>
#include <functional>

#include "guarded_pages.h"  // windows_api.h

namespace posenc {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define POSENC_SANITIZED 1
#endif
#endif
#if defined(POSENC_SANITIZED) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    (defined(__GNUC__) && !defined(__OPTIMIZE__))
inline constexpr bool kFramesAreLarger = true;
#else
inline constexpr bool kFramesAreLarger = false;
#endif

#ifdef __riscv
inline constexpr std::size_t kStackBytes = std::size_t{72} << 10;  // Clang keeps vectors of 512 bits there
#elif defined(__clang__) && defined(__x86_64__)
inline constexpr std::size_t kStackBytes = std::size_t{66} << 10;  // Clang 14 needs it for posenc_write_cache
#else
inline constexpr std::size_t kStackBytes = std::size_t{64} << 10;
#endif
inline constexpr std::size_t kGuardBytes = std::size_t{256} << 10;  // so large that no code jumps over it

// Runs `work` in a thread that crashes if it needs more stack.
#ifdef _WIN32
// On Windows every thread gets a megabyte or more. So the pages below the allowed ones are protected.
inline void OnASmallStack(const std::function<void()>& work) {
  std::thread([&work] {
    void (*volatile commit)() = [] {  // a stack has only the pages that were touched, beginning at its end
      volatile unsigned char pages[kStackBytes + 2 * kGuardBytes];
      for (std::size_t k = sizeof(pages); k > 0; k -= 1024) pages[k - 1] = 0;
    };
    commit();
    unsigned char here;
    const auto end = reinterpret_cast<std::uintptr_t>(&here) - kStackBytes;
    void* const guard = reinterpret_cast<void*>(end - end % PageSize() - kGuardBytes);
    DWORD before;
    EXPECT_NE(VirtualProtect(guard, kGuardBytes, PAGE_NOACCESS, &before), 0);
    work();
    VirtualProtect(guard, kGuardBytes, before, &before);
  }).join();
}
#else
inline void* RunWork(void* work) {
  (*static_cast<const std::function<void()>*>(work))();
  return nullptr;
}

inline void OnASmallStack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  const long least = sysconf(_SC_THREAD_STACK_MIN);  // larger on some architectures
  const std::size_t bytes = std::max(kStackBytes, static_cast<std::size_t>(std::max(least, 0L)));
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_attr_setguardsize(&attributes, kGuardBytes);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, &RunWork, const_cast<std::function<void()>*>(&work)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}
#endif

}  // namespace posenc

#endif  // POSENC_TESTS_SMALL_STACK_H_
