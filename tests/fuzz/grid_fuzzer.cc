// Grids, and positions of ids and masks, as C can call them: null pointers, unknown values, columns in
// common, sizes that nothing has, lists that overlap. Every target that this CPU runs says and writes what
// REFERENCE does; accepted grids are what their axes' rows are one by one, and not one byte more; refused
// ones write nothing. AddressSanitizer and UndefinedBehaviorSanitizer watch the memory.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "fuzzing.h"
#include "posenc/grid_c.h"
#include "posenc/positions_c.h"

namespace posenc {
namespace fuzz {
namespace {

struct DestroyEncoder {
  void operator()(posenc_encoder* encoder) const { posenc_encoder_destroy(encoder); }
};
using EncoderPtr = std::unique_ptr<posenc_encoder, DestroyEncoder>;

struct Axis {
  std::size_t dim;
  posenc_layout layout;
  bool nan_rows, null_encoder = false;
  bool has_list, is_inside;  // inside: the list lies in what is written
  posenc_grid_axis passed{};
  std::vector<std::uint8_t> list;

  EncoderPtr Create(const char* target) const {
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
};

struct Grid {
  explicit Grid(Bytes& bytes);

  std::size_t Cells() const;
  long double Rows() const;
  long double ExtentOf() const;
  // Lists are all there, which may be read before a grid is refused.
  bool IsOwned() const;
  Verdict VerdictOf() const;
  std::size_t Index(std::size_t cell, std::size_t a) const;

  std::vector<Axis> axes;
  std::size_t axis_count, prefix, stride, offset;
  posenc_type type;
  bool adds, null_axes, null_data, null_bad;
  float scale;
  int rounding;
  Verdict made;  // of these arguments, but for sizes
  std::vector<std::uint8_t> pattern;

 private:
  void MakeAxis(std::size_t* end, std::size_t most, Bytes& bytes);
  void Mutate(Bytes& bytes);
};

void Grid::MakeAxis(std::size_t* end, std::size_t most, Bytes& bytes) {
  Axis axis;
  axis.dim = MakeSize(Rarely(bytes, 8) ? 70 : 9, bytes, 1);
  axis.layout = MakeEnum(POSENC_INTERLEAVED, POSENC_INTERLEAVED_COS_SIN, bytes);
  axis.nan_rows = bytes.ConsumeBool();
  axis.has_list = bytes.ConsumeBool();
  axis.is_inside = Rarely(bytes);
  axis.passed.column = *end + (bytes.ConsumeBool() ? 0 : MakeSize(3, bytes));
  axis.passed.count = MakeSize(most, bytes, Rarely(bytes) ? 0 : 1);
  axis.passed.first_position = MakePosition(bytes);
  axis.passed.position_type = MakePositionType(bytes);
  *end = axis.passed.column + axis.dim;
  axes.push_back(axis);
}

Grid::Grid(Bytes& bytes) {
  std::size_t end = 0;
  const std::size_t count = MakeSize(4, bytes, 1);
  for (std::size_t a = 0; a < count; ++a) MakeAxis(&end, count < 3 ? 4 : 2, bytes);
  // Any order of columns, if the axes are alike.
  if (bytes.ConsumeBool()) axes.front().dim = axes.back().dim = std::min(axes.front().dim, axes.back().dim);
  if (bytes.ConsumeBool() && axes.front().dim == axes.back().dim)
    std::swap(axes.front().passed.column, axes.back().passed.column);
  axis_count = count;
  prefix = MakeSize(2, bytes);
  stride = end + MakeSize(5, bytes);
  offset = MakeSize(9, bytes);
  adds = bytes.ConsumeBool();
  type = MakeEnum(POSENC_F32, adds ? POSENC_F16 : POSENC_F64, bytes);
  null_axes = Rarely(bytes, 128);
  null_data = Rarely(bytes, 128);
  null_bad = Rarely(bytes, 4);
  scale = bytes.ConsumeBool() ? 1.0f : static_cast<float>(MakeWildReal(bytes));
  rounding = MakeRounding(bytes);
  for (int k = 0; k < 2 && Rarely(bytes, 3); ++k) Mutate(bytes);
  for (Axis& axis : axes) {
    const posenc_type of = axis.passed.position_type;
    axis.list = MakeNumbers(axis.passed.count, of, kNoEnd, bytes);
    if (axis.list.empty()) axis.has_list = false;  // of nothing there is no address
  }
  pattern = bytes.ConsumeRemainingBytes<std::uint8_t>();
  pattern.push_back(0x3c);
}

void Grid::Mutate(Bytes& bytes) {
  made.Doubt();
  posenc_grid_axis& passed = axes[MakeSize(axes.size() - 1, bytes)].passed;
  std::size_t* const sizes[] = {&prefix, &stride, &passed.column, &passed.count};
  posenc_type* const types[] = {&type, &passed.position_type};
  switch (bytes.ConsumeIntegralInRange(0, 5)) {
    case 0:
      axis_count = bytes.PickValueInArray({std::size_t{0}, std::size_t{9}, SIZE_MAX});
      break;
    case 1: {
      std::size_t* size = sizes[MakeSize(std::size(sizes) - 1, bytes)];
      *size = MakeWildSize(*size, bytes);
      break;
    }
    case 2:
      *types[MakeSize(std::size(types) - 1, bytes)] = MakeWildEnum<posenc_type>(bytes);
      break;
    case 3:
      passed.first_position = MakeEdge(bytes);
      break;
    case 4:
      passed.reserved = MakeWildNumber(bytes);
      break;
    default:
      axes[MakeSize(axes.size() - 1, bytes)].null_encoder = true;
  }
}

// Of a grid that there may be.
std::size_t Grid::Cells() const {
  std::size_t cells = 1;
  for (const Axis& axis : axes) cells *= axis.passed.count;
  return cells;
}

long double Grid::Rows() const {
  long double cells = 1.0L;
  for (const Axis& axis : axes) cells *= static_cast<long double>(axis.passed.count);
  return cells + static_cast<long double>(prefix);
}

long double Grid::ExtentOf() const {
  return Rows() * static_cast<long double>(stride) * static_cast<long double>(TypeSize(type));
}

bool Grid::IsOwned() const {
  const bool is_listed = std::all_of(axes.begin(), axes.end(), [](const Axis& axis) {
    return !axis.has_list || axis.passed.count <= axis.list.size() / TypeSize(axis.passed.position_type);
  });
  const long double extent = ExtentOf();
  // A count beyond 2^64 that is as many bytes is beyond doubt, too.
  return is_listed && (fuzz::IsOwned(extent) || ExceedsAddresses(extent));
}

Verdict Grid::VerdictOf() const {
  Verdict verdict = made;
  verdict.Refuse(axis_count != axes.size() || null_axes || !IsEntryType(type, adds) ||
                 ExceedsAddresses(ExtentOf()));
  verdict.Refuse(null_data && Rows() != 0.0L);
  for (const Axis& axis : axes) {
    verdict.Refuse(axis.null_encoder || axis.passed.reserved != 0 || stride < axis.dim ||
                   axis.passed.column > stride - axis.dim);
    verdict.Refuse(axis.has_list && !IsPositionType(axis.passed.position_type));
    verdict.Doubt(axis.is_inside);
    if (axis.is_inside && axis.has_list && fuzz::IsOwned(ExtentOf())) verdict.Refuse(Cells() != 0);
    for (const Axis& other : axes) {
      if (&axis == &other || verdict.Refused()) continue;
      const std::size_t a = axis.passed.column, b = other.passed.column;
      verdict.Refuse(a < b + other.dim && b < a + axis.dim);
    }
  }
  if (verdict.Refused() || Cells() == 0) return verdict;
  const auto is_position = [](double p) { return std::fabs(p) <= static_cast<double>(kMaxPosition); };
  for (const Axis& axis : axes) {
    const std::size_t size = TypeSize(axis.passed.position_type);
    const auto first = static_cast<double>(axis.passed.first_position);
    const auto end = first + static_cast<double>(axis.passed.count);
    verdict.Refuse(!axis.has_list && !(is_position(first) && is_position(end - 1.0)));
    for (std::size_t k = 0; axis.has_list && k < axis.passed.count; ++k)
      verdict.Refuse(!axis.nan_rows &&
                     !is_position(NumberAt(&axis.list[k * size], axis.passed.position_type)));
  }
  return verdict;
}

std::size_t Grid::Index(std::size_t cell, std::size_t a) const {
  for (std::size_t b = axes.size(); --b > a;) cell /= axes[b].passed.count;
  return cell % axes[a].passed.count;
}

// Row by row, by the calls for lists and runs. Rows before the cells are zeros, or x * scale + 0, which is
// taken from `got`.
void RunEach(const Grid& grid, const std::vector<EncoderPtr>& encoders, const std::uint8_t* got,
             std::uint8_t* data) {
  const std::size_t size = TypeSize(grid.type), cells = grid.Cells();
  for (std::size_t a = 0; a < grid.axes.size(); ++a) {
    const Axis& axis = grid.axes[a];
    for (std::size_t r = 0; r < grid.prefix; ++r) {
      const std::size_t at = (r * grid.stride + axis.passed.column) * size;
      grid.adds ? std::memcpy(data + at, got + at, axis.dim * size)
                : std::memset(data + at, 0, axis.dim * size);
    }
    for (std::size_t t = 0; t < cells; ++t) {
      std::uint8_t* row = data + ((grid.prefix + t) * grid.stride + axis.passed.column) * size;
      const std::size_t i = grid.Index(t, a);
      const std::int64_t at = axis.has_list ? 0 : axis.passed.first_position + static_cast<std::int64_t>(i);
      const posenc_type type = axis.has_list ? axis.passed.position_type : POSENC_I64;
      const void* position = axis.has_list ? static_cast<const void*>(&axis.list[i * TypeSize(type)]) : &at;
      const posenc_encoder* e = encoders[a].get();
      const posenc_status status =
          grid.adds ? posenc_add_at(e, type, position, 1, grid.type, row, axis.dim, grid.scale, nullptr)
                    : posenc_write_at(e, type, position, 1, grid.type, row, axis.dim, nullptr);
      POSENC_FUZZ_CHECK(status == POSENC_OK);
    }
  }
}

void CheckGrid(Bytes& bytes) {
  const Grid grid(bytes);
  if (!grid.IsOwned()) return;
  const Verdict verdict = grid.VerdictOf();
  const std::size_t size = Held(grid.ExtentOf());
  const Memory want(size, grid.offset, grid.pattern);
  std::vector<posenc_target> targets = Targets();
  std::reverse(targets.begin(), targets.end());  // REFERENCE first
  posenc_status expected = POSENC_OK;
  std::size_t expected_axis = kNoIndex, expected_index = kNoIndex;
  for (const posenc_target& target : targets) {
    if (target.runnable == 0) continue;
    std::vector<EncoderPtr> encoders;
    const Memory got(size, grid.offset, grid.pattern);
    posenc_grid_axis axes[9] = {};
    for (std::size_t a = 0; a < grid.axes.size(); ++a) {
      const Axis& axis = grid.axes[a];
      encoders.push_back(axis.Create(target.name));
      axes[a] = axis.passed;
      axes[a].encoder = axis.null_encoder ? nullptr : encoders[a].get();
      const std::size_t column = axis.passed.column * TypeSize(grid.type),
                        inside = column < size ? column : 0;
      if (axis.has_list) axes[a].positions = axis.is_inside ? got.data() + inside : axis.list.data();
    }
    std::size_t bad_axis = kNoIndex, bad_index = kNoIndex;
    std::size_t* const axis_at = grid.null_bad ? nullptr : &bad_axis;
    std::size_t* const index_at = grid.null_bad ? nullptr : &bad_index;
    void* const data = grid.null_data ? nullptr : got.data();
    const posenc_grid_axis* const passed = grid.null_axes ? nullptr : axes;
    const posenc_status status = WithRounding(grid.rounding, [&] {
      return grid.adds ? posenc_add_grid(passed, grid.axis_count, grid.prefix, grid.type, data, grid.stride,
                                         grid.scale, axis_at, index_at)
                       : posenc_write_grid(passed, grid.axis_count, grid.prefix, grid.type, data, grid.stride,
                                           axis_at, index_at);
    });
    verdict.Check(status);
    const bool is_reference = &target == &targets.front();
    if (is_reference) expected = status, expected_axis = bad_axis, expected_index = bad_index;
    POSENC_FUZZ_CHECK(status == expected && bad_axis == expected_axis && bad_index == expected_index);
    POSENC_FUZZ_CHECK((bad_index != kNoIndex) == (status == POSENC_POSITION_OUT_OF_RANGE && !grid.null_bad));
    POSENC_FUZZ_CHECK(bad_axis == kNoIndex || (status != POSENC_OK && bad_axis < grid.axes.size()));
    if (status == POSENC_OK && is_reference) RunEach(grid, encoders, got.data(), want.data());
    POSENC_FUZZ_CHECK(got == want);
  }
}

// Against the plain loop.
void CheckIds(Bytes& bytes) {
  const std::size_t batch = MakeSize(3, bytes), count = MakeSize(9, bytes),
                    stride = count + MakeSize(2, bytes);
  const std::int64_t padding =
      Rarely(bytes) ? MakeEdge(bytes) : bytes.ConsumeIntegralInRange<std::int64_t>(-1, 2);
  const std::int64_t past =
      Rarely(bytes) ? MakeEdge(bytes) : bytes.ConsumeIntegralInRange<std::int64_t>(0, 9);
  const posenc_type id_type =
      Rarely(bytes) ? MakeWildEnum<posenc_type>(bytes) : bytes.PickValueInArray({POSENC_I32, POSENC_I64});
  const posenc_type type =
      Rarely(bytes) ? MakeWildEnum<posenc_type>(bytes) : bytes.PickValueInArray({POSENC_I32, POSENC_I64});
  const std::size_t size = TypeSize(type), id_size = TypeSize(id_type);
  const std::size_t used = batch == 0 || count == 0 ? 0 : (batch - 1) * stride + count;
  const Memory ids(used * id_size, 3), got(used * size, 1), want(used * size, 1);
  for (std::size_t i = 0; i < used; ++i)
    SetInteger(bytes.ConsumeIntegralInRange<std::int64_t>(-1, 3), id_type, ids.data() + i * id_size);
  const posenc_status status = WithRounding(MakeRounding(bytes), [&] {
    return posenc_positions_from_ids(id_type, ids.data(), batch, count, stride, padding, past, type,
                                     got.data(), stride);
  });
  Verdict verdict;
  const auto is_id = [](posenc_type of) { return of == POSENC_I32 || of == POSENC_I64; };
  verdict.Refuse(!is_id(type) || !is_id(id_type) || past < 0 || padding < -kMaxPosition ||
                 padding > kMaxPosition);
  verdict.Doubt(std::abs(padding) > 2 || past > 9);
  verdict.Check(status);
  for (std::size_t b = 0; b < batch && status == POSENC_OK; ++b) {
    std::int64_t running = padding + past;
    for (std::size_t s = 0; s < count; ++s) {
      const bool is_padding = IntegerAt(ids.data() + (b * stride + s) * id_size, id_type) == padding;
      running += is_padding ? 0 : 1;
      POSENC_FUZZ_CHECK(running <= (type == POSENC_I32 ? INT32_MAX : kMaxPosition));
      SetInteger(is_padding ? padding : running, type, want.data() + (b * stride + s) * size);
    }
  }
  POSENC_FUZZ_CHECK(got == want);
}

// Against the plain loops: running counts along columns (y) or rows (x), normalized by the last of each.
void CheckMask(Bytes& bytes) {
  const std::size_t height = MakeSize(6, bytes), width = MakeSize(6, bytes), cells = height * width;
  const auto kind = MakeEnum(posenc_normalization{Rarely(bytes) ? -1 : 0},
                             posenc_normalization{Rarely(bytes) ? 3 : 2}, bytes);
  const double scale = bytes.ConsumeBool() ? 0.0 : MakeWildReal(bytes);
  const double offset = bytes.ConsumeBool() ? -0.5 : MakeWildReal(bytes);
  const int rounding = MakeRounding(bytes);
  std::vector<std::uint8_t> mask = bytes.ConsumeBytes<std::uint8_t>(cells);
  mask.resize(cells);
  for (std::uint8_t& cell : mask) cell = cell % 3 == 0 ? cell : 0;
  const bool has_mask = bytes.ConsumeBool();
  const Memory untouched(cells * sizeof(double)), y(cells * sizeof(double), 3), x(cells * sizeof(double), 5);
  const posenc_status status = WithRounding(rounding, [&] {
    return posenc_positions_from_mask(has_mask ? mask.data() : nullptr, height, width, kind, scale, offset,
                                      reinterpret_cast<double*>(y.data()),
                                      reinterpret_cast<double*>(x.data()));
  });
  const auto most = static_cast<double>(kMaxPosition);
  Verdict verdict;
  verdict.Refuse(kind < 0 || kind > 2 || !(std::fabs(scale) <= most) || !(std::fabs(offset) <= most));
  verdict.Check(status);
  if (status != POSENC_OK) {
    POSENC_FUZZ_CHECK(y == untouched && x == untouched);
    return;
  }
  const auto is_cell = [&](std::size_t r, std::size_t c) { return !has_mask || mask[r * width + c] == 0; };
  const double all = scale == 0.0 ? 0x1.921fb54442d18p2 : scale;
  const auto normalize = [&](double n, double m) {
    if (kind == POSENC_NO_NORMALIZATION) return n;
    if (kind == POSENC_NORMALIZE_F64) return (n + offset) / (m + 1e-6) * all;
    const auto f32 = [](double value) { return static_cast<float>(value); };
    const float sum = f32(n) + f32(offset), last = f32(m) + f32(1e-6), part = sum / last;
    return static_cast<double>(part * f32(all));
  };
  for (std::size_t r = 0; r < height; ++r) {
    for (std::size_t c = 0; c < width; ++c) {
      double above = 0.0, before = 0.0, column = 0.0, row = 0.0;
      for (std::size_t k = 0; k < height; ++k) (k <= r ? above : column) += is_cell(k, c) ? 1.0 : 0.0;
      for (std::size_t k = 0; k < width; ++k) (k <= c ? before : row) += is_cell(r, k) ? 1.0 : 0.0;
      const std::size_t at = (r * width + c) * sizeof(double);
      POSENC_FUZZ_CHECK(NumberAt(y.data() + at, POSENC_F64) == normalize(above, above + column));
      POSENC_FUZZ_CHECK(NumberAt(x.data() + at, POSENC_F64) == normalize(before, before + row));
    }
  }
}

}  // namespace
}  // namespace fuzz
}  // namespace posenc

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc::fuzz;
  Bytes bytes(data, size);
  const int choice = bytes.ConsumeIntegralInRange(0, 15);
  choice == 0 ? CheckIds(bytes) : choice == 1 ? CheckMask(bytes) : CheckGrid(bytes);
  return 0;
}
