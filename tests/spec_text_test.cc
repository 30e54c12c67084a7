// The text of a spec (spec/text.h): what is printed reads back as the same bytes, and wrong texts are refused
// with a sentence that names the word and says what would be right.
#include "spec/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "verify/thread_seconds.h"

namespace posenc {
namespace {

using internal::At;
using internal::FloatsOf;
using internal::Kind;
using internal::Member;
using internal::MembersOf;
using internal::ParseSpec;
using internal::PrintSpec;
using internal::SpecData;

template <class T>
bool SameBytes(const T* a, const T* b, std::size_t count) {
  return (a == nullptr) == (b == nullptr) && (a == nullptr || std::memcmp(a, b, count * sizeof(T)) == 0);
}

// "" or the first member that differs.
template <class Spec>
std::string Difference(const Spec& a, const Spec& b) {
  for (const Member& member : MembersOf<Spec>()) {
    const char* const bytes = reinterpret_cast<const char*>(&a) + member.offset;
    bool is_same = std::memcmp(bytes, reinterpret_cast<const char*>(&b) + member.offset, member.size) == 0;
    std::string name = member.name;
    if (member.kind == Kind::kList || name.find("_f32") != std::string::npos) {
      const bool are_floats = member.kind != Kind::kList;
      const Member& list = are_floats ? *(&member - 1) : member;
      const std::size_t count = At<std::size_t>(*MembersOf<Spec>().Find(list.of), a);
      is_same = are_floats ? SameBytes(At<const float*>(member, a), At<const float*>(member, b), count)
                           : SameBytes(At<const double*>(member, a), At<const double*>(member, b), count);
    } else if (member.kind == Kind::kName) {
      const char *one = At<const char*>(member, a), *other = At<const char*>(member, b);
      is_same = (one == nullptr) == (other == nullptr) && (one == nullptr || std::strcmp(one, other) == 0);
    }
    if (!is_same) return name;
  }
  return "";
}

class Random {
 public:
  std::uint64_t Below(std::uint64_t end) { return engine_() % end; }
  bool Is(int in) { return Below(static_cast<std::uint64_t>(in)) == 0; }

  // Of any bits, or of the kinds that are hard to print.
  template <class T>
  T Real() {
    using Limits = std::numeric_limits<T>;
    static const T hard[] = {T{0},          -T{0},          Limits::infinity(),   -Limits::infinity(),
                             Limits::max(), Limits::min(),  Limits::denorm_min(), Limits::quiet_NaN(),
                             T{1} / T{3},   -Limits::max(), T{1000000},           -Limits::quiet_NaN()};
    if (Is(3)) return hard[Below(std::size(hard))];
    const std::uint64_t bits = engine_();
    T value;
    std::memcpy(&value, &bits, sizeof(value));
    return std::isnan(value) ? Limits::quiet_NaN() : value;  // a text has no other NaNs
  }

  template <class T>
  T Integer() {
    return static_cast<T>(engine_() >> Below(64));
  }

 private:
  std::mt19937_64 engine_{20261128};
};

// Members of any value that a text can say.
template <class Spec>
Spec RandomSpec(Random* random, SpecData* data) {
  Spec spec = internal::Default<Spec>();
  for (const Member& member : MembersOf<Spec>()) {
    if (!IsShown(member) || random->Is(2)) continue;
    const auto list = [&](auto number) {
      std::vector<decltype(number)> numbers(At<std::size_t>(*MembersOf<Spec>().Find(member.of), spec));
      for (auto& each : numbers) each = random->Real<decltype(number)>();
      return numbers;
    };
    if (member.kind == Kind::kChoice) {
      SetChoice(member, static_cast<std::int32_t>(random->Below(WordsOf(member).size())), &spec);
    } else if (member.kind == Kind::kFlag) {
      At<std::int32_t>(member, &spec) = static_cast<std::int32_t>(random->Below(2));
    } else if (member.kind == Kind::kOptional) {
      At<std::int32_t>(*MembersOf<Spec>().Find(member.of), &spec) = 1;
      At<std::int64_t>(member, &spec) = random->Integer<std::int64_t>();
    } else if (member.kind == Kind::kName) {
      At<const char*>(member, &spec) = data->Keep(std::string("AVX3_ZEN4"));
    } else if (member.kind == Kind::kSizes) {
      for (std::size_t k = 0; k < random->Below(POSENC_MAX_AXES + 1); ++k)
        (&At<std::size_t>(member, &spec))[k] = random->Integer<std::size_t>();
    } else if (member.kind == Kind::kList) {
      std::size_t& count = At<std::size_t>(*MembersOf<Spec>().Find(member.of), &spec);
      if (count == 0) count = 1 + random->Below(5);
      random->Is(2) ? SetList(member, data->Keep(list(double{})), nullptr, count, &spec)
                    : SetList(member, nullptr, data->Keep(list(float{})), count, &spec);
    } else {
      internal::UseNumber(member, &spec, [&](auto& number) {
        using Number = std::decay_t<decltype(number)>;
        if constexpr (std::is_integral_v<Number>) number = random->Integer<Number>();
        if constexpr (!std::is_integral_v<Number>) number = random->Real<Number>();
        if (std::strcmp(member.name, "axes") == 0 && !random->Is(3))
          number = static_cast<Number>(random->Below(POSENC_MAX_AXES + 1));
      });
    }
  }
  return spec;
}

template <class Spec>
class SpecTextOf : public testing::Test {};
using Nouns = testing::Types<posenc_spec, posenc_rotary_spec>;
TYPED_TEST_SUITE(SpecTextOf, Nouns, );

TYPED_TEST(SpecTextOf, WhatIsPrintedIsTheSameSpec) {
  EXPECT_EQ(PrintSpec(internal::Default<TypeParam>()), "");
  Random random;
  for (int k = 0; k < 20000; ++k) {
    SpecData data, of_text;
    const TypeParam spec = RandomSpec<TypeParam>(&random, &data);
    const std::string text = PrintSpec(spec);
    TypeParam made = internal::Default<TypeParam>();
    ASSERT_EQ(ParseSpec(text, &of_text, &made), "") << text;
    ASSERT_EQ(Difference(spec, made), "") << text;
    ASSERT_EQ(PrintSpec(made), text);
  }
}

template <class Spec>
void ExpectPrinted(const std::string& text, const std::string& printed) {
  SpecData data;
  Spec spec = internal::Default<Spec>();
  EXPECT_EQ(ParseSpec(text, &data, &spec), "") << text;
  EXPECT_EQ(PrintSpec(spec), printed) << text;
}

TEST(SpecText, PrintsMembersInTheOrderOfTheStruct) {
  using E = posenc_spec;
  using R = posenc_rotary_spec;
  ExpectPrinted<E>("", "");
  ExpectPrinted<E>(" \t\n", "");
  ExpectPrinted<E>("base=1e4 layout=interleaved padding_position=none", "");
  ExpectPrinted<E>("\tbase=500000\n dim=0128 ", "dim=128 base=500000");
  ExpectPrinted<E>("padding_position=0 nan_rows=1 target=AVX2", "padding_position=0 nan_rows=1 target=AVX2");
  ExpectPrinted<E>("base=0x1.8p3 exponent_dim=-0x.8 min_timescale=-0 position_scale=0x1p-1074",
                   "base=12 exponent_dim=-0.5 min_timescale=-0 position_scale=5e-324");
  ExpectPrinted<E>("base=1e14 min_timescale=1e15 exponent_dim=1e-5",
                   "base=100000000000000 exponent_dim=1e-05 min_timescale=1e+15");
  ExpectPrinted<E>("frequencies_f32=1:0.1:0x1p-3", "frequencies_f32=1:0.1:0.125");
  ExpectPrinted<E>("frequencies=1:0.1:inf:-nan", "frequencies=1:0.1:inf:-nan");
  ExpectPrinted<R>("sections=16:24:24 head_dim=128", "head_dim=128 sections=16:24:24");
  ExpectPrinted<R>("sections=16:48 axes=3", "sections=16:48:0");
  ExpectPrinted<R>("sections=16:48:5 axes=2", "axes=2 sections=16:48:5");
  ExpectPrinted<R>("axes=2", "axes=2");
  ExpectPrinted<R>("truncate=0 output_pairing=same pairing=neighbours", "pairing=neighbours truncate=0");
  ExpectPrinted<R>("long_factors=2:3 factors=1:1", "factors=1:1 long_factors=2:3");
}

template <class Spec>
void ExpectRefused(const std::string& text, const std::string& sentence) {
  SpecData data;
  Spec spec = internal::Default<Spec>();
  EXPECT_EQ(ParseSpec(text, &data, &spec), sentence);
  EXPECT_EQ(PrintSpec(spec), "") << text;
}

TEST(SpecText, RefusesWrongValuesOfEachKind) {
  using E = posenc_spec;
  using R = posenc_rotary_spec;
  const auto value = [](const std::string& word, const std::string& right) {
    word.find("head_dim") == 0 || word.find("axes") == 0 ||
            internal::MembersOf<E>().Find(word.substr(0, word.find('='))) == nullptr
        ? ExpectRefused<R>(word, word + ": the value must be " + right)
        : ExpectRefused<E>(word, word + ": the value must be " + right);
  };
  for (const char* text : {"", "x", "-1", "+1", "1.5", "1e3", "0x10", "18446744073709551616", "1,2"}) {
    value(std::string("dim=") + text, "a whole number, 1 .. 16777216");
    value(std::string("table_rows=") + text, "a whole number, 0 .. 18446744073709551615");
    value(std::string("axes=") + text, "a whole number, 1 .. 4");
    ExpectRefused<R>(
        std::string("rotary_dim=") + text,
        std::string("rotary_dim=") + text + ": the value must be a whole number, even and at most 16384");
  }
  for (const char* text : {"", "x", "+1", "1.5", "9223372036854775808", "none"})
    value(std::string("position_offset=") + text, "a whole number, -2^31 .. 2^31");
  for (const char* text : {"", "x", "1.5", "None", "9223372036854775808"})
    value(std::string("padding_position=") + text,
          "a whole number, -9223372036854775808 .. 9223372036854775807, or none");
  for (const char* text :
       {"", "x", "1e400", "-1e400", "1,5", "0x", "0x-1", "0xinf", "1:2", "+1", "1e5x", "0x1p2000"})
    value(std::string("base=") + text, "a number that a double can hold");
  for (const char* text : {"", "2", "true", "01"}) value(std::string("nan_rows=") + text, "0 or 1");
  for (const char* text : {"", "4", "SIN_COS", "halves"})
    value(std::string("layout=") + text, "one of interleaved, interleaved_cos_sin, sin_cos, cos_sin");
  value("pairing=same", "one of half_split, neighbours");
  value("target=", "a name");
  const auto list = [](const std::string& type, const std::string& item) {
    return "a list of numbers that a " + type +
           " can hold, with colons between them, such as 1:0.5:0.25; item " + item + ", is not such a number";
  };
  for (const bool are_floats : {false, true}) {
    const std::string name = are_floats ? "frequencies_f32=" : "frequencies=",
                      type = are_floats ? "float" : "double";
    value(name + "", list(type, "1, ''"));
    value(name + "1,2", list(type, "1, '1,2'"));
    value(name + "1::2", list(type, "2, ''"));
    value(name + ":1", list(type, "1, ''"));
    value(name + "1:2:", list(type, "3, ''"));
    value(name + "1:1e400", list(type, "2, '1e400'"));
  }
  value("frequencies_f32=1e39", list("float", "1, '1e39'"));
  const std::string sections =
      "a list of at most 4 whole numbers, 0 .. 18446744073709551615, with colons between them, such as "
      "16:24:24; ";
  const std::string none = ", is not such a number";
  value("sections=", sections + "item 1, ''" + none);
  value("sections=16,24,24", sections + "item 1, '16,24,24'" + none);
  value("sections=16+24+24", sections + "item 1, '16+24+24'" + none);
  value("sections=2:1.5", sections + "item 2, '1.5'" + none);
  value("sections=-1:2", sections + "item 1, '-1'" + none);
  value("sections=1:2:3:4:5", sections + "these are 5");
}

TEST(SpecText, RefusesWrongWords) {
  const std::string equals = ": a word must be NAME=VALUE, without blanks around the =";
  ExpectRefused<posenc_spec>("base", "base" + equals);
  ExpectRefused<posenc_spec>("=1", "=1" + equals);
  ExpectRefused<posenc_spec>("base =1", "base" + equals);
  ExpectRefused<posenc_spec>("base=1 base=2", "base=2: base is given twice");
  ExpectRefused<posenc_spec>(std::string("target=AVX2\0x", 13),
                             std::string("target=AVX2\0x", 13) + ": the value must be a name");
  // A long word is cut between two characters of UTF-8: 3 bytes each, and 78 before the 27th.
  std::string euros;
  for (int i = 0; i < 40; ++i) euros += "\u20ac";
  ExpectRefused<posenc_spec>(euros, euros.substr(0, 78) + "..." + equals);
  SpecData data;
  posenc_spec spec = internal::Default<posenc_spec>();
  for (const char* name :
       {"bas", "head_dim", "frequency_count", "has_padding", "base_f32", "_f32", "struct_size"}) {
    const std::string word = std::string(name) + "=1";
    const std::string sentence = ParseSpec(word, &data, &spec);
    EXPECT_EQ(sentence.find(word + ": the name must be a member of the spec: dim, layout, "), 0u) << sentence;
  }
  const std::string longest(1000, '1');
  EXPECT_LT(ParseSpec("layout=" + longest, &data, &spec).size(), 300u);
  EXPECT_LT(ParseSpec(longest, &data, &spec).size(), 300u);
  EXPECT_LT(ParseSpec(longest + "=1", &data, &spec).size(), 500u);
}

// How long it takes to split some texts of some words each, in seconds of the processor.
double SecondsToSplit(int texts, int words_of_each) {
  std::string text;
  for (int i = 0; i < words_of_each; ++i) text += "a_name_that_no_member_has_" + std::to_string(i) + "=1 ";
  const double start = tools::ThreadSeconds();
  for (int k = 0; k < texts; ++k) {
    internal::SpecWords words;
    EXPECT_EQ(internal::SplitText(text, &words), "");
    EXPECT_EQ(words.size(), static_cast<std::size_t>(words_of_each));
    EXPECT_NE(internal::SplitText(text + "a_name_that_no_member_has_7=2", &words), "");
  }
  return tools::ThreadSeconds() - start;
}

// If each name were compared with all others, the long text would take 100 times as long as 100 short ones.
TEST(SpecText, TakesNoLongerForManyWords) {
  EXPECT_LT(SecondsToSplit(1, 200'000), 20 * SecondsToSplit(100, 2'000));
}

TEST(SpecText, RefusesListsOfOneCountThatDiffer) {
  for (const char* text : {"factors=1:2 long_factors=1:2:3", "factors_f32=1:2 long_factors=1:2:3"}) {
    SpecData data;
    posenc_rotary_spec spec = internal::Default<posenc_rotary_spec>();
    EXPECT_EQ(ParseSpec(text, &data, &spec),
              "long_factors=1:2:3: the value must be a list of 2 numbers, as long as factors");
    EXPECT_EQ(spec.factor_count, 2u);
  }
  SpecData data;
  posenc_rotary_spec spec = internal::Default<posenc_rotary_spec>();
  EXPECT_EQ(ParseSpec("long_factors_f32=1 factors=1:2:3", &data, &spec),
            "factors=1:2:3: the value must be a list of 1 numbers, as long as long_factors");
  EXPECT_EQ(ParseSpec("factors=1 frequencies=1:2", &data, &spec), "");
}

}  // namespace
}  // namespace posenc
