// The peers, each beside posenc on the same work: how fast, and how far from the correctly rounded values.
#include <algorithm>
#include <cmath>
#include <vector>

#include "peers.h"
#include "posenc/accuracy.h"
#include "suite.h"

namespace posenc {
namespace bench {
namespace {

constexpr Shape kShapes[] = {{1, 1024}, {512, 512}, {5000, 512}};
constexpr std::int64_t kLargestPosition = (1 << 17) - 1;  // of single rows: decode steps of a long context
constexpr double kTolerance = 1e-2;                       // in the first rows, lest a peer be used wrongly

// How far values are from posenc's, which are correctly rounded.
struct Deviation {
  double max_ulp = 0.0;
  double max_abs_error = 0.0;
  std::size_t misrounded = 0;  // entries that differ

  void Count(float got, float expected) {
    if (got == expected) return;
    const double error = static_cast<double>(got) - static_cast<double>(expected);
    ++misrounded;
    max_ulp = std::fmax(max_ulp, std::isfinite(error) ? UlpError(error, expected) : HUGE_VAL);
    max_abs_error = std::fmax(max_abs_error, std::isfinite(error) ? std::fabs(error) : HUGE_VAL);
  }
};

// Of the rows that the shape stands for: those of the table, or a sample of random ones.
Deviation DeviationOf(const Peer::Writer& write, const Encoder& encoder, Shape shape) {
  Deviation deviation;
  PositionList positions(0, kLargestPosition);
  const std::size_t rows = shape.rows == 1 ? PositionList::kCount : shape.rows;
  std::vector<float> expected(shape.dim), got(shape.dim);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto position = shape.rows == 1 ? *positions.Next(1) : static_cast<std::int64_t>(r);
    encoder.Write(position, 1, expected.data(), shape.dim);
    std::fill(got.begin(), got.end(), NAN);
    write(static_cast<int>(position), 1, got.data());
    for (std::size_t i = 0; i < shape.dim; ++i) deviation.Count(got[i], expected[i]);
  }
  return deviation;
}

void RunPeer(benchmark::State& state, Shape shape, const Peer& peer) {
  Encoder encoder;
  Spec spec = MakeSpec(shape.dim, peer.target);
  if (peer.target.empty()) spec.target = nullptr;
  if (!Created(state, spec, &encoder)) return;
  const Peer::Writer write = peer.prepare(shape.dim);
  const double first_rows = DeviationOf(write, encoder, {64, shape.dim}).max_abs_error;
  if (!(first_rows <= kTolerance)) return Fail(state, "differs from posenc by " + std::to_string(first_rows));

  state.SetLabel(peer.label);
  float* out = Output().Get<float>(shape.entries());
  PositionList positions(0, kLargestPosition), own_positions(0, kLargestPosition);
  const auto first = [&](PositionList* list) { return shape.rows == 1 ? *list->Next(1) : 0; };
  Measure(state, shape.work<float>(), [&] { write(static_cast<int>(first(&positions)), shape.rows, out); },
          {{"posenc_speedup", [&] { encoder.Write(first(&own_positions), shape.rows, out, shape.dim); },
            Rival::Counter::kRivalOverRow}});
  const Deviation deviation = DeviationOf(write, encoder, shape);
  state.counters["max_ulp"] = deviation.max_ulp;
  state.counters["max_abs_error"] = deviation.max_abs_error;
  const double compared =
      static_cast<double>((shape.rows == 1 ? PositionList::kCount : shape.rows) * shape.dim);
  state.counters["misrounded"] = static_cast<double>(deviation.misrounded) / compared;
}

}  // namespace

void RegisterPeers() {
  for (const Shape shape : kShapes) {
    for (const Peer& peer : Peers()) {
      Register("Peer/" + peer.name + "/" + shape.name(),
               [=](benchmark::State& state) { RunPeer(state, shape, peer); });
    }
  }
}

}  // namespace bench
}  // namespace posenc
