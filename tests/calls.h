// The registry of the C functions: what each one reads and writes, and with what arguments it works. What
// holds for every call (calls_*_test.cc, every_call.cc) is tested over this list; calls_refusals_test.cc
// fails if a function has no row. Plain: needs neither GoogleTest nor MPFR.
#ifndef POSENC_TESTS_CALLS_H_
#define POSENC_TESTS_CALLS_H_

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "posenc/grid_c.h"
#include "posenc/positions_c.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"

namespace posenc {

inline std::size_t SizeOfType(posenc_type type) {
  if (type == POSENC_BF16 || type == POSENC_F16) return 2;
  return type == POSENC_F64 || type == POSENC_I64 ? 8 : 4;
}

// What calls are made with: tests choose it, and one set of handles serves many calls.
struct Setting {
  explicit Setting(const char* target = nullptr, std::size_t dim = 8, std::size_t the_rows = 3)
      : rows(the_rows) {
    posenc_spec_init(&spec, sizeof(spec));
    spec.dim = dim;
    spec.target = target;
    posenc_rotary_spec_init(&rotary_spec, sizeof(rotary_spec));
    rotary_spec.head_dim = dim % 2 == 0 ? dim : dim + 1;
    rotary_spec.target = target;
  }
  ~Setting() {
    posenc_encoder_destroy(encoder);
    posenc_rotary_destroy(rotary);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

  // Every path through the library: layouts, frequencies, phases and rows of encoders; arithmetic, pairings,
  // axes and phases of rotaries; caches.
  static constexpr int kKinds = 12;
  void SetKind(int kind) {
    static const float frequencies[] = {0x1p-126f, 0.1f, 5e8f, 0.0f};
    spec.layout = kind % 4;
    from_source = kind % 2 == 1;
    cache_layout = kind % 4;
    rotary_spec.pairing = kind / 2 % 2;
    rotary_spec.arithmetic = kind / 4 % 2;
    switch (kind) {
      case 4:
        spec.phase_rounding = POSENC_F32_POW_DIV;
        break;
      case 5:  // tiny phases, of float16 subnormal
        spec.position_scale = 0x1p-25;
        break;
      case 6:
        spec.position_scale = 0x1p-100;
        rotary_spec.amplitude = 1.3;
        break;
      case 7:
        spec.lists_only = spec.nan_rows = 1;
        rotary_spec.phase_rounding = POSENC_F32_INV_FREQ;
        break;
      case 8:
        spec.position_scale = 100.0;
        rotary_spec.output_pairing = POSENC_HALF_SPLIT;
        break;
      case 9:
        spec.dim = 8;
        spec.frequencies_f32 = frequencies;
        spec.frequency_count = 4;
        spec.frequency_unit = POSENC_HALF_TURNS;
        rotary_spec.rotary_dim = rotary_spec.head_dim - 4;
        rotary_spec.rotary_offset = 3;
        break;
      case 10:
        spec.has_padding = 1;
        spec.input_first = 1;
        rotary_spec.axes = 3;
        rotary_spec.sections[0] = rotary_spec.head_dim / 2 - 2;
        rotary_spec.sections[1] = rotary_spec.sections[2] = 1;
        break;
      case 11:
        spec.phase_rounding = POSENC_F64_POW_MUL;
        rotary_spec.scaling = POSENC_YARN;
        rotary_spec.factor = 3.7;
        rotary_spec.original_length = 8192.0;
        break;
      default:
        break;
    }
  }

  // To be called once the specs are as wanted.
  bool Create() {
    return posenc_encoder_create(&spec, &encoder) == POSENC_OK &&
           posenc_rotary_create(&rotary_spec, &rotary) == POSENC_OK;
  }

  posenc_spec spec;
  posenc_rotary_spec rotary_spec;
  std::size_t rows;           // tokens, steps of an axis
  std::int64_t first = 1000;  // of runs
  bool easy = false;          // positions of lists are consecutive, and none takes wide arithmetic
  bool from_source = false;   // rotations are not in place
  posenc_cache_layout cache_layout = POSENC_CACHE_HALVES;
  posenc_encoder* encoder = nullptr;
  posenc_rotary* rotary = nullptr;
};

// Of all functions; each takes some of them.
struct Arguments {
  const posenc_encoder* encoder;
  const posenc_rotary* rotary;
  posenc_type type, list_type, table_type, position_type;
  const void *list, *positions, *table;
  void *data, *other;
  std::size_t rows, stride, batch, batch_stride, vocabulary, table_stride, list_stride;
  std::int64_t first, past;
  float scale;
  std::size_t* bad_index;
  posenc_grid_axis axes[2];
  const posenc_grid_axis* passed_axes;
  std::size_t axis_count, prefix_rows;
  std::size_t* bad_axis;
  posenc_heads tensors[2];
  const posenc_heads* passed_tensors;
  std::size_t tensor_count;
  posenc_cache cache;
  const posenc_cache* passed_cache;
  std::size_t cache_rows;
  posenc_normalization normalization;
  const void* spec;
  const char* name;
  std::size_t bytes;
};

// What the numbers of a buffer mean: which are bad, and what is reported then.
enum class Values { kEntries, kPositions, kIds, kFirstPositions, kRowIndices, kAny };

enum class Use { kRead, kWritten, kAdded, kScratch };  // added: read, too; scratch: not a result

using Types = std::vector<std::int32_t>;
inline constexpr posenc_type kByte = -8;          // of what has no posenc_type
inline constexpr posenc_status kNoArgument = -1;  // cannot be null

// Memory that an argument points to: elements [counts[0]][counts[1]][counts[2]], of which the last ones
// follow each other.
struct Buffer {
  const char* name;
  void* pointer;  // the argument: the address of a pointer
  Use use;
  Values values;
  posenc_type type;
  std::size_t counts[3];
  std::size_t* strides[2];                   // arguments; null where there is none
  posenc_status null = POSENC_NULL_POINTER;  // reported if the pointer is null; OK: it may be
  bool are_heads = false;                    // of tokens: the strides in either order, a source's any
  std::size_t alignment = 1;
  std::size_t size = 0;                  // of an element
  std::vector<unsigned char> content{};  // dense, before the call

  bool IsWritten() const { return use != Use::kRead; }
  std::size_t count() const { return counts[0] * counts[1] * counts[2]; }
  std::size_t extent() const {  // bytes
    return (Offset(counts[0] - 1, counts[1] - 1) + counts[2]) * size;
  }
  std::size_t Offset(std::size_t i, std::size_t j) const {
    return (strides[0] != nullptr ? i * *strides[0] : 0) + (strides[1] != nullptr ? j * *strides[1] : 0);
  }
  void PointTo(void* place) const { std::memcpy(pointer, &place, sizeof(place)); }
  unsigned char* place() const {
    unsigned char* place;
    std::memcpy(&place, pointer, sizeof(place));
    return place;
  }
  // Sets the strides so that `gap` elements lie between what is used.
  void Spread(std::size_t gap, bool other_order = false) const {
    const bool swapped = are_heads && other_order;
    if (strides[1] != nullptr) *strides[1] = counts[2] + gap;
    if (strides[1] != nullptr && swapped) *strides[1] = counts[0] * (counts[2] + gap) + gap;
    if (strides[0] == nullptr) return;
    *strides[0] = counts[2] + gap;
    if (strides[1] != nullptr && !swapped) *strides[0] = counts[1] * *strides[1] + gap;
  }
  // visit(bytes of the buffer, bytes of a dense one, how many) for all that is used.
  template <class Visit>
  void ForEachPiece(const Visit& visit) const {
    for (std::size_t k = 0; k < counts[0] * counts[1]; ++k) {
      visit(Offset(k / counts[1], k % counts[1]) * size, k * counts[2] * size, counts[2] * size);
    }
  }
  void Put(const std::vector<unsigned char>& dense, unsigned char* to) const {
    ForEachPiece(
        [&](std::size_t at, std::size_t from, std::size_t n) { std::memcpy(to + at, &dense[from], n); });
  }
  void Get(std::vector<unsigned char>* dense) const {
    const unsigned char* from = place();
    ForEachPiece(
        [&](std::size_t at, std::size_t to, std::size_t n) { std::memcpy(&(*dense)[to], from + at, n); });
  }
};

struct Choice {  // an argument that only has some values
  std::int32_t* argument;
  Types values;
  posenc_status other;
};

struct Size {  // an argument that memory limits
  std::size_t* argument;
  posenc_status too_large;
};

struct RunOfSteps {  // of positions or rows
  std::int64_t* first;
  std::int64_t steps, least, most;
};

struct Function;

// One call of a function with arguments that work.
struct Call {
  Call(const Function& the_function, const Setting& the_setting, posenc_type type, posenc_type the_list_type,
       posenc_type table_type);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  posenc_status operator()();  // in the memory that pointers point to

  // Puts all buffers into memory of their own, and what they hold.
  void Settle() {
    memory.resize(buffers.size());
    for (std::size_t k = 0; k < buffers.size(); ++k) {
      memory[k].assign((buffers[k].extent() + room) / sizeof(double), 0.0);
      auto* place = reinterpret_cast<unsigned char*>(memory[k].data());
      buffers[k].PointTo(place);
      buffers[k].Put(buffers[k].content, place);
    }
  }

  // What all results hold, dense. They have room already after the first time.
  const std::vector<std::vector<unsigned char>>& Results() {
    results.resize(buffers.size());
    for (std::size_t k = 0; k < buffers.size(); ++k) {
      if (buffers[k].use == Use::kScratch) continue;
      results[k].resize(buffers[k].content.size());
      buffers[k].Get(&results[k]);
    }
    return results;
  }

  Buffer& Add(const char* name, void* pointer, Use use, Values values, posenc_type type,
              const std::array<std::size_t, 3>& counts, std::size_t* outer = nullptr,
              std::size_t* inner = nullptr);
  Buffer* Find(Values values) {
    for (Buffer& buffer : buffers) {
      if (buffer.values == values) return &buffer;
    }
    return nullptr;
  }

  const Function& function;
  const Setting& setting;
  const posenc_type list_type;  // of the row; that of the arguments where it is 0 is any
  Arguments a{};
  std::vector<Buffer> buffers;
  std::vector<Choice> choices;
  std::vector<Size> sizes;
  std::vector<RunOfSteps> runs;
  std::vector<std::pair<void*, posenc_status>> pointers;  // to what is no buffer
  std::size_t room = 2 * sizeof(double);                  // bytes behind each buffer
  std::vector<std::vector<double>> memory;
  std::vector<std::vector<unsigned char>> results;
};

struct Function {
  Function(const char* the_name, posenc_status (*the_run)(Arguments&), void (*the_description)(Call&),
           const Types& the_types = {0}, const Types& the_list_types = {0}, bool is_embedding = false,
           bool creates = false)
      : name(the_name),
        run(the_run),
        describe(the_description),
        types(the_types),
        list_types(the_list_types),
        has_table(is_embedding),
        allocates(creates) {}

  const char* name;
  posenc_status (*run)(Arguments&);
  void (*describe)(Call&);
  Types types, list_types;  // of the arguments of those names; 0 where there is none
  bool has_table;           // of types of its own
  bool allocates;
};

inline Call::Call(const Function& the_function, const Setting& the_setting, posenc_type type,
                  posenc_type the_list_type, posenc_type table_type)
    : function(the_function), setting(the_setting), list_type(the_list_type) {
  buffers.reserve(8);  // references stay
  a.encoder = setting.encoder;
  a.rotary = setting.rotary;
  a.type = type;
  a.list_type = list_type;
  a.table_type = table_type;
  a.rows = setting.rows;
  a.first = setting.first;
  a.scale = 0.3f;
  function.describe(*this);
  Settle();
}

inline posenc_status Call::operator()() { return function.run(a); }

// A dense buffer of what its values may be.
inline Buffer& Call::Add(const char* name, void* pointer, Use use, Values values, posenc_type type,
                         const std::array<std::size_t, 3>& counts, std::size_t* outer, std::size_t* inner) {
  buffers.push_back({name, pointer, use, values, type, {counts[0], counts[1], counts[2]}, {outer, inner}});
  Buffer& b = buffers.back();
  b.size = type == kByte ? 1 : SizeOfType(type);
  b.Spread(0);
  b.content.resize(b.count() * b.size, b.IsWritten() ? 0x5A : 0);
  const auto put = [&](std::size_t k, const auto& value) {
    std::memcpy(&b.content[k * b.size], &value, sizeof(value));
  };
  std::uint64_t random = 0x9E3779B97F4A7C15u;
  for (std::size_t k = 0; k < b.count(); ++k) {
    if (b.values == Values::kPositions && setting.easy) {
      const auto position = static_cast<std::int32_t>(k % setting.rows) - 3;
      if (b.type == POSENC_I32) put(k, position);
      if (b.type == POSENC_I64) put(k, std::int64_t{position});
      if (b.type == POSENC_F32) put(k, static_cast<float>(position));
      if (b.type == POSENC_F64) put(k, static_cast<double>(position));
    } else if (b.values == Values::kPositions && b.type == POSENC_I32) {
      put(k, (1 << 20) - static_cast<std::int32_t>(k % 5000) * 300007);
    } else if (b.values == Values::kPositions && b.type == POSENC_I64) {
      const std::int64_t wide[] = {0, -1, 131071, POSENC_MAX_POSITION, -POSENC_MAX_POSITION, 77};
      put(k, wide[k % 6]);
    } else if (b.values == Values::kPositions) {
      const double doubles[] = {0.1, -1e9 - 0.3, 0x1p-1074, 0x1.000003p-126, 0x1p31, -0.0, 12.5};
      if (b.type == POSENC_F64) put(k, doubles[k % 7]);
      if (b.type == POSENC_F32) put(k, static_cast<float>(doubles[k % 7]));
    } else if (b.values == Values::kEntries) {  // finite numbers, large, small and subnormal
      random = random * 6364136223846793005u + 1442695040888963407u;
      const auto high = static_cast<std::uint32_t>(random >> 32);
      if (b.type == POSENC_F32)
        put(k, std::ldexp(static_cast<float>(high >> 8) - 0x1p23f, k % 3 == 0 ? -149 : -23));
      if (b.type == POSENC_F64) put(k, std::ldexp(static_cast<double>(high), -30));
      if (b.type == POSENC_BF16)
        put(k, static_cast<std::uint16_t>(((high >> 16) & 0x80FF) | (k % 3 == 0 ? 0 : 0x3F00)));
      if (b.type == POSENC_F16)
        put(k, static_cast<std::uint16_t>(((high >> 16) & 0x83FF) | (k % 3 == 0 ? 0 : 0x3800)));
    } else if (b.values == Values::kIds || b.values == Values::kFirstPositions ||
               b.values == Values::kRowIndices) {
      const auto value =
          static_cast<std::int32_t>(b.values == Values::kRowIndices ? b.count() - 1 - k : (2 * k + 1) % 3);
      if (b.type == POSENC_I32) put(k, value);
      if (b.type == POSENC_I64) put(k, std::int64_t{value});
    }
  }
  return b;
}

// The buffers that several functions have.
namespace rows_of {

inline const Types kSummands = {POSENC_F32, POSENC_BF16, POSENC_F16},
                   kWritten = {POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64},
                   kIntegers = {POSENC_I32, POSENC_I64},
                   kPositions = {POSENC_I32, POSENC_I64, POSENC_F32, POSENC_F64};

inline void Handle(Call& c) { c.pointers.emplace_back(&c.a.encoder, POSENC_NOT_CREATED); }

inline void RunOf(Call& c, std::int64_t* first) {
  c.runs.push_back({first, static_cast<std::int64_t>(c.a.rows), -POSENC_MAX_POSITION, POSENC_MAX_POSITION});
}

inline Buffer& List(Call& c, Values values, std::size_t count, const void** pointer, posenc_type* type) {
  c.choices.push_back({type, values == Values::kPositions ? kPositions : kIntegers, POSENC_BAD_TYPE});
  return c.Add("list", pointer, Use::kRead, values, *type, {1, 1, count});
}

// Rows of an encoder, written or added to.
inline Buffer& Rows(Call& c, bool adds, std::size_t rows, std::size_t columns) {
  c.choices.push_back({&c.a.type, adds ? kSummands : kWritten, POSENC_BAD_TYPE});
  return c.Add("data", &c.a.data, adds ? Use::kAdded : Use::kWritten, Values::kEntries, c.a.type,
               {1, rows, columns}, nullptr, &c.a.stride);
}

template <bool adds, bool listed>
void Matrix(Call& c) {
  Handle(c);
  Rows(c, adds, c.a.rows, c.setting.spec.dim);
  c.sizes.push_back({&c.a.rows, POSENC_SIZE_OVERFLOW});
  if (listed) List(c, Values::kPositions, c.a.rows, &c.a.list, &c.a.list_type);
  if (!listed) RunOf(c, &c.a.first);
}

template <bool at>
void Embed(Call& c) {
  const std::size_t dim = c.setting.spec.dim;
  Handle(c);
  Rows(c, true, c.a.rows, dim).use = Use::kWritten;
  List(c, Values::kIds, c.a.rows, &c.a.list, &c.a.list_type);
  c.a.vocabulary = 3;
  c.Add("table", &c.a.table, Use::kRead, Values::kEntries, c.a.table_type, {1, 3, dim}, nullptr,
        &c.a.table_stride);
  c.choices.push_back(
      {&c.a.table_type, c.a.type == POSENC_F32 ? kSummands : Types{c.a.type}, POSENC_BAD_TYPE});
  c.sizes.push_back({&c.a.rows, POSENC_SIZE_OVERFLOW});
  c.sizes.push_back({&c.a.vocabulary, POSENC_SIZE_OVERFLOW});
  c.a.position_type = POSENC_F64;
  if (at) List(c, Values::kPositions, c.a.rows, &c.a.positions, &c.a.position_type);
  if (!at) RunOf(c, &c.a.first);
}

inline void Batch(Call& c) {
  Handle(c);
  c.a.batch = 2;
  c.choices.push_back({&c.a.type, kSummands, POSENC_BAD_TYPE});
  c.Add("data", &c.a.data, Use::kAdded, Values::kEntries, c.a.type, {2, c.a.rows, c.setting.spec.dim},
        &c.a.batch_stride, &c.a.stride);
  List(c, Values::kFirstPositions, 2, &c.a.list, &c.a.list_type).null = POSENC_OK;
  c.sizes.push_back({&c.a.batch, POSENC_SIZE_OVERFLOW});
}

// A run on the first axis, a list on the second, and a row of zeros before.
template <bool adds>
void Grid(Call& c) {
  const std::size_t dim = c.setting.spec.dim, listed = 2;
  c.a.axes[0] = {c.a.encoder, dim, c.a.rows, nullptr, c.a.first, 0, 0};
  c.a.axes[1] = {c.a.encoder, 0, listed, nullptr, 0, c.a.list_type, 0};
  c.a.passed_axes = c.a.axes;
  c.a.axis_count = 2;
  c.a.prefix_rows = 1;
  Rows(c, adds, 1 + listed * c.a.rows, 2 * dim);
  List(c, Values::kPositions, listed, &c.a.axes[1].positions, &c.a.axes[1].position_type).null = POSENC_OK;
  c.pointers.emplace_back(&c.a.passed_axes, POSENC_NULL_POINTER);
  for (posenc_grid_axis& axis : c.a.axes) {
    c.pointers.emplace_back(&axis.encoder, POSENC_NOT_CREATED);
    c.choices.push_back({&axis.reserved, {0}, POSENC_BAD_FLAG});
    c.sizes.push_back({&axis.count, POSENC_SIZE_OVERFLOW});
  }
  c.sizes.push_back({&c.a.prefix_rows, POSENC_SIZE_OVERFLOW});
  RunOf(c, &c.a.axes[0].first_position);
}

// Two tensors; the second is turned back, and scaled.
inline void Tensors(Call& c) {
  const std::size_t dim = c.setting.rotary_spec.head_dim, tokens = c.a.rows;
  const bool from_source = c.setting.from_source;
  c.choices.push_back({&c.a.type, kSummands, POSENC_BAD_TYPE});
  for (posenc_heads& t : c.a.tensors) {
    const bool is_first = &t == c.a.tensors;
    t.heads = is_first ? 2 : 1;
    t.scale = is_first ? 0.0 : 0.1;
    t.inverse = is_first ? 0 : 1;
    c.Add(is_first ? "tensor 0" : "tensor 1", &t.data, from_source ? Use::kWritten : Use::kAdded,
          Values::kEntries, c.a.type, {tokens, t.heads, dim}, &t.token_stride, &t.head_stride)
        .are_heads = true;
    if (from_source) {
      Buffer& source = c.Add("source", &t.source, Use::kRead, Values::kEntries, c.a.type,
                             {tokens, t.heads, dim}, &t.source_token_stride, &t.source_head_stride);
      source.are_heads = true;
      source.null = POSENC_OK;
    }
    c.choices.push_back({&t.inverse, {0, 1}, POSENC_BAD_FLAG});
    c.choices.push_back({&t.reserved, {0}, POSENC_BAD_FLAG});
  }
  c.a.passed_tensors = c.a.tensors;
  c.a.tensor_count = 2;
  c.pointers.emplace_back(&c.a.passed_tensors, POSENC_NULL_POINTER);
}

// The tables of a cache, of the type of the call, written or read.
inline void Cache(Call& c, bool written) {
  posenc_cache& cache = c.a.cache;
  const posenc_cache_layout layout = c.setting.cache_layout;
  const bool has_two = layout == POSENC_CACHE_HALVES || layout == POSENC_CACHE_DUPLICATED;
  const std::size_t pairs = posenc_rotary_frequency_count(c.a.rotary);
  const std::size_t columns = layout == POSENC_CACHE_HALVES ? pairs : 2 * pairs;
  cache.layout = layout;
  cache.type = c.a.type;
  c.a.passed_cache = &cache;
  c.a.cache_rows = c.a.rows;
  for (void** table : {&cache.cos, &cache.sin}) {
    if (table == &cache.sin && !has_two) continue;
    c.Add(table == &cache.sin ? "sin" : "cos", table, written ? Use::kWritten : Use::kRead, Values::kEntries,
          c.a.type, {1, c.a.rows, columns}, nullptr, &cache.row_stride);
  }
  c.pointers.emplace_back(&c.a.passed_cache, POSENC_NULL_POINTER);
  c.choices.push_back({&cache.type, written ? kWritten : kSummands, POSENC_BAD_TYPE});
  c.choices.push_back({&cache.layout, {0, 1, 2, 3}, POSENC_BAD_CACHE});
}

template <bool listed, void (*what)(Call& c)>
void OfRotary(Call& c) {
  c.pointers.emplace_back(&c.a.rotary, POSENC_NOT_CREATED);
  what(c);
  c.sizes.push_back({&c.a.rows, POSENC_SIZE_OVERFLOW});
  if (listed) List(c, Values::kPositions, c.setting.rotary_spec.axes * c.a.rows, &c.a.list, &c.a.list_type);
  if (!listed) RunOf(c, &c.a.first);
}
inline void WrittenCache(Call& c) { Cache(c, true); }

// By a list of rows, or, where that has no type, by a run.
inline void RotateCached(Call& c) {
  c.pointers.emplace_back(&c.a.rotary, POSENC_NOT_CREATED);
  Cache(c, false);
  Tensors(c);
  c.a.first = 0;
  c.sizes.push_back({&c.a.cache_rows, POSENC_SIZE_OVERFLOW});
  if (c.a.list_type != 0) {
    List(c, Values::kRowIndices, c.a.rows, &c.a.list, &c.a.list_type).null = POSENC_OK;
  } else {
    c.a.list_type = POSENC_I32;
    RunOf(c, &c.a.first);
    c.runs.back().least = 0;
    c.runs.back().most = static_cast<std::int64_t>(c.a.rows) - 1;
  }
}

inline void PositionsFromIds(Call& c) {
  c.a.batch = 2;
  c.a.first = 1;  // the padding
  c.choices.push_back({&c.a.list_type, kIntegers, POSENC_BAD_TYPE});
  c.choices.push_back({&c.a.type, kIntegers, POSENC_BAD_TYPE});
  c.sizes.push_back({&c.a.batch, POSENC_SIZE_OVERFLOW});
  c.Add("ids", &c.a.list, Use::kRead, Values::kAny, c.a.list_type, {1, 2, c.a.rows}, nullptr,
        &c.a.list_stride);
  c.Add("positions", &c.a.data, Use::kWritten, Values::kAny, c.a.type, {1, 2, c.a.rows}, nullptr,
        &c.a.stride);
}

inline void PositionsFromMask(Call& c) {
  c.a.batch = 3;  // the height
  c.a.normalization = c.a.type;
  c.choices.push_back({&c.a.normalization, {0, 1, 2}, POSENC_BAD_NORMALIZATION});
  c.Add("mask", &c.a.list, Use::kRead, Values::kAny, kByte, {1, 1, 3 * c.a.rows}).null = POSENC_OK;
  for (void** pointer : {&c.a.data, &c.a.other}) {
    c.Add("y or x", pointer, Use::kWritten, Values::kAny, POSENC_F64, {1, 1, 3 * c.a.rows});
  }
  for (std::size_t* size : {&c.a.batch, &c.a.rows}) c.sizes.push_back({size, POSENC_SIZE_OVERFLOW});
}

// A struct, or an array of them, as its bytes.
inline Buffer& Object(Call& c, const char* name, void* pointer, Use use, std::size_t size) {
  Buffer& object = c.Add(name, pointer, use, Values::kAny, kByte, {1, 1, size});
  object.alignment = alignof(std::max_align_t);
  return object;
}

inline void SpecOf(Call& c, bool rotary) {
  const void* spec = rotary ? static_cast<const void*>(&c.setting.rotary_spec) : &c.setting.spec;
  const std::size_t size = rotary ? sizeof(posenc_rotary_spec) : sizeof(posenc_spec);
  std::memcpy(Object(c, "spec", &c.a.spec, Use::kRead, size).content.data(), spec, size);
}

template <bool rotary, bool in_memory>
void Create(Call& c) {
  SpecOf(c, rotary);
  Object(c, "handle", &c.a.other, Use::kWritten, sizeof(void*));
  if (!in_memory) return;
  if (rotary) posenc_rotary_memory_size(&c.setting.rotary_spec, &c.a.bytes);
  if (!rotary) posenc_encoder_memory_size(&c.setting.spec, &c.a.bytes);
  c.Add("memory", &c.a.data, Use::kScratch, Values::kAny, kByte, {1, 1, c.a.bytes});
}

template <bool rotary>
void MemorySize(Call& c) {
  SpecOf(c, rotary);
  Object(c, "bytes", &c.a.data, Use::kWritten, sizeof(std::size_t));
}

template <class Spec, bool named>
void FillSpec(Call& c) {
  Object(c, "spec", &c.a.data, Use::kWritten, sizeof(Spec));
  c.a.bytes = sizeof(Spec);
  c.a.name = sizeof(Spec) == sizeof(posenc_spec) ? "fairseq" : "llama3";
  if (named) c.pointers.emplace_back(&c.a.name, POSENC_NULL_POINTER);
}

template <class Item>
void Items(Call& c) {
  Object(c, "items", &c.a.data, Use::kWritten, sizeof(Item)).null = POSENC_OK;
  c.a.rows = 1;
}

// Writes what a handle or the library says into the only buffer, a string by its first letters.
inline void Says(Call& c) {
  c.a.name = "fairseq";
  Object(c, "result", &c.a.data, Use::kWritten, 8).null = kNoArgument;
}

template <auto get>
posenc_status Get(Arguments& a) {
  using G = decltype(get);
  const auto say = [&](const auto& value) {
    if constexpr (std::is_convertible_v<decltype(value), const char*>) {
      std::strncpy(static_cast<char*>(a.data), value, 4);
    } else {
      std::memcpy(a.data, &value, sizeof(value));
    }
  };
  if constexpr (std::is_invocable_v<G, const posenc_encoder*>)
    say(get(a.encoder));
  else if constexpr (std::is_invocable_v<G, const posenc_rotary*>)
    say(get(a.rotary));
  else if constexpr (std::is_invocable_v<G, const posenc_encoder*, std::size_t>)
    say(get(a.encoder, 0));
  else if constexpr (std::is_invocable_v<G, const posenc_rotary*, std::size_t>)
    say(get(a.rotary, 0));
  else if constexpr (std::is_invocable_v<G, const char*>)
    say(get(a.name));
  else if constexpr (std::is_invocable_v<G, posenc_status>)
    say(get(POSENC_BAD_DIM));
  else
    say(get());
  return POSENC_OK;
}

// Creates, keeps what the handle says in the place of it, and destroys it.
template <class Handle, class Make, class Radians, class Destroy>
posenc_status Made(Arguments& a, const Make& make, const Radians& radians, const Destroy& destroy) {
  auto** handle = static_cast<Handle**>(a.other);
  const posenc_status status = make(handle);
  if (status != POSENC_OK) return status;
  const double w = radians(*handle, 1);
  destroy(*handle);
  std::memcpy(a.other, &w, sizeof(void*));
  return POSENC_OK;
}

}  // namespace rows_of

// What takes nothing but a handle, a name or nothing.
#define POSENC_GETTER(function) \
  { #function, &Get < &function>, &Says }

inline const std::vector<Function>& Functions() {
  using namespace rows_of;
  using A = Arguments&;
  constexpr posenc_status OK = POSENC_OK;
  static const std::vector<Function> functions = {
      {"posenc_write", [](A a) { return posenc_write(a.encoder, a.first, a.rows, a.type, a.data, a.stride); },
       &Matrix<false, false>, kWritten},
      {"posenc_write_at",
       [](A a) {
         return posenc_write_at(a.encoder, a.list_type, a.list, a.rows, a.type, a.data, a.stride,
                                a.bad_index);
       },
       &Matrix<false, true>, kWritten, kPositions},
      {"posenc_add",
       [](A a) { return posenc_add(a.encoder, a.first, a.rows, a.type, a.data, a.stride, a.scale); },
       &Matrix<true, false>, kSummands},
      {"posenc_add_at",
       [](A a) {
         return posenc_add_at(a.encoder, a.list_type, a.list, a.rows, a.type, a.data, a.stride, a.scale,
                              a.bad_index);
       },
       &Matrix<true, true>, kSummands, kPositions},
      {"posenc_embed",
       [](A a) {
         return posenc_embed(a.encoder, a.list_type, a.list, a.rows, a.table_type, a.table, a.vocabulary,
                             a.table_stride, a.first, a.type, a.data, a.stride, a.scale, a.bad_index);
       },
       &Embed<false>, kSummands, kIntegers, true},
      {"posenc_embed_at",
       [](A a) {
         return posenc_embed_at(a.encoder, a.list_type, a.list, a.rows, a.table_type, a.table, a.vocabulary,
                                a.table_stride, a.position_type, a.positions, a.type, a.data, a.stride,
                                a.scale, a.bad_index);
       },
       &Embed<true>, kSummands, kIntegers, true},
      {"posenc_add_batch",
       [](A a) {
         return posenc_add_batch(a.encoder, a.first, a.list_type, a.list, a.batch, a.rows, a.type, a.data,
                                 a.batch_stride, a.stride, a.scale, a.bad_index);
       },
       &Batch, kSummands, kIntegers},
      {"posenc_write_grid",
       [](A a) {
         return posenc_write_grid(a.passed_axes, a.axis_count, a.prefix_rows, a.type, a.data, a.stride,
                                  a.bad_axis, a.bad_index);
       },
       &Grid<false>, kWritten, kPositions},
      {"posenc_add_grid",
       [](A a) {
         return posenc_add_grid(a.passed_axes, a.axis_count, a.prefix_rows, a.type, a.data, a.stride, a.scale,
                                a.bad_axis, a.bad_index);
       },
       &Grid<true>, kSummands, kPositions},
      {"posenc_rotate",
       [](A a) { return posenc_rotate(a.rotary, a.first, a.rows, a.type, a.passed_tensors, a.tensor_count); },
       &OfRotary<false, &Tensors>, kSummands},
      {"posenc_rotate_at",
       [](A a) {
         return posenc_rotate_at(a.rotary, a.list_type, a.list, a.rows, a.type, a.passed_tensors,
                                 a.tensor_count, a.bad_index);
       },
       &OfRotary<true, &Tensors>, kSummands, kPositions},
      {"posenc_rotary_write",
       [](A a) { return posenc_rotary_write(a.rotary, a.first, a.rows, a.passed_cache); },
       &OfRotary<false, &WrittenCache>, kWritten},
      {"posenc_rotary_write_at",
       [](A a) {
         return posenc_rotary_write_at(a.rotary, a.list_type, a.list, a.rows, a.passed_cache, a.bad_index);
       },
       &OfRotary<true, &WrittenCache>, kWritten, kPositions},
      {"posenc_rotate_cached",
       [](A a) {
         return posenc_rotate_cached(a.rotary, a.passed_cache, a.cache_rows, a.first, a.list_type, a.list,
                                     a.rows, a.type, a.passed_tensors, a.tensor_count, a.bad_index);
       },
       &RotateCached,
       kSummands,
       {0, POSENC_I32, POSENC_I64}},
      {"posenc_positions_from_ids",
       [](A a) {
         return posenc_positions_from_ids(a.list_type, a.list, a.batch, a.rows, a.list_stride, a.first,
                                          a.past, a.type, a.data, a.stride);
       },
       &PositionsFromIds, kIntegers, kIntegers},
      {"posenc_positions_from_mask",
       [](A a) {
         return posenc_positions_from_mask(static_cast<const std::uint8_t*>(a.list), a.batch, a.rows,
                                           a.normalization, 0.0, -0.5, static_cast<double*>(a.data),
                                           static_cast<double*>(a.other));
       },
       &PositionsFromMask,
       {0, 1, 2}},
      {"posenc_encoder_create",
       [](A a) {
         const auto make = [&](posenc_encoder** handle) {
           return posenc_encoder_create(static_cast<const posenc_spec*>(a.spec), handle);
         };
         return Made<posenc_encoder>(a, make, &posenc_encoder_radians, &posenc_encoder_destroy);
       },
       &Create<false, false>,
       {0},
       {0},
       false,
       true},
      {"posenc_encoder_create_in",
       [](A a) {
         const auto make = [&](posenc_encoder** handle) {
           return posenc_encoder_create_in(static_cast<const posenc_spec*>(a.spec), a.data, a.bytes, handle);
         };
         return Made<posenc_encoder>(a, make, &posenc_encoder_radians, &posenc_encoder_destroy);
       },
       &Create<false, true>},
      {"posenc_rotary_create",
       [](A a) {
         const auto make = [&](posenc_rotary** handle) {
           return posenc_rotary_create(static_cast<const posenc_rotary_spec*>(a.spec), handle);
         };
         return Made<posenc_rotary>(a, make, &posenc_rotary_radians, &posenc_rotary_destroy);
       },
       &Create<true, false>,
       {0},
       {0},
       false,
       true},
      {"posenc_rotary_create_in",
       [](A a) {
         const auto make = [&](posenc_rotary** handle) {
           return posenc_rotary_create_in(static_cast<const posenc_rotary_spec*>(a.spec), a.data, a.bytes,
                                          handle);
         };
         return Made<posenc_rotary>(a, make, &posenc_rotary_radians, &posenc_rotary_destroy);
       },
       &Create<true, true>},
      {"posenc_encoder_memory_size",
       [](A a) {
         return posenc_encoder_memory_size(static_cast<const posenc_spec*>(a.spec),
                                           static_cast<std::size_t*>(a.data));
       },
       &MemorySize<false>},
      {"posenc_rotary_memory_size",
       [](A a) {
         return posenc_rotary_memory_size(static_cast<const posenc_rotary_spec*>(a.spec),
                                          static_cast<std::size_t*>(a.data));
       },
       &MemorySize<true>},
      POSENC_GETTER(posenc_encoder_dim),
      POSENC_GETTER(posenc_encoder_layout),
      POSENC_GETTER(posenc_encoder_target),
      POSENC_GETTER(posenc_encoder_frequency_count),
      POSENC_GETTER(posenc_encoder_radians),
      POSENC_GETTER(posenc_rotary_head_dim),
      POSENC_GETTER(posenc_rotary_target),
      POSENC_GETTER(posenc_rotary_frequency_count),
      POSENC_GETTER(posenc_rotary_amplitude),
      POSENC_GETTER(posenc_rotary_radians),
      POSENC_GETTER(posenc_spec_preset_rounding),
      POSENC_GETTER(posenc_status_message),
      POSENC_GETTER(posenc_version),
      {"posenc_encoder_destroy", [](A) { return posenc_encoder_destroy(nullptr), OK; }, [](Call&) {}},
      {"posenc_rotary_destroy", [](A) { return posenc_rotary_destroy(nullptr), OK; }, [](Call&) {}},
      {"posenc_spec_init", [](A a) { return posenc_spec_init(static_cast<posenc_spec*>(a.data), a.bytes); },
       &FillSpec<posenc_spec, false>},
      {"posenc_spec_preset",
       [](A a) { return posenc_spec_preset(static_cast<posenc_spec*>(a.data), a.bytes, a.name, 128); },
       &FillSpec<posenc_spec, true>},
      {"posenc_rotary_spec_init",
       [](A a) { return posenc_rotary_spec_init(static_cast<posenc_rotary_spec*>(a.data), a.bytes); },
       &FillSpec<posenc_rotary_spec, false>},
      {"posenc_rotary_spec_preset",
       [](A a) {
         return posenc_rotary_spec_preset(static_cast<posenc_rotary_spec*>(a.data), a.bytes, a.name, 128);
       },
       &FillSpec<posenc_rotary_spec, true>},
      {"posenc_spec_presets",
       [](A a) { return posenc_spec_presets(static_cast<posenc_preset*>(a.data), a.rows), OK; },
       &Items<posenc_preset>},
      {"posenc_rotary_presets",
       [](A a) { return posenc_rotary_presets(static_cast<posenc_preset*>(a.data), a.rows), OK; },
       &Items<posenc_preset>},
      {"posenc_targets", [](A a) { return posenc_targets(static_cast<posenc_target*>(a.data), a.rows), OK; },
       &Items<posenc_target>},
  };
  return functions;
}

// visit(call) for every function and all types that it takes; of lists and tables, if `sparse`, one type
// each.
template <class Visit>
void ForEachCall(const Setting& setting, const Visit& visit, bool sparse = false) {
  for (const Function& function : Functions()) {
    std::size_t next = setting.spec.dim / 2 + setting.rows;
    for (const posenc_type type : function.types) {
      Types lists = function.list_types, tables = {0};
      if (function.has_table) tables = type == POSENC_F32 ? rows_of::kSummands : Types{type};
      if (sparse) lists = {lists[++next % lists.size()]};
      if (sparse) tables = {tables[next % tables.size()]};
      for (const posenc_type list_type : lists) {
        for (const posenc_type table_type : tables) {
          Call call(function, setting, type, list_type, table_type);
          visit(call);
        }
      }
    }
  }
}

}  // namespace posenc

#endif  // POSENC_TESTS_CALLS_H_
