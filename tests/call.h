// One call of a C function, with everything that its arguments point to. Tests move its memory, spoil its
// arguments, and compare its results. Needs neither GoogleTest nor MPFR.
#ifndef POSENC_TESTS_CALL_H_
#define POSENC_TESTS_CALL_H_

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "number/elements.h"
#include "posenc/grid_c.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_angles_c.h"
#include "posenc/rotary_cache_c.h"
#include "posenc/rotary_norm_c.h"
#include "posenc/rotary_slots_c.h"
#include "refusal.h"
#include "spec/rows.h"

namespace posenc {

static_assert(internal::kAreAllEntries<POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64>,
              "SizeOfType, and Call::Add, which makes values, know no other type");
inline std::size_t SizeOfType(posenc_type type) {
  if (type == POSENC_BF16 || type == POSENC_F16) return 2;
  return type == POSENC_F64 || type == POSENC_I64 ? 8 : 4;
}

// What tests choose for calls: specs, sizes and positions. One set of handles serves many calls.
struct Setting {
  explicit Setting(const char* target = nullptr, std::size_t dim = 8, std::size_t the_rows = 3)
      : rows(the_rows) {
    static_cast<void>(posenc_spec_init(&spec, sizeof(spec)));
    spec.dim = dim;
    spec.target = target;
    static_cast<void>(posenc_rotary_spec_init(&rotary_spec, sizeof(rotary_spec)));
    rotary_spec.head_dim = dim % 2 == 0 ? dim : dim + 1;
    rotary_spec.target = target;
  }
  ~Setting() {
    posenc_encoder_destroy(encoder);
    posenc_rotary_destroy(rotary);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

  // The kinds of specs reach every path through the library. Encoders differ in layouts, frequencies, phases
  // and rows. Rotaries differ in arithmetic, pairings, axes, phases and norms. Caches differ in layouts.
  static constexpr int kKinds = 13;
  void SetKind(int kind) {
    static const float frequencies[] = {0x1p-126f, 0.1f, 5e8f, 0.0f};
    spec.layout = static_cast<posenc_layout>(kind % internal::EndOf(internal::Of::layout));
    from_source = kind % 2 == 1;
    has_slots = kind > 4 && from_source;
    has_factors = kind % 3 == 1;
    converts = kind == 7 || kind == 9 || kind == 11;
    has_norms = kind == 2 || kind == 5 || kind == 8 || kind == 10 || kind == 11;
    over_heads = kind == 5 || kind == 8;
    cache_layout = static_cast<posenc_cache_layout>(kind % internal::EndOf(internal::Of::cache_layout));
    rotary_spec.pairing = static_cast<posenc_pairing>(kind / 2 % 2);
    rotary_spec.arithmetic = static_cast<posenc_arithmetic>(kind / 4 % 2);
    switch (kind) {
      case 4:
        spec.phase_rounding = POSENC_F32_POW_DIV;
        break;
      case 5:  // tiny phases, subnormal as float16
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
        spec.unit = POSENC_HALF_TURNS;
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
        cache_layout = POSENC_CACHE_HALVES_TWICE;
        break;
      case 12:  // whole turns, which the scaling does not change; only 1,024 bits know the angles
        rotary_spec.arithmetic = POSENC_EXACT;
        MakeWholeTurns();
        first = 0;
        break;
      default:
        break;
    }
  }

  void MakeWholeTurns() {
    rotary_frequencies.assign(rotary_spec.head_dim / 2, 1.0);
    rotary_spec.frequencies = rotary_frequencies.data();
    rotary_spec.frequency_count = rotary_frequencies.size();
    rotary_spec.unit = POSENC_TURNS;
    rotary_spec.scaling = POSENC_LLAMA3;
    rotary_spec.factor = 8.0;
    rotary_spec.original_length = 8192.0;
  }

  // Call this after the specs are complete.
  bool Create() {
    return posenc_encoder_create(&spec, &encoder) == POSENC_OK &&
           posenc_rotary_create(&rotary_spec, &rotary) == POSENC_OK;
  }

  posenc_spec spec;
  posenc_rotary_spec rotary_spec;
  std::vector<double> rotary_frequencies;  // rotary_spec points to them
  std::size_t rows;                        // or tokens, or positions of an axis
  std::int64_t first = 1000;               // first position
  bool easy = false;                       // lists are consecutive positions, and none needs wide arithmetic
  bool from_source = false;                // rotations read a source, not in place
  bool has_slots = false;                  // with a source: the second tensor goes to slots of a paged cache
  bool has_factors = false;                // rotations multiply by factors of tokens
  bool has_norms = false;                  // rotations normalize, unless they use a cache
  bool over_heads = false;                 // the norm of the first tensor has a mean over all heads
  bool converts = false;                   // a source is float32, and the result has the type of the call
  posenc_cache_layout cache_layout = POSENC_CACHE_HALVES;
  posenc_type position_type = POSENC_F64;  // type of positions in a call that also takes ids
  posenc_encoder* encoder = nullptr;
  posenc_rotary* rotary = nullptr;
};

// The arguments of all functions. Each function takes some of them.
struct Arguments {
  const posenc_encoder* encoder;
  const posenc_rotary* rotary;
  posenc_type type, list_type, table_type, position_type;
  const void *list, *positions, *table;
  const void *rows_there, *list_there, *positions_there, *lookup_there, *batch_there;  // null: pass no struct
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
  posenc_slots slots;  // of the second tensor
  posenc_norm norms[2];
  posenc_cache cache;
  const posenc_cache* passed_cache;  // null: pass no cache
  std::size_t cache_rows;
  const posenc_angles* angles;
  std::int32_t normalization;
  double normalization_scale, normalization_offset;
  const void* spec;
  const char* name;
  std::size_t bytes;
};

// What the numbers in a buffer mean. It decides which numbers are bad, and what the call reports.
enum class Values { kEntries, kPositions, kIds, kFirstPositions, kRowIndices, kSlots, kFactors, kAny };

enum class Use { kRead, kWritten, kAdded, kScratch };  // kAdded is also read; kScratch has no results

using Types = std::vector<std::int32_t>;
inline constexpr posenc_type kByte{-8};        // for buffers without a posenc_type
inline constexpr posenc_kind kNoArgument{-1};  // a pointer that cannot be null

// Memory that an argument points to: elements [counts[0]][counts[1]][counts[2]]. Along the last dimension
// elements are contiguous.
struct Buffer {
  const char* name;
  void* pointer;  // the address of the argument, which is a pointer
  Use use;
  Values values;
  posenc_type type;
  std::size_t counts[3];
  std::size_t* strides[2];                           // stride arguments; null if there is none
  Refusal null = {POSENC_NULL, "must not be null"};  // what the call reports if the pointer is null
  bool are_heads = false;                            // [tokens, heads]: either stride may be larger
  std::size_t alignment = 1;
  std::size_t size = 0;                  // bytes of an element
  std::vector<unsigned char> content{};  // before the call, without gaps

  bool IsWritten() const { return use != Use::kRead; }
  std::size_t count() const { return counts[0] * counts[1] * counts[2]; }
  std::size_t extent() const {  // in bytes
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
  // Sets the strides so that the used elements have gaps of `gap` elements.
  void Spread(std::size_t gap, bool other_order = false) const {
    const bool swapped = are_heads && other_order;
    if (strides[1] != nullptr) *strides[1] = counts[2] + gap;
    if (strides[1] != nullptr && swapped) *strides[1] = counts[0] * (counts[2] + gap) + gap;
    if (strides[0] == nullptr) return;
    *strides[0] = counts[2] + gap;
    if (strides[1] != nullptr && !swapped) *strides[0] = counts[1] * *strides[1] + gap;
  }
  // For each used piece calls visit(its offset in the buffer, its offset without gaps, its size), in bytes.
  template <class Visit>
  void ForEachPiece(const Visit& visit) const {
    if (counts[2] == 0) return;
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

struct Choice {    // an argument with a few valid values
  void* argument;  // points to an enum or std::int32_t
  Types values;
  Refusal other;
};

struct Size {  // an argument that is limited by memory
  std::size_t* argument;
  Refusal too_large;
};

struct RunOfSteps {  // consecutive positions or rows
  std::int64_t* first;
  std::int64_t steps, least, most;
};

struct Function;

// One call of a function, with arguments that work.
struct Call {
  Call(const Function& the_function, const Setting& the_setting, std::int32_t type,
       std::int32_t the_list_type, std::int32_t table_type);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  posenc_status operator()();  // uses the memory that the pointers point to

  // Allocates memory for all buffers and fills it with their content.
  void Settle() {
    memory.resize(buffers.size());
    for (std::size_t k = 0; k < buffers.size(); ++k) {
      memory[k].assign((buffers[k].extent() + room) / sizeof(double), 0.0);
      auto* place = reinterpret_cast<unsigned char*>(memory[k].data());
      buffers[k].PointTo(place);
      buffers[k].Put(buffers[k].content, place);
    }
  }

  // The contents of all results, without gaps. Allocates at the first call only.
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
  const posenc_type list_type;  // from the list of functions; 0: arguments may have any type
  Arguments a{};
  std::vector<Buffer> buffers;
  std::vector<Choice> choices;
  std::vector<Size> sizes;
  std::vector<RunOfSteps> runs;
  std::vector<std::pair<void*, Refusal>> pointers;  // pointers that have no buffer
  std::size_t room = 2 * sizeof(double);            // bytes after each buffer
  std::vector<std::vector<double>> memory;
  std::vector<double> angle_memory;  // of a.angles
  std::vector<std::vector<unsigned char>> results;
};

struct Function {
  const char* name;
  void (*describe)(Call&);
  Types types, list_types;  // for the arguments of these names; {0} if there is no such argument
  posenc_status (*run)(Arguments&);

  bool Is(const char* part) const { return std::strstr(name, part) != nullptr; }
  bool HasTable() const { return Is("_embed"); }  // the table may have another type
  bool Allocates() const { return Is("_create") && !Is("_create_in"); }
};

inline Call::Call(const Function& the_function, const Setting& the_setting, std::int32_t type,
                  std::int32_t the_list_type, std::int32_t table_type)
    : function(the_function), setting(the_setting), list_type(static_cast<posenc_type>(the_list_type)) {
  buffers.reserve(16);  // so that references stay valid
  a.encoder = setting.encoder;
  a.rotary = setting.rotary;
  a.type = static_cast<posenc_type>(type);
  a.list_type = list_type;
  a.table_type = static_cast<posenc_type>(table_type);
  a.rows = setting.rows;
  a.rows_there = a.list_there = a.positions_there = a.lookup_there = a.batch_there = this;
  a.first = setting.first;
  a.scale = 0.3f;
  function.describe(*this);
  Settle();
}

inline posenc_status Call::operator()() { return function.run(a); }

// Adds a buffer without gaps, filled with values that are valid for it.
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
      static constexpr double kDoubles[] = {0.1, -1e9 - 0.3, 0x1p-1074, 0x1.000003p-126, 0x1p31, -0.0, 12.5};
      static constexpr float kFloats[] = {0.1f, -1e9f, 0x1p-149f, 0x1.000002p-126f, 0x1p31f, -0.0f, 12.5f};
      if (b.type == POSENC_F64) put(k, kDoubles[k % 7]);
      if (b.type == POSENC_F32) put(k, kFloats[k % 7]);
    } else if (b.values == Values::kFactors) {
      static constexpr float kFactors[] = {1.5f, 0x1.000002p-3f, 1.0f, 0x1.fffffep5f, 0.3f};
      put(k, kFactors[k % 5]);
    } else if (b.values == Values::kEntries) {
      // Numbers from 1/2 to 2, and subnormal ones. They are made from bits, because a program may flush
      // subnormal numbers to 0.
      random = random * 6364136223846793005u + 1442695040888963407u;
      const auto high = static_cast<std::uint32_t>(random >> 32);
      if (b.type == POSENC_F32) put(k, (high & 0x80FFFFFFu) | (k % 3 == 0 ? 0 : 0x3F000000u));
      if (b.type == POSENC_F64) put(k, std::ldexp(static_cast<double>(high), -30));
      if (b.type == POSENC_BF16)
        put(k, static_cast<std::uint16_t>(((high >> 16) & 0x80FF) | (k % 3 == 0 ? 0 : 0x3F00)));
      if (b.type == POSENC_F16)
        put(k, static_cast<std::uint16_t>(((high >> 16) & 0x83FF) | (k % 3 == 0 ? 0 : 0x3800)));
    } else if (b.values == Values::kIds || b.values == Values::kFirstPositions ||
               b.values == Values::kRowIndices || b.values == Values::kSlots) {
      // The second token has no slot.
      const auto value =
          b.values == Values::kSlots && k == 1
              ? -1
              : static_cast<std::int32_t>(b.values == Values::kRowIndices || b.values == Values::kSlots
                                              ? b.count() - 1 - k
                                              : (2 * k + 1) % 3);
      if (b.type == POSENC_I32) put(k, value);
      if (b.type == POSENC_I64) put(k, std::int64_t{value});
    }
  }
  return b;
}

}  // namespace posenc

#endif  // POSENC_TESTS_CALL_H_
