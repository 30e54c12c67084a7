// No call waits for a lock. No call takes a mutex, or initializes a static variable for which other threads
// would wait. What posenc asks the processor, it asks at creation.
#include <gtest/gtest.h>

#include "sanitized.h"

#if defined(__GLIBC__) && !defined(POSENC_SANITIZED)

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <mutex>

#include "hard_calls.h"
#include "per_target.h"

namespace {

std::atomic<std::size_t> locks{0};

// Counts a lock, then calls the function that this one replaces.
template <class... Parameters>
int Count(const char* name, Parameters... parameters) {
  ++locks;
  return reinterpret_cast<int (*)(Parameters...)>(dlsym(RTLD_NEXT, name))(parameters...);
}

}  // namespace

// All functions that the C++17 libraries of GCC and Clang lock with.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
extern "C" {
// Declared by its name for the linker, because compilers have their own declaration of this function.
int CountGuard(void* guard) noexcept __asm__("__cxa_guard_acquire");
int CountGuard(void* guard) noexcept { return Count("__cxa_guard_acquire", guard); }
int pthread_once(pthread_once_t* once, void (*function)()) { return Count("pthread_once", once, function); }
int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept { return Count("pthread_mutex_lock", mutex); }
int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept { return Count("pthread_mutex_trylock", mutex); }
int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  return Count("pthread_mutex_timedlock", mutex, until);
}
int pthread_spin_lock(pthread_spinlock_t* lock) noexcept { return Count("pthread_spin_lock", lock); }
int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept { return Count("pthread_rwlock_rdlock", lock); }
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept { return Count("pthread_rwlock_wrlock", lock); }
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

namespace posenc {
namespace {

std::size_t StaticThatIsInitializedOnce() {
  static const std::size_t value = locks;
  return value;
}

TEST(Locks, EachKindIsCounted) {
  std::size_t before = locks;
  StaticThatIsInitializedOnce();
  EXPECT_EQ(locks, before + 1);
  StaticThatIsInitializedOnce();
  EXPECT_EQ(locks, before + 1);
  std::once_flag flag;
  std::call_once(flag, [] {});
  EXPECT_GT(locks, before + 1);
  before = locks;
  std::mutex mutex;
  { const std::lock_guard<std::mutex> lock(mutex); }
  EXPECT_EQ(locks, before + 1);
}

class CallsLocks : public PerTarget {};

TEST_P(CallsLocks, NoCallLocks) {
  for (int kind = 0; kind < kHardKinds; ++kind) {
    Setting setting(target(), IsReference() ? 9 : 131, IsReference() ? 2 : 7);
    SetHardKind(kind, &setting);
    ASSERT_TRUE(setting.Create());
    ForEachCall(setting, [&](Call& call) {
      MakeHard(&call);
      const std::size_t before = locks;
      const posenc_status status = call();
      EXPECT_EQ(locks, before) << call.function.name;
      EXPECT_EQ(status, POSENC_OK) << call.function.name;
    });
  }
}

POSENC_INSTANTIATE_PER_TARGET(CallsLocks);

}  // namespace
}  // namespace posenc

#else

TEST(CallsLocks, NoCallLocks) { GTEST_SKIP() << "the C library's functions cannot be replaced here"; }

#endif
