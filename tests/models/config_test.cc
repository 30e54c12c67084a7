// Rotaries from models' configurations. golden/configs.txt has published configurations, and the rotaries
// that the published formulas make of them (golden/configs.py). Other configurations are refused, and the
// refusal names the key.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "posenc/models.h"
#include "refusal.h"
#include "rotary_cases.h"
#include "spec/rules.h"
#include "spec_words.h"

namespace posenc {
namespace {

// Entries of a configuration, and the memory that they point to.
class Entries {
 public:
  // Adds a line "key = value". The value is a number, true, a "string", a list [1,2] of numbers, a list [a,b]
  // of strings, null, or an empty dictionary {}.
  void Add(const std::string& line) {
    const std::size_t equals = line.find(" = ");
    ASSERT_NE(equals, std::string::npos) << line;
    const char* key = Keep(line.substr(0, equals));
    const std::string value = line.substr(equals + 3);
    if (value == "null") {
      entries_.push_back({key, POSENC_CONFIG_NULL, 0.0, nullptr, nullptr, 0});
    } else if (value == "{}") {
      entries_.push_back(ConfigEntry(key, posenc_config_kind{-2}));
    } else if (value[0] == '"') {
      entries_.push_back(ConfigEntry(key, Keep(value.substr(1, value.size() - 2))));
    } else if (value.rfind("[true", 0) == 0 || value.rfind("[false", 0) == 0) {
      std::vector<double>& list = lists_.emplace_back();
      for (const std::string& flag : Split(value.substr(1, value.size() - 2), ','))
        list.push_back(flag == "true" ? 1.0 : 0.0);
      entries_.push_back({key, POSENC_CONFIG_FLAGS, 0.0, nullptr, list.data(), list.size()});
    } else if (value[0] == '[' && std::isalpha(value[1]) != 0) {
      std::size_t index = 0;
      for (const std::string& text : Split(value.substr(1, value.size() - 2), ','))
        entries_.push_back(ConfigEntry(Keep(key + ("." + std::to_string(index++))), Keep(text)));
    } else if (value[0] == '[') {
      std::vector<double>& list = lists_.emplace_back();
      for (const std::string& number : Split(value.substr(1, value.size() - 2), ','))
        list.push_back(NumberOf<double>(number));
      entries_.push_back(ConfigEntry(key, list.data(), list.size()));
    } else if (value == "true" || value == "false") {
      entries_.push_back(ConfigEntry(key, value == "true"));
    } else {
      entries_.push_back(ConfigEntry(key, NumberOf<double>(value)));
    }
  }

  const std::vector<posenc_config_entry>& entries() const { return entries_; }

 private:
  const char* Keep(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }

  std::vector<posenc_config_entry> entries_;
  std::deque<std::string> texts_;
  std::deque<std::vector<double>> lists_;
};

// The name in spec/rules.inc of the rule that is broken, or "ok".
std::string NameOf(posenc_status status) {
  const std::map<posenc_status, std::string> names = {
      {POSENC_OK, "ok"},
#define POSENC_RULE(name, kind, sentence) {internal::rule::name, #name},
#include "spec/rules.inc"
  };
  const auto found = names.find(status);
  return found == names.end() ? "none" : found->second;
}

// What a call returns: a spec, or a status and a report.
struct Made {
  posenc_status status;
  posenc_rotary_spec spec;
  posenc_model_report report;
};

// Makes a spec. asked: "layer=3 type=full_attention model=llama pairing=halves".
Made Make(const std::vector<posenc_config_entry>& entries, const std::string& asked,
          unsigned char* read = nullptr) {
  posenc_config config{};
  config.read = read;
  config.entries = entries.data();
  config.count = entries.size();
  std::int64_t layer = 0;
  std::string type, model;
  posenc_pairing pairing = POSENC_HALF_SPLIT;
  for (const std::string& word : Split(asked)) {
    const std::string name = word.substr(0, word.find('=')), value = word.substr(word.find('=') + 1);
    if (name == "layer") {
      layer = std::stoll(value);
      config.layer = &layer;
    }
    if (name == "type") type = value;
    if (name == "model") model = value;
    if (name == "pairing") config.pairing = &pairing;
    if (name == "pairing" && value == "neighbours") pairing = POSENC_NEIGHBOURS;
  }
  if (!type.empty()) config.layer_type = type.c_str();
  if (!model.empty()) config.model_type = model.c_str();
  Made made{};
  std::memset(&made.spec, 0x5A, sizeof(made.spec));
  const posenc_rotary_spec before = made.spec;
  made.status = RotaryFromConfig(&made.spec, config, &made.report);
  EXPECT_EQ(made.status == POSENC_OK, made.report.text[0] == '\0') << made.report.text;
  EXPECT_EQ(made.report.rotates, made.status == internal::rule::no_rotary ? 0 : 1);
  if (made.status != POSENC_OK) {
    EXPECT_EQ(std::memcmp(&made.spec, &before, sizeof(before)), 0) << "the refused spec was written";
    EXPECT_LT(std::strlen(made.report.text), sizeof(made.report.text) - 1) << "the sentence was cut off";
  }
  return made;
}

// Compares two lists by their numbers, wherever they are.
void ExpectSameList(const char* name, const double* made, const double* want, std::size_t count) {
  ASSERT_EQ(made == nullptr, want == nullptr) << name;
  for (std::size_t i = 0; made != nullptr && i < count; ++i) EXPECT_EQ(made[i], want[i]) << name << " " << i;
}

void ExpectSpec(posenc_rotary_spec made, const std::string& words) {
  posenc_rotary_spec want = WithText(RotarySpecOf(""), words);
  if (want.rotary_dim == 0) want.rotary_dim = want.head_dim - want.rotary_offset;
  ASSERT_EQ(made.factor_count, want.factor_count);
  ExpectSameList("factors", made.factors, want.factors, want.factor_count);
  ExpectSameList("long_factors", made.long_factors, want.long_factors, want.factor_count);
  made.factors = made.long_factors = want.factors = want.long_factors = nullptr;
  EXPECT_EQ(Differences(made, want), "");
}

// Compares a spec with results, such as "A=0x1p+0 w0=0x1p+0 ...".
void ExpectRotary(const posenc_rotary_spec& spec, const std::string& results) {
  const RotaryPtr rotary = CreateRotary(spec);
  ASSERT_NE(rotary, nullptr);
  for (const std::string& word : Split(results)) {
    const double want = NumberOf<double>(word.substr(word.find('=') + 1));
    if (word[0] == 'A') {
      EXPECT_EQ(posenc_rotary_amplitude(rotary.get()), want);
    } else {
      EXPECT_EQ(posenc_rotary_radians(rotary.get(), std::stoul(word.substr(1))), want) << word;
    }
  }
}

// A configuration of the file, and the lines that say what it makes.
struct Published {
  std::string name;
  std::vector<std::string> lines;
  Entries config;
  std::vector<std::string> rotaries;
};

std::deque<Published> Blocks(const char* path) {
  std::deque<Published> blocks;
  for (const std::string& line : Split(ReadFile(path), '\n')) {
    if (line[0] == '#') {
      blocks.emplace_back().name = line;
    } else if (line[0] == '>') {
      blocks.back().rotaries.push_back(line.substr(1));
    } else {
      blocks.back().config.Add(line);
      blocks.back().lines.push_back(line);
    }
  }
  return blocks;
}

const std::deque<Published>& AllPublished() {
  static const std::deque<Published> all = Blocks("tests/models/golden/configs.txt");
  return all;
}

// Checks a line, "asked | spec | results" or "asked | rule".
void ExpectLine(const Published& published, const std::string& line) {
  SCOPED_TRACE(published.name + ": " + line.substr(0, 200));
  const std::vector<std::string> parts = Split(line, '|');
  const Made made = Make(published.config.entries(), parts[0]);
  if (parts.size() == 2) {
    EXPECT_EQ(" " + NameOf(made.status), parts[1]) << made.report.text;
    return;
  }
  ASSERT_EQ(made.status, POSENC_OK) << made.report.text;
  ExpectSpec(made.spec, parts[1]);
  ExpectRotary(made.spec, parts[2]);
}

TEST(Config, PublishedOnesMakeTheRotariesOfTheirModels) {
  std::size_t lines = 0;
  for (const Published& published : AllPublished()) {
    EXPECT_FALSE(published.rotaries.empty()) << published.name;
    for (const std::string& line : published.rotaries) ExpectLine(published, line);
    lines += published.rotaries.size();
  }
  EXPECT_GE(AllPublished().size(), 80u);
  EXPECT_GE(lines, 150u);
}

// golden/refusals.txt has configurations that are refused, with the rule, the wrong key and the sentence.
TEST(Config, NonsenseIsRefusedWithASentence) {
  std::size_t count = 0;
  for (const Published& refused : Blocks("tests/models/golden/refusals.txt")) {
    for (const std::string& line : refused.rotaries) {
      SCOPED_TRACE(refused.name);
      const std::vector<std::string> parts = Split(line, '|');
      ASSERT_EQ(parts.size(), 4u);
      const Made made = Make(refused.config.entries(), parts[0]);
      EXPECT_EQ(" " + NameOf(made.status) + " ", parts[1]);
      EXPECT_EQ(" " + std::string(made.report.key) + " ", parts[2]);
      EXPECT_EQ(" " + std::string(made.report.text), parts[3]);
      std::size_t index = 0;
      const std::vector<posenc_config_entry>& entries = refused.config.entries();
      while (index < entries.size() && std::strcmp(entries[index].key, made.report.key) != 0) ++index;
      EXPECT_EQ(made.report.index, index);
      ++count;
    }
  }
  EXPECT_GE(count, 90u);
}

TEST(Config, BadArgumentsAreRefused) {
  const Entries& config = AllPublished().front().config;
  std::vector<posenc_config_entry> entries = config.entries();
  posenc_rotary_spec spec{};
  posenc_config asked{};
  asked.count = 1;
  EXPECT_EQ(posenc_rotary_spec_from_config(&spec, sizeof(spec), nullptr, nullptr),
            Refusal(POSENC_NULL, "config must not be null"));
  EXPECT_EQ(RotaryFromConfig(&spec, asked), Refusal(POSENC_NULL, "entries of the configuration must not be"));
  asked.count = 0;
  EXPECT_EQ(RotaryFromConfig(&spec, asked), Refusal(POSENC_BAD_ARGUMENT, "does not know that model"));
  asked.entries = entries.data();
  asked.count = entries.size();
  EXPECT_EQ(RotaryFromConfig(nullptr, asked), Refusal(POSENC_NULL, "spec must not be null"));
  for (const std::size_t size : {std::size_t{0}, sizeof(spec) / 2, std::size_t{4097}}) {
    EXPECT_EQ(posenc_rotary_spec_from_config(&spec, size, &asked, nullptr),
              Refusal(rule::rotary_size_argument));
  }
  for (const posenc_pairing pairing : {posenc_pairing{POSENC_SAME_PAIRING}, posenc_pairing(-1)}) {
    asked.pairing = &pairing;
    EXPECT_EQ(RotaryFromConfig(&spec, asked),
              Refusal(POSENC_BAD_ARGUMENT, "*pairing of the configuration must be"));
  }
  const auto expect_reported = [&](posenc_rotary_spec* to, std::size_t size, const posenc_config* from) {
    posenc_model_report report;
    std::memset(&report, 0xA5, sizeof(report));
    const posenc_status status = posenc_rotary_spec_from_config(to, size, from, &report);
    EXPECT_NE(status, POSENC_OK);
    EXPECT_STREQ(report.text, posenc_status_message(status));
    EXPECT_STREQ(report.key, "");
  };
  expect_reported(&spec, sizeof(spec), nullptr);
  expect_reported(nullptr, sizeof(spec), &asked);
  const auto no_pairing = static_cast<posenc_pairing>(-1);
  asked.pairing = &no_pairing;
  expect_reported(&spec, sizeof(spec), &asked);
  asked.pairing = nullptr;
  expect_reported(&spec, 5, &asked);
  const auto expect_with = [&](const posenc_config_entry& entry, const Refusal& want) {
    std::vector<posenc_config_entry> more = entries;
    more.push_back(entry);
    const Made made = Make(more, "");
    EXPECT_EQ(made.status, want) << made.report.text;
    if (!want.IsOk()) {
      EXPECT_EQ(made.report.index, entries.size());
    }
  };
  const Refusal entry_is_null(POSENC_NULL, "key, string and numbers of an entry");
  expect_with({nullptr, POSENC_CONFIG_NUMBER, 1, nullptr, nullptr, 0}, entry_is_null);
  expect_with({"rope_scaling.type", POSENC_CONFIG_STRING, 0, nullptr, nullptr, 0}, entry_is_null);
  expect_with({"mrope_section", POSENC_CONFIG_NUMBERS, 0, nullptr, nullptr, 3}, entry_is_null);
  const Refusal kind(POSENC_BAD_ARGUMENT, "must have a value of another kind");
  expect_with({"head_dim", posenc_config_kind(6), 128, nullptr, nullptr, 0}, kind);
  expect_with({"head_dim", posenc_config_kind(-1), 128, nullptr, nullptr, 0}, kind);
  expect_with({"vocab_size", posenc_config_kind(-1), 128, nullptr, nullptr, 0}, POSENC_OK);
  expect_with({"", POSENC_CONFIG_NUMBER, 128, nullptr, nullptr, 0}, POSENC_OK);
  expect_with({".", POSENC_CONFIG_NUMBER, 128, nullptr, nullptr, 0}, POSENC_OK);
}

// An array, a vector and a pointer of C++ are the entries of C; nothing else is set.
TEST(Config, TakesEntriesOfCpp) {
  const ConfigEntry entries[] = {{"model_type", "llama"}, {"head_dim", 64}, {"rope_scaling", nullptr}};
  EXPECT_EQ(entries[2].kind, POSENC_CONFIG_NULL);
  const std::vector<ConfigEntry> same(std::begin(entries), std::end(entries));
  const std::vector<posenc_config_entry> of_c(same.begin(), same.end());
  const posenc_config_entry array_of_c[] = {of_c[0], of_c[1], of_c[2]};
  for (const Config& config :
       {Config(entries), Config(same), Config(of_c), Config(array_of_c), Config(entries, 3)}) {
    EXPECT_EQ(config.count, 3u);
    EXPECT_EQ(config.layer, nullptr);
    EXPECT_EQ(config.layer_type, nullptr);
    EXPECT_EQ(config.model_type, nullptr);
    EXPECT_EQ(config.pairing, nullptr);
    EXPECT_EQ(config.read, nullptr);
    RotarySpec spec;
    posenc_model_report report;
    EXPECT_EQ(RotaryFromConfig(&spec, config, &report), POSENC_OK) << report.text;
    EXPECT_EQ(spec.head_dim, 64u);
  }
  const double values[] = {1, 0};
  const ConfigEntry flags = {"no_rope_layers", POSENC_CONFIG_FLAGS, values, 2};
  EXPECT_EQ(flags.kind, POSENC_CONFIG_FLAGS);
  EXPECT_EQ(flags.numbers, values);
  EXPECT_EQ(flags.count, 2u);
  const ConfigEntry mixed[] = {entries[0], entries[1], {"rope_theta", posenc_config_kind{-1}}};
  RotarySpec spec;
  posenc_model_report report;
  EXPECT_EQ(RotaryFromConfig(&spec, Config(mixed), &report), Refusal(POSENC_BAD_ARGUMENT, "of another kind"));
  EXPECT_EQ(report.index, 2u);
  EXPECT_NE(std::strstr(report.text, "of mixed kinds"), nullptr) << report.text;
  EXPECT_EQ(Config().entries, nullptr);
  EXPECT_EQ(Config().count, 0u);
}

// NULL is a number of GCC and Clang, but it is not read as 0.
TEST(Config, RefusesNullPointersAsStrings) {
  const std::int64_t eight = 8;
  EXPECT_EQ(ConfigEntry("num_hidden_layers", eight).kind, POSENC_CONFIG_NUMBER);
  EXPECT_EQ(ConfigEntry("num_hidden_layers", eight).number, 8.0);
  EXPECT_EQ(ConfigEntry("num_hidden_layers", 9L).number, 9.0);
  EXPECT_EQ(ConfigEntry("num_hidden_layers", 0).kind, POSENC_CONFIG_NUMBER);
  EXPECT_EQ(ConfigEntry("use_rope", false).kind, POSENC_CONFIG_FLAG);
  const char* const none = nullptr;
  std::vector<ConfigEntry> entries = {{"rope_scaling", none}};
  if (!std::is_same_v<decltype(NULL), int>)
    entries.emplace_back(ConfigEntry("rope_scaling", NULL));  // NOLINT(modernize-use-nullptr)
  for (const ConfigEntry& entry : entries) {
    const ConfigEntry all[] = {{"model_type", "llama"}, {"head_dim", 64}, entry};
    RotarySpec spec;
    posenc_model_report report;
    EXPECT_EQ(RotaryFromConfig(&spec, Config(all), &report), Refusal(internal::rule::null_entry));
    EXPECT_STREQ(report.key, "rope_scaling");
    EXPECT_EQ(report.index, 2u);
    EXPECT_STREQ(report.text,
                 "entry 2, rope_scaling, has a string that is a null pointer: for null, its kind must be "
                 "POSENC_CONFIG_NULL");
  }
}

TEST(Config, SaysWhatHasNoKind) {
  const auto expect = [](int kind, const char* text) {
    const ConfigEntry all[] = {
        {"model_type", "llama"}, {"head_dim", 64}, {"rope_theta", posenc_config_kind(kind)}};
    RotarySpec spec;
    posenc_model_report report;
    EXPECT_EQ(RotaryFromConfig(&spec, Config(all), &report), Refusal(internal::rule::kind_of_key));
    EXPECT_EQ(report.text, std::string(text) + ", but must be a number");
  };
  expect(-1, "rope_theta is of mixed kinds, or of a kind that posenc does not read");
  expect(6, "rope_theta is of mixed kinds, or of a kind that posenc does not read");
  expect(-2, "rope_theta is an empty dictionary");
  expect(-3, "rope_theta is a list of more than 32768 items");
}

// A key that was read is refused if another entry has the same key, even if both have the same value.
TEST(Config, RefusesKeysThatAreGivenTwice) {
  std::size_t refused = 0;
  for (const Published& published : AllPublished()) {
    const std::string asked = Split(published.rotaries.front(), '|')[0];
    SCOPED_TRACE(published.name + asked);
    const std::vector<posenc_config_entry>& entries = published.config.entries();
    std::vector<unsigned char> read(entries.size());
    if (Make(entries, asked, read.data()).status != POSENC_OK) continue;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (read[i] == 0) continue;
      std::vector<posenc_config_entry> more = entries;
      more.push_back(entries[i]);
      for (const bool is_null : {false, true}) {
        if (is_null) more.back().kind = POSENC_CONFIG_NULL;
        const bool is_item = is_null && std::isdigit(entries[i].key[std::strlen(entries[i].key) - 1]) != 0;
        const Made made = Make(more, asked);
        EXPECT_EQ(made.status, is_item ? Refusal(POSENC_BAD_ARGUMENT) : Refusal(internal::rule::key_twice))
            << made.report.text;
        EXPECT_STREQ(made.report.key, entries[i].key);
        EXPECT_EQ(made.report.index, entries.size());
        if (!is_item) {
          EXPECT_NE(std::strstr(made.report.text, "is given twice: give it once"), nullptr);
        }
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 1000u);
}

// In any order.
TEST(Config, RefusesItemsThatAreGivenTwice) {
  for (const char* const list :
       {"layer_types.0 layer_types.1 layer_types.0", "layer_types.1 layer_types.0 layer_types.1"}) {
    Entries config;
    for (const char* line : {"model_type = \"llama\"", "head_dim = 64"}) config.Add(line);
    for (const std::string& key : Split(list)) config.Add(key + " = \"full_attention\"");
    const Made made = Make(config.entries(), "layer=0");
    EXPECT_EQ(made.status, Refusal(internal::rule::key_twice)) << made.report.text;
    EXPECT_EQ(made.report.index, 4u);
    std::vector<posenc_config_entry> once = config.entries();
    once.pop_back();
    EXPECT_EQ(Make(once, "layer=0").status, POSENC_OK);
  }
  Entries config;
  for (const char* line :
       {"model_type = \"llama\"", "head_dim = 64", "layer_types.32768 = \"full_attention\""})
    config.Add(line);
  const Made made = Make(config.entries(), "layer=0");
  EXPECT_EQ(made.status, Refusal(internal::rule::value_of_key));
  EXPECT_STREQ(made.report.text,
               "layer_types.32768 is \"full_attention\", but a list may have at most 32768 items");
}

// If the caller asks for a type of layer, all layers of the type must have the same head_dim.
TEST(Config, RefusesLayersOfOneTypeThatDiffer) {
  for (const bool differ : {false, true}) {
    Entries config;
    for (const char* line :
         {"model_type = \"llama\"", "head_dim = 64", "layer_types = [full_attention,full_attention]",
          "per_layer_config.0.head_dim = 32"})
      config.Add(line);
    config.Add(differ ? "per_layer_config.1.head_dim = 16" : "per_layer_config.1.head_dim = 32");
    const Made made = Make(config.entries(), "type=full_attention");
    EXPECT_EQ(made.status, differ ? Refusal(internal::rule::bad_layer) : Refusal(POSENC_OK))
        << made.report.text;
    if (differ) {
      EXPECT_STREQ(made.report.text,
                   "per_layer_config.1.head_dim is 16, so layers of that type differ: name a layer");
    }
  }
}

// The order of entries does not matter. Neither does the old content of the spec.
TEST(Config, OrderDoesNotMatter) {
  for (const Published& published : AllPublished()) {
    std::vector<posenc_config_entry> entries = published.config.entries();
    std::reverse(entries.begin(), entries.end());
    for (const std::string& line : published.rotaries) {
      const std::vector<std::string> parts = Split(line, '|');
      SCOPED_TRACE(published.name + parts[0]);
      const Made made = Make(entries, parts[0]), want = Make(published.config.entries(), parts[0]);
      EXPECT_EQ(made.status, want.status);
      EXPECT_EQ(Differences(made.spec, want.spec), "");
    }
  }
}

// Configurations with lines from others, with lines removed, and with other values. Each is refused, with or
// without a key. Or it makes a spec that creation accepts, unless frequencies are out of range.
TEST(Config, AnyMixtureIsRefusedOrMakesARotary) {
  const auto& all = AllPublished();
  const std::vector<std::string> values = {"-1",    "0",        "1",      "3",           "nan",
                                           "1e300", "\"yarn\"", "\"su\"", "true",        "[1,2]",
                                           "[32]",  "[]",       "64",     "\"pixtral\"", "[9,9,9,9]"};
  std::mt19937 random(20260726);
  const auto below = [&](std::size_t count) { return random() % count; };
  const auto any_line = [&] {
    const std::vector<std::string>& lines = all[below(all.size())].lines;
    return lines[below(lines.size())];
  };
  std::map<posenc_status, std::size_t> made, created;
  for (int n = 0; n < 20000; ++n) {
    std::vector<std::string> lines = all[below(all.size())].lines;
    for (std::size_t changes = below(4); changes > 0; --changes) {
      std::string& line = lines[below(lines.size())];
      const std::size_t how = below(3);
      if (how == 0 && lines.size() > 1) line = lines.back(), lines.pop_back();
      if (how == 1) line = line.substr(0, line.find(" = ") + 3) + values[below(values.size())];
      if (how == 2) lines.push_back(any_line());
    }
    Entries config;
    for (const std::string& line : lines) config.Add(line);
    const std::string asked = below(3) == 0 ? "" : "layer=" + std::to_string(below(50));
    const Made result = Make(config.entries(), below(4) == 0 ? asked + " type=full_attention" : asked);
    ++made[result.status];
    if (result.status != POSENC_OK) continue;
    posenc_rotary* rotary = nullptr;
    const posenc_status status = posenc_rotary_create(&result.spec, &rotary);
    posenc_rotary_destroy(rotary);
    ++created[status];
    EXPECT_TRUE(status == POSENC_OK || status == internal::rule::frequency_range)
        << posenc_status_message(status) << ": " << lines[0];
  }
  EXPECT_EQ(made.size(), 10u);  // all rules of configurations, and POSENC_OK
  EXPECT_GT(created[POSENC_OK], 4000u);
}

}  // namespace
}  // namespace posenc
