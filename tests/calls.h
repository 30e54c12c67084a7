// A list of the C functions: what each one reads and writes, and arguments with which it works. Tests of what
// holds for every call (calls_*_test.cc, every_call.cc) iterate the rows for a product.
// refusals_test.cc fails if a function has no row. Needs neither GoogleTest nor MPFR.
#ifndef POSENC_TESTS_CALLS_H_
#define POSENC_TESTS_CALLS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "call.h"

namespace posenc {

// The parts that several functions have in common.
namespace rows_of {

inline const Types kNone = {0};
inline const Types kSummands = {POSENC_F32, POSENC_BF16, POSENC_F16},
                   kWritten = {POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64},
                   kIntegers = {POSENC_I32, POSENC_I64},
                   kPositions = {POSENC_I32, POSENC_I64, POSENC_F32, POSENC_F64};
static_assert(internal::kAreAllSummands<POSENC_F32, POSENC_BF16, POSENC_F16>, "kSummands");

inline void Handle(Call& c) { c.pointers.emplace_back(&c.a.encoder, Refusal(rule::null_encoder)); }

inline void RunOf(Call& c, std::int64_t* first) {
  c.runs.push_back({first, static_cast<std::int64_t>(c.a.rows), -POSENC_MAX_POSITION, POSENC_MAX_POSITION});
}

inline Buffer& List(Call& c, Values values, std::size_t count, const void** pointer, posenc_type* type) {
  const bool are_rows = values == Values::kRowIndices;
  if (pointer == &c.a.list && values != Values::kIds && values != Values::kFirstPositions)
    c.pointers.emplace_back(&c.a.list_there, are_rows ? rule::null_cache_rows : rule::null_positions);
  const posenc_status bad_type = are_rows                            ? rule::type_cache_rows
                                 : values == Values::kIds            ? rule::type_ids
                                 : values == Values::kFirstPositions ? rule::type_first_positions
                                                                     : rule::type_positions;
  c.choices.push_back({type, values == Values::kPositions ? kPositions : kIntegers, bad_type});
  Buffer& list = c.Add("list", pointer, Use::kRead, values, *type, {1, 1, count});
  list.null = are_rows                 ? rule::null_cache_rows_data
              : values == Values::kIds ? rule::null_ids_data
                                       : rule::null_positions_data;
  return list;
}

// The rows that an encoder writes or adds to.
inline Buffer& Rows(Call& c, bool adds, std::size_t rows, std::size_t columns) {
  c.pointers.emplace_back(&c.a.rows_there, Refusal(rule::null_rows));
  c.choices.push_back({&c.a.type, adds ? kSummands : kWritten, adds ? rule::type_added : rule::type_written});
  Buffer& data = c.Add("data", &c.a.data, adds ? Use::kAdded : Use::kWritten, Values::kEntries, c.a.type,
                       {1, rows, columns}, nullptr, &c.a.stride);
  data.null = rule::null_rows_data;
  return data;
}

template <bool kAdds, bool kListed>
void Matrix(Call& c) {
  Handle(c);
  Rows(c, kAdds, c.a.rows, c.setting.spec.dim);
  c.sizes.push_back({&c.a.rows, Refusal(rule::size_rows)});
  if (kListed) List(c, Values::kPositions, c.a.rows, &c.a.list, &c.a.list_type);
  if (!kListed) RunOf(c, &c.a.first);
}

template <bool kAt>
void Embed(Call& c) {
  const std::size_t dim = c.setting.spec.dim;
  Handle(c);
  Rows(c, true, c.a.rows, dim).use = Use::kWritten;
  c.choices.back().other = rule::type_embedded;
  List(c, Values::kIds, c.a.rows, &c.a.list, &c.a.list_type);
  c.pointers.emplace_back(&c.a.lookup_there, Refusal(rule::null_lookup));
  c.a.vocabulary = 3;
  c.Add("table", &c.a.table, Use::kRead, Values::kEntries, c.a.table_type, {1, 3, dim}, nullptr,
        &c.a.table_stride)
      .null = rule::null_table;
  c.choices.push_back(
      {&c.a.table_type, c.a.type == POSENC_F32 ? kSummands : Types{c.a.type}, Refusal(rule::type_table)});
  c.sizes.push_back({&c.a.rows, Refusal(rule::size_rows)});
  c.sizes.push_back({&c.a.vocabulary, Refusal(rule::size_table)});
  c.a.position_type = c.setting.position_type;
  if (kAt) List(c, Values::kPositions, c.a.rows, &c.a.positions, &c.a.position_type);
  if (kAt) c.pointers.emplace_back(&c.a.positions_there, Refusal(rule::null_positions));
  if (!kAt) RunOf(c, &c.a.first);
}

inline void Batch(Call& c) {
  Handle(c);
  c.a.batch = 2;
  c.pointers.emplace_back(&c.a.rows_there, Refusal(rule::null_rows));
  c.pointers.emplace_back(&c.a.batch_there, Refusal(POSENC_NULL, "batch must"));
  c.choices.push_back({&c.a.type, kSummands, Refusal(rule::type_added)});
  c.Add("data", &c.a.data, Use::kAdded, Values::kEntries, c.a.type, {2, c.a.rows, c.setting.spec.dim},
        &c.a.batch_stride, &c.a.stride)
      .null = rule::null_rows_data;
  List(c, Values::kFirstPositions, 2, &c.a.list, &c.a.list_type).null = POSENC_OK;
  c.sizes.push_back({&c.a.batch, Refusal(rule::size_batch)});
}

// The first axis has consecutive positions, the second a list. One row of zeros comes before the cells.
template <bool kAdds>
void Grid(Call& c) {
  const std::size_t dim = c.setting.spec.dim, listed = 2;
  c.a.axes[0] = {c.a.encoder, dim, c.a.rows, {}, c.a.first};
  c.a.axes[1] = {c.a.encoder, 0, listed, {c.a.list_type, nullptr}, 0};
  c.a.passed_axes = c.a.axes;
  c.a.axis_count = 2;
  c.a.prefix_rows = 1;
  Rows(c, kAdds, 1 + listed * c.a.rows, 2 * dim);
  List(c, Values::kPositions, listed, &c.a.axes[1].positions.data, &c.a.axes[1].positions.type).null =
      POSENC_OK;
  c.pointers.emplace_back(&c.a.passed_axes, Refusal(rule::null_axes));
  for (posenc_grid_axis& axis : c.a.axes) {
    c.pointers.emplace_back(&axis.encoder, Refusal(rule::null_axis_encoder));
    c.sizes.push_back({&axis.count, Refusal(POSENC_BAD_SIZE, "address space")});  // of cells, or of rows
  }
  c.sizes.push_back({&c.a.prefix_rows, Refusal(POSENC_BAD_SIZE, "address space")});
  RunOf(c, &c.a.axes[0].first_position);
}

// The list of slots of the second tensor, and its cache [blocks, block_size, 1, head_dim].
inline void Slots(Call& c, posenc_heads& t) {
  constexpr std::size_t kBlockSize = 2;
  const std::size_t blocks = c.a.rows / kBlockSize + 1;
  c.a.slots.list.type = c.a.rows % 2 == 0 ? POSENC_I32 : POSENC_I64;
  c.a.slots.block_size = kBlockSize;
  c.a.slots.count = kBlockSize * blocks;
  t.slots = &c.a.slots;
  Buffer& cache = c.Add("paged cache", &t.data, Use::kAdded, Values::kEntries, c.a.type,
                        {blocks, kBlockSize, c.setting.rotary_spec.head_dim}, &c.a.slots.block_stride,
                        &c.a.slots.offset_stride);
  cache.null = rule::null_heads_data;
}

inline void ListOfSlots(Call& c) {
  posenc_slots& slots = c.a.slots;
  c.Add("slots", &slots.list.data, Use::kRead, Values::kSlots, slots.list.type, {1, 1, c.a.rows}).null =
      rule::null_slots;
  c.choices.push_back({&slots.list.type, kIntegers, Refusal(rule::type_slots)});
}

// The norm of a tensor. Its weights have the type of the call or, for the second tensor, float32.
inline void Norm(Call& c, posenc_heads& t, posenc_norm& norm, bool over_heads) {
  const bool is_first = &norm == c.a.norms;
  norm.weight_type = is_first ? c.a.type : POSENC_F32;
  norm.epsilon = is_first ? 0x1p-20 : 0.0;
  norm.plus_one = is_first ? 0 : 1;
  norm.over_heads = over_heads ? 1 : 0;
  t.norm = &norm;
  c.Add("weights", &norm.weight, Use::kRead, Values::kEntries, norm.weight_type,
        {1, 1, (over_heads ? t.heads : 1) * c.setting.rotary_spec.head_dim})
      .null = rule::null_norm_weight;
  c.choices.push_back({&norm.weight_type, kSummands, Refusal(rule::norm_weight_type)});
  c.choices.push_back({&norm.plus_one, {0, 1}, Refusal(rule::norm_plus_one)});
  c.choices.push_back({&norm.over_heads, {0, 1}, Refusal(rule::norm_over_heads)});
}

// Two tensors. The second is rotated by -p, and scaled, perhaps by a factor for each token.
inline void Tensors(Call& c) {
  const std::size_t dim = c.setting.rotary_spec.head_dim, tokens = c.a.rows;
  const bool from_source = c.setting.from_source;
  for (posenc_heads& t : c.a.tensors) {
    const bool is_first = &t == c.a.tensors;
    t.type = c.a.type;
    const bool converts = c.setting.converts && from_source && t.type != POSENC_F32;
    const posenc_type source_type = converts ? POSENC_F32 : c.a.type;
    t.source_type = converts ? POSENC_F32 : posenc_type{};
    c.choices.push_back({&t.type, converts ? Types{POSENC_F32, POSENC_BF16, POSENC_F16} : Types{c.a.type},
                         Refusal(POSENC_BAD_TYPE, "tensor")});
    c.choices.push_back({&t.source_type, converts ? Types{POSENC_F32} : Types{0, c.a.type},
                         Refusal(POSENC_BAD_TYPE, "source_type")});
    t.heads = is_first ? 2 : 1;
    t.scale = is_first ? 0.0 : 0.1;
    t.inverse = is_first ? 0 : 1;
    const bool has_slots = !is_first && from_source && c.setting.has_slots;
    if (has_slots) {
      Slots(c, t);
    } else {
      Buffer& data =
          c.Add(is_first ? "tensor 0" : "tensor 1", &t.data, from_source ? Use::kWritten : Use::kAdded,
                Values::kEntries, c.a.type, {tokens, t.heads, dim}, &t.token_stride, &t.head_stride);
      data.are_heads = true;
      data.null = rule::null_heads_data;
    }
    if (from_source) {
      Buffer& source = c.Add("source", &t.source, Use::kRead, Values::kEntries, source_type,
                             {tokens, t.heads, dim}, &t.source_token_stride, &t.source_head_stride);
      source.are_heads = true;
      source.null = converts ? Refusal(rule::null_heads_source) : Refusal(POSENC_OK);
      if (has_slots) source.null = rule::slots_source;
    }
    if (has_slots) ListOfSlots(c);
    if (!is_first && c.setting.has_factors) {
      c.Add("factors", &t.token_factors, Use::kRead, Values::kFactors, POSENC_F32, {1, 1, tokens}).null =
          POSENC_OK;
    }
    if (c.setting.has_norms && !c.function.Is("_cached"))
      Norm(c, t, c.a.norms[is_first ? 0 : 1], is_first && c.setting.over_heads);
    c.choices.push_back({&t.inverse, {0, 1}, Refusal(POSENC_BAD_ARGUMENT, "inverse")});
    c.choices.push_back({&t.reserved, {0}, Refusal(POSENC_BAD_ARGUMENT, "reserved")});
  }
  c.a.passed_tensors = c.a.tensors;
  c.a.tensor_count = 2;
  c.pointers.emplace_back(&c.a.passed_tensors, Refusal(rule::null_tensors));
}

// The tables of a cache, written or read. They have the type table_type, or the type of the call if that is
// 0.
inline void Cache(Call& c, bool written) {
  posenc_cache& cache = c.a.cache;
  const posenc_cache_layout layout = c.setting.cache_layout;
  const bool has_two = layout != POSENC_CACHE_COS_SIN && layout != POSENC_CACHE_PAIRS;
  const std::size_t pairs = posenc_rotary_frequency_count(c.a.rotary);
  const std::size_t columns = layout == POSENC_CACHE_HALVES ? pairs : 2 * pairs;
  cache.layout = layout;
  cache.type = c.a.table_type != 0 ? c.a.table_type : c.a.type;
  c.a.passed_cache = &cache;
  c.a.cache_rows = c.a.rows;
  for (void** table : {&cache.cos, &cache.sin}) {
    if (table == &cache.sin && !has_two) continue;
    c.Add(table == &cache.sin ? "sin" : "cos", table, written ? Use::kWritten : Use::kRead, Values::kEntries,
          cache.type, {1, c.a.rows, columns}, nullptr, &cache.row_stride)
        .null = table == &cache.sin ? rule::null_sin : rule::null_cos;
  }
  c.pointers.emplace_back(&c.a.passed_cache, Refusal(rule::null_cache));
  c.choices.push_back(
      {&cache.type, written ? kWritten : kSummands, written ? rule::type_written : rule::type_read_cache});
  c.choices.push_back({&cache.layout, {0, 1, 2, 3, 4}, Refusal(POSENC_BAD_ARGUMENT, "posenc_cache_layout")});
}

template <bool kListed, void (*kWhat)(Call& c)>
void OfRotary(Call& c) {
  c.pointers.emplace_back(&c.a.rotary, Refusal(rule::null_rotary));
  kWhat(c);
  c.sizes.push_back({&c.a.rows, c.a.tensor_count != 0 ? rule::size_heads : rule::size_cache});
  if (kListed) List(c, Values::kPositions, c.setting.rotary_spec.axes * c.a.rows, &c.a.list, &c.a.list_type);
  if (!kListed) RunOf(c, &c.a.first);
}
inline void WrittenCache(Call& c) { Cache(c, true); }

// Chooses rows of the cache by a list, or by a first row and a number.
template <bool kListed>
void RotateCached(Call& c) {
  c.pointers.emplace_back(&c.a.rotary, Refusal(rule::null_rotary));
  Cache(c, false);
  Tensors(c);
  c.a.first = 0;
  c.sizes.push_back({&c.a.cache_rows, Refusal(rule::size_cache)});
  if (kListed) {
    List(c, Values::kRowIndices, c.a.rows, &c.a.list, &c.a.list_type);
  } else {
    RunOf(c, &c.a.first);
    c.runs.back().least = 0;
    c.runs.back().most = static_cast<std::int64_t>(c.a.rows) - 1;
  }
}

// A pointer that converts to any type.
struct Any {
  const void* pointer;
  template <class T>
  operator T*() const {  // NOLINT(google-explicit-constructor)
    return static_cast<T*>(const_cast<void*>(pointer));
  }
};

// A struct, or an array of structs, as bytes.
inline Buffer& Object(Call& c, const char* name, void* pointer, Use use, std::size_t size) {
  Buffer& object = c.Add(name, pointer, use, Values::kAny, kByte, {1, 1, size});
  object.alignment = alignof(std::max_align_t);
  return object;
}

inline void SpecOf(Call& c, bool rotary) {
  const void* spec = rotary ? static_cast<const void*>(&c.setting.rotary_spec) : &c.setting.spec;
  const std::size_t size = rotary ? sizeof(posenc_rotary_spec) : sizeof(posenc_spec);
  Buffer& object = Object(c, "spec", &c.a.spec, Use::kRead, size);
  object.null = rule::null_spec;
  std::memcpy(object.content.data(), spec, size);
}

template <bool kRotary, bool kInMemory>
void Create(Call& c) {
  SpecOf(c, kRotary);
  Object(c, "handle", &c.a.other, Use::kWritten, sizeof(void*)).null = rule::null_made;
  if (!kInMemory) return;
  const posenc_status status = kRotary ? posenc_rotary_memory_size(&c.setting.rotary_spec, &c.a.bytes)
                                       : posenc_encoder_memory_size(&c.setting.spec, &c.a.bytes);
  if (status != POSENC_OK) c.a.bytes = 4096;  // creation fails, too, and writes nothing there
  c.Add("memory", &c.a.data, Use::kScratch, Values::kAny, kByte, {1, 1, c.a.bytes}).null = rule::null_memory;
}

template <bool kRotary>
void MemorySize(Call& c) {
  SpecOf(c, kRotary);
  Object(c, "bytes", &c.a.data, Use::kWritten, sizeof(std::size_t)).null = rule::null_bytes;
}

template <class Spec>
void FillSpec(Call& c) {
  Object(c, "spec", &c.a.data, Use::kWritten, sizeof(Spec)).null = rule::null_spec;
  c.a.bytes = sizeof(Spec);
}

template <class Item>
void Items(Call& c) {
  Object(c, "items", &c.a.data, Use::kWritten, sizeof(Item)).null = POSENC_OK;
  c.a.rows = 1;
}

// posenc calls a caller's function in its floating-point state. posenc does not check the function's pointer,
// so it may be null.
inline void CallsBack(Call& c) {
  Object(c, "data", &c.a.data, Use::kWritten, sizeof(double)).null = POSENC_OK;
}

inline void WriteThird(void* data) {
  const volatile double one = 1.0, three = 3.0;
  const double third = one / three;
  if (data != nullptr) std::memcpy(data, &third, sizeof(third));
}

// Writes what a handle or the library returns into the only buffer: a number, or the first letters of a
// string.
inline void Says(Call& c) { Object(c, "result", &c.a.data, Use::kWritten, 8).null = kNoArgument; }

template <auto kGet>
posenc_status Get(Arguments& a) {
  using G = decltype(kGet);
  const auto say = [&](const auto& value) {
    if constexpr (std::is_convertible_v<decltype(value), const char*>) {
      std::strncpy(static_cast<char*>(a.data), value, 4);
    } else {
      std::memcpy(a.data, &value, sizeof(value));
    }
  };
  if constexpr (std::is_invocable_v<G, const posenc_encoder*>)
    say(kGet(a.encoder));
  else if constexpr (std::is_invocable_v<G, const posenc_rotary*>)
    say(kGet(a.rotary));
  else if constexpr (std::is_invocable_v<G, const posenc_encoder*, std::size_t>)
    say(kGet(a.encoder, 0));
  else if constexpr (std::is_invocable_v<G, const posenc_rotary*, std::size_t>)
    say(kGet(a.rotary, 0));
  else if constexpr (std::is_invocable_v<G, const char*>)
    say(kGet(a.name));  // the row sets the name
  else if constexpr (std::is_invocable_v<G, posenc_status>)
    say(kGet(POSENC_OK));
  else
    say(kGet());
  return POSENC_OK;
}

// Creates a handle, replaces it in the buffer by a frequency that it returns, and destroys it.
template <class Handle, auto kCreate, auto kRadians, auto kDestroy>
posenc_status Make(Arguments& a) {
  auto** handle = static_cast<Handle**>(a.other);
  posenc_status status;
  if constexpr (std::is_invocable_v<decltype(kCreate), Any, void*, std::size_t, Handle**>) {
    status = kCreate(Any{a.spec}, a.data, a.bytes, handle);
  } else {
    status = kCreate(Any{a.spec}, handle);
  }
  if (status != POSENC_OK) return status;
  const double w = kRadians(*handle, 1);
  kDestroy(*handle);
  std::memcpy(a.other, &w, sizeof(void*));
  return POSENC_OK;
}

}  // namespace rows_of

// A function that takes only a handle, or nothing.
#define POSENC_GETTER(function) \
  { #function, &Says, kNone, kNone, &Get < &(function)> }

// The functions of a product: calls.cc lists the functions of the core, models/calls.cc the functions of
// models. Functions of encoders come first, then functions of rotaries, then all others.
const std::vector<Function>& Functions();
extern const std::size_t kFirstOfRotaries, kFirstOfNeither;
extern const char* const kSymbols;  // the file in tests/install that lists their names
// The values that the argument `name` of a function may have; empty if it has no such argument.
std::vector<std::string> NamesFor(const Function& function);

// A row of refusals.inc, which documents the columns.
struct RefusalRow {
  const char *calls, *good, *passing;
  posenc_status rule;
  const char *refused, *told;
};
const std::vector<RefusalRow>& RefusalRows();
// The rules of the product that refusals_test.cc cannot break.
const std::vector<posenc_status>& RulesTestedElsewhere();

// Calls visit(call) with all types that the function takes. If `sparse`, each call has only one type of lists
// and one type of tables.
template <class Visit>
void ForEachCallOf(const Function& function, const Setting& setting, const Visit& visit,
                   bool sparse = false) {
  std::size_t next = setting.spec.dim / 2 + setting.rows;
  for (const std::int32_t type : function.types) {
    Types lists = function.list_types, tables = {0};
    if (function.HasTable()) tables = type == POSENC_F32 ? rows_of::kSummands : Types{type};
    if (sparse) lists = {lists[++next % lists.size()]};
    if (sparse) tables = {tables[next % tables.size()]};
    for (const std::int32_t list_type : lists) {
      for (const std::int32_t table_type : tables) {
        Call call(function, setting, type, list_type, table_type);
        visit(call);
      }
    }
  }
}

// The same for every function.
template <class Visit>
void ForEachCall(const Setting& setting, const Visit& visit, bool sparse = false) {
  for (const Function& function : Functions()) ForEachCallOf(function, setting, visit, sparse);
}

}  // namespace posenc

#endif  // POSENC_TESTS_CALLS_H_
