// How every row is measured: the call takes turns with its rivals and with the limits of memory, on one
// buffer.
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

// Memory that is 64-byte aligned, with every page touched. It stays in place until more is asked for.
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

// What one call produces.
struct Work {
  std::size_t entries;
  std::size_t bytes;  // of the output; x counts once in sums
};

// Another way to do the same work. It takes turns with the call.
struct Rival {
  enum class Counter { kRowOverRival, kRivalOverRow };  // which rate is divided by which

  std::string counter;
  std::function<void()> call;
  Counter direction = Counter::kRowOverRival;
};

// From now on measurements belong to the row with this name.
void BeginRow(const std::string& name);

// Times `call`, which writes Output(), and sets the counters of the row (README.md). Before each call's turn
// `prepare` fills Output().
void Measure(
    benchmark::State& state, Work work, const std::function<void()>& call,
    const std::vector<Rival>& rivals = {}, const std::function<void()>& prepare = [] {});

// The same for a `call` that works in place, beside the rivals only. The limits of memory would destroy what
// is in Output().
void MeasureInPlace(
    benchmark::State& state, Work work, const std::function<void()>& call, const std::vector<Rival>& rivals,
    const std::function<void()>& prepare = [] {});

// The best times of the two builds of a row, in seconds for one call.
struct BestTimes {
  double now = std::numeric_limits<double>::infinity();
  double before = std::numeric_limits<double>::infinity();

  double ratio() const { return before / now; }
};

// Measures `now` beside `before`, which is the same work in another build. *best holds the best times of
// earlier runs of the row, and gets the new ones if they are lower. Only the processor time of this thread
// counts. If the best times differ by more than `tolerance`, more rounds follow, for up to five seconds, so
// that chance matters less.
void MeasureBeside(benchmark::State& state, Work work, const std::function<void()>& now,
                   const std::function<void()>& before, const std::function<void()>& prepare,
                   double tolerance, BestTimes* best);

// Makes the row fail with an error. The exit status of the process becomes 1.
void Fail(benchmark::State& state, const std::string& message);
bool AnyFailed();

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_MEASURE_H_
