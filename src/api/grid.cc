// The C functions of grids (grid_c.h).

#include "number/exact.h"

#include <cstddef>

#include "api/handle.h"
#include "call/call.h"
#include "call/grid.h"
#include "number/elements.h"
#include "posenc/grid_c.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {
namespace {

posenc_status CheckAxis(const posenc_grid_axis& axis) {
  if (axis.encoder == nullptr) return rule::null_axis_encoder;
  const bool is_right = axis.positions.data == nullptr || IsPositionType(axis.positions.type);
  return is_right ? rule::ok : rule::type_positions;
}

posenc_status RunGrid(const posenc_grid_axis* axes, std::size_t axis_count, Grid* grid, std::size_t* bad_axis,
                      std::size_t* bad_index) {
  if (axes == nullptr) return rule::null_axes;
  if (axis_count == 0 || axis_count > POSENC_MAX_GRID_AXES) return rule::grid_axes;
  grid->axis_count = axis_count;
  for (std::size_t a = 0; a < axis_count; ++a) {
    const posenc_grid_axis& axis = axes[a];
    if (const posenc_status status = CheckAxis(axis); status != POSENC_OK) {
      if (bad_axis != nullptr) *bad_axis = a;
      return status;
    }
    grid->axes[a] = {&axis.encoder->encoder, axis.column, axis.count, List(axis.positions),
                     axis.first_position};
  }
  return CallGrid(*grid, bad_axis, bad_index);
}

}  // namespace
}  // namespace internal
}  // namespace posenc

using namespace posenc::internal;  // NOLINT(google-build-using-namespace)

posenc_status posenc_write_grid(const posenc_grid_axis* axes, size_t axis_count, size_t prefix_rows,
                                const posenc_rows* out, size_t* bad_axis, size_t* bad_index) {
  if (out == nullptr) return rule::null_rows;
  if (!IsEntry(out->type)) return rule::type_written;
  Grid grid = {{}, 0, prefix_rows, out->type, nullptr, {out->data, out->stride}};
  return RunGrid(axes, axis_count, &grid, bad_axis, bad_index);
}

posenc_status posenc_add_grid(const posenc_grid_axis* axes, size_t axis_count, size_t prefix_rows,
                              const posenc_rows* x, float scale, size_t* bad_axis, size_t* bad_index) {
  if (x == nullptr) return rule::null_rows;
  if (!IsSummand(x->type)) return rule::type_added;
  Grid grid = {{}, 0, prefix_rows, x->type, &scale, {x->data, x->stride}};
  return RunGrid(axes, axis_count, &grid, bad_axis, bad_index);
}
