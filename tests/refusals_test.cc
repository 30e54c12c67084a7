// Every rule of the library (spec/rules.inc) refuses a call, by its own row, with a sentence that names what
// is wrong, and the nearest right call works. A refused call writes nothing. The calls come from three
// places:
//
//   members.inc    for each member, the values that its `must` column forbids, and the nearest that it allows
//   calls.h        for each function, arguments that are null, of a wrong type, too small, too large, out of
//                  range or overlapping
//   refusals.inc   all other values
//
// The program runs with the functions of the core, and with the functions of models (models/CMakeLists.txt).
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "argument_words.h"
#include "calls.h"
#include "per_target.h"
#include "spec_words.h"

namespace posenc {
namespace {

constexpr std::size_t kMaxSize = std::numeric_limits<std::size_t>::max();
constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int32_t kMinInt = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMaxInt = std::numeric_limits<std::int32_t>::max();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kUntold = 4711;
constexpr int kKindWithSlots = 9, kKindWithNorms = 2;  // of Setting

// Where a call says that the mistake is.
struct Told {
  std::size_t index = kUntold, axis = kUntold;
};

std::set<posenc_status>& BrokenRules() {
  static std::set<posenc_status> rules;
  return rules;
}

// Expects that the call reports `want`, and where the mistake is if it is asked. Unless `want` is POSENC_OK,
// its memory must not change.
posenc_status Expect(const Refusal& want, Call& call, const Told& where = {}) {
  const auto before = call.memory;
  posenc_status status = POSENC_OK;
  for (const bool is_told : {false, true}) {
    Told told;
    call.a.bad_index = is_told ? &told.index : nullptr;
    call.a.bad_axis = is_told ? &told.axis : nullptr;
    status = call();
    EXPECT_EQ(status, want) << call.function.name << ": " << NameOf(status);
    if (status == want) BrokenRules().insert(status);
    EXPECT_EQ(told.index, is_told ? where.index : kUntold) << call.function.name;
    EXPECT_EQ(told.axis, is_told ? where.axis : kUntold) << call.function.name;
    if (want.IsOk()) continue;
    for (std::size_t k = 0; k < before.size(); ++k)
      EXPECT_TRUE(SameBits(call.memory[k], before[k])) << call.function.name << " has written: " << want;
  }
  call.a.bad_index = call.a.bad_axis = nullptr;
  if (want.IsOk()) call.Settle();
  return status;
}

// The same after an argument got another value. The sentence must name the argument.
template <class T>
void ExpectWith(void* argument, T value, const Refusal& want, Call& call, const Told& where = {}) {
  T before;
  std::memcpy(&before, argument, sizeof(before));
  std::memcpy(argument, &value, sizeof(value));
  SCOPED_TRACE(testing::Message() << "types " << call.a.type << ", " << call.a.list_type << ", "
                                  << call.a.table_type << ", argument " << value << " for " << before);
  const std::string sentence = posenc_status_message(Expect(want, call, where));
  const ArgumentWords arguments(&call);
  const Argument* const known = arguments.Find(argument);
  ASSERT_NE(known, nullptr);
  EXPECT_TRUE(want.IsOk() || Names(sentence, known->says)) << known->name << ": " << sentence;
  std::memcpy(argument, &before, sizeof(before));
}

bool IsOfAngles(const Function& function) { return function.Is("_angles"); }
// Whether the function takes a spec.
bool Creates(const Function& function) {
  return function.Is("_create") || (function.Is("_memory_size") && !IsOfAngles(function));
}
bool IsOfRotaries(const Function& function) {
  return function.Is("_rotary") || function.Is("_rotate") || function.Is("_cache") || IsOfAngles(function);
}

// --- members.inc ---

template <class T>
struct MemberValues {
  std::vector<T> forbidden, allowed;
};

#define POSENC_VALUES_any Flags()
#define POSENC_VALUES_positive \
  Reals({0.0, -0.0, -1.0, -0x1p-1074, -1e4, kNaN, HUGE_VAL, -HUGE_VAL}, {0x1p-1074, DBL_MAX})
#define POSENC_VALUES_finite Reals({kNaN, -kNaN, HUGE_VAL, -HUGE_VAL}, {0.0, -0.0, -DBL_MAX, DBL_MAX})
#define POSENC_VALUES_exponent                                                                             \
  Reals({kNaN, -kNaN, HUGE_VAL, -HUGE_VAL, 0x1.0000000000001p128, -0x1.0000000000001p128, 1e300, DBL_MAX}, \
        {0.0, -0.0, 0x1p128, -0x1p128})
#define POSENC_VALUES_not_nan Reals({kNaN, -kNaN}, {0.0, -1.0, HUGE_VAL, -HUGE_VAL, 1e-310})
#define POSENC_VALUES_gain                                                                               \
  Reals({-1.0, -0x1p-64, 0x1.fffffffffffffp-65, 0x0.fffffp-64, 0x1.0000000000001p64, 0x1.00001p64, kNaN, \
         HUGE_VAL, -HUGE_VAL, 5e-324},                                                                   \
        {0.0, -0.0, 0x1p-64, 1.0, 0x1p64})
#define POSENC_VALUES_position Positions()
#define POSENC_VALUES_flag Flags()
#define POSENC_VALUES_range(least, most) Range(least, most)
#define POSENC_VALUES_even(most) Even(most)
#define POSENC_VALUES_value(of) Choices(internal::EndOf(internal::Of::of))
#define POSENC_VALUES_pairing Choices(2)

MemberValues<double> Reals(std::vector<double> forbidden, std::vector<double> allowed) {
  return {std::move(forbidden), std::move(allowed)};
}
MemberValues<std::int64_t> Positions() {
  constexpr std::int64_t kMost = POSENC_MAX_POSITION;
  return {{-kMost - 1, kMost + 1, kMinInt64, kMaxInt64}, {-kMost, kMost}};
}
MemberValues<std::int32_t> Flags() { return {{2, -1, 3, 256, 257, 65536, kMinInt, kMaxInt}, {0, 1}}; }
MemberValues<std::size_t> Range(std::size_t least, std::size_t most) {
  return {{least - 1, most + 1, kMaxSize}, {least, most}};
}
MemberValues<std::size_t> Even(std::size_t most) {
  return {{1, 3, most - 1, most + 1, most + 2, kMaxSize, kMaxSize - 1}, {0, 2, most}};
}
MemberValues<std::int32_t> Choices(std::int32_t end) {
  MemberValues<std::int32_t> values{{-1, end, std::max(end, 11), 100, 255, 256, 257, 65536, kMinInt, kMaxInt},
                                    {}};
  for (std::int32_t value = 0; value < end; ++value) values.allowed.push_back(value);
  return values;
}

// Expects that creation refuses a spec, or with `allowed` that it has no objection to the member.
template <class S>
void ExpectOfSpec(const S& spec, posenc_status broken, bool allowed) {
  constexpr bool kIsRotary = std::is_same_v<S, posenc_rotary_spec>;
  Setting setting;
  if constexpr (kIsRotary) setting.rotary_spec = spec;
  if constexpr (!kIsRotary) setting.spec = spec;
  for (const Function& function : Functions()) {
    if (!Creates(function) || IsOfRotaries(function) != kIsRotary) continue;
    if (allowed && !function.Is("_memory_size")) continue;
    Call call(function, setting, 0, 0, 0);
    if (allowed) {
      EXPECT_NE(call(), broken) << NameOf(broken);
    } else {
      Expect(broken, call);
    }
  }
}

template <class S, class M, class T>
void TryMember(const S& good, posenc_status broken, const char* name, M S::*member,
               const MemberValues<T>& values) {
  const std::string sentence = posenc_status_message(broken);
  EXPECT_EQ(sentence.rfind(std::string(name) + " must be ", 0), 0u) << sentence;
  for (const bool allowed : {false, true}) {
    for (const T value : allowed ? values.allowed : values.forbidden) {
      SCOPED_TRACE(testing::Message() << name << "=" << value);
      S spec = good;
      spec.*member = static_cast<M>(value);
      ExpectOfSpec(spec, broken, allowed);
    }
  }
}

#define POSENC_TAKE_MEMBER(name, S, member, values) TryMember(good, rule::name, #member, &S::member, values);
#define POSENC_SKIP_MEMBER(name, S, member, values)
#define POSENC_MEMBER(must, name, S, member, values) POSENC_MEMBER_OF(must, name, S, member, values)
#define POSENC_MEMBER_OF(use, end, check, name, S, member, values) \
  POSENC_##use##_MEMBER(name, S, member, values)

void TryMembers(const posenc_spec& good) {
#define POSENC_SPEC(kind, name, initial, of, must, help) \
  POSENC_MEMBER(POSENC_MUST_##must, spec_##name, posenc_spec, name, POSENC_VALUES_##must)
#include "spec/members.inc"
}
void TryMembers(const posenc_rotary_spec& good) {
#define POSENC_ROTARY(kind, name, initial, of, must, help) \
  POSENC_MEMBER(POSENC_MUST_##must, rotary_##name, posenc_rotary_spec, name, POSENC_VALUES_##must)
#include "spec/members.inc"
}

// In every good spec, because other checks must not come first.
void TryAllMembers() {
  for (const char* good : {"dim=8", "dim=8 phase_rounding=f32_pow_div", "dim=8 frequencies=1:1:1:1",
                           "dim=1 input_first=1 has_padding=1"}) {
    SCOPED_TRACE(good);
    TryMembers(EncoderSpec(good));
  }
  for (const char* good :
       {"head_dim=128", "head_dim=20 axis_order=axial axes=3 sections=3:5:2",
        "head_dim=64 phase_rounding=f32_exp",
        "head_dim=128 scaling=yarn original_length=4096 factor=4 amplitude=1",
        "head_dim=6 frequencies_f32=1:2:3", "head_dim=128 scaling=llama3 original_length=8192 factor=8",
        "head_dim=128 scaling=proportional",
        "head_dim=8 scaling=longrope factor=32 length=5000 original_length=4096 factors=1:1.5:2:4 "
        "long_factors=1:2:4:8 amplitude=1.5"}) {
    SCOPED_TRACE(good);
    TryMembers(RotarySpecOf(good));
  }
}

// --- refusals.inc ---

bool IsNamed(const Function& function, const std::string& names) {
  for (const std::string& name : Split(names)) {
    const std::string full = "posenc_" + name.substr(0, name.find('*'));
    if (full == function.name || (name.back() == '*' && function.Is(full.c_str()))) return true;
  }
  return false;
}

// Text in which each `from` is replaced.
std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// The name of the argument or member that a word sets.
std::string NameIn(const std::string& word) { return word.substr(0, word.find('=')); }

// What a row and a change set: members of a spec, and arguments.
struct Words {
  std::string members;
  std::vector<std::pair<std::string, std::string>> arguments;
  std::string says;  // how sentences call all of them
};

Words WordsIn(const std::string& text) {
  Arguments none{};
  const std::vector<Argument> known = ArgumentsOf(none);
  Words words;
  for (const std::string& word : Split(text)) {
    for (const char* index : {"[0]", "[1]"}) {
      const std::string name = Replaced(NameIn(word), "[*]", index);
      const auto argument =
          std::find_if(known.begin(), known.end(), [&](const Argument& each) { return each.name == name; });
      if (argument != known.end()) {
        words.arguments.emplace_back(name, word.substr(word.find('=') + 1));
        words.says.append("|").append(argument->says);
      } else {
        words.members.append(Replaced(word, "max", kMaxSizeText)).append(" ");
        const std::string base = Replaced(Replaced(name, "_f32", ""), "+", "");
        words.says.append("|").append(base);
        for (const internal::Member& member : internal::kRotaryMembers) {
          if (member.kind == internal::Kind::kList && base == member.name)
            words.says.append("|").append(member.of);  // the list's count
        }
      }
      if (name == NameIn(word)) break;  // else the word sets the argument with index 1, too
    }
  }
  return words;
}

// Makes the calls of a row after a change.
void Change(const RefusalRow& row, const std::string& change, const Refusal& want) {
  if (change.find("[?]") != std::string::npos) {
    for (const char* index : {"[0]", "[1]"}) Change(row, Replaced(change, "[?]", index), want);
    return;
  }
  SCOPED_TRACE(std::string(row.calls) + ": " + row.good + ", " + change);
  const Words words = WordsIn(std::string(row.good) + " " + change);
  EXPECT_TRUE(want.IsOk() || Names(want.words, words.says)) << "does not name what is wrong: " << want.words;
  Told where;
  for (const std::string& word : Split(want.IsOk() ? "" : row.told)) {
    if (NameIn(word) == "index") where.index = SizeIn(word.substr(6));
    if (NameIn(word) == "axis") where.axis = SizeIn(word.substr(5));
  }
  std::size_t made = 0;
  for (const Function& function : Functions()) {
    if (!IsNamed(function, row.calls)) continue;
    const bool is_sized = std::string(row.told) == "sized" && function.Is("_memory_size");
    std::vector<int> kinds = {0, 1, 2, 3};
    if (Creates(function)) kinds = {0};
    const std::string text = std::string(row.good) + change;
    if (text.find("slots") != std::string::npos) kinds = {kKindWithSlots};
    if (text.find("norms[") != std::string::npos) kinds = {kKindWithNorms};
    for (const int kind : kinds) {
      Setting setting(nullptr, 8, 3);
      if (!Creates(function)) setting.SetKind(kind);
      if (IsOfRotaries(function)) setting.rotary_spec = With(setting.rotary_spec, words.members);
      if (!IsOfRotaries(function)) setting.spec = With(setting.spec, words.members);
      ASSERT_TRUE(Creates(function) || setting.Create());
      ForEachCallOf(function, setting, [&](Call& call) {
        call.room = 4096;
        call.Settle();
        ArgumentWords arguments(&call);
        for (const auto& [name, value] : words.arguments) arguments.Set(*arguments.Find(name), value);
        Expect(is_sized ? Refusal(POSENC_OK) : want, call, where);
        ++made;
      });
    }
  }
  EXPECT_NE(made, 0u) << "there is no such function";
}

// The changes in a text. Semicolons separate changes, and each value of a word with bars makes its own ones.
std::vector<std::string> ChangesOf(const std::string& text) {
  std::vector<std::string> changes;
  for (const std::string& change : Split(text, ';')) {
    std::vector<std::string> made = {""};
    for (const std::string& word : Split(change)) {
      std::vector<std::string> longer, values = Split(word.substr(word.find('=') + 1), '|');
      if (values.empty()) values.emplace_back();
      for (const std::string& begin : made) {
        for (const std::string& value : values) longer.push_back(begin + NameIn(word) + "=" + value + " ");
      }
      made = longer;
    }
    changes.insert(changes.end(), made.begin(), made.end());
  }
  return changes;
}

void TryRow(const RefusalRow& row) {
  if (std::string(row.calls).find("_create") != std::string::npos && *row.good != '\0')
    Change(row, "", POSENC_OK);
  for (const std::string& change : ChangesOf(row.passing)) Change(row, change, POSENC_OK);
  for (const std::string& change : ChangesOf(row.refused)) Change(row, change, row.rule);
}

// --- calls.h ---

void GoodArguments(Call& call) {
  const auto before = call.Results();
  EXPECT_EQ(call(), POSENC_OK);
  EXPECT_TRUE(call.buffers.empty() || call.Results() != before);
}

void NullPointers(Call& call) {
  for (const Buffer& buffer : call.buffers) {
    if (buffer.null.kind == kNoArgument) continue;
    SCOPED_TRACE(buffer.name);
    if (buffer.null.IsOk()) continue;
    ExpectWith(buffer.pointer, static_cast<const void*>(nullptr), buffer.null, call);
  }
  for (const auto& [pointer, status] : call.pointers) {
    const bool is_encoder = pointer == &call.a.axes[0].encoder || pointer == &call.a.axes[1].encoder;
    const Told where{kUntold, is_encoder ? (pointer == &call.a.axes[1].encoder ? 1u : 0u) : kUntold};
    ExpectWith(pointer, static_cast<const void*>(nullptr), status, call, where);
  }
}

void ValuesThatAreNone(Call& call) {
  for (const Choice& choice : call.choices) {
    for (const std::int32_t value : {kMinInt, -1, 0, 1, 2, 3, 4, 5, 6, 7, 256, 65536, kMaxInt}) {
      if (std::count(choice.values.begin(), choice.values.end(), value) != 0) continue;
      const Told where{kUntold, choice.argument == &call.a.axes[1].positions.type ? 1 : kUntold};
      ExpectWith(choice.argument, value, choice.other, call, where);
    }
  }
}

Refusal StrideRefusal(const std::size_t& stride, const Call& call) {
  if (&stride == &call.a.table_stride) return rule::stride_table;
  if (&stride == &call.a.batch_stride) return rule::stride_batch;
  if (&stride == &call.a.list_stride) return rule::stride_ids;
  if (&stride == &call.a.cache.row_stride) return rule::stride_cache;
  if (&stride == &call.a.slots.block_stride) return rule::stride_blocks;
  if (&stride == &call.a.slots.offset_stride) return rule::stride_offsets;
  for (const posenc_heads& tensor : call.a.tensors) {
    if (&stride == &tensor.token_stride) return rule::stride_tokens;
    if (&stride == &tensor.head_stride) return rule::stride_heads;
  }
  if (call.a.axis_count != 0) return rule::stride_grid;
  return call.function.Is("_positions_from") ? rule::stride_positions : rule::stride_rows;
}

void StridesTooSmall(Call& call) {
  for (const Buffer& buffer : call.buffers) {
    if (buffer.are_heads && !buffer.IsWritten()) continue;  // the strides of a source may be any
    SCOPED_TRACE(buffer.name);
    for (std::size_t* stride : buffer.strides) {
      if (stride == nullptr || (buffer.are_heads && stride == buffer.strides[1] && buffer.counts[1] == 1))
        continue;
      for (const std::size_t small : {*stride - 1, std::size_t{0}})
        ExpectWith(stride, small, StrideRefusal(*stride, call), call,
                   {kUntold, call.a.axis_count != 0 ? 0 : kUntold});
    }
  }
}

// Strides and counts that are too large, alone or only together. Some products wrap around to small numbers.
void SizesThatOverflow(Call& call) {
  for (const Buffer& buffer : call.buffers) {
    SCOPED_TRACE(buffer.name);
    for (const std::size_t stride : {kMaxSize, kMaxSize / 2, kMaxSize / 4, kMaxSize / 8, kMaxSize / 16 + 1}) {
      if (buffer.strides[1] != nullptr && buffer.counts[1] > 7) {
        const std::size_t outer = buffer.strides[0] != nullptr ? *buffer.strides[0] : 0;
        if (outer != 0) *buffer.strides[0] = buffer.counts[1] * stride;
        const bool is_cache = buffer.strides[1] == &call.a.cache.row_stride;
        ExpectWith(buffer.strides[1], stride, is_cache ? rule::size_cache : rule::size_rows, call);
        if (outer != 0) *buffer.strides[0] = outer;
      }
      if (buffer.strides[0] != nullptr && buffer.counts[0] > 7)
        ExpectWith(buffer.strides[0], stride, Refusal(rule::size_heads), call);
    }
  }
  for (const Size& size : call.sizes) {
    for (const std::size_t count : {kMaxSize, kMaxSize / 2 + 1, kMaxSize / 4 + 1, kMaxSize / 8 + 1})
      ExpectWith(size.argument, count, size.too_large, call);
  }
}

// Rotaries have no position_offset, so their sentences do not name it.
bool TakesTokens(const Call& call) { return IsOfRotaries(call.function); }

void RunsThatLeaveTheRange(Call& call) {
  for (const RunOfSteps& run : call.runs) {
    for (const std::int64_t good : {run.least, run.most - run.steps + 1})
      ExpectWith(run.first, good, POSENC_OK, call);
    for (const std::int64_t bad :
         {run.least - 1, run.least - 2, run.most - run.steps + 2, run.most, run.most + 1, kMaxInt64,
          kMaxInt64 - 1, kMinInt64, kMinInt64 + 1, std::int64_t{1} << 32, -(std::int64_t{1} << 32)}) {
      const bool is_of_rows = &call.a.first == run.first && run.least == 0;
      const bool is_first = bad < run.least || bad > run.most;
      const Told in_grid{is_first ? 0 : static_cast<std::size_t>(run.most - bad + 1), 0};
      ExpectWith(run.first, bad,
                 is_of_rows && IsOfAngles(call.function) ? rule::angles_tokens
                 : is_of_rows                            ? rule::cache_row_range
                 : TakesTokens(call)                     ? rule::token_run_range
                                                         : rule::run_range,
                 call, call.a.axis_count != 0 ? in_grid : Told());
    }
  }
}

// Bad values for an element of the buffer, as bytes; empty if the type has no bad value.
std::vector<std::vector<unsigned char>> BadValues(const Buffer& buffer, const Call& call) {
  std::vector<std::vector<unsigned char>> bytes;
  const auto add = [&](auto value) {
    bytes.emplace_back(sizeof(value));
    std::memcpy(bytes.back().data(), &value, sizeof(value));
  };
  if (buffer.type == POSENC_F64) {
    for (const double x :
         {kNaN, -kNaN, HUGE_VAL, -HUGE_VAL, 0x1.0000000000001p31, -0x1.0000000000001p31, 1e300})
      add(x);
  }
  if (buffer.values == Values::kFactors) {
    for (const float x : {0.0f, -0.0f, -1.0f, -0x1p-64f, 0x1.fffffep-65f, 0x1p-149f, 0x1.000002p64f,
                          std::nanf(""), HUGE_VALF, -HUGE_VALF})
      add(x);
  } else if (buffer.type == POSENC_F32) {
    for (const float x : {std::nanf(""), HUGE_VALF, -HUGE_VALF, 0x1.000002p31f, -0x1.000002p31f, 1e38f})
      add(x);
  }
  const std::int64_t end =
      buffer.values == Values::kRowIndices ? static_cast<std::int64_t>(call.a.cache_rows) : 3;
  const bool is_index = buffer.values == Values::kIds || buffer.values == Values::kRowIndices;
  if (buffer.values == Values::kSlots) {
    const auto past = static_cast<std::int64_t>(call.a.slots.count);
    const bool is_wide = buffer.type == POSENC_I64;
    for (const std::int64_t n :
         {std::int64_t{-2}, past, past + 1, std::int64_t{kMinInt}, std::int64_t{kMaxInt}})
      is_wide ? add(n) : add(static_cast<std::int32_t>(n));
    if (is_wide) add(kMaxInt64), add(kMinInt64), add((std::int64_t{1} << 32) - 1);
    return bytes;
  }
  if (buffer.type == POSENC_I64) {
    for (const std::int64_t n : {POSENC_MAX_POSITION + 1, -POSENC_MAX_POSITION - 1, kMaxInt64, kMinInt64})
      add(n);
    if (is_index) add(std::int64_t{-1}), add(end), add((std::int64_t{1} << 32) + 1);
    if (buffer.values == Values::kFirstPositions) add(POSENC_MAX_POSITION), add((std::int64_t{1} << 62) - 1);
  }
  if (buffer.type == POSENC_I32 && is_index) {
    for (const std::int32_t n : {-1, static_cast<std::int32_t>(end), kMinInt, kMaxInt}) add(n);
  }
  return bytes;
}

// One value in the middle and the last value are bad. The call checks all values before it writes, and
// reports the first bad one.
void BadValuesOfLists(Call& call) {
  for (Buffer& buffer : call.buffers) {
    if (buffer.values == Values::kAny || buffer.values == Values::kEntries) continue;
    const Refusal want = buffer.values == Values::kIds              ? rule::id_range
                         : buffer.values == Values::kRowIndices     ? rule::cache_row_range
                         : buffer.values == Values::kSlots          ? rule::slot_range
                         : buffer.values == Values::kFirstPositions ? rule::first_position_range
                         : buffer.values == Values::kFactors        ? rule::heads_factors
                         : TakesTokens(call)                        ? rule::token_position_range
                                                                    : rule::position_range;
    const auto good = buffer.content;
    if (buffer.values == Values::kFirstPositions) call.a.first = 0;  // it would be added to the list
    for (const auto& bad : BadValues(buffer, call)) {
      for (const std::size_t index : std::set<std::size_t>{0, buffer.count() / 2, buffer.count() - 1}) {
        for (const std::size_t at : {index, buffer.count() - 1})
          std::copy(bad.begin(), bad.end(), &buffer.content[at * buffer.size]);
        call.Settle();
        SCOPED_TRACE(testing::Message() << buffer.name << " " << index);
        const bool is_told =
            buffer.values == Values::kSlots ? call.function.Is("_at") : buffer.values != Values::kFactors;
        Expect(want, call, {is_told ? index : kUntold, call.a.axis_count != 0 ? 1 : kUntold});
        buffer.content = good;
      }
    }
    call.Settle();
    Expect(POSENC_OK, call);
  }
}

posenc_status OverlapRule(const Buffer& written, const Buffer& other, const Call& call) {
  if (other.values == Values::kPositions) return rule::overlap_positions;
  if (other.values == Values::kFirstPositions) return rule::overlap_first_positions;
  if (other.values == Values::kIds) return rule::overlap_ids;
  if (other.values == Values::kFactors) return rule::overlap_factors;
  if (other.values == Values::kRowIndices) return rule::overlap_cache;
  if (other.values == Values::kSlots) return rule::overlap_slots;
  const std::string name = other.name;
  if (name == "table") return rule::overlap_table;
  if (name == "weights") return rule::overlap_norm;
  if (name == "cos" || name == "sin") return other.IsWritten() ? rule::overlap_tables : rule::overlap_cache;
  const bool is_paged = std::string(written.name) == "paged cache";
  if (other.are_heads && !other.IsWritten() && &other == &written + 1)
    return is_paged ? rule::overlap_cache_source : rule::overlap_source;
  if (other.are_heads || name == "paged cache") return rule::overlap_tensors;
  if (call.function.Is("_from_ids")) return rule::overlap_ids_positions;
  if (IsOfAngles(call.function)) return rule::overlap_angles_memory;
  return call.function.Is("_from_mask") ? rule::overlap_cells : rule::overlap_memory;
}

// Memory that a call writes must not overlap other memory that it reads or writes, at either end. The two may
// touch.
void Overlaps(Call& call) {
  std::vector<double> room(1 << 15);
  auto* const place = reinterpret_cast<unsigned char*>(room.data()) + (1 << 17);
  for (const Buffer& written : call.buffers) {
    for (const Buffer& other : call.buffers) {
      if (!written.IsWritten() || written.alignment > 1 || &written == &other) continue;
      if (written.null.kind == kNoArgument || other.null.kind == kNoArgument) continue;
      const auto bytes = static_cast<std::ptrdiff_t>(written.extent()),
                 size = static_cast<std::ptrdiff_t>(other.extent());
      unsigned char *const at = written.place(), *const other_at = other.place();
      const auto align = static_cast<std::ptrdiff_t>(other.alignment);
      for (const std::ptrdiff_t distance :
           {-size, 1 - size, std::ptrdiff_t{0}, bytes / 2, bytes - 1, bytes}) {
        if (distance % align != 0) continue;
        const bool in_place =
            distance == 0 && other.are_heads && written.are_heads;  // or heads lie between heads
        const bool overlaps = distance > -size && distance < bytes;
        if (in_place) continue;
        std::fill(room.begin(), room.end(), 0.0);
        written.PointTo(place);
        other.PointTo(place + distance);
        written.Put(written.content, place);
        other.Put(other.content, place + distance);
        const auto before = room;
        SCOPED_TRACE(testing::Message()
                     << written.name << ", " << other.name << " " << distance << " bytes on");
        const posenc_status status = call();
        EXPECT_EQ(status, overlaps ? OverlapRule(written, other, call) : POSENC_OK)
            << call.function.name << ": " << NameOf(status);
        EXPECT_TRUE(!overlaps || SameBits(room, before)) << call.function.name;
        BrokenRules().insert(status);
      }
      written.PointTo(at);
      other.PointTo(other_at);
      call.Settle();
    }
  }
}

// With no rows there is nothing to read or write, and no position that could be wrong. (Angles of no tokens
// need memory. Weights must not be null, because their type is set.)
void NoRows(Call& call) {
  if (call.a.encoder == nullptr || call.sizes.empty() || call.function.Is("posenc_angles")) return;
  call.a.rows = call.a.axes[0].count = call.a.prefix_rows = call.a.cache_rows = 0;
  for (const RunOfSteps& run : call.runs) *run.first = run.least < 0 ? kMaxInt64 : 0;
  for (const Buffer& buffer : call.buffers) {
    if (buffer.name != std::string("weights")) buffer.PointTo(nullptr);
  }
  EXPECT_EQ(call(), POSENC_OK) << call.function.name;
}

struct Mistake {
  const char* name;
  void (*make)(Call&);
  std::size_t rows;
};
constexpr Mistake kMistakes[] = {{"good arguments", &GoodArguments, 3},
                                 {"null pointers", &NullPointers, 3},
                                 {"values that are none", &ValuesThatAreNone, 3},
                                 {"strides that are too small", &StridesTooSmall, 3},
                                 {"sizes that overflow", &SizesThatOverflow, 8},
                                 {"runs that leave the range", &RunsThatLeaveTheRange, 3},
                                 {"bad values of lists", &BadValuesOfLists, 7},
                                 {"overlaps", &Overlaps, 3},
                                 {"no rows", &NoRows, 3}};

// Makes every mistake for all types and variants of a function.
void TryFunction(const Function& function) {
  for (const Mistake& mistake : kMistakes) {
    SCOPED_TRACE(mistake.name);
    for (const int kind : {0, 1, kKindWithNorms, 3, kKindWithSlots}) {
      Setting setting(nullptr, 8, mistake.rows);
      setting.SetKind(kind);
      ASSERT_TRUE(setting.Create());
      ForEachCallOf(function, setting, mistake.make);
    }
  }
}

// Every exported function of the product has a row, and every row names an exported function.
TEST(CallsRegistry, HasEveryFunction) {
  std::ifstream file(std::string(POSENC_SOURCE_DIR "/tests/install/") + kSymbols);
  std::set<std::string> exported, listed;
  for (std::string name; std::getline(file, name);) exported.insert(name);
  for (const Function& function : Functions()) listed.insert(function.name);
  EXPECT_EQ(listed, exported);
}

// Makes all calls. A rule of the product that refuses none of them needs a row in refusals.inc.
TEST(Rules, EachRefusesACall) {
  const bool of_models = Functions().front().name != std::string("posenc_write");
  if (!of_models) TryAllMembers();
  for (const RefusalRow& row : RefusalRows()) TryRow(row);
  for (const Function& function : Functions()) TryFunction(function);
  const std::vector<posenc_status>& elsewhere = RulesTestedElsewhere();
  for (const Rule& known : AllRules()) {
    if ((known.status >= rule::null_name) != of_models) continue;
    const bool is_elsewhere = std::count(elsewhere.begin(), elsewhere.end(), known.status) != 0;
    EXPECT_NE(BrokenRules().count(known.status) != 0, is_elsewhere)
        << known.name << ": no call breaks this rule";
  }
}

}  // namespace
}  // namespace posenc
