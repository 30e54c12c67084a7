#include "number/exact.h"

#include "verify/rows.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command/require.h"
#include "spec/text.h"
#include "verify/lists.h"

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
    {"all_layouts", "layout=interleaved,interleaved_cos_sin,sin_cos,cos_sin"},
    {"odd_columns",
     "{layout=interleaved,interleaved_cos_sin odd_column=half_pair,zero_last,cosine_last"
     "|layout=sin_cos,cos_sin odd_column=half_pair,zero_last,zero_middle,cosine_last}"},
    {"bases", "base=10000,500000,1e7,7.25,0.5,1"},
    {"each_dim", "$layouts dim=1,2,3,5,11,16,31,64,134 at=-3..28"},  // around the vector lengths
    {"rounded",
     "dim=130 phase_rounding=f32_pow_div base=10000,500000,7.25 "
     "at=0..23,16777213..16777236,-2147483648..-2147483625"},
    {"roundings",
     "phase_rounding=f32_pow_div,f32_exp,f32_log_div,f32_inv_freq,f32_iterated,f64_inv_freq,f64_pow_div,"
     "f64_pow_mul,f32_log_increment"},
    // Runs that cross 0, 4095, 2^16, 2^20 and 2^24, and runs at both ends of the range.
    {"runs",
     "at=-16..16,-5000..-4968,4079..4111,65520..65552,1048560..1048592,16777200..16777232,"
     "-16777232..-16777200,2147483616..2147483648,-2147483648..-2147483616"},
    {"integers", "dim=257 at=i64:primes $layouts operation=write,add"},
    {"sums", "operation=add dim=99 at=-8..31 $layouts scale=1,22.627417,-0.3"},
    {"large_sum", "operation=add dim=512 at=1048576..1052671 scale=22.627417"},

    {"converted", "source_type=f32 type=bf16,f16"},
    {"two_pairings", "{pairing=half_split|pairing=neighbours in_place=0} $types"},
    {"four_pairings",
     "{pairing=half_split|pairing=neighbours in_place=0|output_pairing=neighbours|"
     "pairing=neighbours output_pairing=half_split in_place=0} $types"},
    {"sources", "{$types|$converted}"},
    {"norms", "operation=rotate norm=head,token"},
    {"scalings", "scaling=linear,ntk,dynamic_ntk,qwen_ntk,mixed_ntk,yarn,yarn_log,llama3,proportional"},
    {"longrope",
     "scaling=longrope factor=32 original_length=4096 factors=factors_64 long_factors=long_factors_64"},
    {"frequency_factors", "scaling=frequency_factors factors_f32=float_factors_64"},
    // Of what differs in its frequencies: a cache of doubles, which shows its angles, and a rotation.
    {"shown_cache", "operation=cache type=f64 at=i64:1:77:4096:0x1p31:-12345"},
    {"shown", "{$shown_cache|k_heads=0 at=i64:4096:0x1p31:-12345}"},
    {"shown_rounded", "{$shown_cache|k_heads=0 at=i32:0:16777217:4096}"}};

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
    if (const NumberList* named = ListNamed(list)) {
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
  const NumberList* const list = ListNamed(text);
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
  type("source_type", &c->source_type);
  type("list", &c->list);
  words("inputs",
        "every normal any cancelling middle tiny large special mixed around_one equal few zeros sparse "
        "smallest "
        "largest nans infinities bits",
        &c->inputs);
  number("rows", &c->rows);
  number("rare", &c->rare);
  number("seed", &c->seed);
  number("scale", &c->scale);
  number("q_heads", &c->q_heads);
  number("k_heads", &c->k_heads);
  number("inverse", &c->inverse);
  number("in_place", &c->in_place);
  number("slots", &c->slots);
  type("cache_type", &c->cache_type);
  words("norm", "none head token", &c->norm.mean);
  words("normed", "both q k", &c->norm.of);
  words("norm_inputs", "pairs equal ties beside", &c->norm.inputs);
  number("epsilon", &c->norm.epsilon);
  number("plus_one", &c->norm.plus_one);
  type("weight_type", &c->norm.weight_type);
  if (key == "weights") c->norm.listed.clear();
  if (key == "weights" && text.find_first_of("-0123456789") == 0) {
    if (!internal::ReadList(text, &c->norm.listed).empty()) Refuse(text);
    is_known = true;
  } else {
    words("weights", "none normal around_one digits tiny_digits halves near_halves tiny large any odd",
          &c->norm.weights);
  }
  if (key == "at") {
    SetPlace(text, c);
    is_known = true;
  }
  if (key == "elements") {
    c->elements.clear();
    if (!internal::ReadList(text, &c->elements).empty() || c->elements.size() < 2) Refuse(text);
    is_known = true;
  }
  if (key == "token_factors") {
    c->token_factors.clear();
    if (!internal::ReadList(text, &c->token_factors).empty()) Refuse(text);
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

// The values between commas. "1..130" is each whole number from 1 to 130, but for `at` it is one value, a
// run.
std::vector<std::string> ValuesOf(const std::string& key, std::string_view text) {
  std::vector<std::string> values;
  for (const std::string& value : Split(text, ',')) {
    const std::size_t dots = value.find("..");
    if (key == "at" || dots == std::string::npos) {
      values.push_back(value);
      continue;
    }
    const auto first = NumberOf<int>(value.substr(0, dots)), last = NumberOf<int>(value.substr(dots + 2));
    for (int number = first; number <= last; ++number) values.push_back(std::to_string(number));
  }
  return values;
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
    const std::string key(term.substr(0, equals));
    const std::vector<std::string> values = ValuesOf(key, term.substr(equals + 1));
    Cases all;
    for (const Case& c : cases) {
      for (const std::string& value : values) Set(key, value, &all.emplace_back(c));
    }
    cases = std::move(all);
  }
}

// Makes a list as long as is needed: leaves out its end, or repeats the list. It lives on, because specs
// point to it.
template <class Number>
void Fit(std::size_t wanted, std::size_t count, const Number** list) {
  static std::deque<std::vector<Number>> repeated;
  if (*list == nullptr || count >= wanted) return;
  std::vector<Number>& longer = repeated.emplace_back();
  for (std::size_t i = 0; i < wanted; ++i) longer.push_back((*list)[i % count]);
  *list = longer.data();
}

template <class Spec>
void FitFrequencies(std::size_t pairs, Spec* spec) {
  Fit(pairs, spec->frequency_count, &spec->frequencies);
  Fit(pairs, spec->frequency_count, &spec->frequencies_f32);
  if (spec->frequency_count != 0) spec->frequency_count = pairs;
}

// The number of pairs in a row of an encoder, at least 1.
std::size_t PairsOf(const posenc_spec& spec) {
  const std::size_t columns = spec.dim - (spec.input_first != 0 ? 1 : 0);
  const std::size_t pairs = spec.odd_column == POSENC_ODD_HALF_PAIR ? (columns + 1) / 2 : columns / 2;
  return std::max<std::size_t>(pairs, 1);
}

void FitFactors(std::size_t pairs, posenc_rotary_spec* spec) {
  Fit(pairs, spec->factor_count, &spec->factors);
  Fit(pairs, spec->factor_count, &spec->factors_f32);
  Fit(pairs, spec->factor_count, &spec->long_factors);
  if (spec->factor_count != 0) spec->factor_count = pairs;
}

// The positions of a list are the same on all axes, but for a shift.
void Finish(Case* c) {
  const std::vector<double> positions = c->positions;
  for (std::size_t k = 1; k < c->axes() && !positions.empty(); ++k) {
    for (std::size_t r = 0; r < c->rows; ++r) c->positions.push_back(positions[(r + 2 * k) % c->rows]);
  }
  FitFrequencies(PairsOf(c->encoder), &c->encoder);
  FitFrequencies(c->pairs(), &c->rotary);
  FitFactors(c->pairs(), &c->rotary);
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
