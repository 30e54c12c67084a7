#include "verify/verify.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "api/handle.h"

namespace posenc {
namespace tools {
namespace {

// Rows of a case.
struct Task {
  std::size_t group, number;  // of the case in it
  const Case& of;
  std::size_t row, rows;
  bool digest, with_reference;

  std::size_t entries() const { return rows * of.spec.dim; }
};

std::vector<Task> MakeTasks(const Plan& plan) {
  std::vector<Task> tasks;
  std::size_t chunk = 0;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const Group& group = plan.groups[g];
    for (std::size_t number = 0; number < group.cases.size(); ++number) {
      const Case& c = group.cases[number];
      for (std::size_t row = 0; row < c.rows; row += plan.chunk_rows()) {
        if (chunk++ % plan.parts != plan.part) continue;
        const bool digest = number < plan.digested;
        tasks.push_back({g, number, c, row, std::min(plan.chunk_rows(), c.rows - row), digest,
                         digest || (tasks.size() + 1) % plan.reference_every == 0});
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

struct Result {
  std::vector<Report> reports;
  std::vector<std::string> digested;  // of the targets
  std::vector<Expected> expected;     // one, or of kSharedTypes
};

// What a thread keeps from task to task.
class Worker {
 public:
  explicit Worker(const Plan& plan) : plan_(plan) {}

  Result Do(const Task& task) {
    Prepare(task.of);
    Result result;
    result.digested.resize(plan_.targets.size());
    if (plan_.all_ways) {
      result.expected = judge_->ExpectShared(task.row, task.rows);
    } else if (plan_.compare) {
      result.expected.push_back(judge_->Expect(task.row, task.rows));
    }
    for (std::size_t t = 0; t < encoders_.size(); ++t) {
      if (!task.with_reference && plan_.targets[t] == kReferenceName) continue;
      for (std::size_t w = 0; w < ways_.size(); ++w) {
        const bool as_list = ways_[w].list != 0;
        if (plan_.all_ways && as_list && !encoders_[t].c_encoder()->encoder.table.has_offsets) continue;
        Report& report = result.reports.emplace_back();
        report.target = plan_.targets[t];
        report.type = plan_.all_ways ? ways_[w].type : 0;
        report.as_list = plan_.all_ways && as_list;
        Write(task, ways_[w], encoders_[t], &report);
        if (task.digest) result.digested[t] = got_.LittleEndian(got_.count());
        if (plan_.compare) Compare(task, ways_[w], result.expected[w / 2], &report);
        if (!plan_.all_ways && !ways_[w].add && report.target != kReferenceName) {
          report.found.tally = WalkCase(ways_[w], encoders_[t], task.row, task.rows, &got_);
        }
      }
    }
    return result;
  }

 private:
  void Prepare(const Case& c) {
    if (case_ == &c) return;
    case_ = &c;
    judge_.emplace(c);
    encoders_ = MakeEncoders(c.spec, plan_.targets);
    ways_ = {c};
    if (!plan_.all_ways) return;
    ways_.assign(2 * std::size(kSharedTypes), c);
    for (std::size_t w = 0; w < ways_.size(); ++w) {
      ways_[w].type = kSharedTypes[w / 2];
      ways_[w].list = w % 2 == 0 ? 0 : POSENC_F64;
    }
  }

  void Write(const Task& task, const Case& way, const Encoder& encoder, Report* report) {
    got_.Reset(way.type, task.entries());
    const double start = ThreadSeconds();
    if (plan_.all_ways) {
      report->found.tally = WalkCase(way, encoder, task.row, task.rows, &got_);
    } else {
      RunCase(way, encoder, task.row, task.rows, &got_);
    }
    report->seconds = ThreadSeconds() - start;
  }

  void Compare(const Task& task, const Case& way, const Expected& expected, Report* report) const {
    Findings& found = report->found;
    if (std::memcmp(got_.data(), expected.entries.data(), got_.bytes()) != 0) {
      found += Judge(way).Compare(expected.entries, got_, report->target, task.number, task.row);
    }
    found.entries = task.entries();
    found.worst_ulp = std::max(found.worst_ulp, expected.distances.worst_ulp());
    report->distances = expected.distances;
  }

  const Plan& plan_;
  const Case* case_ = nullptr;
  std::optional<Judge> judge_;
  std::vector<Encoder> encoders_;  // [targets]
  std::vector<Case> ways_;
  Entries got_;
};

void Merge(const Report& part, std::vector<Report>* whole) {
  auto at = std::find_if(whole->begin(), whole->end(), [&](const Report& r) {
    return r.target == part.target && r.type == part.type && r.as_list == part.as_list;
  });
  if (at == whole->end()) return whole->push_back(part);
  at->found += part.found;
  at->distances.Merge(part.distances);
  at->seconds += part.seconds;
}

// Results come in any order, but what is digested has one.
class Collector {
 public:
  explicit Collector(const Plan& plan) : plan_(plan), reports_(plan.groups.size()) {
    for (GroupReport& report : reports_) report.distances.resize(std::size(kSharedTypes));
    if (plan.all_ways) return;
    for (const std::string& target : plan.targets) reports_[0].reports.emplace_back().target = target;
  }

  void Take(std::size_t number, const Task& task, Result result) {
    GroupReport& whole = reports_[task.group];
    for (const Report& part : result.reports) {
      Merge(part, &whole.reports);
      whole.found += part.found;
    }
    for (std::size_t k = 0; plan_.all_ways && k < result.expected.size(); ++k) {
      whole.distances[k].Merge(result.expected[k].distances, task.number);
    }
    if (plan_.all_ways) return;
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
  std::map<std::size_t, std::vector<std::string>> waiting_;  // by task, to be digested
  std::size_t next_ = 0;                                     // of them
};

// Does `work`, which throws nothing, on so many threads or as many as the system grants, this one among them.
// Returns how many these were.
unsigned OnThreads(unsigned wanted, const std::function<void()>& work) {
  std::vector<std::thread> others;
  others.reserve(wanted - 1);
  try {
    while (others.size() < wanted - 1) others.emplace_back(work);
  } catch (const std::system_error&) {  // no more of them
  } catch (const std::bad_alloc&) {     // no memory for more
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
