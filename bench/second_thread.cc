// The thread waits by spinning, so that calls of microseconds can be split between two threads.
#include "second_thread.h"

#include <chrono>
#include <utility>

#ifdef __linux__
#include <pthread.h>
#include <sched.h>

#include <fstream>
#include <string>
#endif

namespace posenc {
namespace bench {
namespace {

#ifdef __linux__
bool SameCore(int cpu, int other) {
  const auto read = [](int of, const char* what) {
    int value = of;
    std::ifstream("/sys/devices/system/cpu/cpu" + std::to_string(of) + "/topology/" + what) >> value;
    return value;
  };
  return read(cpu, "core_id") == read(other, "core_id") &&
         read(cpu, "physical_package_id") == read(other, "physical_package_id");
}

void Pin(pthread_t thread, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(cpu), &set);
  pthread_setaffinity_np(thread, sizeof(set), &set);
}
#endif

}  // namespace

// Linux tends to wake a thread on the core of the thread that wakes it. Then the two would take turns.
CoreForEach::CoreForEach(std::thread& second) {
#ifdef __linux__
  if (pthread_getaffinity_np(pthread_self(), sizeof(before_), &before_) != 0) return;
  const int own = sched_getcpu();
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(static_cast<unsigned>(cpu), &before_) || SameCore(cpu, own)) continue;
    Pin(pthread_self(), own);
    Pin(second.native_handle(), cpu);
    return;
  }
#else
  static_cast<void>(second);
#endif
}

CoreForEach::~CoreForEach() {
#ifdef __linux__
  pthread_setaffinity_np(pthread_self(), sizeof(before_), &before_);
#endif
}

SecondThread::SecondThread(std::function<void()> task)
    : task_(std::move(task)), thread_([this] { Run(); }), cores_(thread_) {}

SecondThread::~SecondThread() {
  stop_ = true;
  Start();
  thread_.join();
}

void SecondThread::Start() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++ordered_;
  }
  ordered_changed_.notify_one();
}

void SecondThread::Wait() const {
  while (done_.load(std::memory_order_acquire) != ordered_.load(std::memory_order_relaxed)) {
  }
}

void SecondThread::Run() {
  for (unsigned order = NextOrder(0); !stop_; order = NextOrder(order)) {
    task_();
    done_.store(order, std::memory_order_release);
  }
}

// Spins for a while, since the next call usually follows at once. Then sleeps, so that the next row has the
// machine to itself.
unsigned SecondThread::NextOrder(unsigned previous) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point patience = Clock::now() + std::chrono::microseconds(50);
  while (ordered_.load(std::memory_order_acquire) == previous) {
    if (Clock::now() < patience) continue;
    std::unique_lock<std::mutex> lock(mutex_);
    ordered_changed_.wait(lock, [&] { return ordered_ != previous; });
  }
  return ordered_;
}

}  // namespace bench
}  // namespace posenc
