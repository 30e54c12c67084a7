// Rows Peer/...: other ways to write the same table, compared with posenc in speed and in accuracy.
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
constexpr Shape kLargeShape = {65536, 1024};
constexpr std::size_t kMaxRows = 5000;                    // rows that are compared at most
constexpr std::int64_t kLargestPosition = (1 << 17) - 1;  // for single rows: late in a long context
constexpr double kTolerance = 1e-2;  // for the first rows; a larger error means that the peer is used wrongly

// How far a peer's values are from posenc's values, which are correctly rounded.
struct Deviation {
  double max_ulp = 0.0;
  double max_abs_error = 0.0;
  std::size_t misrounded = 0;  // entries that are not correctly rounded

  template <class T>
  void Count(T got, T expected) {
    if (got == expected) return;
    const double error = static_cast<double>(got) - static_cast<double>(expected);
    const double ulps = UlpError(TypeOf<T>(), error, static_cast<double>(expected));
    ++misrounded;
    max_ulp = std::fmax(max_ulp, std::isfinite(error) ? ulps : HUGE_VAL);
    max_abs_error = std::fmax(max_abs_error, std::isfinite(error) ? std::fabs(error) : HUGE_VAL);
  }
};

std::size_t ComparedRows(Shape shape) {
  return shape.rows == 1 ? kListedPositions : std::min(shape.rows, kMaxRows);
}

// Compares the rows of the table, or random rows if the shape is a single row.
template <class T>
Deviation DeviationOf(const typename Peer<T>::Writer& write, const Encoder& encoder, Shape shape) {
  Deviation deviation;
  RandomList<std::int64_t> positions(0, kLargestPosition);
  const std::size_t rows = ComparedRows(shape);
  std::vector<T> expected(shape.dim), got(shape.dim);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto position = shape.rows == 1 ? *positions.Next(1) : static_cast<std::int64_t>(r);
    Must(encoder.Write(position, 1, {expected.data(), shape.dim}));
    std::fill(got.begin(), got.end(), static_cast<T>(NAN));
    write(static_cast<int>(position), 1, got.data());
    for (std::size_t i = 0; i < shape.dim; ++i) deviation.Count(got[i], expected[i]);
  }
  return deviation;
}

template <class T>
void RunPeer(benchmark::State& state, Shape shape, const Peer<T>& peer) {
  Encoder encoder;
  Spec spec = MakeSpec(shape.dim, peer.target);
  if (peer.target.empty()) spec.target = nullptr;
  if (!Created(state, spec, &encoder)) return;
  const typename Peer<T>::Writer write = peer.prepare(shape.dim);
  const double first_rows = DeviationOf<T>(write, encoder, {64, shape.dim}).max_abs_error;
  if (!(first_rows <= kTolerance))
    return Fail(state, "the first rows differ from posenc's by " + std::to_string(first_rows));

  state.SetLabel(peer.label);
  T* out = Output().Get<T>(shape.entries());
  RandomList<std::int64_t> positions(0, kLargestPosition), own_positions(0, kLargestPosition);
  const auto first = [&](auto* list) { return shape.rows == 1 ? *list->Next(1) : 0; };
  Measure(state, shape.work<T>(), [&] { write(static_cast<int>(first(&positions)), shape.rows, out); },
          {{"posenc_speedup",
            [&] {
              Must(encoder.Write(first(&own_positions), shape.rows, {out, shape.dim}));
            },
            Rival::Counter::kRivalOverRow}});
  const Deviation deviation = DeviationOf<T>(write, encoder, shape);
  state.counters["max_ulp"] = deviation.max_ulp;
  state.counters["max_abs_error"] = deviation.max_abs_error;
  const auto compared = static_cast<double>(ComparedRows(shape) * shape.dim);
  state.counters["misrounded"] = static_cast<double>(deviation.misrounded) / compared;
}

template <class T>
void RegisterPeer(Shape shape, const Peer<T>& peer) {
  Register("Peer/" + peer.name + "/" + shape.name(),
           [=](benchmark::State& state) { RunPeer(state, shape, peer); });
}

template <class T>
void RegisterPeersOf(Shape shape) {
  for (const Peer<T>& peer : Peers<T>()) RegisterPeer(shape, peer);
}

}  // namespace

void RegisterPeers() {
  for (const Shape shape : kShapes) {
    RegisterPeersOf<float>(shape);
    RegisterPeersOf<double>(shape);
  }
  for (const Peer<double>& peer : Peers<double>()) {
    if (peer.name.find("sleef") == 0) RegisterPeer(kLargeShape, peer);
  }
}

}  // namespace bench
}  // namespace posenc
