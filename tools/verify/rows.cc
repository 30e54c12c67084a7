#include "number/exact.h"

#include "verify/rows.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "command/require.h"
#include "posenc/models_c.h"
#include "spec/text.h"

namespace posenc {
namespace tools {
namespace {

using Cases = std::vector<Case>;

struct Named {
  const char *name, *row;
};
constexpr Named kNamed[] = {
    {"types", "type=f32,bf16,f16"},
    {"all_types", "type=f32,bf16,f16,f64"},

    {"layouts", "layout=interleaved,sin_cos,cos_sin"},
    {"bases", "base=10000,500000,1e7,7.25,0.5,1"},
    {"each_dim", "$layouts dim=1,2,3,5,11,16,31,64,134 at=-3..28"},  // around the vector lengths
    {"rounded",
     "dim=130 phase_rounding=f32_pow_div base=10000,500000,7.25 "
     "at=0..23,16777213..16777236,-2147483648..-2147483625"},
    {"integers", "dim=257 at=i64:primes $layouts operation=write,add"},
    {"sums", "operation=add dim=99 at=-8..31 $layouts scale=1,22.627417,-0.3"},
    {"large_sum", "operation=add dim=512 at=1048576..1052671 scale=22.627417"},

    {"two_pairings", "{pairing=half_split|pairing=neighbours in_place=0} $types"},
    {"four_pairings",
     "{pairing=half_split|pairing=neighbours in_place=0|output_pairing=neighbours|"
     "pairing=neighbours output_pairing=half_split in_place=0} $types"},
    {"scalings", "scaling=linear,ntk,dynamic_ntk,qwen_ntk,mixed_ntk,yarn,yarn_log,llama3,proportional"},
    {"longrope",
     "scaling=longrope factor=32 original_length=4096 factors=factors_64 long_factors=long_factors_64"},
    {"frequency_factors", "scaling=frequency_factors factors_f32=float_factors_64"},
    // Of what differs in its frequencies: a cache of doubles, which shows its angles, and a rotation.
    {"shown_cache", "operation=cache type=f64 at=i64:1:77:4096:0x1p31:-12345"},
    {"shown", "{$shown_cache|k_heads=0 at=i64:4096:0x1p31:-12345}"},
    {"shown_rounded", "{$shown_cache|k_heads=0 at=i32:0:16777217:4096}"}};

using Numbers = std::vector<double>;

template <class Make>
Numbers Sequence(int count, const Make& make) {
  Numbers numbers;
  for (int k = 0; k < count; ++k) numbers.push_back(make(k));
  return numbers;
}

double Fraction(int k) { return k * 0.37 - 3.0; }  // of no special kind

// Next to multiples of pi/2 that grow so, and perhaps beyond these.
void AppendQuarters(double growth, bool twice, Numbers* positions) {
  for (double multiple = 1.0; multiple < 0x1p30; multiple = growth * multiple + 1.0) {
    const double position = multiple * 0x1.921fb54442d18p0;
    positions->push_back(position);
    if (twice) positions->push_back(-std::nextafter(position, HUGE_VAL));
  }
}

// Small positions whose angles lie next to midpoints, where w is 1, and whose entries are subnormal.
Numbers Small() {
  Numbers positions = {0.0, -0.0, 0x1p-126, 0x1.8p-127, -0x1p-149, 0x1p-150, 0x1p-1022, -0x1p-1074};
  for (int exponent = -8; exponent > -160; exponent -= 8) {
    positions.push_back(std::ldexp(0x1.000003p0, exponent));
    positions.push_back(-std::ldexp(0x1.01p0, exponent));
    positions.push_back(std::ldexp(0x1.002p0, exponent));
    positions.push_back(-std::ldexp(0x1.1c71c71c71c71p0, 4 * exponent));
  }
  return positions;
}

// Up to the ends of the range.
Numbers Large() {
  Numbers positions = {0x1p31, -0x1p31, 0x1.fffffffffffffp30, 0x1p24 + 0.5, -1e9 - 0.1};
  AppendQuarters(3.0, true, &positions);
  return positions;
}

// Of no special kind, tiny, and beside multiples of pi/2.
Numbers Real() {
  Numbers positions = {0.5,  0.37,     -77.7,       1e6 + 0.3,       0x1p-20,
                       -0.0, 0x1p-149, 0x1.8p-1022, -0x1.000003p-60, 0x1.fffffffffffffp30};
  AppendQuarters(47.0, false, &positions);
  return positions;
}

Numbers Floats() {
  Numbers positions = {0.0, -0.0, 0x1p31, -0x1p31, 0x1.fffffep30, 0x1p-149, -0x1.8p-127, 0x1.000002p-126};
  for (int k = 0; k < 24; ++k) positions.push_back(static_cast<double>(static_cast<float>(Fraction(k))));
  return positions;
}

struct List {
  Numbers doubles;
  std::vector<float> floats;
};

std::map<std::string, Numbers> NamedLists() {
  return {
      // Positions.
      {"fractions_24", Sequence(24, Fraction)},
      {"fractions_40", Sequence(40, Fraction)},
      {"eighths", Sequence(81, [](int k) { return (k - 40) / 8.0; })},
      {"primes", Sequence(32, [](int k) { return k * 134217721.0 - 0x1p31; })},  // steps of a prime
      {"small", Small()},
      {"large", Large()},
      {"real", Real()},
      {"floats", Floats()},
      {"far", {0, 1, -3, 4095, 131071, 999999, 0x1p24 + 1, 1234567890, 0x1p31 - 1, -0x1p31}},
      // Frequencies and factors.
      {"halving_37", Sequence(37, [](int k) { return std::ldexp(1.0 + k, -k); })},
      {"slow_64", Sequence(64, [](int k) { return std::ldexp(1.0 + k, -(k / 2 + 6)); })},
      {"signed_64", Sequence(64, [](int k) { return std::ldexp(1.0 + k, -k) * (k % 5 == 4 ? -1.0 : 1.0); })},
      {"factors_64", Sequence(64, [](int k) { return 1.0 + 0.0625 * k; })},
      {"long_factors_64", Sequence(64, [](int k) { return 1.1 + 0.7 * k; })},
      {"float_factors_64",
       Sequence(64, [](int k) { return static_cast<double>(1.0f + 0.3f * static_cast<float>(k)); })}};
}

[[noreturn]] void Refuse(std::string_view what) {
  std::fprintf(stderr, "a row of cases: %s is wrong\n", std::string(what).c_str());
  std::abort();
}

template <class Number>
Number NumberOf(const std::string& text) {
  Number number{};
  if (!internal::ReadNumber(text, &number)) Refuse(text);
  return number;
}

// What comes before each separator, and after the last.
std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

// The list with this name, or null. It lives on: specs point to it.
const List* ListNamed(const std::string& name) {
  static const std::map<std::string, List> named = [] {
    std::map<std::string, List> lists;
    for (const auto& [its, numbers] : NamedLists()) lists[its] = {numbers, {numbers.begin(), numbers.end()}};
    return lists;
  }();
  const auto found = named.find(name);
  return found == named.end() ? nullptr : &found->second;
}

// The place of one of the words.
template <class Value>
Value PlaceAmong(const std::vector<std::string>& words, const std::string& text) {
  const auto at = std::find(words.begin(), words.end(), text);
  if (at == words.end()) Refuse(text);
  return static_cast<Value>(at - words.begin());
}

posenc_type TypeOf(const std::string& text) {
  constexpr std::pair<const char*, posenc_type> kTypes[] = {{"f32", POSENC_F32}, {"bf16", POSENC_BF16},
                                                            {"f16", POSENC_F16}, {"f64", POSENC_F64},
                                                            {"i32", POSENC_I32}, {"i64", POSENC_I64}};
  for (const auto& [word, type] : kTypes) {
    if (text == word) return type;
  }
  Refuse(text);
}

void SetPlace(const std::string& text, Case* c) {
  const std::size_t colon = text.find(':'), dots = text.find("..");
  c->positions.clear();
  c->list = {};
  if (colon == std::string::npos) {
    if (dots == std::string::npos) Refuse(text);
    c->first = NumberOf<std::int64_t>(text.substr(0, dots));
    c->rows = static_cast<std::size_t>(NumberOf<std::int64_t>(text.substr(dots + 2)) - c->first) + 1;
  } else {
    c->list = TypeOf(text.substr(0, colon));
    const std::string list = text.substr(colon + 1);
    if (const List* named = ListNamed(list)) {
      c->positions = named->doubles;
    } else if (!internal::ReadList(list, &c->positions).empty()) {
      Refuse(text);
    }
    c->rows = c->positions.size();
  }
}

// Sets the member with that name; false if the spec has none. A list may be named.
template <class Spec>
bool SetMember(const std::string& name, const std::string& text, Spec* spec) {
  static internal::SpecData data;  // lives on, as the specs do
  bool are_floats = false;
  const internal::Member* const member = internal::MemberInText<Spec>(name, &are_floats);
  if (member == nullptr) return false;
  const List* const list = ListNamed(text);
  if (list != nullptr && member->kind == internal::Kind::kList) {
    SetList(*member, are_floats ? nullptr : list->doubles.data(), are_floats ? list->floats.data() : nullptr,
            list->doubles.size(), spec);
  } else if (!internal::SetMember(name, text, &data, spec).empty()) {
    Refuse(name + "=" + text);
  }
  return true;
}

void Set(const std::string& key, const std::string& text, Case* c) {
  c->Label(key, text);
  bool is_known = false;
  const auto words = [&](const char* name, const char* all, auto* member) {
    if (key != name) return;
    *member = PlaceAmong<std::decay_t<decltype(*member)>>(Split(all, ' '), text);
    is_known = true;
  };
  const auto number = [&](const char* name, auto* member) {
    if (key != name) return;
    *member = static_cast<std::decay_t<decltype(*member)>>(NumberOf<double>(text));
    is_known = true;
  };
  const auto type = [&](const char* name, posenc_type* member) {
    if (key != name) return;
    *member = TypeOf(text);
    is_known = true;
  };
  words("operation", "write add rotate rotate_cached cache", &c->operation);
  type("type", &c->type);
  type("list", &c->list);
  words("inputs", "every normal any cancelling middle tiny large special mixed", &c->inputs);
  number("seed", &c->seed);
  number("scale", &c->scale);
  number("q_heads", &c->q_heads);
  number("k_heads", &c->k_heads);
  number("inverse", &c->inverse);
  number("in_place", &c->in_place);
  type("cache_type", &c->cache_type);
  if (key == "at") {
    SetPlace(text, c);
    is_known = true;
  }
  if (key == "elements") {
    c->elements.clear();
    if (!internal::ReadList(text, &c->elements).empty() || c->elements.size() != 2) Refuse(text);
    is_known = true;
  }
  if (key == "cache_layout") {
    c->cache_layout = PlaceAmong<posenc_cache_layout>(internal::WordsOf("cache_layout"), text);
    is_known = true;
  }
  if (is_known) return;
  const bool is_encoders = SetMember(key, text, &c->encoder);  // of both, if both have it
  if (!SetMember(key, text, &c->rotary) && !is_encoders) Refuse(key);
}

const char* RowNamed(std::string_view name) {
  for (const Named& named : kNamed) {
    if (name == named.name) return named.row;
  }
  Refuse(name);
}

Cases RowOf(const char** text, Cases cases);

// Each case with each alternative; *text is in front of the first one's first character.
Cases BracesOf(const char** text, const Cases& cases) {
  Cases all;
  const char* end = nullptr;
  for (const Case& c : cases) {
    end = *text;
    do {
      ++end;
      for (Case& made : RowOf(&end, {c})) all.push_back(std::move(made));
    } while (*end == '|');
    if (*end != '}') Refuse(*text);
  }
  *text = end + 1;
  return all;
}

// Each case with each combination of the row's terms; *text is then behind them.
Cases RowOf(const char** text, Cases cases) {
  while (true) {
    *text += std::strspn(*text, " ");
    if (**text == '\0' || **text == '|' || **text == '}') return cases;
    if (**text == '{') {
      cases = BracesOf(text, cases);
      continue;
    }
    const std::string_view term(*text, std::strcspn(*text, " |{}"));
    *text += term.size();
    if (term[0] == '$') {
      const char* named = RowNamed(term.substr(1));
      cases = RowOf(&named, std::move(cases));
      continue;
    }
    const std::size_t equals = term.find('=');
    if (equals == std::string_view::npos) Refuse(term);
    const std::vector<std::string> values = Split(term.substr(equals + 1), ',');
    Cases all;
    for (const Case& c : cases) {
      for (const std::string& value : values)
        Set(std::string(term.substr(0, equals)), value, &all.emplace_back(c));
    }
    cases = std::move(all);
  }
}

// Lists have as many entries as are needed.
void SetCounts(std::size_t pairs, posenc_rotary_spec* spec) {
  if (spec->frequencies != nullptr || spec->frequencies_f32 != nullptr) spec->frequency_count = pairs;
  if (spec->factors != nullptr || spec->factors_f32 != nullptr) spec->factor_count = pairs;
}

// The positions of a list are the same on all axes, but for a shift.
void Finish(Case* c) {
  const std::vector<double> positions = c->positions;
  for (std::size_t k = 1; k < c->axes() && !positions.empty(); ++k) {
    for (std::size_t r = 0; r < c->rows; ++r) c->positions.push_back(positions[(r + 2 * k) % c->rows]);
  }
  posenc_spec& e = c->encoder;
  if (e.frequencies != nullptr || e.frequencies_f32 != nullptr) e.frequency_count = (e.dim + 1) / 2;
  SetCounts(c->pairs(), &c->rotary);
}

}  // namespace

void AppendRows(const std::vector<const char*>& rows, std::uint32_t seed, std::vector<Case>* cases) {
  constexpr std::uint32_t kCounted = UINT32_MAX;
  Case first;
  first.seed = kCounted;
  for (const char* row : rows) {
    for (Case& c : RowOf(&row, {first})) {
      if (c.operation == Operation::kAdd && c.type == POSENC_F64) continue;
      Finish(&c);
      const bool is_rotation = c.operation == Operation::kRotate || c.operation == Operation::kRotateCached;
      if (c.seed == kCounted) {
        c.seed = seed;
        if (is_rotation) c.Label("seed", std::to_string(seed));
      }
      ++seed;
      cases->push_back(std::move(c));
    }
  }
}

}  // namespace tools
}  // namespace posenc
