// A second thread that repeats one task on demand. It starts quickly enough for calls of microseconds.
#ifndef POSENC_BENCH_SECOND_THREAD_H_
#define POSENC_BENCH_SECOND_THREAD_H_

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

namespace posenc {
namespace bench {

// Keeps the calling thread and another thread on different cores, if there are two and the system allows it.
class CoreForEach {
 public:
  explicit CoreForEach(std::thread& second);
  ~CoreForEach();
  CoreForEach(const CoreForEach&) = delete;
  CoreForEach& operator=(const CoreForEach&) = delete;

 private:
#ifdef __linux__
  cpu_set_t before_;  // the cores of the calling thread before
#endif
};

class SecondThread {
 public:
  explicit SecondThread(std::function<void()> task);
  ~SecondThread();
  SecondThread(const SecondThread&) = delete;
  SecondThread& operator=(const SecondThread&) = delete;

  void Start();       // runs the task once
  void Wait() const;  // until the task is done

 private:
  void Run();
  unsigned NextOrder(unsigned previous);

  std::function<void()> task_;
  std::mutex mutex_;
  std::condition_variable ordered_changed_;
  std::atomic<unsigned> ordered_{0};
  std::atomic<unsigned> done_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;  // declared last, because it uses the members above
  CoreForEach cores_;
};

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_SECOND_THREAD_H_
