// The main program of the benchmark. It prints what the machine and the build are, then runs all rows.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <ostream>
#include <streambuf>
#include <string>
#include <vector>

#include "measure.h"
#include "memory_limits.h"
#include "posenc/posenc.h"
#include "suite.h"

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

namespace posenc {
namespace bench {
namespace {

// The targets that this CPU can run. The context of the report also names the others.
TargetNames RunnableTargets() {
  posenc_target all[POSENC_MAX_TARGETS];
  const std::size_t count = Targets(all);
  TargetNames runnable;
  std::string best, lacking;
  for (std::size_t i = 0; i < count; ++i) {
    if (all[i].runnable) {
      runnable.emplace_back(all[i].name);
    } else {
      lacking += (lacking.empty() ? "" : " ") + std::string(all[i].name);
    }
    if (all[i].best) best = all[i].name;
  }
  benchmark::AddCustomContext("best_target", best);
  benchmark::AddCustomContext("targets_this_cpu_lacks", lacking.empty() ? "none" : lacking);
  return runnable;
}

// The CPU's name as the kernel reports it.
std::string CpuName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

void DescribeBuild() {
#ifdef __clang__
  benchmark::AddCustomContext("compiler", "clang " __clang_version__);
#else
  benchmark::AddCustomContext("compiler", "g++ " __VERSION__);
#endif
#ifdef __GLIBC__
  benchmark::AddCustomContext("libc", std::string("glibc ") + gnu_get_libc_version());
#endif
  benchmark::AddCustomContext("flags", POSENC_BENCH_FLAGS);
  benchmark::AddCustomContext("cpu", CpuName());
  benchmark::AddCustomContext("limits_target", LimitsTarget());
}

// While an object of this class lives, `stream` does not show Google Benchmark's warning "Library was built
// as DEBUG". It is about Debian's build of Google Benchmark, and does not change the figures, but readers
// think that it means posenc.
class WithoutDebugAlarm : public std::streambuf {
 public:
  explicit WithoutDebugAlarm(std::ostream& stream) : stream_(stream), sink_(stream.rdbuf(this)) {}
  ~WithoutDebugAlarm() override {
    PassOn();
    stream_.rdbuf(sink_);
  }
  WithoutDebugAlarm(const WithoutDebugAlarm&) = delete;
  WithoutDebugAlarm& operator=(const WithoutDebugAlarm&) = delete;

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    line_ += traits_type::to_char_type(c);
    if (line_.back() == '\n') PassOn();
    return c;
  }
  int sync() override { return sink_->pubsync(); }

 private:
  void PassOn() {
    const bool is_alarm = line_.find("Library was built as DEBUG") != std::string::npos;
    if (!is_alarm) sink_->sputn(line_.data(), static_cast<std::streamsize>(line_.size()));
    line_.clear();
  }

  std::ostream& stream_;
  std::streambuf* sink_;
  std::string line_;
};

// Takes the argument that begins with `name` out of the list, and stores the rest of it in *value. Returns
// whether it found one.
bool TakeOption(const std::string& name, std::vector<char*>* arguments, std::string* value) {
  const auto at = std::find_if(arguments->begin(), arguments->end(),
                               [&](const char* word) { return std::string(word).rfind(name, 0) == 0; });
  if (at == arguments->end()) return false;
  *value = *at + name.size();
  arguments->erase(at);
  return true;
}

int Main(int argc, char** argv) {
  // Our default comes first, so that the user's options override it.
  char min_time[] = "--benchmark_min_time=0.05";
  char tabular[] = "--benchmark_counters_tabular=true";
  std::vector<char*> arguments = {argv[0], min_time, tabular};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  std::string before, now = POSENC_BENCH_PLUGIN;
  const bool compares = TakeOption("--before=", &arguments, &before);
  const bool has_now = TakeOption("--now=", &arguments, &now);
  if ((compares && before.empty()) || (has_now && !compares)) {
    std::cerr << "posenc_bench: --before=PLUGIN names no plugin; tools/before COMMIT makes the plugin of a "
                 "commit\n";
    return 2;
  }
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

  DescribeBuild();
  const TargetNames targets = RunnableTargets();
  RegisterCreate(targets);
  RegisterWrite(targets);
  RegisterAdd(targets);
  RegisterGrid(targets);
  RegisterRotary(targets);
  RegisterRotaryCaches(targets);
  RegisterRotaryNorms(targets);
  RegisterRotarySlots(targets);
  RegisterHard(targets);
  RegisterTimesteps(targets);
  RegisterLimits();
  RegisterPeers();
  if (compares) {
    const std::string error = RegisterBefore(before, now, targets);
    if (!error.empty()) {
      std::cerr << "posenc_bench: " << error << '\n';
      return 2;
    }
  }
  const WithoutDebugAlarm quiet(std::cerr);
  if (benchmark::RunSpecifiedBenchmarks() == 0) return 2;
  SummarizeBefore(std::cerr);
  return AnyFailed() ? 1 : 0;
}

}  // namespace
}  // namespace bench
}  // namespace posenc

int main(int argc, char** argv) { return posenc::bench::Main(argc, argv); }
