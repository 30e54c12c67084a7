// Rows for Write and WriteAt: sizes, element types, a large base, other layouts, two threads, and positions
// that are fractions.
#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "posenc/accuracy.h"
#include "second_thread.h"
#include "suite.h"

namespace posenc {
namespace bench {
namespace {

constexpr Shape kShapes[] = {{1, 1024},   {16, 512},   {512, 512},   {4096, 128},
                             {5000, 512}, {5120, 512}, {65536, 1024}};
constexpr Shape kNarrowShapes[] = {{1, 1024}, {512, 512}, {5120, 512}, {65536, 1024}};
constexpr Shape kDoubleShapes[] = {{1, 1024}, {512, 512}, {5000, 512}, {65536, 1024}};
constexpr Shape kListShapes[] = {{1, 1024}, {512, 512}};
constexpr Shape kThreadShapes[] = {{512, 512}, {5120, 512}};

constexpr std::int64_t kLargestPosition = 1 << 20;

// How a row differs from the plain table (float, base 10000, interleaved), and the counter that compares the
// two, if there is one.
struct Variant {
  const char* name = "";  // part of the row's name, with its slash
  double base = 10000.0;
  posenc_layout layout = POSENC_INTERLEAVED;
  const char* plain_counter = nullptr;
  posenc_unit unit = POSENC_RADIANS;
  double exponent_dim = 0.0;
};

template <class T>
void Write(benchmark::State& state, Shape shape, const std::string& target, Variant variant) {
  Encoder plain, encoder;
  Spec spec = MakeSpec(shape.dim, target);
  if (!Created(state, spec, &plain)) return;
  spec.base = variant.base;
  spec.layout = variant.layout;
  spec.unit = variant.unit;
  spec.exponent_dim = variant.exponent_dim;
  if (!Created(state, spec, &encoder)) return;
  void* buffer = Output().Get(shape.entries() * std::max(sizeof(T), sizeof(float)));
  const auto plain_out = static_cast<float*>(buffer);
  const auto out = static_cast<T*>(buffer);
  const int first = FirstPosition(shape);
  std::vector<Rival> rivals;
  if (variant.plain_counter != nullptr) {
    rivals.push_back({variant.plain_counter, [&, plain_out] {
                        Must(plain.Write(first, shape.rows, {plain_out, shape.dim}));
                      }});
  }
  MeasureChecked(
      state, shape.work<T>(),
      [&] {
        return encoder.Write(first, shape.rows, {out, shape.dim});
      },
      rivals);
}

template <class T>
void WriteAt(benchmark::State& state, Shape shape, const std::string& target) {
  Encoder encoder;
  if (!Created(state, MakeSpec(shape.dim, target), &encoder)) return;
  RandomList<std::int64_t> positions(-kLargestPosition, kLargestPosition);
  T* out = Output().Get<T>(shape.entries());
  MeasureChecked(state, shape.work<T>(), [&] {
    return encoder.WriteAt(positions.Next(shape.rows), shape.rows, {out, shape.dim});
  });
}

// Positions are fractions.
void WriteAtFractions(benchmark::State& state, Shape shape, const std::string& target) {
  Encoder encoder;
  if (!Created(state, MakeSpec(shape.dim, target), &encoder)) return;
  RandomList<double> fractions(-kLargestPosition, kLargestPosition);
  RandomList<std::int64_t> steps(-kLargestPosition, kLargestPosition);
  float* out = Output().Get<float>(shape.entries());
  MeasureChecked(state, shape.work<float>(),
                 [&] {
                   return encoder.WriteAt(fractions.Next(shape.rows), shape.rows, {out, shape.dim});
                 },
                 {{"steps_ratio", [&] {
                     Must(encoder.WriteAt(steps.Next(shape.rows), shape.rows, {out, shape.dim}));
                   }}});
}

// Positions are the doubles next to multiples of pi/2. There the sine or the cosine of pair 0 is nearly 0.
void WriteAtQuarterTurns(benchmark::State& state, Shape shape, const std::string& target) {
  Encoder encoder;
  if (!Created(state, MakeSpec(shape.dim, target), &encoder)) return;
  std::vector<double> quarters(shape.rows), steps(shape.rows);
  for (std::size_t r = 0; r < shape.rows; ++r) {
    steps[r] = static_cast<double>(r) + 0.5;
    quarters[r] = static_cast<double>(r) * 0x1.921fb54442d18p0;
  }
  float* out = Output().Get<float>(shape.entries());
  MeasureChecked(state, shape.work<float>(),
                 [&] {
                   return encoder.WriteAt(quarters.data(), shape.rows, {out, shape.dim});
                 },
                 {{"halves_ratio", [&] {
                     Must(encoder.WriteAt(steps.data(), shape.rows, {out, shape.dim}));
                   }}});
}

// Writes in calls of 64 rows, as a thread pool does, with an encoder that knows the table's size. It is
// compared with one call for all rows, and with the same calls of an encoder that does not know the size.
void WriteInParts(benchmark::State& state, Shape shape, const std::string& target) {
  constexpr std::size_t kPart = 64;
  Encoder plain, encoder;
  Spec spec = MakeSpec(shape.dim, target);
  if (!Created(state, spec, &plain)) return;
  spec.table_rows = shape.rows;
  if (!Created(state, spec, &encoder)) return;
  float* out = Output().Get<float>(shape.entries());
  const auto write_parts = [=](const Encoder& with) {
    Status status = POSENC_OK;
    for (std::size_t r = 0; r < shape.rows && status == POSENC_OK; r += kPart) {
      status = with.Write(static_cast<std::int64_t>(r), kPart, {out + r * shape.dim, shape.dim});
    }
    return status;
  };
  MeasureChecked(state, shape.work<float>(), [&] { return write_parts(encoder); },
                 {{"one_call_ratio",
                   [&] {
                     Must(plain.Write(0, shape.rows, {out, shape.dim}));
                   }},
                  {"unknown_size_ratio", [&] { write_parts(plain); }}});
}

// Each thread writes half of the rows. The result must equal the result of one thread.
void WriteOnTwoThreads(benchmark::State& state, Shape shape, const std::string& target) {
  Encoder encoder;
  if (!Created(state, MakeSpec(shape.dim, target), &encoder)) return;
  float* out = Output().Get<float>(shape.entries());
  const std::size_t half = shape.rows / 2;
  const auto write_all = [&] { Must(encoder.Write(0, shape.rows, {out, shape.dim})); };
  SecondThread second([&] {
    Must(encoder.Write(static_cast<std::int64_t>(half), shape.rows - half,
                       {out + half * shape.dim, shape.dim}));
  });
  const auto write_halves = [&] {
    second.Start();
    const Status status = encoder.Write(0, half, {out, shape.dim});
    second.Wait();
    return status;
  };

  write_all();
  const std::vector<float> expected(out, out + shape.entries());
  std::memset(out, 0xff, shape.entries() * sizeof(float));
  write_halves();
  if (std::memcmp(out, expected.data(), shape.entries() * sizeof(float)) != 0) {
    return Fail(state, "two threads write different bits than one thread");
  }
  MeasureChecked(state, shape.work<float>(), write_halves, {{"speedup", write_all}});
}

// Adds one row for each target. It runs body(state, shape, target).
template <class Body>
void RegisterShape(const std::string& operation, Shape shape, const std::string& variant,
                   const TargetNames& targets, const Body& body) {
  RegisterEach(operation + "/" + shape.name() + variant + "/", shape.entries(), targets,
               [=](benchmark::State& state, const std::string& target) { body(state, shape, target); });
}

template <class T>
void RegisterTables(Shape shape, const TargetNames& targets, Variant variant) {
  RegisterShape(std::string("Write/") + TraitsOf(TypeOf<T>()).name, shape, variant.name, targets,
                [=](benchmark::State& state, Shape s, const std::string& target) {
                  Write<T>(state, s, target, variant);
                });
}

template <class T>
void RegisterLists(const TargetNames& targets) {
  for (const Shape shape : kListShapes) {
    RegisterShape(std::string("WriteAt/") + TraitsOf(TypeOf<T>()).name, shape, "", targets, WriteAt<T>);
  }
}

}  // namespace

void RegisterWrite(const TargetNames& targets) {
  for (const Shape shape : kShapes) RegisterTables<float>(shape, targets, {});
  RegisterTables<float>({4096, 128}, targets,
                        {"/base500000", 500000.0, POSENC_INTERLEAVED, "base10000_ratio"});
  RegisterTables<float>({512, 512}, targets, {"/sin_cos", 10000.0, POSENC_SIN_COS, "interleaved_ratio"});
  // Phases are whole quarter turns, or thirds of them.
  const Variant thirds = {"/turns_of_3", 3.0, POSENC_INTERLEAVED, "radians_ratio", POSENC_TURNS, 2.0};
  RegisterTables<float>({4096, 128}, targets, thirds);
  RegisterTables<BFloat16>({4096, 128}, targets, thirds);
  if (std::thread::hardware_concurrency() > 1) {
    for (const Shape shape : kThreadShapes) {
      RegisterShape("Write/f32", shape, "/threads:2", targets, WriteOnTwoThreads);
    }
  }
  RegisterShape("Write/f32", {65536, 1024}, "/parts", targets, WriteInParts);
  Variant other_type;
  other_type.plain_counter = "f32_ratio";
  for (const Shape shape : kNarrowShapes) RegisterTables<BFloat16>(shape, targets, other_type);
  for (const Shape shape : kNarrowShapes) RegisterTables<Float16>(shape, targets, other_type);
  for (const Shape shape : kDoubleShapes) RegisterTables<double>(shape, targets, other_type);
  RegisterLists<float>(targets);
  RegisterLists<BFloat16>(targets);
  RegisterLists<Float16>(targets);
  RegisterShape("WriteAt/f32", {1, 1024}, "/fractions", targets, WriteAtFractions);
  RegisterShape("WriteAt/f32", {4096, 128}, "/quarter_turns", targets, WriteAtQuarterTurns);
}

}  // namespace bench
}  // namespace posenc
