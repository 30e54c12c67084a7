// Rows for Add, AddBatch and Embed. Each compares the call with what callers do without it: adding a table
// made before, gathering token rows, or one call for each sequence.
#include <cstring>
#include <type_traits>
#include <vector>

#include "contents.h"
#include "memory_limits.h"
#include "normal.h"
#include "shapes.h"
#include "suite.h"

namespace posenc {
namespace bench {
namespace {

constexpr Shape kShapes[] = {{1, 1024}, {16, 512}, {512, 512}, {5000, 512}, {5120, 512}, {65536, 1024}};
constexpr Shape kNarrowShapes[] = {{1, 1024}, {512, 512}, {65536, 1024}};
constexpr Shape kEmbedShapes[] = {{1, 512}, {16, 512}, {512, 512}, {5120, 512}};
constexpr std::size_t kVocabulary = 32000;

// A table made before. It is valid until the next call of this function.
template <class T>
const T* Table(std::int64_t first, Shape shape) {
  static Buffer buffer;
  T* table = buffer.Get<T>(shape.entries());
  Encoder encoder;
  Spec spec;
  spec.dim = shape.dim;
  if (Encoder::Create(spec, &encoder) != POSENC_OK) return nullptr;
  return encoder.Write(first, shape.rows, {table, shape.dim}) == POSENC_OK ? table : nullptr;
}

using bench::AddTable;
void AddTable(const BFloat16* table, BFloat16* x, std::size_t count) {
  AddTable(reinterpret_cast<const BFloat16Pair*>(table), reinterpret_cast<BFloat16Pair*>(x), count / 2);
}

template <class T>
void Add(benchmark::State& state, Shape shape, const std::string& target) {
  Encoder encoder;
  if (!Created(state, MakeSpec(shape.dim, target), &encoder)) return;
  T* x = Output().Get<T>(shape.entries());
  const auto fill = [=] { FillNormal(x, shape.entries()); };
  const auto add = [&] {
    return encoder.Add(FirstPosition(shape), shape.rows, {x, shape.dim}, kAlternating);
  };
  if constexpr (std::is_same_v<T, Float16>) {
    MeasureChecked(state, shape.work<T>(), add, {}, fill);
  } else {
    const T* table = Table<T>(FirstPosition(shape), shape);
    if (table == nullptr) return Fail(state, "no table");
    MeasureChecked(state, shape.work<T>(), add,
                   {{"table_add_ratio", [=] { AddTable(table, x, shape.entries()); }}}, fill);
  }
}

// The first positions are 0, -3, -6 ...: each sequence has three more tokens of padding on the left than the
// one before.
void AddBatch(benchmark::State& state, BatchShape shape, const std::string& target) {
  const Shape one = shape.sequence;
  Encoder encoder;
  if (!Created(state, MakeSpec(one.dim, target), &encoder)) return;
  float* x = Output().Get<float>(shape.entries());
  std::vector<std::int64_t> first(shape.batch);
  for (std::size_t b = 0; b < first.size(); ++b) first[b] = -3 * static_cast<std::int64_t>(b);
  const std::int64_t lowest = first.back();
  const float* table = Table<float>(lowest, {one.rows + static_cast<std::size_t>(-lowest), one.dim});
  if (table == nullptr) return Fail(state, "no table");

  const auto add_sequences = [&] {
    for (std::size_t b = 0; b < shape.batch; ++b) {
      Must(encoder.Add(first[b], one.rows, {x + b * one.entries(), one.dim}, kAlternating));
    }
  };
  const auto add_table = [&] {
    for (std::size_t b = 0; b < shape.batch; ++b) {
      const auto row = static_cast<std::size_t>(first[b] - lowest);
      bench::AddTable(table + row * one.dim, x + b * one.entries(), one.entries());
    }
  };
  MeasureChecked(
      state, {shape.entries(), shape.entries() * sizeof(float)},
      [&] {
        return encoder.AddBatch({shape.batch, one.entries(), List(first.data())}, 0, one.rows, {x, one.dim},
                                kAlternating);
      },
      {{"per_sequence_ratio", add_sequences}, {"table_add_ratio", add_table}},
      [=] { FillNormal(x, shape.entries()); });
}

// Token embeddings [kVocabulary, dim]. The values do not matter.
const float* TokenTable(std::size_t dim) {
  static std::vector<float> table;
  if (table.size() != kVocabulary * dim) table.assign(kVocabulary * dim, 0.25f);
  return table.data();
}

void Embed(benchmark::State& state, Shape shape, const std::string& target) {
  Encoder encoder;
  if (!Created(state, MakeSpec(shape.dim, target), &encoder)) return;
  const int first = FirstPosition(shape);
  const float* tokens = TokenTable(shape.dim);
  const float* positions = Table<float>(first, shape);
  if (positions == nullptr) return Fail(state, "no table");
  float* out = Output().Get<float>(shape.entries());
  using TokenIds = RandomList<std::int32_t>;
  constexpr std::size_t kIds = std::size_t{1} << 17;
  TokenIds embed_ids(0, kVocabulary - 1, kIds), add_ids = embed_ids, table_ids = embed_ids;

  const auto gather = [&](const std::int32_t* ids) {
    for (std::size_t r = 0; r < shape.rows; ++r) {
      std::memcpy(out + r * shape.dim, tokens + static_cast<std::size_t>(ids[r]) * shape.dim,
                  shape.dim * sizeof(float));
    }
  };
  const auto gather_add = [&] {
    gather(add_ids.Next(shape.rows));
    Must(encoder.Add(first, shape.rows, {out, shape.dim}));
  };
  const auto gather_table = [&] {
    gather(table_ids.Next(shape.rows));
    AddTable(positions, out, shape.entries());
  };
  const auto embed = [&] {
    return encoder.Embed({embed_ids.Next(shape.rows), tokens, kVocabulary, shape.dim}, first, shape.rows,
                         {out, shape.dim});
  };
  MeasureChecked(state, shape.work<float>(), embed,
                 {{"gather_add_ratio", gather_add}, {"gather_table_ratio", gather_table}});
}

// Adds the encoding to rows of a table with unusual elements. posenc writes to another buffer, so the table
// stays as it is. Positions are consecutive, or a list.
template <class T>
void EmbedContent(benchmark::State& state, const std::string& content, bool is_list,
                  const std::string& target) {
  constexpr Shape kShape = {512, 512};
  Encoder encoder;
  if (!Created(state, MakeSpec(kShape.dim, target), &encoder)) return;
  std::vector<T> odd(kShape.entries()), normal(kShape.entries());
  OddElements<T> elements(content);
  for (T& x : odd) x = elements.Next();
  FillNormal(normal.data(), normal.size());
  T* out = Output().Get<T>(kShape.entries());
  std::vector<std::int32_t> ids(kShape.rows), positions(kShape.rows);
  for (std::size_t r = 0; r < kShape.rows; ++r) {
    ids[r] = static_cast<std::int32_t>(r);
    positions[r] = static_cast<std::int32_t>(7919 * r % 100003);
  }
  const auto embed = [&](const std::vector<T>& table) {
    return is_list ? encoder.EmbedAt({ids.data(), table.data(), kShape.rows, kShape.dim}, positions.data(),
                                     kShape.rows, {out, kShape.dim})
                   : encoder.Embed({ids.data(), table.data(), kShape.rows, kShape.dim}, 1000, kShape.rows,
                                   {out, kShape.dim});
  };
  MeasureChecked(state, kShape.work<T>(), [&] { return embed(odd); },
                 {{"normal_ratio", [&] { embed(normal); }}});
}

template <class T>
void RegisterContents(const std::string& type, const TargetNames& targets) {
  for (const bool is_list : {false, true}) {
    for (const std::string content : kTableContents) {
      RegisterEach((is_list ? "EmbedAt/" : "Embed/") + type + "/" + content + "/512x512/", 512 * 512, targets,
                   [=](benchmark::State& state, const std::string& target) {
                     EmbedContent<T>(state, content, is_list, target);
                   });
    }
  }
}

// Registers run(state, shape, target) as OPERATION/SHAPE/TARGET.
template <class ShapeType>
void RegisterAll(const std::string& operation, ShapeType shape, const TargetNames& targets,
                 void (*run)(benchmark::State&, ShapeType, const std::string&)) {
  RegisterEach(operation + "/" + shape.name() + "/", shape.entries(), targets,
               [=](benchmark::State& state, const std::string& target) { run(state, shape, target); });
}

}  // namespace

void RegisterAdd(const TargetNames& targets) {
  for (const Shape shape : kShapes) RegisterAll("Add/f32", shape, targets, Add<float>);
  for (const Shape shape : kNarrowShapes) RegisterAll("Add/bf16", shape, targets, Add<BFloat16>);
  for (const Shape shape : kNarrowShapes) RegisterAll("Add/f16", shape, targets, Add<Float16>);
  for (const BatchShape shape : kBatchShapes) RegisterAll("AddBatch/f32", shape, targets, AddBatch);
  for (const Shape shape : kEmbedShapes) RegisterAll("Embed/f32", shape, targets, Embed);
  RegisterContents<float>("f32", targets);
  RegisterContents<BFloat16>("bf16", targets);
  RegisterContents<Float16>("f16", targets);
}

}  // namespace bench
}  // namespace posenc
