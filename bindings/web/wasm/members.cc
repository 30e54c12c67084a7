// Tables for JavaScript: the members and words of src/spec, and the structs of calls, with offsets and values
// from the compiler.
#include "wasm/module.h"

#include <type_traits>

#include "posenc/grid_c.h"
#include "posenc/models_c.h"
#include "posenc/rotary_cache_c.h"
#include "spec/rules.h"

namespace {

using posenc::internal::Kind;

constexpr Member kSpec[] = {
#define POSENC_SPEC(kind, name, initial, of, must, help) \
  {#name, Kind::k##kind, offsetof(posenc_spec, name), #of},
#include "spec/members.inc"
    {nullptr, Kind::kPart, 0, nullptr}};

constexpr Member kRotarySpec[] = {
#define POSENC_ROTARY(kind, name, initial, of, must, help) \
  {#name, Kind::k##kind, offsetof(posenc_rotary_spec, name), #of},
#include "spec/members.inc"
    {nullptr, Kind::kPart, 0, nullptr}};

// The names of the kinds that rules have, by number, without "POSENC_"; null after the last.
struct Kinds {
  const char* names[17] = {"OK"};  // a status has room for 16
};
constexpr Kinds MakeKinds() {
  Kinds kinds;
#define POSENC_RULE(name, kind, sentence) kinds.names[kind] = &(#kind)[sizeof("POSENC_") - 1];
#include "spec/rules.inc"
  return kinds;
}
constexpr Kinds kKinds = MakeKinds();

constexpr Word kWords[] = {
#define POSENC_VALUE(of, constant, word) {#of, constant, word},
#include "spec/values.inc"
    {"config_kind", POSENC_CONFIG_NUMBER, "number"},
    {"config_kind", POSENC_CONFIG_FLAG, "flag"},
    {"config_kind", POSENC_CONFIG_STRING, "string"},
    {"config_kind", POSENC_CONFIG_NUMBERS, "numbers"},
    {"config_kind", POSENC_CONFIG_NULL, "null"},
    {"config_kind", POSENC_CONFIG_FLAGS, "flags"},
    {nullptr, 0, nullptr}};

template <class T>
constexpr FieldKind KindOf() {
  if (std::is_array<T>::value) return FieldKind::kText;
  if (std::is_same<T, double>::value) return FieldKind::kReal;
  static_assert(std::is_array<T>::value || sizeof(T) == 4 || sizeof(T) == 8, "a field's kind");
  return sizeof(T) == 8 ? FieldKind::kInteger : FieldKind::kWord;
}

#define POSENC_STRUCT(of) \
  { #of, "", FieldKind::kWord, sizeof(posenc_##of) }
#define POSENC_FIELD(of, name) \
  { #of, #name, KindOf < decltype(posenc_##of::name)>(), offsetof(posenc_##of, name) }

constexpr Field kFields[] = {POSENC_STRUCT(rows),
                             POSENC_FIELD(rows, type),
                             POSENC_FIELD(rows, data),
                             POSENC_FIELD(rows, stride),

                             POSENC_STRUCT(list),
                             POSENC_FIELD(list, type),
                             POSENC_FIELD(list, data),

                             POSENC_STRUCT(lookup),
                             POSENC_FIELD(lookup, ids.type),
                             POSENC_FIELD(lookup, ids.data),
                             POSENC_FIELD(lookup, type),
                             POSENC_FIELD(lookup, table),
                             POSENC_FIELD(lookup, vocabulary),
                             POSENC_FIELD(lookup, stride),

                             POSENC_STRUCT(batch),
                             POSENC_FIELD(batch, sequences),
                             POSENC_FIELD(batch, stride),
                             POSENC_FIELD(batch, first_positions.type),
                             POSENC_FIELD(batch, first_positions.data),

                             POSENC_STRUCT(heads),
                             POSENC_FIELD(heads, type),
                             POSENC_FIELD(heads, source_type),
                             POSENC_FIELD(heads, data),
                             POSENC_FIELD(heads, heads),
                             POSENC_FIELD(heads, token_stride),
                             POSENC_FIELD(heads, head_stride),
                             POSENC_FIELD(heads, source),
                             POSENC_FIELD(heads, scale),
                             POSENC_FIELD(heads, inverse),
                             POSENC_FIELD(heads, token_factors),

                             POSENC_STRUCT(cache),
                             POSENC_FIELD(cache, layout),
                             POSENC_FIELD(cache, type),
                             POSENC_FIELD(cache, cos),
                             POSENC_FIELD(cache, sin),
                             POSENC_FIELD(cache, row_stride),

                             POSENC_STRUCT(grid_axis),
                             POSENC_FIELD(grid_axis, encoder),
                             POSENC_FIELD(grid_axis, column),
                             POSENC_FIELD(grid_axis, count),
                             POSENC_FIELD(grid_axis, positions.type),
                             POSENC_FIELD(grid_axis, positions.data),
                             POSENC_FIELD(grid_axis, first_position),

                             POSENC_STRUCT(target),
                             POSENC_FIELD(target, name),
                             POSENC_FIELD(target, runnable),
                             POSENC_FIELD(target, best),

                             POSENC_STRUCT(preset),
                             POSENC_FIELD(preset, name),
                             POSENC_FIELD(preset, formula),
                             POSENC_FIELD(preset, source),

                             POSENC_STRUCT(config_entry),
                             POSENC_FIELD(config_entry, key),
                             POSENC_FIELD(config_entry, kind),
                             POSENC_FIELD(config_entry, number),
                             POSENC_FIELD(config_entry, string),
                             POSENC_FIELD(config_entry, numbers),
                             POSENC_FIELD(config_entry, count),

                             POSENC_STRUCT(config),
                             POSENC_FIELD(config, entries),
                             POSENC_FIELD(config, count),
                             POSENC_FIELD(config, layer),
                             POSENC_FIELD(config, layer_type),
                             POSENC_FIELD(config, model_type),
                             POSENC_FIELD(config, pairing),
                             POSENC_FIELD(config, read),

                             POSENC_STRUCT(model_report),
                             POSENC_FIELD(model_report, key),
                             POSENC_FIELD(model_report, index),
                             POSENC_FIELD(model_report, text),

                             {nullptr, nullptr, FieldKind::kWord, 0}};

}  // namespace

const Member* web_spec_members() { return kSpec; }
const Member* web_rotary_spec_members() { return kRotarySpec; }
const Word* web_words() { return kWords; }
const char* const* web_kinds() { return kKinds.names; }
const Field* web_fields() { return kFields; }
std::size_t web_spec_size() { return sizeof(posenc_spec); }
std::size_t web_rotary_spec_size() { return sizeof(posenc_rotary_spec); }
