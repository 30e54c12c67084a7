// The rows of src/spec, so that JavaScript need not know where a compiler puts members, nor the values of
// words.
#include "wasm/module.h"

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

}  // namespace

const Member* web_spec_members() { return kSpec; }
const Member* web_rotary_spec_members() { return kRotarySpec; }
const Word* web_words() { return kWords; }
std::size_t web_spec_size() { return sizeof(posenc_spec); }
std::size_t web_rotary_spec_size() { return sizeof(posenc_rotary_spec); }
