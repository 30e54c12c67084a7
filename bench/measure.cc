// Measures a call and its rivals in rounds, in turn on one buffer, and writes the counters of the row.
#include "measure.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <map>
#include <new>
#include <utility>

#include "memory_limits.h"

namespace posenc {
namespace bench {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr int kRounds = 9;
constexpr int kMoreRounds = 1000;            // if the two builds seem to differ
constexpr double kMoreSeconds = 5.0;         // but no longer than this
constexpr double kSectionSeconds = 200e-6;   // a timed section repeats short calls until it lasts this long
constexpr double kCachedCallSeconds = 5e-3;  // longer calls gain nothing from a warm cache

bool any_failed = false;

// How many calls a section makes, by row, and the entry for the current row. Google Benchmark demands that
// all repetitions of a row make the same number of calls.
std::map<std::string, int> calls_of_rows;
int* calls_of_row = nullptr;

double WallSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The processor time of this thread, or the wall time if the system does not know it.
double ThreadSeconds() {
#ifdef CLOCK_THREAD_CPUTIME_ID
  std::timespec time{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
#endif
  return WallSeconds();
}

// A call that takes turns with others.
class Contestant {
 public:
  // calls: how many calls a section makes; 0 to find a number that is large enough.
  explicit Contestant(std::function<void()> call, int calls = 0, double (*seconds)() = WallSeconds)
      : call_(std::move(call)), seconds_(seconds) {
    call_();
    calls_ = std::max(calls, 1);
    while ((section_ = Run()) < kSectionSeconds && calls == 0) calls_ *= 2;
  }

  // Brings the buffer back into the caches after the others have used them.
  void Warm() const {
    if (section_ < kCachedCallSeconds) call_();
  }

  void Time() { best_ = std::min(best_, Run() / static_cast<double>(calls_)); }

  int calls() const { return calls_; }
  double best() const { return best_; }  // seconds for one call

 private:
  double Run() const {
    const double start = seconds_();
    for (int i = 0; i < calls_; ++i) {
      call_();
      benchmark::ClobberMemory();
    }
    return seconds_() - start;
  }

  std::function<void()> call_;
  double (*seconds_)();
  int calls_ = 1;
  double section_ = 0.0;
  double best_ = std::numeric_limits<double>::infinity();
};

void SetRates(benchmark::State& state, Work work, double best) {
  using benchmark::Counter;
  const auto rate = [&](std::size_t amount) {
    return Counter(static_cast<double>(amount) / best, Counter::kDefaults, Counter::kIs1000);
  };
  state.counters["bytes_per_second"] = rate(work.bytes);
  state.counters["entries_per_second"] = rate(work.entries);
}

std::vector<Rival> WithLimits(Work work, std::vector<Rival> rivals) {
  float* out = Output().Get<float>(work.bytes / sizeof(float));
  const std::size_t floats = work.bytes / sizeof(float);
  rivals.push_back({"memset_ratio", [=] { FillMemset(out, floats); }});
  rivals.push_back({"stream_ratio", [=] { FillStream(out, floats); }});
  return rivals;
}

}  // namespace

void Buffer::Free::operator()(void* data) const { operator delete (data, std::align_val_t{kAlignment}); }

void* Buffer::Get(std::size_t bytes) {
  if (bytes > bytes_) {
    data_.reset();
    bytes_ = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    data_.reset(operator new (bytes_, std::align_val_t{kAlignment}));
    std::memset(data_.get(), 0, bytes_);
  }
  return data_.get();
}

Buffer& Output() {
  static Buffer buffer;
  return buffer;
}

void BeginRow(const std::string& name) { calls_of_row = &calls_of_rows[name]; }

void Measure(benchmark::State& state, Work work, const std::function<void()>& call,
             const std::vector<Rival>& rivals, const std::function<void()>& prepare) {
  MeasureInPlace(state, work, call, WithLimits(work, rivals), prepare);
}

void MeasureInPlace(benchmark::State& state, Work work, const std::function<void()>& call,
                    const std::vector<Rival>& rivals, const std::function<void()>& prepare) {
  std::vector<Contestant> others;
  others.reserve(rivals.size());
  for (const Rival& rival : rivals) {
    prepare();
    others.emplace_back(rival.call);
  }
  prepare();
  Contestant subject(call, *calls_of_row);
  *calls_of_row = subject.calls();
  while (state.KeepRunningBatch(kRounds * subject.calls())) {
    for (int round = 0; round < kRounds; ++round) {
      state.PauseTiming();
      for (Contestant& other : others) {
        prepare();
        other.Warm();
        other.Time();
      }
      prepare();
      subject.Warm();
      state.ResumeTiming();
      subject.Time();
    }
  }
  SetRates(state, work, subject.best());
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    const double ratio = others[i].best() / subject.best();
    const bool inverse = rivals[i].direction == Rival::Counter::kRivalOverRow;
    state.counters[rivals[i].counter] = inverse ? 1.0 / ratio : ratio;
  }
}

void MeasureBeside(benchmark::State& state, Work work, const std::function<void()>& now,
                   const std::function<void()>& before, const std::function<void()>& prepare,
                   double tolerance, BestTimes* best) {
  prepare();
  Contestant subject(now, *calls_of_row, ThreadSeconds);
  *calls_of_row = subject.calls();
  prepare();
  Contestant rival(before, subject.calls(), ThreadSeconds);
  const auto time = [&prepare](Contestant* contestant) {
    prepare();
    contestant->Warm();
    contestant->Time();
  };
  while (state.KeepRunningBatch(kRounds * subject.calls())) {
    for (int round = 0; round < kRounds; ++round) {  // the call and its rival begin alternately
      state.PauseTiming();
      if (round % 2 == 0) time(&rival);
      prepare();
      subject.Warm();
      state.ResumeTiming();
      subject.Time();
      state.PauseTiming();
      if (round % 2 != 0) time(&rival);
      state.ResumeTiming();
    }
  }
  const auto differ = [&] {
    best->now = std::min(best->now, subject.best());
    best->before = std::min(best->before, rival.best());
    return std::max(best->ratio(), 1.0 / best->ratio()) > 1.0 + tolerance;
  };
  const double start = WallSeconds();
  for (int round = 0; differ() && round < kMoreRounds && WallSeconds() - start < kMoreSeconds; ++round) {
    time(round % 2 == 0 ? &rival : &subject);
    time(round % 2 == 0 ? &subject : &rival);
  }
  SetRates(state, work, best->now);
}

void Fail(benchmark::State& state, const std::string& message) {
  any_failed = true;
  state.SkipWithError(message.c_str());
}

bool AnyFailed() { return any_failed; }

}  // namespace bench
}  // namespace posenc
