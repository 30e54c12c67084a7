// The rows of src/spec, so that JavaScript need not know where a compiler puts members, nor the values of
// words.
#include "wasm/module.h"

#include "posenc/models_c.h"

namespace {

using posenc::internal::Kind;

constexpr Member kSpec[] = {
#define POSENC_SPEC(kind, name, initial, of, help) {#name, Kind::k##kind, offsetof(posenc_spec, name), #of},
#include "spec/members.inc"
    {nullptr, Kind::kPart, 0, nullptr}};

constexpr Member kRotarySpec[] = {
#define POSENC_ROTARY(kind, name, initial, of, help) \
  {#name, Kind::k##kind, offsetof(posenc_rotary_spec, name), #of},
#include "spec/members.inc"
    {nullptr, Kind::kPart, 0, nullptr}};

constexpr Word kWords[] = {
#define POSENC_VALUE(of, constant, word) {#of, constant, word},
#include "spec/values.inc"
    {nullptr, 0, nullptr}};

// What package/index.js writes and reads by numbers.
template <std::size_t kWanted, std::size_t kIs>
constexpr bool IsAt() {
  static_assert(kWanted == kIs, "ENTRY, CONFIG or REPORT of package/index.js");
  return true;
}
using Entry = posenc_config_entry;
using Config = posenc_config;
using Report = posenc_config_report;
static_assert(IsAt<0, offsetof(Entry, key)>() && IsAt<4, offsetof(Entry, kind)>() &&
              IsAt<8, offsetof(Entry, number)>() && IsAt<16, offsetof(Entry, string)>() &&
              IsAt<20, offsetof(Entry, numbers)>() && IsAt<24, offsetof(Entry, count)>() &&
              IsAt<32, sizeof(Entry)>());
static_assert(IsAt<0, offsetof(Config, entries)>() && IsAt<4, offsetof(Config, count)>() &&
              IsAt<8, offsetof(Config, layer)>() && IsAt<16, offsetof(Config, layer_type)>() &&
              IsAt<20, offsetof(Config, model_type)>() && IsAt<24, offsetof(Config, pairing)>() &&
              IsAt<28, offsetof(Config, read)>() && IsAt<32, sizeof(Config)>());
static_assert(IsAt<0, offsetof(Report, key)>() && IsAt<144, offsetof(Report, text)>() &&
              IsAt<656, sizeof(Report)>());

}  // namespace

const Member* web_spec_members() { return kSpec; }
const Member* web_rotary_spec_members() { return kRotarySpec; }
const Word* web_words() { return kWords; }
std::size_t web_spec_size() { return sizeof(posenc_spec); }
std::size_t web_rotary_spec_size() { return sizeof(posenc_rotary_spec); }
