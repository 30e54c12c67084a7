#include "exhaustion.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>

#include "encoding.h"
#include "access.h"
#include "options.h"
#include "oracle.h"
#include "tally.h"

namespace posenc {
namespace tools {
namespace {

using oracle::Format;

constexpr std::size_t kTaskRows = 4096;  // the oracle's rotations start anew after as many

struct Task {
  std::size_t area, run, row, rows;
};

std::vector<Task> MakeTasks(const Exhaustion& plan) {
  std::vector<Task> tasks;
  std::size_t number = 0;
  for (std::size_t a = 0; a < plan.areas.size(); ++a) {
    for (std::size_t i = 0; i < plan.areas[a].runs.size(); ++i) {
      const std::size_t rows = plan.areas[a].runs[i].rows;
      for (std::size_t row = 0; row < rows; row += kTaskRows) {
        if (number++ % plan.parts == plan.part) {
          tasks.push_back({a, i, row, std::min(kTaskRows, rows - row)});
        }
      }
    }
  }
  return tasks;
}

double ThreadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Runs are rotated, where the target does so, lists are not.
bool HasTwoWays(const Encoder& encoder) {
  return internal::Access::Table(encoder.frequencies())->rotations != nullptr;
}

std::size_t ElementSize(Format format) { return format == Format::kFloat32 ? 4 : 2; }

// Cache lines, so that rows may be streamed as in a caller's aligned table.
struct alignas(64) Line {
  unsigned char bytes[64];
};

// Right answers or outputs, [rows, dim] elements.
class Buffer {
 public:
  void Resize(std::size_t bytes) { lines_.resize((bytes + 63) / 64); }
  unsigned char* data() { return lines_.data()->bytes; }
  const unsigned char* data() const { return lines_.data()->bytes; }

 private:
  std::vector<Line> lines_;
};

std::uint32_t ElementAt(Format format, const unsigned char* data, std::size_t i) {
  std::uint32_t word;
  std::uint16_t half;
  if (format == Format::kFloat32) {
    std::memcpy(&word, data + 4 * i, sizeof(word));
    return word;
  }
  std::memcpy(&half, data + 2 * i, sizeof(half));
  return half;
}

// What a thread keeps from task to task.
class Worker {
 public:
  explicit Worker(const Exhaustion& plan) : plan_(plan) {}

  AreaReport Do(const Task& task, bool with_reference) {
    Prepare(task);
    const std::size_t size = task.rows * run_->spec.dim;
    for (const Format format : kFormats) Right(format).Resize(size * ElementSize(format));
    const std::int64_t first = run_->first + static_cast<std::int64_t>(task.row);
    AreaReport report;
    report.distances = oracle_->AllTables(first, task.rows,
                                          {reinterpret_cast<std::uint32_t*>(Right(Format::kFloat32).data()),
                                           reinterpret_cast<std::uint16_t*>(Right(Format::kBFloat16).data()),
                                           reinterpret_cast<std::uint16_t*>(Right(Format::kFloat16).data())});
    for (const Encoder& encoder : encoders_) {
      const bool is_reference = encoder.target() == std::string(kReferenceName);
      if (is_reference && !with_reference) continue;
      for (const Format format : kFormats) {
        for (const bool as_list : {false, true}) {
          if (as_list && !HasTwoWays(encoder)) continue;
          Compare(encoder, format, as_list, task, &report);
        }
      }
    }
    return report;
  }

 private:
  void Prepare(const Task& task) {
    const RunOfRows& run = plan_.areas[task.area].runs[task.run];
    if (run_ == &run) return;
    run_ = &run;
    oracle_ = std::make_unique<oracle::Oracle>(run.spec);
    encoders_.clear();
    for (const std::string& target : plan_.targets) {
      Spec spec = run.spec;
      spec.target = target.c_str();
      Require(Encoder::Create(spec, &encoders_.emplace_back()));
    }
  }

  void Compare(const Encoder& encoder, Format format, bool as_list, const Task& task, AreaReport* report) {
    const std::size_t size = task.rows * run_->spec.dim, bytes = size * ElementSize(format);
    const std::int64_t first = run_->first + static_cast<std::int64_t>(task.row);
    Count count{encoder.target(), format, as_list};
    got_.Resize(bytes);
    std::memset(got_.data(), 0xA5, bytes);  // what is not written differs
    const double start = ThreadSeconds();
    count.tally = WriteAndCount(encoder, format, first, 1, as_list, task.rows, got_.data());
    count.seconds = ThreadSeconds() - start;
    count.entries = size;
    if (std::memcmp(got_.data(), Right(format).data(), bytes) != 0) Examine(task, &count, report);
    report->counts.push_back(std::move(count));
  }

  void Examine(const Task& task, Count* count, AreaReport* report) {
    const std::size_t dim = run_->spec.dim;
    std::vector<Example> examples;
    for (std::size_t i = 0; i < task.rows * dim; ++i) {
      const std::uint32_t got = ElementAt(count->format, got_.data(), i);
      const std::uint32_t right = ElementAt(count->format, Right(count->format).data(), i);
      if (got == right) continue;
      ++count->mismatches;
      if (examples.size() == kMaxExamples) continue;
      const std::size_t row = task.row + i / dim, column = i % dim;
      const std::int64_t position = run_->first + static_cast<std::int64_t>(row);
      examples.push_back({task.run, row, column,
                          count->target + ": " + (count->as_list ? "WriteAt " : "Write ") +
                              Name(count->format) + ", " + Describe(run_->spec) + ", position " +
                              std::to_string(position) + ", column " + std::to_string(column) + ": got " +
                              ShowEntry(count->format, got) + ", expected " +
                              ShowEntry(count->format, right) + "; exact " +
                              oracle_->Exact(static_cast<double>(position), column)});
    }
    MergeExamples(examples, &report->examples);
  }

  Buffer& Right(Format format) { return right_[static_cast<std::size_t>(format)]; }

  const Exhaustion& plan_;
  const RunOfRows* run_ = nullptr;
  std::unique_ptr<oracle::Oracle> oracle_;
  std::vector<Encoder> encoders_;
  Buffer right_[3], got_;
};

void Merge(const AreaReport& part, std::size_t run, AreaReport* whole) {
  for (std::size_t f = 0; f < 3; ++f) whole->distances[f].Merge(part.distances[f], run);
  MergeExamples(part.examples, &whole->examples);
  for (const Count& count : part.counts) {
    const auto same = [&](const Count& c) {
      return c.target == count.target && c.format == count.format && c.as_list == count.as_list;
    };
    auto at = std::find_if(whole->counts.begin(), whole->counts.end(), same);
    if (at == whole->counts.end()) {
      whole->counts.push_back(count);
      continue;
    }
    at->entries += count.entries;
    at->mismatches += count.mismatches;
    Accumulate(count.tally, &at->tally);
    at->seconds += count.seconds;
  }
}

}  // namespace

std::vector<AreaReport> Exhaust(const Exhaustion& plan) {
  const std::vector<Task> tasks = MakeTasks(plan);
  std::vector<AreaReport> reports(plan.areas.size());
  std::size_t all = 0, finished = 0;
  const auto entries = [&](const Task& t) { return t.rows * plan.areas[t.area].runs[t.run].spec.dim; };
  for (const Task& task : tasks) all += entries(task);
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  const auto work = [&] {
    try {
      Worker worker(plan);
      for (std::size_t i = next++; i < tasks.size(); i = next++) {
        const Task& task = tasks[i];
        const AreaReport report = worker.Do(task, (i + 1) % plan.reference_every == 0);
        const std::lock_guard<std::mutex> lock(mutex);
        Merge(report, task.run, &reports[task.area]);
        plan.progress(static_cast<double>(finished += entries(task)) / static_cast<double>(all));
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      error = std::current_exception();
      next = std::numeric_limits<std::size_t>::max() / 2;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < plan.threads; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
  return reports;
}

}  // namespace tools
}  // namespace posenc
