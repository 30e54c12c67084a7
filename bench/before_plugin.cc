// The plugin of this tree: implements before_plugin.h with this tree's posenc, for posenc_bench --before.
#include "before_plugin.h"

#include <cstddef>
#include <cstdint>

#include "posenc/grid_c.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_cache_c.h"

namespace {

constexpr std::size_t kMaxTensors = 2, kMaxAxes = 3;
constexpr std::int32_t kNotTaken = -1;  // a status that the plugin itself returns

// Turns a number of before_plugin.h into the library's value. Those numbers begin at 1. For an unknown number
// this returns -1, which the library refuses.
template <class Value, std::size_t kCount>
Value ValueOf(std::int32_t number, const Value (&values)[kCount]) {
  const auto index = static_cast<std::uint32_t>(number) - 1;
  return index < kCount ? values[index] : static_cast<Value>(-1);
}

posenc_type TypeOf(std::int32_t number) {
  constexpr posenc_type kTypes[] = {POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64, POSENC_I32, POSENC_I64};
  return ValueOf(number, kTypes);
}

const char* Target(std::uint64_t index) {
  static posenc_target all[POSENC_MAX_TARGETS];
  static const std::size_t count = posenc_targets(all, POSENC_MAX_TARGETS);
  for (std::size_t i = 0; i < count; ++i) {
    if (all[i].runnable != 0 && index-- == 0) return all[i].name;
  }
  return nullptr;
}

const char* Message(std::int32_t status) {
  return status == kNotTaken ? "the plugin takes one or two tensors of one type, and up to three axes"
                             : posenc_status_message(static_cast<posenc_status>(status));
}

const posenc_encoder* EncoderOf(const void* encoder) { return static_cast<const posenc_encoder*>(encoder); }
const posenc_rotary* RotaryOf(const void* rotary) { return static_cast<const posenc_rotary*>(rotary); }

posenc_rows RowsOf(const before_rows& rows) { return {TypeOf(rows.type), rows.data, rows.stride}; }
posenc_list ListOf(const before_list& list) { return {TypeOf(list.type), list.data}; }

std::int32_t CreateEncoder(const before_encoder_spec* from, void** encoder) {
  constexpr posenc_layout kLayouts[] = {POSENC_INTERLEAVED, POSENC_SIN_COS, POSENC_COS_SIN};
  constexpr posenc_unit kUnits[] = {POSENC_RADIANS, POSENC_TURNS};
  constexpr posenc_phase_rounding kRoundings[] = {POSENC_NO_PHASE_ROUNDING, POSENC_F32_LOG_DIV};
  posenc_spec spec;
  posenc_status status = posenc_spec_init(&spec, sizeof(spec));
  spec.dim = from->dim;
  spec.base = from->base;
  spec.exponent_dim = from->exponent_dim;
  spec.layout = ValueOf(from->layout, kLayouts);
  spec.unit = ValueOf(from->unit, kUnits);
  spec.phase_rounding = ValueOf(from->phase_rounding, kRoundings);
  spec.lists_only = from->lists_only;
  spec.table_rows = from->table_rows;
  spec.target = from->target;
  posenc_encoder* created = nullptr;
  if (status == POSENC_OK) status = posenc_encoder_create(&spec, &created);
  *encoder = created;
  return status;
}

void DestroyEncoder(void* encoder) { posenc_encoder_destroy(static_cast<posenc_encoder*>(encoder)); }

std::int32_t Write(const void* encoder, std::int64_t first, std::uint64_t count, const before_rows* to) {
  const posenc_rows out = RowsOf(*to);
  return posenc_write(EncoderOf(encoder), first, count, &out);
}

std::int32_t WriteAt(const void* encoder, const before_list* at, std::uint64_t count, const before_rows* to) {
  const posenc_list positions = ListOf(*at);
  const posenc_rows out = RowsOf(*to);
  return posenc_write_at(EncoderOf(encoder), &positions, count, &out, nullptr);
}

std::int32_t Add(const void* encoder, std::int64_t first, std::uint64_t count, const before_rows* to,
                 float scale) {
  const posenc_rows x = RowsOf(*to);
  return posenc_add(EncoderOf(encoder), first, count, &x, scale);
}

std::int32_t AddAt(const void* encoder, const before_list* at, std::uint64_t count, const before_rows* to,
                   float scale) {
  const posenc_list positions = ListOf(*at);
  const posenc_rows x = RowsOf(*to);
  return posenc_add_at(EncoderOf(encoder), &positions, count, &x, scale, nullptr);
}

std::int32_t AddBatch(const void* encoder, const std::int64_t* first_positions, std::uint64_t sequences,
                      std::uint64_t count, const before_rows* to, std::uint64_t stride, float scale) {
  const posenc_batch batch = {sequences, stride, {POSENC_I64, first_positions}};
  const posenc_rows x = RowsOf(*to);
  return posenc_add_batch(EncoderOf(encoder), &batch, 0, count, &x, scale, nullptr);
}

posenc_lookup LookupOf(const before_lookup& lookup, posenc_type type) {
  return {{POSENC_I32, lookup.ids}, type, lookup.table, lookup.vocabulary, lookup.stride};
}

std::int32_t Embed(const void* encoder, const before_lookup* from, std::int64_t first, std::uint64_t count,
                   const before_rows* to) {
  const posenc_rows out = RowsOf(*to);
  const posenc_lookup lookup = LookupOf(*from, out.type);
  return posenc_embed(EncoderOf(encoder), &lookup, first, count, &out, 1.0f, nullptr);
}

std::int32_t EmbedAt(const void* encoder, const before_lookup* from, const before_list* at,
                     std::uint64_t count, const before_rows* to) {
  const posenc_rows out = RowsOf(*to);
  const posenc_lookup lookup = LookupOf(*from, out.type);
  const posenc_list positions = ListOf(*at);
  return posenc_embed_at(EncoderOf(encoder), &lookup, &positions, count, &out, 1.0f, nullptr);
}

// Fills axes [count]. Returns false if there are too many axes.
bool AxesOf(const before_axis* from, std::uint64_t count, posenc_grid_axis (&axes)[kMaxAxes]) {
  if (count > kMaxAxes) return false;
  for (std::size_t a = 0; a < count; ++a) {
    axes[a] = {};
    axes[a].encoder = EncoderOf(from[a].encoder);
    axes[a].column = from[a].column;
    axes[a].count = from[a].count;
  }
  return true;
}

std::int32_t WriteGrid(const before_axis* from, std::uint64_t count, const before_rows* out) {
  posenc_grid_axis axes[kMaxAxes];
  if (!AxesOf(from, count, axes)) return kNotTaken;
  const posenc_rows rows = RowsOf(*out);
  return posenc_write_grid(axes, count, 0, &rows, nullptr, nullptr);
}

std::int32_t AddGrid(const before_axis* from, std::uint64_t count, const before_rows* x, float scale) {
  posenc_grid_axis axes[kMaxAxes];
  if (!AxesOf(from, count, axes)) return kNotTaken;
  const posenc_rows rows = RowsOf(*x);
  return posenc_add_grid(axes, count, 0, &rows, scale, nullptr, nullptr);
}

std::int32_t CreateRotary(const before_rotary_spec* from, void** rotary) {
  constexpr posenc_pairing kPairings[] = {POSENC_HALF_SPLIT, POSENC_NEIGHBOURS};
  constexpr posenc_arithmetic kArithmetics[] = {POSENC_EXACT, POSENC_FAST};
  constexpr posenc_scaling kScalings[] = {POSENC_NO_SCALING, POSENC_LLAMA3};
  posenc_rotary_spec spec;
  posenc_status status = posenc_rotary_spec_init(&spec, sizeof(spec));
  spec.head_dim = from->head_dim;
  spec.base = from->base;
  spec.pairing = ValueOf(from->pairing, kPairings);
  spec.arithmetic = ValueOf(from->arithmetic, kArithmetics);
  spec.scaling = ValueOf(from->scaling, kScalings);
  spec.factor = from->factor;
  spec.original_length = from->original_length;
  spec.target = from->target;
  posenc_rotary* created = nullptr;
  if (status == POSENC_OK) status = posenc_rotary_create(&spec, &created);
  *rotary = created;
  return status;
}

void DestroyRotary(void* rotary) { posenc_rotary_destroy(static_cast<posenc_rotary*>(rotary)); }

// Fills tensors [count]. Returns false if there are too many tensors, or if they have several types.
bool TensorsOf(const before_heads* from, std::uint64_t count, posenc_heads (&tensors)[kMaxTensors]) {
  if (count == 0 || count > kMaxTensors) return false;
  for (std::size_t t = 0; t < count; ++t) {
    if (from[t].type != from[0].type) return false;
    tensors[t] = {};
    tensors[t].type = TypeOf(from[t].type);
    tensors[t].data = from[t].data;
    tensors[t].source = from[t].source;
    tensors[t].heads = from[t].heads;
    tensors[t].token_stride = from[t].token_stride;
    tensors[t].head_stride = from[t].head_stride;
  }
  return true;
}

std::int32_t Rotate(const void* rotary, std::int64_t first, std::uint64_t tokens, const before_heads* from,
                    std::uint64_t count) {
  posenc_heads tensors[kMaxTensors];
  if (!TensorsOf(from, count, tensors)) return kNotTaken;
  return posenc_rotate(RotaryOf(rotary), first, tokens, tensors, count);
}

std::int32_t RotateAt(const void* rotary, const before_list* at, std::uint64_t tokens,
                      const before_heads* from, std::uint64_t count) {
  posenc_heads tensors[kMaxTensors];
  if (!TensorsOf(from, count, tensors)) return kNotTaken;
  const posenc_list positions = ListOf(*at);
  return posenc_rotate_at(RotaryOf(rotary), &positions, tokens, tensors, count, nullptr);
}

posenc_cache CacheOf(const before_cache& from) {
  constexpr posenc_cache_layout kLayouts[] = {POSENC_CACHE_COS_SIN, POSENC_CACHE_DUPLICATED,
                                              POSENC_CACHE_PAIRS};
  posenc_cache cache = {};
  cache.layout = ValueOf(from.layout, kLayouts);
  cache.type = TypeOf(from.type);
  cache.cos = from.cos;
  cache.sin = from.sin;
  cache.row_stride = from.stride;
  return cache;
}

std::int32_t WriteCache(const void* rotary, std::int64_t first, std::uint64_t tokens,
                        const before_cache* from) {
  const posenc_cache cache = CacheOf(*from);
  return posenc_write_cache(RotaryOf(rotary), first, tokens, &cache);
}

std::int32_t RotateCached(const void* rotary, const before_cache* from, std::uint64_t tokens,
                          const before_heads* heads, std::uint64_t count) {
  const posenc_cache written = CacheOf(*from);
  const posenc_const_cache cache = {written.layout, written.type,       written.cos,
                                    written.sin,    written.row_stride, tokens};
  posenc_heads tensors[kMaxTensors];
  if (!TensorsOf(heads, count, tensors)) return kNotTaken;
  return posenc_rotate_cached(RotaryOf(rotary), &cache, 0, tokens, tensors, count);
}

constexpr before_plugin kPlugin = {
    BEFORE_VERSION,
#ifdef __clang__
    "clang " __clang_version__,
#elif defined(__GNUC__)
    "g++ " __VERSION__,
#else
    "unknown",
#endif
    Target,
    Message,  //
    CreateEncoder,
    DestroyEncoder,
    Write,
    WriteAt,
    Add,
    AddAt,
    AddBatch,
    Embed,
    EmbedAt,
    WriteGrid,
    AddGrid,  //
    CreateRotary,
    DestroyRotary,
    Rotate,
    RotateAt,
    WriteCache,
    RotateCached,
};

}  // namespace

#ifdef _WIN32
#define BEFORE_EXPORT __declspec(dllexport)
#else
#define BEFORE_EXPORT __attribute__((visibility("default")))
#endif
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" BEFORE_EXPORT const before_plugin* posenc_before_plugin(void);
// NOLINTNEXTLINE(readability-identifier-naming)
const before_plugin* posenc_before_plugin(void) { return &kPlugin; }
