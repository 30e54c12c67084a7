#include "measure.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "memory_limits.h"

namespace posenc {
namespace bench {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr int kRounds = 9;
constexpr double kSectionSeconds = 200e-6;   // a timed section repeats short calls for this long
constexpr double kCachedCallSeconds = 5e-3;  // longer calls gain nothing from a warm cache

bool any_failed = false;

// One of those that take turns.
class Contestant {
 public:
  explicit Contestant(std::function<void()> call) : call_(std::move(call)) {
    call_();
    while ((section_ = Run()) < kSectionSeconds) calls_ *= 2;
  }

  // After the others have had the caches.
  void Warm() const {
    if (section_ < kCachedCallSeconds) call_();
  }

  void Time() { best_ = std::min(best_, Run() / static_cast<double>(calls_)); }

  int calls() const { return calls_; }
  double best() const { return best_; }  // seconds a call

 private:
  double Run() const {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < calls_; ++i) {
      call_();
      benchmark::ClobberMemory();
    }
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  std::function<void()> call_;
  int calls_ = 1;
  double section_ = 0.0;
  double best_ = std::numeric_limits<double>::infinity();
};

struct Rival {
  const char* counter;
  Contestant contestant;
};

std::vector<Rival> Rivals(Shape shape, const float* table) {
  float* out = Output(shape);
  std::vector<Rival> rivals;
  rivals.push_back({"memset_ratio", Contestant([=] { FillMemset(out, shape.floats()); })});
  rivals.push_back({"stream_ratio", Contestant([=] { FillStream(out, shape.floats()); })});
  if (table != nullptr) {
    rivals.push_back({"table_add_ratio", Contestant([=] { AddTable(table, out, shape.floats()); })});
  }
  return rivals;
}

}  // namespace

void Buffer::Free::operator()(float* data) const { std::free(data); }

float* Buffer::Get(std::size_t floats) {
  if (floats > floats_) {
    data_.reset();
    const std::size_t bytes = (floats * sizeof(float) + kAlignment - 1) / kAlignment * kAlignment;
    data_.reset(static_cast<float*>(std::aligned_alloc(kAlignment, bytes)));
    if (data_ == nullptr) throw std::bad_alloc();
    std::memset(data_.get(), 0, bytes);
    floats_ = floats;
  }
  return data_.get();
}

float* Output(Shape shape) {
  static Buffer buffer;
  return buffer.Get(shape.floats());
}

void Measure(benchmark::State& state, Shape shape, const std::function<void()>& call, const float* table) {
  std::vector<Rival> rivals = Rivals(shape, table);
  Contestant subject(call);
  while (state.KeepRunningBatch(kRounds * subject.calls())) {
    for (int round = 0; round < kRounds; ++round) {
      state.PauseTiming();
      for (Rival& rival : rivals) {
        rival.contestant.Warm();
        rival.contestant.Time();
      }
      subject.Warm();
      state.ResumeTiming();
      subject.Time();
    }
  }
  using benchmark::Counter;
  const double rate = static_cast<double>(shape.bytes()) / subject.best();
  state.counters["bytes_per_second"] = Counter(rate, Counter::kDefaults, Counter::kIs1000);
  for (const Rival& rival : rivals) state.counters[rival.counter] = rival.contestant.best() / subject.best();
}

void Fail(benchmark::State& state, const std::string& message) {
  any_failed = true;
  state.SkipWithError(message.c_str());
}

bool AnyFailed() { return any_failed; }

}  // namespace bench
}  // namespace posenc
