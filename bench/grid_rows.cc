// Rows for WriteGrid and AddGrid. They are compared with Write and Add of a table of the same size, and with
// computing each axis anew for every cell.
#include <vector>

#include "memory_limits.h"
#include "normal.h"
#include "posenc/accuracy.h"
#include "posenc/grid.h"
#include "shapes.h"
#include "suite.h"

namespace posenc {
namespace bench {
namespace {

// A grid, its axes, and the position of each row on each axis.
struct Grid {
  Encoder encoder, whole;  // for one axis; for the whole table
  posenc_grid_axis axes[3] = {};
  std::vector<std::int32_t> positions[3];

  bool Make(benchmark::State& state, const GridShape& shape, const std::string& target) {
    if (!Created(state, MakeSpec(shape.axis_dim(), target), &encoder)) return false;
    if (!Created(state, MakeSpec(shape.dim, target), &whole)) return false;
    const std::size_t rows = shape.table().rows;
    std::size_t inner = rows;
    for (std::size_t a = 0; a < shape.axes(); ++a) {
      axes[a] = GridAxis(encoder, (shape.axes() - 1 - a) * shape.axis_dim(), shape.count(a));
      inner /= shape.count(a);
      for (std::size_t t = 0; t < rows; ++t) {
        positions[a].push_back(static_cast<std::int32_t>(t / inner % shape.count(a)));
      }
    }
    return true;
  }
};

template <class T>
void Write(benchmark::State& state, GridShape shape, const std::string& target) {
  Grid grid;
  if (!grid.Make(state, shape, target)) return;
  const Shape table = shape.table();
  T* out = Output().Get<T>(table.entries());
  const Rows rows(out, table.dim);
  const auto anew = [&] {
    for (std::size_t a = 0; a < shape.axes(); ++a) {
      Must(
          grid.encoder.WriteAt(grid.positions[a].data(), table.rows, {out + grid.axes[a].column, table.dim}));
    }
  };
  MeasureChecked(state, table.work<T>(),
                 [&] { return posenc_write_grid(grid.axes, shape.axes(), 0, &rows, nullptr, nullptr); },
                 {{"write_ratio",
                   [&] {
                     Must(grid.whole.Write(0, table.rows, {out, table.dim}));
                   }},
                  {"anew_ratio", anew}});
}

template <class T>
void Add(benchmark::State& state, GridShape shape, const std::string& target) {
  Grid grid;
  if (!grid.Make(state, shape, target)) return;
  const Shape table = shape.table();
  T* x = Output().Get<T>(table.entries());
  const Rows rows(x, table.dim);
  const auto anew = [&] {
    for (std::size_t a = 0; a < shape.axes(); ++a) {
      Must(grid.encoder.AddAt(grid.positions[a].data(), table.rows, {x + grid.axes[a].column, table.dim},
                              kAlternating));
    }
  };
  MeasureChecked(
      state, table.work<T>(),
      [&] { return posenc_add_grid(grid.axes, shape.axes(), 0, &rows, kAlternating, nullptr, nullptr); },
      {{"add_ratio",
        [&] {
          Must(grid.whole.Add(0, table.rows, {x, table.dim}, kAlternating));
        }},
       {"anew_ratio", anew}},
      [&] { FillNormal(x, table.entries()); });
}

// Registers run(state, shape, target) as OPERATION/TYPE/SHAPE/TARGET.
template <class T>
void RegisterAll(const std::string& operation, GridShape shape, const TargetNames& targets,
                 void (*run)(benchmark::State&, GridShape, const std::string&)) {
  RegisterEach(operation + "/" + TraitsOf(TypeOf<T>()).name + "/" + shape.name() + "/",
               shape.table().entries(), targets,
               [=](benchmark::State& state, const std::string& target) { run(state, shape, target); });
}

}  // namespace

void RegisterGrid(const TargetNames& targets) {
  for (const GridShape& shape : kGridShapes) RegisterAll<float>("WriteGrid", shape, targets, Write<float>);
  for (const GridShape& shape : kNarrowGridShapes)
    RegisterAll<BFloat16>("WriteGrid", shape, targets, Write<BFloat16>);
  for (const GridShape& shape : kGridShapes) RegisterAll<float>("AddGrid", shape, targets, Add<float>);
  for (const GridShape& shape : kNarrowGridShapes)
    RegisterAll<BFloat16>("AddGrid", shape, targets, Add<BFloat16>);
}

}  // namespace bench
}  // namespace posenc
