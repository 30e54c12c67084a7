// Grids, and positions of ids and masks, as C can call them: null pointers, unknown values, columns in
// common, sizes that nothing has, lists that overlap. Accepted grids are on every target that this CPU runs
// what their axes' rows are one by one, and not one byte more; refused ones write nothing; statuses are those
// that the documentation allows. AddressSanitizer and UndefinedBehaviorSanitizer watch the memory.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "call_input.h"
#include "fuzzing.h"
#include "posenc/grid_c.h"
#include "posenc/positions_c.h"
#include "spec_input.h"

namespace posenc {
namespace fuzz {
namespace {

constexpr std::size_t kNoIndex = 4711, kLargest = 1 << 16;

struct DestroyEncoder {
  void operator()(posenc_encoder* encoder) const { posenc_encoder_destroy(encoder); }
};
using EncoderPtr = std::unique_ptr<posenc_encoder, DestroyEncoder>;

EncoderPtr Create(std::size_t dim, posenc_layout layout, bool nan_rows, const char* target) {
  posenc_spec spec;
  POSENC_FUZZ_CHECK(posenc_spec_init(&spec, sizeof(spec)) == POSENC_OK);
  spec.dim = dim;
  spec.layout = layout;
  spec.nan_rows = nan_rows ? 1 : 0;
  spec.target = target;
  posenc_encoder* encoder = nullptr;
  POSENC_FUZZ_CHECK(posenc_encoder_create(&spec, &encoder) == POSENC_OK);
  return EncoderPtr(encoder);
}

struct AxisInput {
  std::size_t dim, column, count;
  posenc_layout layout;
  bool nan_rows, null_encoder, has_list, is_inside;  // inside: the list lies in what is written
  posenc_type list_type, said_list_type;
  std::int64_t first;
  std::int32_t reserved;
  std::vector<std::uint8_t> list;
  std::size_t first_bad;

  AxisInput(std::size_t* end, std::size_t most, FuzzedDataProvider& bytes)
      : dim(bytes.ConsumeIntegralInRange<std::size_t>(1, Rarely(bytes, 8) ? 70 : 9)),
        column(*end + bytes.ConsumeIntegralInRange<std::size_t>(0, 3)),
        count(bytes.ConsumeIntegralInRange<std::size_t>(Rarely(bytes) ? 0 : 1, most)),
        layout(bytes.ConsumeIntegralInRange<posenc_layout>(0, 2)),
        nan_rows(bytes.ConsumeBool()),
        null_encoder(Rarely(bytes, 64)),
        has_list(bytes.ConsumeBool()),
        is_inside(Rarely(bytes)),
        list_type(bytes.PickValueInArray({POSENC_I32, POSENC_I64, POSENC_F32, POSENC_F64})),
        first(Rarely(bytes) ? MakePosition(bytes) : bytes.ConsumeIntegralInRange<std::int64_t>(-100, 100)),
        reserved(Rarely(bytes, 64) ? 1 : 0) {
    *end = column + dim;
    if (Rarely(bytes)) column = bytes.ConsumeBool() ? bytes.PickValueInArray(kHuge) : column / 2;
    said_list_type = MakeSaidType(list_type, bytes);
    if (said_list_type == POSENC_F32 || (said_list_type >= POSENC_F64 && said_list_type <= POSENC_I64))
      said_list_type = list_type;
    first_bad = count;
    for (std::size_t k = 0; k < count; ++k) MakeValue(k, bytes);
    if (list.empty()) has_list = false;  // of nothing there is no address
    if (Rarely(bytes, 64)) count = bytes.PickValueInArray(kHuge);
  }

  posenc_grid_axis Passed(const posenc_encoder* encoder, const std::uint8_t* at) const {
    return {null_encoder ? nullptr : encoder,
            column,
            count,
            has_list ? at : nullptr,
            first,
            said_list_type,
            reserved};
  }

 private:
  void MakeValue(std::size_t k, FuzzedDataProvider& bytes) {
    bool is_good = true;
    if (list_type == POSENC_I32 || list_type == POSENC_I64) {
      std::int64_t value = MakePosition(bytes);
      if (list_type == POSENC_I32) value = static_cast<std::int32_t>(value);
      is_good = IsRun(value, 1);
      list_type == POSENC_I32 ? Append(static_cast<std::int32_t>(value), &list) : Append(value, &list);
    } else {
      double value = Rarely(bytes) ? MakeReal(bytes) : MakeDoublePosition(bytes);
      if (list_type == POSENC_F32) value = static_cast<double>(static_cast<float>(value));
      is_good = std::fabs(value) <= static_cast<double>(kMaxPosition);
      list_type == POSENC_F32 ? Append(static_cast<float>(value), &list) : Append(value, &list);
    }
    if (!is_good && !nan_rows) first_bad = std::min(first_bad, k);
  }
};

struct GridInput {
  std::vector<AxisInput> axes;
  std::size_t axis_count, prefix, stride, offset;
  posenc_type type, said_type;
  bool adds, null_axes, null_data, null_bad;
  float scale;
  int rounding;
  std::vector<std::uint8_t> pattern;

  explicit GridInput(FuzzedDataProvider& bytes) {
    std::size_t end = 0;
    const auto made = bytes.ConsumeIntegralInRange<std::size_t>(1, 4);
    for (std::size_t a = 0; a < made; ++a) axes.emplace_back(&end, made < 3 ? 4 : 2, bytes);
    if (bytes.ConsumeBool() && made > 1) std::swap(axes.front().column, axes.back().column);
    axis_count = Rarely(bytes) ? bytes.PickValueInArray({std::size_t{0}, std::size_t{9}, SIZE_MAX}) : made;
    prefix = Rarely(bytes) ? bytes.PickValueInArray(kHuge) : bytes.ConsumeIntegralInRange<std::size_t>(0, 2);
    stride =
        Rarely(bytes) ? bytes.PickValueInArray(kHuge) : end + bytes.ConsumeIntegralInRange<std::size_t>(0, 5);
    if (Rarely(bytes)) stride = end - 1;
    offset = bytes.ConsumeIntegralInRange<std::size_t>(0, 9);
    adds = bytes.ConsumeBool();
    type = bytes.PickValueInArray({POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64});
    if (adds && type == POSENC_F64) type = POSENC_F32;
    said_type = MakeSaidType(type, bytes);
    if (said_type >= POSENC_F32 && said_type <= (adds ? POSENC_F16 : POSENC_F64)) said_type = type;
    null_axes = Rarely(bytes, 64);
    null_data = Rarely(bytes, 64);
    null_bad = Rarely(bytes, 4);
    scale = bytes.ConsumeBool() ? 1.0f : static_cast<float>(MakeReal(bytes));
    rounding = MakeRounding(bytes);
    pattern = bytes.ConsumeRemainingBytes<std::uint8_t>();
    pattern.push_back(0x3c);
  }

  // False if they cannot be counted.
  bool Cells(std::size_t* cells) const {
    *cells = 1;
    for (const AxisInput& axis : axes) {
      if (axis.count == 0) return *cells = 0, true;
    }
    for (const AxisInput& axis : axes) {
      if (__builtin_mul_overflow(*cells, axis.count, cells)) return false;
    }
    return true;
  }

  std::size_t Index(std::size_t cell, std::size_t a) const {
    for (std::size_t b = axes.size(); --b > a;) cell /= axes[b].count;
    return cell % axes[a].count;
  }

  // What may be reported, and how many bytes an accepted call may touch.
  Faults CallFaults(std::size_t* size) const {
    Faults faults;
    *size = 0;
    faults.AddIf(said_type != type, POSENC_BAD_TYPE);
    faults.AddIf(null_axes, POSENC_NULL_POINTER);
    faults.AddIf(axis_count != axes.size(), POSENC_BAD_GRID);
    for (const AxisInput& axis : axes) {
      faults.AddIf(axis.null_encoder, POSENC_NOT_CREATED);
      faults.AddIf(axis.has_list && axis.said_list_type != axis.list_type, POSENC_BAD_TYPE);
      faults.AddIf(axis.reserved != 0, POSENC_BAD_FLAG);
    }
    std::size_t end = 0;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const AxisInput& axis = axes[a];
      const bool is_beyond = stride < axis.dim || axis.column > stride - axis.dim;
      faults.AddIf(is_beyond, POSENC_STRIDE_TOO_SMALL);
      if (is_beyond) continue;
      end = std::max(end, axis.column + axis.dim);
      for (std::size_t b = 0; b < a; ++b) {
        const AxisInput& other = axes[b];
        faults.AddIf(axis.column < other.column + other.dim && other.column < axis.column + axis.dim,
                     POSENC_BAD_GRID);
      }
    }
    std::size_t cells, rows;
    const bool is_counted = Cells(&cells) && !__builtin_add_overflow(cells, prefix, &rows);
    faults.AddIf(!is_counted || (rows != 0 && Overflows(rows, stride, TypeSize(type))), POSENC_SIZE_OVERFLOW);
    if (!faults.None() || rows == 0) return faults;
    faults.AddIf(null_data, POSENC_NULL_POINTER);
    *size = ((rows - 1) * stride + end) * TypeSize(type);
    for (const AxisInput& axis : axes) {
      if (cells == 0) break;
      if (!axis.has_list) {
        faults.AddIf(!IsRun(axis.first, axis.count), POSENC_POSITION_OUT_OF_RANGE);
        continue;
      }
      faults.AddIf(axis.first_bad < axis.count, POSENC_POSITION_OUT_OF_RANGE);
      faults.AddIf(axis.is_inside, POSENC_BUFFERS_OVERLAP);
    }
    if (!faults.None()) faults.AddPossible(*size > kLargest, POSENC_BUFFERS_OVERLAP);  // chance says
    return faults;
  }

  // A list whose count is a lie may not be read.
  bool Lies() const {
    return std::any_of(axes.begin(), axes.end(), [](const AxisInput& axis) {
      return axis.has_list && axis.count * TypeSize(axis.list_type) != axis.list.size();
    });
  }
};

// Row by row, by the calls for lists and runs.
void RunEach(const GridInput& grid, const std::vector<EncoderPtr>& encoders, std::uint8_t* data) {
  const std::size_t size = TypeSize(grid.type);
  std::size_t cells = 0;
  grid.Cells(&cells);
  for (std::size_t a = 0; a < grid.axes.size(); ++a) {
    const AxisInput& axis = grid.axes[a];
    for (std::size_t r = 0; r < grid.prefix; ++r) {
      std::uint8_t* const row = data + (r * grid.stride + axis.column) * size;
      if (!grid.adds) std::memset(row, 0, axis.dim * size);
    }
    for (std::size_t t = 0; t < cells; ++t) {
      std::uint8_t* const row = data + ((grid.prefix + t) * grid.stride + axis.column) * size;
      const std::size_t i = grid.Index(t, a);
      const std::int64_t at = axis.has_list ? 0 : axis.first + static_cast<std::int64_t>(i);
      const void* const position =
          axis.has_list ? static_cast<const void*>(axis.list.data() + i * TypeSize(axis.list_type)) : &at;
      const posenc_type type = axis.has_list ? axis.list_type : POSENC_I64;
      const posenc_status status = grid.adds ? posenc_add_at(encoders[a].get(), type, position, 1, grid.type,
                                                             row, axis.dim, grid.scale, nullptr)
                                             : posenc_write_at(encoders[a].get(), type, position, 1,
                                                               grid.type, row, axis.dim, nullptr);
      POSENC_FUZZ_CHECK(status == POSENC_OK);
    }
  }
}

void CheckGrid(FuzzedDataProvider& bytes) {
  const GridInput grid(bytes);
  std::size_t size = 0;
  const Faults faults = grid.CallFaults(&size);
  if (grid.Lies() || (faults.None() && size > kLargest)) return;
  const std::size_t prefix_bytes = faults.None() ? grid.prefix * grid.stride * TypeSize(grid.type) : 0;
  Memory want(std::min(size, kLargest), grid.offset, grid.pattern);
  std::vector<posenc_target> targets = Targets();
  std::reverse(targets.begin(), targets.end());  // REFERENCE first
  posenc_status expected = POSENC_OK;
  for (const posenc_target& target : targets) {
    if (target.runnable == 0) continue;
    std::vector<EncoderPtr> encoders;
    for (const AxisInput& axis : grid.axes)
      encoders.push_back(Create(axis.dim, axis.layout, axis.nan_rows, target.name));
    Memory got(std::min(size, kLargest), grid.offset, grid.pattern);
    posenc_grid_axis axes[9] = {};
    for (std::size_t a = 0; a < grid.axes.size(); ++a) {
      const AxisInput& axis = grid.axes[a];
      const std::size_t element = TypeSize(grid.type);
      const std::uint8_t* inside =
          got.data() + (axis.column < got.size() / element ? axis.column * element : 0);
      axes[a] = axis.Passed(encoders[a].get(), axis.is_inside ? inside : axis.list.data());
    }
    std::size_t bad_axis = kNoIndex, bad_index = kNoIndex;
    std::size_t* const axis_at = grid.null_bad ? nullptr : &bad_axis;
    std::size_t* const index_at = grid.null_bad ? nullptr : &bad_index;
    void* const data = grid.null_data ? nullptr : got.data();
    const posenc_grid_axis* const passed = grid.null_axes ? nullptr : axes;
    const posenc_status status = WithRounding(grid.rounding, [&] {
      return grid.adds ? posenc_add_grid(passed, grid.axis_count, grid.prefix, grid.said_type, data,
                                         grid.stride, grid.scale, axis_at, index_at)
                       : posenc_write_grid(passed, grid.axis_count, grid.prefix, grid.said_type, data,
                                           grid.stride, axis_at, index_at);
    });
    const bool is_reference = &target == &targets.front();
    if (is_reference) expected = status;
    POSENC_FUZZ_CHECK(faults.Allow(status) && status == expected);
    POSENC_FUZZ_CHECK((bad_index != kNoIndex) == (status == POSENC_POSITION_OUT_OF_RANGE && !grid.null_bad));
    if (bad_index != kNoIndex) POSENC_FUZZ_CHECK(bad_axis < grid.axes.size());
    if (status == POSENC_OK && is_reference) {
      RunEach(grid, encoders, want.data());
      if (grid.adds) std::memcpy(want.data(), got.data(), std::min(prefix_bytes, want.size()));
    }
    POSENC_FUZZ_CHECK(got == want);
  }
}

// Against the plain loop.
void CheckIds(FuzzedDataProvider& bytes) {
  const auto batch = bytes.ConsumeIntegralInRange<std::size_t>(0, 3),
             count = bytes.ConsumeIntegralInRange<std::size_t>(0, 9);
  const std::size_t stride = count + bytes.ConsumeIntegralInRange<std::size_t>(0, 2);
  const std::int64_t padding =
      Rarely(bytes) ? MakePosition(bytes) : bytes.ConsumeIntegralInRange<std::int64_t>(-1, 2);
  const std::int64_t past =
      Rarely(bytes) ? MakePosition(bytes) : bytes.ConsumeIntegralInRange<std::int64_t>(0, 9);
  const bool narrow = bytes.ConsumeBool();
  const int rounding = MakeRounding(bytes);
  std::vector<std::int64_t> ids(batch * stride);
  for (std::int64_t& id : ids) id = bytes.ConsumeIntegralInRange<std::int64_t>(-1, 3);
  const std::size_t used = batch == 0 || count == 0 ? 0 : (batch - 1) * stride + count;
  const Memory got(used * (narrow ? 4 : 8), 1, {0xC5}), want(used * (narrow ? 4 : 8), 1, {0xC5});
  const posenc_status status = WithRounding(rounding, [&] {
    return posenc_positions_from_ids(POSENC_I64, ids.data(), batch, count, stride, padding, past,
                                     narrow ? POSENC_I32 : POSENC_I64, got.data(), stride);
  });
  const std::int64_t most = narrow ? INT32_MAX : kMaxPosition;
  const bool is_good = padding >= -kMaxPosition && padding <= most && past >= 0 && past <= 4 * kMaxPosition &&
                       padding + past + static_cast<std::int64_t>(count) <= most;
  POSENC_FUZZ_CHECK(status == (is_good ? POSENC_OK : POSENC_POSITION_OUT_OF_RANGE));
  for (std::size_t b = 0; b < batch && status == POSENC_OK; ++b) {
    std::int64_t running = padding + past;
    for (std::size_t s = 0; s < count; ++s) {
      const bool is_padding = ids[b * stride + s] == padding;
      running += is_padding ? 0 : 1;
      const std::int64_t position = is_padding ? padding : running;
      const auto small = static_cast<std::int32_t>(position);
      std::memcpy(want.data() + (b * stride + s) * (narrow ? 4 : 8),
                  narrow ? static_cast<const void*>(&small) : &position, narrow ? 4 : 8);
    }
  }
  POSENC_FUZZ_CHECK(got == want);
}

// Counts grow by at most one, from 0 or 1; normalized ones are finite.
void CheckMask(FuzzedDataProvider& bytes) {
  const auto height = bytes.ConsumeIntegralInRange<std::size_t>(1, 6),
             width = bytes.ConsumeIntegralInRange<std::size_t>(1, 6);
  const auto kind = bytes.ConsumeIntegralInRange<posenc_normalization>(-1, 3);
  const double scale = MakeReal(bytes), offset = bytes.ConsumeBool() ? -0.5 : MakeReal(bytes);
  const int rounding = MakeRounding(bytes);
  std::vector<std::uint8_t> mask = bytes.ConsumeBytes<std::uint8_t>(height * width);
  mask.resize(height * width);
  const Memory y(mask.size() * sizeof(double), 3, {0xC5}), x(mask.size() * sizeof(double), 5, {0xC5});
  const posenc_status status = WithRounding(rounding, [&] {
    return posenc_positions_from_mask(mask.data(), height, width, kind, scale, offset,
                                      reinterpret_cast<double*>(y.data()),
                                      reinterpret_cast<double*>(x.data()));
  });
  const double most = static_cast<double>(kMaxPosition);
  const bool is_good = kind >= 0 && kind <= 2 && std::fabs(scale) <= most && std::fabs(offset) <= most;
  POSENC_FUZZ_CHECK(status == (is_good ? POSENC_OK : POSENC_BAD_NORMALIZATION));
  if (!is_good) {
    POSENC_FUZZ_CHECK(y == Memory(y.size(), 3, {0xC5}) && x == Memory(x.size(), 5, {0xC5}));
    return;
  }
  double running = 0.0;
  for (std::size_t k = 0; k < mask.size(); ++k) {
    double count;
    std::memcpy(&count, x.data() + k * sizeof(count), sizeof(count));
    if (kind != POSENC_NO_NORMALIZATION) continue;
    if (k % width == 0) running = 0.0;
    running += mask[k] == 0 ? 1.0 : 0.0;
    POSENC_FUZZ_CHECK(count == running);
  }
}

}  // namespace
}  // namespace fuzz
}  // namespace posenc

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc::fuzz;
  FuzzedDataProvider bytes(data, size);
  const int choice = bytes.ConsumeIntegralInRange(0, 15);
  choice == 0 ? CheckIds(bytes) : choice == 1 ? CheckMask(bytes) : CheckGrid(bytes);
  return 0;
}
