// Rows of --before for encoders: creation, tables, lists of positions, sums, batches and grids.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "before.h"
#include "contents.h"
#include "normal.h"
#include "shapes.h"

namespace posenc {
namespace bench {
namespace {

constexpr std::size_t kDims[] = {128, 320, 1024};
constexpr Shape kShapes[] = {{1, 1024}, {16, 512}, {512, 512}, {65536, 1024}};
constexpr Shape kListShapes[] = {{1, 1024}, {512, 512}};
constexpr Shape kTimestepShapes[] = {{1, 320}, {64, 320}};
constexpr std::int64_t kLargestPosition = 1 << 20;

before_encoder_spec SpecOf(std::size_t dim, const std::string& target) {
  before_encoder_spec spec = {};
  spec.dim = dim;
  spec.base = 10000.0;
  spec.layout = BEFORE_INTERLEAVED;
  spec.unit = BEFORE_RADIANS;
  spec.phase_rounding = BEFORE_NO_ROUNDING;
  spec.target = target.c_str();
  return spec;
}

// Rows in Output().
template <class T>
before_rows RowsOf(Shape shape) {
  return {NumberOf<T>(), Output().Get<T>(shape.entries()), shape.dim};
}

template <class T>
std::function<void()> Normal(Shape shape) {
  return [=] { FillNormal(Output().Get<T>(shape.entries()), shape.entries()); };
}

Comparison Create(const before_encoder_spec& spec) {
  return {{1, 0}, [=](const before_plugin& side) -> Call {
            return [&side, spec] {
              void* encoder = nullptr;
              const std::int32_t status = side.create_encoder(&spec, &encoder);
              benchmark::DoNotOptimize(encoder);
              side.destroy_encoder(encoder);
              return status;
            };
          }};
}

template <class T>
Comparison Write(Shape shape, const before_encoder_spec& spec) {
  return {shape.work<T>(), [=](const before_plugin& side) -> Call {
            return [=, &side, encoder = MakeEncoder(side, spec), rows = RowsOf<T>(shape)] {
              return side.write(encoder.get(), FirstPosition(shape), shape.rows, &rows);
            };
          }};
}

template <class T>
Comparison Add(Shape shape, const before_encoder_spec& spec) {
  return {shape.work<T>(),
          [=](const before_plugin& side) -> Call {
            return [=, &side, encoder = MakeEncoder(side, spec), rows = RowsOf<T>(shape)] {
              return side.add(encoder.get(), FirstPosition(shape), shape.rows, &rows, kAlternating);
            };
          },
          Normal<T>(shape)};
}

// Writes a table in calls of 64 rows. The encoder knows the table's size.
Comparison WriteInParts(Shape shape, before_encoder_spec spec) {
  constexpr std::size_t kPart = 64;
  spec.table_rows = shape.rows;
  return {shape.work<float>(), [=](const before_plugin& side) -> Call {
            return [=, &side, encoder = MakeEncoder(side, spec), out = Output().Get<float>(shape.entries())] {
              std::int32_t status = 0;
              for (std::size_t r = 0; r < shape.rows && status == 0; r += kPart) {
                const before_rows rows = {BEFORE_F32, out + r * shape.dim, shape.dim};
                status = side.write(encoder.get(), static_cast<std::int64_t>(r), kPart, &rows);
              }
              return status;
            };
          }};
}

// Each call gets other positions, and both builds begin with the same ones. is_sum: AddAt instead of WriteAt.
template <class T, class Number>
Comparison AtList(Shape shape, const before_encoder_spec& spec, const RandomList<Number>& positions,
                  bool is_sum = false) {
  Comparison row{shape.work<T>(), [=](const before_plugin& side) -> Call {
                   const auto list = std::make_shared<RandomList<Number>>(positions);
                   return [=, &side, encoder = MakeEncoder(side, spec),
                           rows = RowsOf<T>(shape)]() -> std::int32_t {
                     const before_list at = {NumberOf<Number>(), list->Next(shape.rows)};
                     return is_sum ? side.add_at(encoder.get(), &at, shape.rows, &rows, kAlternating)
                                   : side.write_at(encoder.get(), &at, shape.rows, &rows);
                   };
                 }};
  if constexpr (!std::is_same_v<T, double>) {
    if (is_sum) row.prepare = Normal<T>(shape);
  }
  return row;
}

// Positions are the doubles next to multiples of pi/2. There the sine or the cosine of pair 0 is nearly 0.
Comparison AtQuarterTurns(Shape shape, const before_encoder_spec& spec) {
  const auto quarters = std::make_shared<std::vector<double>>(shape.rows);
  for (std::size_t r = 0; r < shape.rows; ++r) (*quarters)[r] = static_cast<double>(r) * 0x1.921fb54442d18p0;
  return {shape.work<float>(), [=](const before_plugin& side) -> Call {
            return [=, &side, encoder = MakeEncoder(side, spec), rows = RowsOf<float>(shape)] {
              const before_list at = {BEFORE_F64, quarters->data()};
              return side.write_at(encoder.get(), &at, shape.rows, &rows);
            };
          }};
}

// The first positions are 0, -3, -6 ..., as in the rows AddBatch.
Comparison AddBatch(BatchShape shape, const before_encoder_spec& spec) {
  const Shape one = shape.sequence;
  const auto first = std::make_shared<std::vector<std::int64_t>>(shape.batch);
  for (std::size_t b = 0; b < shape.batch; ++b) (*first)[b] = -3 * static_cast<std::int64_t>(b);
  const Shape all = {shape.batch * one.rows, one.dim};
  return {all.work<float>(),
          [=](const before_plugin& side) -> Call {
            return [=, &side, encoder = MakeEncoder(side, spec), rows = RowsOf<float>(all)] {
              return side.add_batch(encoder.get(), first->data(), shape.batch, one.rows, &rows, one.entries(),
                                    kAlternating);
            };
          },
          Normal<float>(all)};
}

// Adds the encoding to rows of a table with unusual elements, at consecutive or listed positions.
template <class T>
Comparison Embed(const std::string& content, bool is_list, Shape shape, const before_encoder_spec& spec) {
  struct Data {
    std::vector<T> table;
    std::vector<std::int32_t> ids, positions;
  };
  const auto data = std::make_shared<Data>();
  OddElements<T> elements(content);
  for (std::size_t i = 0; i < shape.entries(); ++i) data->table.push_back(elements.Next());
  for (std::size_t r = 0; r < shape.rows; ++r) {
    data->ids.push_back(static_cast<std::int32_t>(r));
    data->positions.push_back(static_cast<std::int32_t>(7919 * r % 100003));
  }
  return {shape.work<T>(), [=](const before_plugin& side) -> Call {
            return [=, &side, encoder = MakeEncoder(side, spec), rows = RowsOf<T>(shape)]() -> std::int32_t {
              const before_lookup lookup = {data->ids.data(), data->table.data(), shape.rows, shape.dim};
              const before_list at = {BEFORE_I32, data->positions.data()};
              return is_list ? side.embed_at(encoder.get(), &lookup, &at, shape.rows, &rows)
                             : side.embed(encoder.get(), &lookup, 1000, shape.rows, &rows);
            };
          }};
}

// is_sum: AddGrid instead of WriteGrid.
template <class T>
Comparison OnGrid(const GridShape& shape, const std::string& target, bool is_sum) {
  const Shape table = shape.table();
  Comparison row{
      table.work<T>(), [=](const before_plugin& side) -> Call {
        const auto encoder = MakeEncoder(side, SpecOf(shape.axis_dim(), target));
        std::vector<before_axis> axes;
        for (std::size_t a = 0; a < shape.axes(); ++a) {
          axes.push_back({encoder.get(), (shape.axes() - 1 - a) * shape.axis_dim(), shape.count(a)});
        }
        return [=, &side, rows = RowsOf<T>(table)]() -> std::int32_t {
          (void)encoder;
          return is_sum ? side.add_grid(axes.data(), axes.size(), &rows, kAlternating)
                        : side.write_grid(axes.data(), axes.size(), &rows);
        };
      }};
  if (is_sum) row.prepare = Normal<T>(table);
  return row;
}

void RegisterCreation(const Sides& sides) {
  for (const std::size_t dim : kDims) {
    for (const bool lists_only : {false, true}) {
      RegisterBeside("Create/f32/" + std::to_string(dim) + (lists_only ? "/lists_only/" : "/"), 1, sides,
                     [=](const std::string& target) {
                       before_encoder_spec spec = SpecOf(dim, target);
                       spec.lists_only = lists_only ? 1 : 0;
                       return Create(spec);
                     });
    }
  }
}

template <class T>
void RegisterTables(const Sides& sides) {
  for (const Shape shape : kShapes) {
    const std::string name = TypeName<T>() + "/" + shape.name() + "/";
    RegisterBeside("Write/" + name, shape.entries(), sides,
                   [=](const std::string& target) { return Write<T>(shape, SpecOf(shape.dim, target)); });
    if constexpr (!std::is_same_v<T, double>) {  // posenc does not add to doubles
      RegisterBeside("Add/" + name, shape.entries(), sides,
                     [=](const std::string& target) { return Add<T>(shape, SpecOf(shape.dim, target)); });
    }
  }
}

template <class T>
void RegisterLists(const Sides& sides) {
  for (const Shape shape : kListShapes) {
    for (const bool is_sum : {false, true}) {
      if (is_sum && std::is_same_v<T, double>) continue;
      RegisterBeside((is_sum ? "AddAt/" : "WriteAt/") + TypeName<T>() + "/" + shape.name() + "/",
                     shape.entries(), sides, [=](const std::string& target) {
                       return AtList<T>(shape, SpecOf(shape.dim, target),
                                        RandomList<std::int64_t>(-kLargestPosition, kLargestPosition),
                                        is_sum);
                     });
    }
  }
}

// Rows with frequencies, layouts and positions that a plain table does not have.
void RegisterVariants(const Sides& sides) {
  constexpr Shape kTable = {4096, 128}, kHalves = {512, 512}, kLarge = {65536, 1024}, kOne = {1, 1024};
  const auto add = [&sides](const std::string& name, Shape shape, auto make, auto change) {
    RegisterBeside(name, shape.entries(), sides, [=](const std::string& target) {
      before_encoder_spec spec = SpecOf(shape.dim, target);
      change(&spec);
      return make(shape, spec);
    });
  };
  const auto plain = [](before_encoder_spec*) {};
  const auto turns_of_3 = [](before_encoder_spec* spec) {
    spec->base = 3.0;
    spec->exponent_dim = 2.0;
    spec->unit = BEFORE_TURNS;
  };
  add("Write/f32/4096x128/base500000/", kTable, Write<float>, [](auto* spec) { spec->base = 500000.0; });
  add("Write/f32/512x512/sin_cos/", kHalves, Write<float>, [](auto* spec) { spec->layout = BEFORE_SIN_COS; });
  add("Write/f32/4096x128/turns_of_3/", kTable, Write<float>, turns_of_3);
  add("Write/bf16/4096x128/turns_of_3/", kTable, Write<BFloat16>, turns_of_3);
  add("Write/f32/65536x1024/parts/", kLarge, WriteInParts, plain);
  add("WriteAt/f32/4096x128/quarter_turns/", kTable, AtQuarterTurns, plain);
  const auto at_fractions = [](Shape shape, const before_encoder_spec& spec) {
    return AtList<float>(shape, spec, RandomList<double>(-kLargestPosition, kLargestPosition));
  };
  add("WriteAt/f32/1x1024/fractions/", kOne, at_fractions, plain);
  const auto at_timesteps = [](Shape shape, const before_encoder_spec& spec) {
    return AtList<float>(shape, spec, RandomList<float>(0.0f, 1000.0f));
  };
  for (const Shape shape : kTimestepShapes) {
    for (const bool is_rounded : {false, true}) {
      add("Timesteps/f32/" + shape.name() + (is_rounded ? "/f32_log_div/" : "/"), shape, at_timesteps,
          [=](before_encoder_spec* spec) {
            spec->layout = BEFORE_COS_SIN;
            spec->phase_rounding = is_rounded ? BEFORE_F32_LOG_DIV : BEFORE_NO_ROUNDING;
            spec->lists_only = 1;
          });
    }
  }
}

template <class T>
void RegisterEmbeddings(const Sides& sides) {
  constexpr Shape kShape = {512, 512};
  for (const bool is_list : {false, true}) {
    for (const std::string content : kTableContents) {
      RegisterBeside(
          (is_list ? "EmbedAt/" : "Embed/") + TypeName<T>() + "/" + content + "/" + kShape.name() + "/",
          kShape.entries(), sides, [=](const std::string& target) {
            return Embed<T>(content, is_list, kShape, SpecOf(kShape.dim, target));
          });
    }
  }
}

void RegisterBatches(const Sides& sides) {
  for (const BatchShape shape : kBatchShapes) {
    RegisterBeside(
        "AddBatch/f32/" + shape.name() + "/", shape.entries(), sides,
        [=](const std::string& target) { return AddBatch(shape, SpecOf(shape.sequence.dim, target)); });
  }
}

template <class T>
void RegisterGrids(const GridShape& shape, const Sides& sides) {
  for (const bool is_sum : {false, true}) {
    RegisterBeside((is_sum ? "AddGrid/" : "WriteGrid/") + TypeName<T>() + "/" + shape.name() + "/",
                   shape.table().entries(), sides,
                   [=](const std::string& target) { return OnGrid<T>(shape, target, is_sum); });
  }
}

}  // namespace

void RegisterEncodersBefore(const Sides& sides) {
  RegisterCreation(sides);
  RegisterTables<float>(sides);
  RegisterTables<BFloat16>(sides);
  RegisterTables<Float16>(sides);
  RegisterTables<double>(sides);
  RegisterLists<float>(sides);
  RegisterLists<BFloat16>(sides);
  RegisterLists<Float16>(sides);
  RegisterVariants(sides);
  RegisterEmbeddings<float>(sides);
  RegisterEmbeddings<BFloat16>(sides);
  RegisterEmbeddings<Float16>(sides);
  RegisterBatches(sides);
  for (const GridShape& shape : kGridShapes) RegisterGrids<float>(shape, sides);
  for (const GridShape& shape : kNarrowGridShapes) RegisterGrids<BFloat16>(shape, sides);
}

}  // namespace bench
}  // namespace posenc
