// How everything here is measured: a call against the limits of memory and against its rivals, in turn, on
// one buffer.
#ifndef POSENC_BENCH_MEASURE_H_
#define POSENC_BENCH_MEASURE_H_

#include <benchmark/benchmark.h>

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace posenc {
namespace bench {

// Memory that stays where it is, as long as no more is asked for: 64-byte aligned, every page touched.
class Buffer {
 public:
  void* Get(std::size_t bytes);

  template <class T>
  T* Get(std::size_t count) {
    return static_cast<T*>(Get(count * sizeof(T)));
  }

 private:
  struct Free {
    void operator()(void* data) const;
  };
  std::unique_ptr<void, Free> data_;
  std::size_t bytes_ = 0;
};

// The buffer that all calls write to.
Buffer& Output();

// What one call yields.
struct Work {
  std::size_t entries;
  std::size_t bytes;  // of the output; of an x that is added to, counted once
};

// Another way to do the same work, which takes turns with the call.
struct Rival {
  enum class Counter { kRowOverRival, kRivalOverRow };  // whose rate over whose

  std::string counter;
  std::function<void()> call;
  Counter direction = Counter::kRowOverRival;
};

// What is measured from now on belongs to the row of this name.
void BeginRow(const std::string& name);

// Times `call`, which writes Output(), and sets the counters of the row (README.md). Each contestant finds
// there what `prepare` puts there.
void Measure(
    benchmark::State& state, Work work, const std::function<void()>& call,
    const std::vector<Rival>& rivals = {}, const std::function<void()>& prepare = [] {});

// The same beside the rivals alone: `call` changes what is in Output(), which filling it would destroy.
void MeasureInPlace(
    benchmark::State& state, Work work, const std::function<void()>& call, const std::vector<Rival>& rivals,
    const std::function<void()>& prepare = [] {});

// The best times of a row's two builds, in seconds a call.
struct BestTimes {
  double now = std::numeric_limits<double>::infinity();
  double before = std::numeric_limits<double>::infinity();

  double ratio() const { return before / now; }
};

// Measures `now` beside `before`, the same work in another build, and lowers *best, which holds the times of
// earlier runs of the row. Counts the processor time of this thread only. Where the best
// times differ by more than `tolerance`, both get more rounds, up to five seconds, so that chance has less to
// say.
void MeasureBeside(benchmark::State& state, Work work, const std::function<void()>& now,
                   const std::function<void()>& before, const std::function<void()>& prepare,
                   double tolerance, BestTimes* best);

// Ends the row with an error, and the process with exit status 1.
void Fail(benchmark::State& state, const std::string& message);
bool AnyFailed();

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_MEASURE_H_
