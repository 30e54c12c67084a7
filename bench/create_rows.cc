// Rows for creation: with warm caches, with cold caches, and for the first handle of the process.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <vector>

#include "posenc/models.h"
#include "posenc/rotary.h"
#include "suite.h"

namespace posenc {
namespace bench {
namespace {

constexpr std::size_t kDims[] = {128, 512, 1024};
constexpr std::size_t kFirstDim = 1024;

template <class Made, class SpecOfIt>  // Encoder and Spec, or Rotary and RotarySpec
double CreationMicroseconds(const SpecOfIt& spec) {
  using Clock = std::chrono::steady_clock;
  Made made;
  const Clock::time_point start = Clock::now();
  benchmark::DoNotOptimize(Made::Create(spec, &made));
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// Evicts the library's code and data from the caches, as far as this can be done.
void SweepCaches() {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  static std::vector<unsigned char> memory(kBytes);
  static unsigned char value = 0;
  std::memset(memory.data(), ++value, kBytes);
  benchmark::DoNotOptimize(memory.data());
}

template <class Made, class SpecOfIt>
double MedianColdMicroseconds(const SpecOfIt& spec) {
  std::vector<double> times(9);
  for (double& time : times) {
    SweepCaches();
    time = CreationMicroseconds<Made>(spec);
  }
  std::nth_element(times.begin(), times.begin() + 4, times.end());
  return times[4];
}

void Create(benchmark::State& state, const Spec& spec, double first_microseconds) {
  Encoder encoder;
  if (!Created(state, spec, &encoder)) return;
  for (auto _ : state) benchmark::DoNotOptimize(Encoder::Create(spec, &encoder));
  state.counters["cold_us"] = MedianColdMicroseconds<Encoder>(spec);
  if (spec.dim == kFirstDim) state.counters["first_us"] = first_microseconds;
}

// Creates an encoder with lists_only, compared with an encoder for all calls.
void CreateForLists(benchmark::State& state, Spec spec) {
  Encoder encoder;
  spec.lists_only = true;
  if (!Created(state, spec, &encoder)) return;
  for (auto _ : state) benchmark::DoNotOptimize(Encoder::Create(spec, &encoder));
}

void CreateRotary(benchmark::State& state, const RotarySpec& spec) {
  Rotary rotary;
  if (!Created(state, spec, &rotary)) return;
  for (auto _ : state) benchmark::DoNotOptimize(Rotary::Create(spec, &rotary));
  state.counters["cold_us"] = MedianColdMicroseconds<Rotary>(spec);
}

void MemorySize(benchmark::State& state, const Spec& spec) {
  std::size_t bytes = 0;
  for (auto _ : state) benchmark::DoNotOptimize(Encoder::MemorySize(spec, &bytes));
}

// The spec for Llama 3.1 8B.
RotarySpec Llama3Spec(const std::string& target) {
  RotarySpec spec;
  spec.head_dim = 128;
  spec.base = 500000.0;
  spec.scaling = POSENC_LLAMA3;
  spec.factor = 8.0;
  spec.original_length = 8192.0;
  spec.target = target.c_str();
  return spec;
}

}  // namespace

void RegisterCreate(const TargetNames& targets) {
  std::map<std::string, double> first;
  for (const std::string& target : targets) {
    first[target] = CreationMicroseconds<Encoder>(MakeSpec(kFirstDim, target));
  }
  for (const std::size_t dim : kDims) {
    for (const std::string& target : targets) {
      const double first_microseconds = first[target];
      Register("Create/f32/" + std::to_string(dim) + "/" + target,
               [=](benchmark::State& state) { Create(state, MakeSpec(dim, target), first_microseconds); });
      Register("Create/f32/" + std::to_string(dim) + "/lists_only/" + target,
               [=](benchmark::State& state) { CreateForLists(state, MakeSpec(dim, target)); });
      Register("MemorySize/" + std::to_string(dim) + "/" + target,
               [=](benchmark::State& state) { MemorySize(state, MakeSpec(dim, target)); });
    }
  }
  for (const std::string& target : targets) {
    Register("Create/llama3/128/" + target,
             [=](benchmark::State& state) { CreateRotary(state, Llama3Spec(target)); });
  }
}

}  // namespace bench
}  // namespace posenc
