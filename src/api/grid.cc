// The C functions of grids.

#include "number/exact.h"

#include <cstddef>

#include "api/handle.h"
#include "call/call.h"
#include "call/grid.h"
#include "number/elements.h"
#include "posenc/grid_c.h"

namespace posenc {
namespace internal {
namespace {

posenc_status CheckAxis(const posenc_grid_axis& axis) {
  if (axis.encoder == nullptr) return POSENC_NOT_CREATED;
  if (axis.positions != nullptr && !IsPositionType(axis.position_type)) return POSENC_BAD_TYPE;
  return axis.reserved == 0 ? POSENC_OK : POSENC_BAD_FLAG;
}

posenc_status RunGrid(const posenc_grid_axis* axes, std::size_t axis_count, Grid* grid, std::size_t* bad_axis,
                      std::size_t* bad_index) {
  if (axes == nullptr) return POSENC_NULL_POINTER;
  if (axis_count == 0 || axis_count > POSENC_MAX_GRID_AXES) return POSENC_BAD_GRID;
  grid->axis_count = axis_count;
  for (std::size_t a = 0; a < axis_count; ++a) {
    const posenc_grid_axis& axis = axes[a];
    if (const posenc_status status = CheckAxis(axis); status != POSENC_OK) {
      if (bad_axis != nullptr) *bad_axis = a;
      return status;
    }
    grid->axes[a] = {&axis.encoder->encoder, axis.column,    axis.count,
                     axis.position_type,     axis.positions, axis.first_position};
  }
  return CallGrid(*grid, bad_axis, bad_index);
}

}  // namespace
}  // namespace internal
}  // namespace posenc

using namespace posenc::internal;  // NOLINT(google-build-using-namespace)

posenc_status posenc_write_grid(const posenc_grid_axis* axes, size_t axis_count, size_t prefix_rows,
                                posenc_type type, void* out, size_t row_stride, size_t* bad_axis,
                                size_t* bad_index) {
  if (!IsEntry(type)) return POSENC_BAD_TYPE;
  Grid grid = {{}, 0, prefix_rows, type, nullptr, {out, row_stride}};
  return RunGrid(axes, axis_count, &grid, bad_axis, bad_index);
}

posenc_status posenc_add_grid(const posenc_grid_axis* axes, size_t axis_count, size_t prefix_rows,
                              posenc_type type, void* x, size_t row_stride, float scale, size_t* bad_axis,
                              size_t* bad_index) {
  if (!IsSummand(type)) return POSENC_BAD_TYPE;
  Grid grid = {{}, 0, prefix_rows, type, &scale, {x, row_stride}};
  return RunGrid(axes, axis_count, &grid, bad_axis, bad_index);
}
