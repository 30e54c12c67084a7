#include "number/exact.h"

#include "verify/verify.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace posenc {
namespace tools {
namespace {

// A chunk of rows of a case.
struct Task {
  std::size_t group, number;  // number: the index of the case in its group
  const Case& of;
  std::size_t row, rows;
  bool digest, with_reference;

  std::size_t entries() const { return rows * of.columns(); }
};

std::vector<Task> MakeTasks(const Plan& plan) {
  std::vector<Task> tasks;
  std::size_t chunk = 0;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const Group& group = plan.groups[g];
    for (std::size_t number = 0; number < group.cases.size(); ++number) {
      const Case& c = group.cases[number];
      const std::size_t all = c.rows, rows = ChunkRows(c, plan.are_areas);
      for (std::size_t row = 0; row < all; row += rows) {
        if (chunk++ % plan.parts != plan.part) continue;
        const bool digest = number < plan.digested;
        tasks.push_back({g, number, c, row, std::min(rows, all - row), digest,
                         digest || (tasks.size() + 1) % plan.reference_every == 0});
      }
    }
  }
  return tasks;
}

struct Result {
  std::vector<Report> reports;
  std::vector<std::string> digested;  // [targets]: the bytes for the digest
  std::vector<oracle::Distances> distances;
};

// The state that a thread keeps between tasks.
class Worker {
 public:
  explicit Worker(const Plan& plan) : plan_(plan) {}

  Result Do(const Task& task) {
    if (case_ != &task.of) runner_.emplace(task.of, plan_.are_areas, plan_.targets);
    case_ = &task.of;
    runner_->Prepare(task.row, task.rows);
    Result result;
    result.digested.resize(plan_.targets.size());
    if (plan_.compare) answers_ = runner_->Compute();
    for (std::size_t t = 0; t < plan_.targets.size(); ++t) {
      if (!task.with_reference && plan_.targets[t] == kReferenceName) continue;
      for (const Variant& variant : runner_->variants()) Do(task, t, variant, &result);
    }
    result.distances = std::move(answers_.distances);
    return result;
  }

 private:
  void Do(const Task& task, std::size_t t, const Variant& variant, Result* result) {
    written_.tally = {};
    if (!runner_->Write(t, variant, &written_)) return;
    Report& report = result->reports.emplace_back();
    report.target = plan_.targets[t];
    if (plan_.are_areas) report.type = variant.as.type;
    if (plan_.are_areas) report.call = variant.call;
    report.seconds = written_.seconds;
    if (task.digest) result->digested[t] = written_.entries.LittleEndian(written_.entries.count());
    if (plan_.compare) {
      report.found = Compare(&*runner_, variant, answers_.entries[variant.answer], written_.entries,
                             report.target, task.number, task.row);
      report.distances = answers_.distances[variant.numbers];
      report.found.worst_ulp = std::max(report.found.worst_ulp, report.distances.worst_ulp());
    }
    report.found.tally = written_.tally;
  }

  const Plan& plan_;
  const Case* case_ = nullptr;
  std::optional<Runner> runner_;  // the trial of *case_
  Answers answers_;
  Written written_;
};

void Merge(const Report& part, std::vector<Report>* whole) {
  auto at = std::find_if(whole->begin(), whole->end(), [&](const Report& r) {
    return r.target == part.target && r.type == part.type && r.call == part.call;
  });
  if (at == whole->end()) return whole->push_back(part);
  at->found += part.found;
  at->distances.Merge(part.distances);
  at->seconds += part.seconds;
}

// Collects results. They arrive in any order, and are digested in the order of tasks.
class Collector {
 public:
  explicit Collector(const Plan& plan) : plan_(plan), reports_(plan.groups.size()) {
    for (GroupReport& report : reports_) report.distances.resize(std::size(kSharedTypes));
    if (plan.are_areas) return;
    for (const std::string& target : plan.targets) reports_[0].reports.emplace_back().target = target;
  }

  void Take(std::size_t number, const Task& task, Result result) {
    GroupReport& whole = reports_[task.group];
    for (const Report& part : result.reports) {
      Merge(part, &whole.reports);
      whole.found += part.found;
    }
    const std::size_t kept = std::min(whole.distances.size(), result.distances.size());
    for (std::size_t k = 0; plan_.are_areas && k < kept; ++k) {
      whole.distances[k].Merge(result.distances[k], task.number);
    }
    if (plan_.are_areas) return;
    waiting_.emplace(number, std::move(result.digested));
    for (auto it = waiting_.begin(); it != waiting_.end() && it->first == next_; it = waiting_.erase(it)) {
      for (std::size_t t = 0; t < it->second.size(); ++t) whole.reports[t].digest.Append(it->second[t]);
      ++next_;
    }
  }

  const std::vector<GroupReport>& reports() const { return reports_; }

 private:
  const Plan& plan_;
  std::vector<GroupReport> reports_;
  std::map<std::size_t, std::vector<std::string>>
      waiting_;           // results to be digested, by the number of the task
  std::size_t next_ = 0;  // the next task to digest
};

// Runs `work`, which must not throw, on this thread and others: `wanted` threads in all, or fewer if the
// system does not allow so many. Returns the number of threads.
unsigned OnThreads(unsigned wanted, const std::function<void()>& work) {
  std::vector<std::thread> others;
  others.reserve(wanted - 1);
  try {
    while (others.size() < wanted - 1) others.emplace_back(work);
  } catch (const std::system_error&) {  // the system allows no more threads
  } catch (const std::bad_alloc&) {     // there is no memory for more threads
  }
  work();
  for (std::thread& thread : others) thread.join();
  return static_cast<unsigned>(others.size()) + 1;
}

}  // namespace

std::vector<GroupReport> Verify(const Plan& plan) {
  const std::vector<Task> tasks = MakeTasks(plan);
  std::size_t all = 0, finished = 0;
  for (const Task& task : tasks) all += task.entries();
  Collector collector(plan);
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;
  std::mutex mutex;
  const auto work = [&] {
    try {
      Worker worker(plan);
      for (std::size_t i = next++; i < tasks.size() && !failed; i = next++) {
        Result result = worker.Do(tasks[i]);
        const std::lock_guard<std::mutex> lock(mutex);
        collector.Take(i, tasks[i], std::move(result));
        plan.progress(static_cast<double>(finished += tasks[i].entries()) / static_cast<double>(all));
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      error = std::current_exception();
      failed = true;
    }
  };
  const auto wanted = static_cast<unsigned>(std::clamp<std::size_t>(tasks.size(), 1, plan.threads));
  const unsigned started = OnThreads(wanted, work);
  if (started < wanted) plan.fewer_threads(started, wanted);
  if (error) std::rethrow_exception(error);
  return collector.reports();
}

}  // namespace tools
}  // namespace posenc
