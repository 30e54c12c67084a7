// The rows of the benchmark, in groups, and what the groups share. Each group registers its rows with Google
// Benchmark; README.md lists them.
#ifndef POSENC_BENCH_SUITE_H_
#define POSENC_BENCH_SUITE_H_

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "measure.h"
#include "posenc/posenc.h"
#include "posenc/rotary.h"

namespace posenc {
namespace bench {

using TargetNames = std::vector<std::string>;  // targets that this CPU can run, best first

void RegisterCreate(const TargetNames& targets);        // call it before anything else creates an encoder
void RegisterWrite(const TargetNames& targets);         // write_rows.cc
void RegisterAdd(const TargetNames& targets);           // add_rows.cc
void RegisterGrid(const TargetNames& targets);          // grid_rows.cc
void RegisterRotary(const TargetNames& targets);        // rotary_rows.cc
void RegisterRotaryCaches(const TargetNames& targets);  // rotary_cache_rows.cc
void RegisterRotaryNorms(const TargetNames& targets);   // rotary_norm_rows.cc
void RegisterRotarySlots(const TargetNames& targets);   // rotary_slots_rows.cc
void RegisterHard(const TargetNames& targets);          // hard_rows.cc
void RegisterTimesteps(const TargetNames& targets);     // timestep_rows.cc
void RegisterLimits();                                  // limit_rows.cc
void RegisterPeers();                                   // peer_rows.cc

// Registers the rows of --before for two plugins (before_plugin.h). Returns a sentence if a plugin cannot be
// used, else an empty string.
std::string RegisterBefore(const std::string& before_path, const std::string& now_path,
                           const TargetNames& targets);
void SummarizeBefore(std::ostream& stream);  // counts the rows and lists the slower ones

struct Shape {
  std::size_t rows, dim;

  std::size_t entries() const { return rows * dim; }
  std::string name() const { return std::to_string(rows) + "x" + std::to_string(dim); }

  template <class T>
  Work work() const {
    return {entries(), entries() * sizeof(T)};
  }
};

// Tables start at 0. A single row is one decode step; position 0 would be too easy.
inline int FirstPosition(Shape shape) { return shape.rows == 1 ? 3001 : 0; }

// Whether this number of entries would take too long on the target. This is so for the targets without
// vectors: the reference is a thousand times slower than vectors.
bool IsTooSlow(const std::string& target, std::size_t entries);

Spec MakeSpec(std::size_t dim, const std::string& target);  // the spec keeps a pointer to target

// Ends the program if a call of a rival fails. No row checks those calls.
inline void Must(Status status) {
  if (status == POSENC_OK) return;
  std::fprintf(stderr, "posenc_bench: %s\n", posenc_status_message(status));
  std::abort();
}

// Creates the encoder. If that fails, the row fails and the result is false.
bool Created(benchmark::State& state, const Spec& spec, Encoder* encoder);
bool Created(benchmark::State& state, const RotarySpec& spec, Rotary* rotary);

inline constexpr std::size_t kListedPositions = 4096;

// Random positions or token ids, the same ones in each run. Each Next() returns other ones, so that branch
// predictors cannot learn them.
template <class Number>  // std::int32_t, std::int64_t, float or double
class RandomList {
 public:
  RandomList(Number lowest, Number highest, std::size_t count = kListedPositions);
  const Number* Next(std::size_t rows);  // rows is at most `count`

 private:
  std::vector<Number> numbers_;
  std::size_t next_ = 0;
};

// Adds a row whose times are in microseconds.
template <class Body>
void Register(const std::string& name, const Body& body) {
  const auto row = [name, body](benchmark::State& state) {
    BeginRow(name);
    body(state);
  };
  benchmark::RegisterBenchmark(name.c_str(), row)->Unit(benchmark::kMicrosecond);
}

// Adds a row for each target that is fast enough for this number of entries. It runs body(state, target).
template <class Body>
void RegisterEach(const std::string& prefix, std::size_t entries, const TargetNames& targets,
                  const Body& body) {
  for (const std::string& target : targets) {
    if (IsTooSlow(target, entries)) continue;
    Register(prefix + target, [=](benchmark::State& state) { body(state, target); });
  }
}

// Makes the call once and checks its status, then measures it.
template <class Call>
void MeasureChecked(
    benchmark::State& state, Work work, const Call& call, const std::vector<Rival>& rivals = {},
    const std::function<void()>& prepare = [] {}) {
  const Status status = call();
  if (status != POSENC_OK) return Fail(state, posenc_status_message(status));
  Measure(
      state, work, [&] { call(); }, rivals, prepare);
}

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_SUITE_H_
