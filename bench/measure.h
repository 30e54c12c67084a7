// How everything here is measured: a call against the limits of memory, in turn, on one buffer.
#ifndef POSENC_BENCH_MEASURE_H_
#define POSENC_BENCH_MEASURE_H_

#include <benchmark/benchmark.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace posenc {
namespace bench {

struct Shape {
  std::size_t rows, dim;

  std::size_t floats() const { return rows * dim; }
  std::size_t bytes() const { return floats() * sizeof(float); }
  std::string name() const { return std::to_string(rows) + "x" + std::to_string(dim); }
};

// Memory that stays where it is, as long as no more is asked for: 64-byte aligned, every page touched.
class Buffer {
 public:
  float* Get(std::size_t floats);

 private:
  struct Free {
    void operator()(float* data) const;
  };
  std::unique_ptr<float, Free> data_;
  std::size_t floats_ = 0;
};

// The buffer that all calls write to, [shape.rows, shape.dim].
float* Output(Shape shape);

// Times `call`, which writes Output(shape) once, and sets the counters of the row (README.md). Given a
// `table` of that shape, the call is also compared with adding it.
void Measure(benchmark::State& state, Shape shape, const std::function<void()>& call,
             const float* table = nullptr);

// Ends the row with an error, and the process with exit status 1.
void Fail(benchmark::State& state, const std::string& message);
bool AnyFailed();

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_MEASURE_H_
