// The rows of the benchmark: every operation on every target that this CPU runs, the limits, the peers.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "memory_limits.h"
#include "measure.h"
#include "peers.h"
#include "posenc/posenc.h"

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

namespace posenc {
namespace bench {
namespace {

constexpr Shape kWriteShapes[] = {{1, 1024}, {16, 512}, {512, 512}, {5000, 512}, {5120, 512}, {65536, 1024}};
constexpr Shape kAddShapes[] = {{1, 1024}, {16, 512}, {512, 512}, {5120, 512}, {65536, 1024}};
constexpr Shape kWriteAtShapes[] = {{1, 1024}, {512, 512}};
constexpr Shape kPeerShapes[] = {{1, 1024}, {512, 512}, {5000, 512}};
constexpr std::size_t kCreateDims[] = {128, 512, 1024};

constexpr std::size_t kLargestForReference = 16 * 512;         // floats; it is a thousand times slower
constexpr std::size_t kLargestTable = std::size_t{256} << 20;  // bytes
constexpr std::int64_t kLargestPosition = 1 << 20;
constexpr double kPeerTolerance = 1e-2;

// Tables start at 0. A single row is one step of decoding: position 0 would be too easy.
int FirstPosition(Shape shape) { return shape.rows == 1 ? 3001 : 0; }

bool Created(benchmark::State& state, std::size_t dim, const char* target, Encoder* encoder) {
  Spec spec;
  spec.dim = dim;
  spec.target = target;
  const Status status = Encoder::Create(spec, encoder);
  if (status != Status::kOk) Fail(state, StatusMessage(status));
  return status == Status::kOk;
}

// Makes the call once for its status, then measures it.
template <class Call>
void MeasureChecked(benchmark::State& state, Shape shape, const Call& call, const float* table = nullptr) {
  const Status status = call();
  if (status != Status::kOk) return Fail(state, StatusMessage(status));
  Measure(
      state, shape, [&] { call(); }, table);
}

void Write(benchmark::State& state, Shape shape, const char* target) {
  Encoder encoder;
  if (!Created(state, shape.dim, target, &encoder)) return;
  float* out = Output(shape);
  MeasureChecked(state, shape,
                 [&] { return encoder.Write(FirstPosition(shape), shape.rows, out, shape.dim); });
}

// A precomputed table, or null where nobody would keep one.
const float* Table(Shape shape) {
  if (shape.bytes() > kLargestTable) return nullptr;
  static Buffer buffer;
  float* table = buffer.Get(shape.floats());
  Spec spec;
  spec.dim = shape.dim;
  Encoder encoder;
  if (Encoder::Create(spec, &encoder) != Status::kOk) return nullptr;
  if (encoder.Write(FirstPosition(shape), shape.rows, table, shape.dim) != Status::kOk) return nullptr;
  return table;
}

void Add(benchmark::State& state, Shape shape, const char* target) {
  Encoder encoder;
  if (!Created(state, shape.dim, target, &encoder)) return;
  float* x = Output(shape);
  std::memset(x, 0, shape.bytes());
  MeasureChecked(
      state, shape, [&] { return encoder.Add(FirstPosition(shape), shape.rows, x, shape.dim); },
      Table(shape));
}

void WriteAt(benchmark::State& state, Shape shape, const char* target) {
  Encoder encoder;
  if (!Created(state, shape.dim, target, &encoder)) return;
  // Each call takes other positions of the list, so that none is learned by heart.
  constexpr std::size_t kCount = 4096;
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::int64_t> position(-kLargestPosition, kLargestPosition);
  std::vector<std::int64_t> positions(kCount);
  for (std::int64_t& p : positions) p = position(random);
  std::size_t next = 0;
  float* out = Output(shape);
  MeasureChecked(state, shape, [&] {
    if (next + shape.rows > kCount) next = 0;
    const std::int64_t* first = positions.data() + next;
    next += shape.rows;
    return encoder.WriteAt(first, shape.rows, out, shape.dim);
  });
}

void Create(benchmark::State& state, std::size_t dim, const char* target) {
  Encoder encoder;
  if (!Created(state, dim, target, &encoder)) return;
  Spec spec;
  spec.dim = dim;
  spec.target = target;
  for (auto _ : state) benchmark::DoNotOptimize(Encoder::Create(spec, &encoder));
}

// The largest difference from posenc in the first rows.
double WorstDifference(const Peer::Writer& write, std::size_t dim) {
  constexpr std::size_t kRows = 64;
  Spec spec;
  spec.dim = dim;
  Encoder encoder;
  std::vector<float> expected(kRows * dim), got(kRows * dim, NAN);
  if (Encoder::Create(spec, &encoder) != Status::kOk) return NAN;
  if (encoder.Write(0, kRows, expected.data(), dim) != Status::kOk) return NAN;
  write(0, kRows, got.data());
  double worst = 0.0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double difference = std::fabs(static_cast<double>(got[i]) - static_cast<double>(expected[i]));
    if (!(difference <= worst)) worst = difference;
  }
  return worst;
}

void RunPeer(benchmark::State& state, Shape shape, const Peer& peer) {
  const Peer::Writer write = peer.prepare(shape.dim);
  const double worst = WorstDifference(write, shape.dim);
  if (!(worst <= kPeerTolerance)) return Fail(state, "differs from posenc by " + std::to_string(worst));
  state.SetLabel(peer.label);
  float* out = Output(shape);
  Measure(state, shape, [&] { write(FirstPosition(shape), shape.rows, out); });
}

template <class Body>
void Register(const std::string& name, const Body& body) {
  benchmark::RegisterBenchmark(name.c_str(), body)->Unit(benchmark::kMicrosecond);
}

using Operation = void (*)(benchmark::State&, Shape, const char*);

template <std::size_t kCount>
void RegisterOperation(const char* operation, Operation run, const Shape (&shapes)[kCount],
                       const std::vector<Target>& targets) {
  for (const Shape shape : shapes) {
    for (const Target& target : targets) {
      const char* name = target.name;
      if (std::strcmp(name, "REFERENCE") == 0 && shape.floats() > kLargestForReference) continue;
      Register(std::string(operation) + "/f32/" + shape.name() + "/" + name,
               [=](benchmark::State& state) { run(state, shape, name); });
    }
  }
}

void RegisterCreate(const std::vector<Target>& targets) {
  for (const std::size_t dim : kCreateDims) {
    for (const Target& target : targets) {
      const char* name = target.name;
      Register("Create/f32/" + std::to_string(dim) + "/" + name,
               [=](benchmark::State& state) { Create(state, dim, name); });
    }
  }
}

void RegisterLimits() {
  struct Limit {
    const char* name;
    void (*fill)(float*, std::size_t);
  };
  const Limit limits[] = {{"memset", FillMemset}, {"stores", FillStores}, {"stream", FillStream}};
  for (const Shape shape : kWriteShapes) {
    for (const Limit limit : limits) {
      Register(std::string("Limit/") + limit.name + "/" + shape.name(), [=](benchmark::State& state) {
        float* out = Output(shape);
        Measure(state, shape, [=] { limit.fill(out, shape.floats()); });
      });
    }
  }
}

void RegisterPeers() {
  for (const Shape shape : kPeerShapes) {
    for (const Peer& peer : Peers()) {
      Register("Peer/" + peer.name + "/" + shape.name(),
               [=](benchmark::State& state) { RunPeer(state, shape, peer); });
    }
  }
}

// The targets that this CPU runs; the context of the report names the others as well.
std::vector<Target> RunnableTargets() {
  Target all[kMaxTargets];
  const std::size_t count = Targets(all);
  std::vector<Target> runnable;
  std::string best, lacking;
  for (std::size_t i = 0; i < count; ++i) {
    if (all[i].runnable) {
      runnable.push_back(all[i]);
    } else {
      lacking += (lacking.empty() ? "" : " ") + std::string(all[i].name);
    }
    if (all[i].best) best = all[i].name;
  }
  benchmark::AddCustomContext("best_target", best);
  benchmark::AddCustomContext("targets_this_cpu_lacks", lacking.empty() ? "none" : lacking);
  return runnable;
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
  benchmark::AddCustomContext("limits_target", LimitsTarget());
}

int Main(int argc, char** argv) {
  // Our defaults come first, so that the caller's flags win.
  char min_time[] = "--benchmark_min_time=0.05";
  char tabular[] = "--benchmark_counters_tabular=true";
  std::vector<char*> arguments = {argv[0], min_time, tabular};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

  DescribeBuild();
  const std::vector<Target> targets = RunnableTargets();
  RegisterOperation("Write", Write, kWriteShapes, targets);
  RegisterOperation("Add", Add, kAddShapes, targets);
  RegisterOperation("WriteAt", WriteAt, kWriteAtShapes, targets);
  RegisterCreate(targets);
  RegisterLimits();
  RegisterPeers();
  if (benchmark::RunSpecifiedBenchmarks() == 0) return 2;
  return AnyFailed() ? 1 : 0;
}

}  // namespace
}  // namespace bench
}  // namespace posenc

int main(int argc, char** argv) { return posenc::bench::Main(argc, argv); }
