// Rotaries from models' configurations: golden/configs.txt has configurations as published and what rotaries
// they make, by the published formulas (golden/configs.py); and what is refused, with the key's name.
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
#include <vector>

#include "posenc/rotary.h"
#include "rotary_cases.h"
#include "spec_words.h"

namespace posenc {
namespace {

// Entries with what they point to.
class Config {
 public:
  // A line "key = value": a number, true, a "string", a list [1,2] of numbers, or a list [a,b] of strings.
  void Add(const std::string& line) {
    const std::size_t equals = line.find(" = ");
    ASSERT_NE(equals, std::string::npos) << line;
    const char* key = Keep(line.substr(0, equals));
    const std::string value = line.substr(equals + 3);
    if (value == "null") {
      entries_.push_back({key, POSENC_CONFIG_NULL, 0.0, nullptr, nullptr, 0});
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
        list.push_back(ParseAs<double>(number));
      entries_.push_back(ConfigEntry(key, list.data(), list.size()));
    } else if (value == "true" || value == "false") {
      entries_.push_back(ConfigEntry(key, value == "true"));
    } else {
      entries_.push_back(ConfigEntry(key, ParseAs<double>(value)));
    }
  }

  const std::vector<posenc_config_entry>& entries() const { return entries_; }

 private:
  const char* Keep(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }

  std::vector<posenc_config_entry> entries_;
  std::deque<std::string> texts_;
  std::deque<std::vector<double>> lists_;
};

const std::string& NameOf(posenc_status status) {
  static const std::vector<std::string> names = {
#define POSENC_STATUS(constant, sentence) &#constant[7],
#include "spec/statuses.inc"
  };
  return names[static_cast<std::size_t>(status)];
}

// What a call gives: a spec, or the status and the report.
struct Made {
  posenc_status status;
  posenc_rotary_spec spec;
  posenc_config_report report;
};

// asked: "layer=3 type=full_attention model=llama pairing=halves".
Made Make(const std::vector<posenc_config_entry>& entries, const std::string& asked) {
  posenc_config config{};
  config.entries = entries.data();
  config.count = entries.size();
  config.layer = POSENC_NO_LAYER;
  std::string type, model;
  posenc_pairing pairing = POSENC_HALF_SPLIT;
  for (const std::string& word : Split(asked)) {
    const std::string name = word.substr(0, word.find('=')), value = word.substr(word.find('=') + 1);
    if (name == "layer") config.layer = std::stoll(value);
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
  if (made.status != POSENC_OK) {
    EXPECT_EQ(std::memcmp(&made.spec, &before, sizeof(before)), 0) << "written";
    EXPECT_LT(std::strlen(made.report.text), sizeof(made.report.text) - 1) << "cut";
  }
  return made;
}

// A list of the spec's, compared by its numbers, whoever has them.
void ExpectSameList(const char* name, const double* made, const double* want, std::size_t count) {
  ASSERT_EQ(made == nullptr, want == nullptr) << name;
  for (std::size_t i = 0; made != nullptr && i < count; ++i) EXPECT_EQ(made[i], want[i]) << name << " " << i;
}

void ExpectSpec(posenc_rotary_spec made, const std::string& words) {
  posenc_rotary_spec want = RotarySpecOf(words);
  if (want.rotary_dim == 0) want.rotary_dim = want.head_dim - want.rotary_offset;
  ASSERT_EQ(made.factor_count, want.factor_count);
  ExpectSameList("factors", made.factors, want.factors, want.factor_count);
  ExpectSameList("long_factors", made.long_factors, want.long_factors, want.factor_count);
  made.factors = made.long_factors = want.factors = want.long_factors = nullptr;
  EXPECT_EQ(Differences(made, want), "");
}

// results: "A=0x1p+0 w0=0x1p+0 ...".
void ExpectRotary(const posenc_rotary_spec& spec, const std::string& results) {
  const RotaryPtr rotary = CreateRotary(spec);
  ASSERT_NE(rotary, nullptr);
  for (const std::string& word : Split(results)) {
    const double want = ParseAs<double>(word.substr(word.find('=') + 1));
    if (word[0] == 'A') {
      EXPECT_EQ(posenc_rotary_amplitude(rotary.get()), want);
    } else {
      EXPECT_EQ(posenc_rotary_radians(rotary.get(), std::stoul(word.substr(1))), want) << word;
    }
  }
}

// A configuration of the file, and the lines of what it makes.
struct Published {
  std::string name;
  std::vector<std::string> lines;
  Config config;
  std::vector<std::string> rotaries;
};

const std::deque<Published>& AllPublished() {
  static const std::deque<Published> all = [] {
    std::deque<Published> published;
    for (const std::string& line : Split(ReadFile("tests/golden/configs.txt"), '\n')) {
      if (line[0] == '#') {
        published.emplace_back().name = line;
      } else if (line[0] == '>') {
        published.back().rotaries.push_back(line.substr(1));
      } else {
        published.back().config.Add(line);
        published.back().lines.push_back(line);
      }
    }
    return published;
  }();
  return all;
}

// line: "asked | settings | results" or "asked | status".
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

// A configuration, changes of it and what is refused then, and the key that is named. A change is a line,
// whose key need not be in the configuration, or "-key", which takes that key away; several are apart by
// semicolons.
struct Refusal {
  const char *changes, *asked;
  posenc_status status;
  const char* key;
};

const char kLlama[] =
    "model_type = \"llama\"\nhidden_size = 4096\nnum_attention_heads = 32\nnum_hidden_layers = 32\n"
    "rope_theta = 500000\nmax_position_embeddings = 131072\nrope_scaling.factor = 8\n"
    "rope_scaling.rope_type = \"llama3\"\nrope_scaling.low_freq_factor = 1\nrope_scaling.high_freq_factor = "
    "4\n"
    "rope_scaling.original_max_position_embeddings = 8192";
const char kGguf[] =
    "general.architecture = \"llama\"\nllama.embedding_length = 4096\nllama.attention.head_count = 32\n"
    "llama.block_count = 32\nllama.rope.freq_base = 500000";

Config Changed(const std::string& text, const std::string& changes) {
  std::vector<std::string> lines = Split(text, '\n');
  for (std::string change : Split(changes, ';')) {
    const bool removes = change[0] == '-';
    const std::string key = change.substr(removes ? 1 : 0, change.find(" = ")) + (removes ? " = " : "");
    const auto has_key = [&](const std::string& line) {
      return line.rfind(removes ? key : key + " = ", 0) == 0;
    };
    const auto line = std::find_if(lines.begin(), lines.end(), has_key);
    if (line != lines.end()) {
      removes ? void(lines.erase(line)) : void(*line = change);
    } else {
      EXPECT_FALSE(removes) << change;
      lines.push_back(change);
    }
  }
  Config config;
  for (const std::string& line : lines) config.Add(line);
  return config;
}

void ExpectRefusals(const char* text, const std::vector<Refusal>& refusals) {
  EXPECT_EQ(Make(Changed(text, "").entries(), "").status, POSENC_OK);
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.changes + std::string(" ") + refusal.asked);
    const Config config = Changed(text, refusal.changes);
    const Made made = Make(config.entries(), refusal.asked);
    EXPECT_EQ(NameOf(made.status), NameOf(refusal.status));
    EXPECT_EQ(std::string(made.report.key), refusal.key) << made.report.text;
    if (made.status == POSENC_OK) continue;
    std::size_t index = 0;
    while (index < config.entries().size() && std::strcmp(config.entries()[index].key, refusal.key) != 0)
      ++index;
    EXPECT_EQ(made.report.index, index);
  }
}

constexpr posenc_status kOk = POSENC_OK, kKind = POSENC_BAD_CONFIG_KIND, kValue = POSENC_BAD_CONFIG_VALUE,
                        kMissing = POSENC_MISSING_CONFIG_KEY, kUnknown = POSENC_UNKNOWN_CONFIG_KEY,
                        kLayer = POSENC_BAD_LAYER, kStill = POSENC_LAYER_HAS_NO_ROTARY;

TEST(Config, NonsenseIsRefusedWithTheKeysName) {
  std::vector<Refusal> refusals = {
      {"hidden_size = \"4096\"", "", kKind, "hidden_size"},
      {"hidden_size = true", "", kKind, "hidden_size"},
      {"num_hidden_layers = [32]", "", kKind, "num_hidden_layers"},
      {"rope_theta = \"500000\"", "", kKind, "rope_theta"},
      {"model_type = 7", "", kKind, "model_type"},
      {"rope_scaling.rope_type = 7", "", kKind, "rope_scaling.rope_type"},
      {"rope_scaling.rope_type = \"llama4\"", "", kValue, "rope_scaling.rope_type"},
      {"rope_scaling.factor = \"8\"", "", kKind, "rope_scaling.factor"},
      {"rope_scaling.factor = [8]", "", kKind, "rope_scaling.factor"},
      {"rope_scaling.truncate = 2", "", kValue, "rope_scaling.truncate"},
      {"rope_scaling.truncate = \"no\"", "", kKind, "rope_scaling.truncate"},
      {"mrope_section = 64", "", kKind, "mrope_section"},
      {"layer_types = [1,2]", "", kKind, "layer_types"},
      {"layer_types = 2", "", kKind, "layer_types"},
      {"layer_types = []", "layer=1", kOk, ""},
      {"layer_types.0 = 2", "", kKind, "layer_types.0"},
      {"layer_types.0 = []", "", kKind, "layer_types.0"},
      {"rope_theta.0 = 10000", "", kKind, "rope_theta.0"},
      {"no_rope_layers = 1", "", kKind, "no_rope_layers"},
      {"no_rope_layers = [1,2]", "", kValue, "no_rope_layers"},
      // Missing keys.
      {"-hidden_size", "", kMissing, "head_dim"},
      {"-num_attention_heads", "", kMissing, "num_attention_heads"},
      {"-rope_scaling.factor", "", kMissing, "factor"},
      {"-rope_scaling.rope_type", "", kMissing, "rope_type"},
      {"-rope_scaling.low_freq_factor", "", kMissing, "low_freq_factor"},
      {"-rope_scaling.high_freq_factor", "", kMissing, "high_freq_factor"},
      {"-rope_scaling.original_max_position_embeddings", "", kOk, ""},
      {"-rope_scaling.original_max_position_embeddings;-max_position_embeddings", "", kMissing,
       "max_position_embeddings"},
      {"rope_scaling.rope_type = \"yarn\";-rope_scaling.factor", "", kOk, ""},
      {"rope_scaling.rope_type = \"yarn\";-rope_scaling.factor;-max_position_embeddings", "", kMissing,
       "factor"},
      {"rope_scaling.rope_type = \"dynamic\";-max_position_embeddings", "", kMissing,
       "max_position_embeddings"},
      {"rope_scaling.rope_type = \"xdrope\"", "", kMissing, "alpha"},
      {"rope_scaling.rope_type = \"linear\";-rope_scaling.factor", "", kMissing, "factor"},
      {"rope_scaling.rope_type = \"longrope\"", "", kMissing, "short_factor"},
      {"use_dynamic_ntk = true;-rope_scaling.rope_type;-rope_scaling.factor", "", kMissing, "seq_length"},
      // Keys about rotaries that are none, also of other types of layers, and keys about other things.
      {"rope_frobnication = 1", "", kUnknown, "rope_frobnication"},
      {"use_ropes = true", "", kUnknown, "use_ropes"},
      {"my_rotary_base = 1", "", kUnknown, "my_rotary_base"},
      {"mrope = true", "", kUnknown, "mrope"},
      {"yarn_factor = 2", "", kUnknown, "yarn_factor"},
      {"rope_scaling = 8", "", kUnknown, "rope_scaling"},
      {"rope_scaling.frobnication = 1", "", kUnknown, "rope_scaling.frobnication"},
      {"rope_parameters.frobnication = 1", "", kUnknown, "rope_parameters.frobnication"},
      {"rope_parameters.full_attention.frobnication = 1", "type=sliding_attention", kUnknown,
       "rope_parameters.full_attention.frobnication"},
      {"rope_kwargs.theta = 1", "", kUnknown, "rope_kwargs.theta"},
      {"decoder.rope_theta = 1", "", kUnknown, "decoder.rope_theta"},
      {"decoder.hidden_size = -1", "", kOk, ""},
      {"attn_config.rope_theta = -1", "", kValue, "attn_config.rope_theta"},
      {"factor = -1", "", kOk, ""},
      {"properties = 1", "", kOk, ""},
      {"vision_config.rope_frobnication = 1", "", kOk, ""},
      {"text_config.rope_frobnication = 1", "", kUnknown, "text_config.rope_frobnication"},
      {"text_config.rope_theta = -1", "", kValue, "text_config.rope_theta"},
      // Layers.
      {"", "layer=31", kOk, ""},
      {"", "layer=32", kLayer, ""},
      {"", "layer=-2", kLayer, ""},
      {"", "layer=9223372036854775807", kLayer, ""},
      {"", "layer=-9223372036854775808", kLayer, ""},
      {"-num_hidden_layers;no_rope_layer_interval = 4", "layer=9223372036854775807", kLayer, ""},
      {"-num_hidden_layers;no_rope_layer_interval = 4", "layer=2147483647", kStill, ""},
      {"", "type=", kOk, ""},
      {"", "type=moving_attention", kLayer, ""},
      {"rope_theta = [1e6,2e6]", "", kLayer, "rope_theta"},
      {"rope_theta = [1e6,2e6]", "layer=1", kOk, ""},
      {"rope_theta = [1e6,2e6]", "layer=2", kValue, "rope_theta"},
      {"rope_theta = [1e6,-1]", "layer=0", kValue, "rope_theta"},
      {"rope_theta = []", "layer=0", kValue, "rope_theta"},
      {"layer_types = [full_attention]", "layer=0", kOk, ""},
      {"layer_types = [full_attention]", "layer=1", kLayer, "layer_types.0"},
      {"layer_types = [full_attention]", "type=sliding_attention", kLayer, ""},
      {"no_rope_layers = [1,0]", "layer=1", kStill, ""},
      {"no_rope_layers = [0,1]", "layer=0", kStill, ""},
      {"no_rope_layers = [1,0]", "layer=2", kValue, "no_rope_layers"},
      {"rope_local_base_freq = 10000", "", kLayer, "rope_local_base_freq"},
      {"rope_local_base_freq = 10000", "type=full_attention", kOk, ""},
      {"rope_parameters.full_attention.rope_theta = 1e6", "type=sliding_attention", kLayer, ""},
      {"rope_parameters.full_attention.rope_theta = 1e6", "", kLayer, ""},
      {"num_attention_heads = [32,0]", "layer=1", kStill, "num_attention_heads"},
      // Sizes.
      {"head_dim = 1", "", kValue, "head_dim"},
      {"head_dim = 65537", "", kValue, "head_dim"},
      {"head_dim = 16386", "", kValue, "head_dim"},  // more than rotate
      {"head_dim = 127", "", kValue, "head_dim"},
      {"hidden_size = 31", "", kValue, "hidden_size"},
      {"rotary_dim = 130", "", kValue, "rotary_dim"},
      {"rotary_dim = 63", "", kValue, "rotary_dim"},
      {"partial_rotary_factor = 0.01", "", kValue, "partial_rotary_factor"},
      {"partial_rotary_factor = 0;rotary_dim = 64", "", kValue, "partial_rotary_factor"},
      {"partial_rotary_factor = 1.0000001", "", kValue, "partial_rotary_factor"},
      {"partial_rotary_factor = 0.5;rotary_dim = 64", "", kOk, ""},
      {"partial_rotary_factor = 0.5;rotary_dim = 32", "", kValue, "partial_rotary_factor"},
      {"qk_rope_head_dim = 64;partial_rotary_factor = 1", "", kOk, ""},
      {"qk_rope_head_dim = 64;partial_rotary_factor = 0.25", "", kValue, "partial_rotary_factor"},
      {"qk_rope_head_dim = 256", "", kValue, "qk_rope_head_dim"},
      {"head_dim = 65536;rotary_dim = 64", "", kOk, ""},
      {"head_dim = 128;qk_nope_head_dim = 128;qk_rope_head_dim = 64;partial_rotary_factor = 0.5", "", kOk,
       ""},
      {"head_dim = 128;qk_nope_head_dim = 128;qk_rope_head_dim = 64;partial_rotary_factor = 0.25", "", kValue,
       "partial_rotary_factor"},
      {"layer_rope_theta = 500000", "layer=0", kKind, "layer_rope_theta"},
      {"layer_rope_theta = [500000,0]", "layer=1", kStill, ""},
      {"rope_scaling.mscale = nan", "", kValue, "rope_scaling.mscale"},
      {"rope_scaling.mscale = inf", "", kValue, "rope_scaling.mscale"},
      {"rope_scaling.mscale = -0.1", "", kValue, "rope_scaling.mscale"},
      {"layer_rope_theta = [0,inf]", "layer=1", kValue, "layer_rope_theta"},
      // What does not go together.
      {"rope_scaling.low_freq_factor = 4.5", "", kValue, "rope_scaling.low_freq_factor"},
      {"rope_scaling.rope_type = \"yarn\";rope_scaling.beta_fast = 0.5", "", kValue,
       "rope_scaling.beta_fast"},
      {"rope_scaling.rope_type = \"yarn\";rope_theta = 1", "", kValue, "rope_theta"},
      {"rope_scaling.rope_type = \"yarn\";rope_scaling.attention_factor = 1e20", "", kValue,
       "rope_scaling.attention_factor"},
      {"rope_scaling.extrapolation_factor = 1", "", kOk, ""},
      {"rope_scaling.extrapolation_factor = 2", "", kValue, "rope_scaling.extrapolation_factor"},
      {"rope_scaling.mixed_b = 0.6", "", kValue, "rope_scaling.mixed_b"},
      {"rotary_scaling_factor = 2", "", kValue, "rotary_scaling_factor"},
      {"rope_ratio = 1e305", "", kValue, "rope_theta"},
      {"head_dim = 4;rope_scaling.rope_type = \"su\";rope_scaling.short_factor = "
       "[1,1];rope_scaling.long_factor = [1,1,1]",
       "", kValue, "rope_scaling.long_factor"},
      {"head_dim = 4;rope_scaling.rope_type = \"su\";rope_scaling.short_factor = "
       "[1];rope_scaling.long_factor = [1,1]",
       "", kValue, "rope_scaling.short_factor"},
      {"head_dim = 4;rope_scaling.rope_type = \"su\";rope_scaling.short_factor = "
       "[1,0];rope_scaling.long_factor = [1,1]",
       "", kValue, "rope_scaling.short_factor"},
      {"head_dim = 4;rope_scaling.rope_type = \"su\";rope_scaling.short_factor = "
       "[1,1];rope_scaling.long_factor = [1,1];"
       "rope_scaling.short_mscale = 1.1;rope_scaling.long_mscale = 1.2",
       "", kValue, "rope_scaling.long_mscale"},
      {"head_dim = 4;rope_scaling.rope_type = \"su\";rope_scaling.short_factor = "
       "[1,1];rope_scaling.long_factor = [1,1];"
       "rope_scaling.short_mscale = 1.1",
       "", kMissing, "long_mscale"},
      {"head_dim = 4;rope_scaling.rope_type = \"su\";rope_scaling.short_factor = "
       "[1,1];rope_scaling.long_factor = [1,1];"
       "rope_scaling.original_max_position_embeddings = 1",
       "", kValue, "rope_scaling.original_max_position_embeddings"},
      {"head_dim = 4;rope_scaling.rope_type = \"su\";rope_scaling.short_factor = "
       "[1,1];rope_scaling.long_factor = [1,1];"
       "rope_scaling.original_max_position_embeddings = 1;rope_scaling.attention_factor = 1.1",
       "", kOk, ""},
      {"head_dim = 4;rope_scaling.rope_type = \"su\";rope_scaling.short_factor = "
       "[1,1];rope_scaling.long_factor = [1,1];"
       "-max_position_embeddings;-rope_scaling.factor",
       "", kMissing, "factor"},
      {"mrope_section = [32,32]", "", kOk, ""},
      {"mrope_section = [64]", "", kOk, ""},
      {"mrope_section = []", "", kValue, "mrope_section"},
      {"mrope_section = [16,24,23]", "", kValue, "mrope_section"},
      {"mrope_section = [65,0,-1]", "", kValue, "mrope_section"},
      {"mrope_section = [13,13,13,13,12]", "", kValue, "mrope_section"},
      {"mrope_section = [24,20,20];mrope_interleaved = true", "", kOk, ""},
      {"mrope_section = [14,40,10];mrope_interleaved = true", "", kValue, "mrope_section"},
      {"mrope_section = [1e18,1,1]", "", kValue, "mrope_section"},
      {"model_type = \"pixtral\";mrope_section = [32,32]", "", kValue, "mrope_section"},
      {"model_type = \"ernie4_5_vl\";mrope_section = [22,22,20]", "", kOk, ""},
      {"model_type = \"ernie4_5_vl\";mrope_section = [20,22,22]", "", kValue, "mrope_section"},
      {"model_type = \"pixtral\";head_dim = 6;-rope_scaling.rope_type;-rope_scaling.factor", "", kValue,
       "head_dim"},
  };
  const std::deque<std::string> numbers = [] {
    std::deque<std::string> lines;
    for (const char* key :
         {"hidden_size", "num_attention_heads", "num_hidden_layers", "rope_theta", "rope_scaling.factor",
          "max_position_embeddings", "rope_scaling.original_max_position_embeddings", "head_dim",
          "rope_scaling.beta_slow", "partial_rotary_factor", "qk_rope_head_dim"}) {
      for (const char* value : {"-1", "nan", "inf", "-inf"})
        lines.push_back(key + (" = " + std::string(value)));
    }
    for (const char* key : {"hidden_size", "head_dim", "rope_theta", "rope_scaling.factor"})
      lines.push_back(key + std::string(" = 0"));
    for (const char* key : {"hidden_size", "head_dim", "num_hidden_layers"})
      lines.push_back(key + std::string(" = 64.5"));
    return lines;
  }();
  std::deque<std::string> keys;
  for (const std::string& line : numbers) {
    keys.push_back(line.substr(0, line.find(' ')));
    refusals.push_back({line.c_str(), "", kValue, keys.back().c_str()});
  }
  ExpectRefusals(kLlama, refusals);
}

TEST(Config, NonsenseOfGgufIsRefusedWithTheKeysName) {
  ExpectRefusals(
      kGguf,
      {
          {"general.architecture = 7", "", kKind, "general.architecture"},
          {"general.architecture = \"frobnicator\"", "", kUnknown, "llama.rope.freq_base"},
          {"general.architecture = \"frobnicator\";-llama.rope.freq_base", "", kValue,
           "general.architecture"},
          {"", "model=frobnicator", kValue, "general.architecture"},
          {"", "layer=32", kLayer, ""},
          {"llama.rope.frobnication = 1", "", kUnknown, "llama.rope.frobnication"},
          {"llama.rope.scaling.frobnication = 1", "", kUnknown, "llama.rope.scaling.frobnication"},
          {"rope_theta = 1", "", kUnknown, "rope_theta"},
          {"llama.feed_forward_length = 1", "", kOk, ""},
          {"llama.rope.freq_base = \"1\"", "", kKind, "llama.rope.freq_base"},
          {"llama.rope.scaling.factor = -8", "", kValue, "llama.rope.scaling.factor"},
          {"-llama.embedding_length", "", kMissing, "embedding_length"},
          {"-llama.attention.head_count", "", kMissing, "attention.head_count"},
          {"llama.rope.scaling.type = \"yarn\"", "", kMissing, "context_length"},
          {"llama.rope.scaling.type = \"yarn\";llama.context_length = 4096", "", kMissing,
           "rope.scaling.factor"},
          {"llama.rope.dimension_count = 130", "", kValue, "llama.rope.dimension_count"},
          {"rope_freqs = [1,2]", "", kValue, "rope_freqs"},
          {"llama.attention.key_length = 4;rope_freqs = [1,2]", "", kOk, ""},
          {"llama.attention.key_length = 4;rope_freqs = [1,-2]", "", kValue, "rope_freqs"},
          {"llama.attention.key_length = 4;rope_freqs = [1,2];llama.rope.scaling.factor = 1", "", kOk, ""},
          {"llama.attention.key_length = 4;rope_freqs = [1,2];llama.rope.scaling.factor = 4", "", kValue,
           "rope_freqs"},
          {"llama.attention.key_length = 4;rope_factors_short = [1,2]", "", kMissing, "rope_factors_long"},
          {"llama.rope.dimension_sections = [16,24,24,0]", "", kOk, ""},
          {"llama.rope.dimension_sections = [0,0,0,0]", "", kOk, ""},
          {"llama.rope.dimension_sections = [30,30,30,0]", "model=qwen3vl", kOk, ""},
          {"llama.rope.dimension_sections = [30,30,0,0]", "model=qwen3vl", kValue,
           "llama.rope.dimension_sections"},
          {"llama.rope.dimension_sections = [32,32]", "model=qwen3vl", kValue,
           "llama.rope.dimension_sections"},
          {"llama.rope.dimension_sections = [16,24,25,0]", "", kValue, "llama.rope.dimension_sections"},
      });
}

TEST(Config, BadArgumentsAreRefused) {
  Config config = Changed(kLlama, "");
  std::vector<posenc_config_entry> entries = config.entries();
  posenc_rotary_spec spec{};
  posenc_config asked{};
  asked.count = 1;
  asked.layer = POSENC_NO_LAYER;
  EXPECT_EQ(posenc_rotary_spec_from_config(&spec, sizeof(spec), nullptr, nullptr), POSENC_NULL_POINTER);
  EXPECT_EQ(RotaryFromConfig(&spec, asked), Status::kNullPointer);
  asked.count = 0;
  EXPECT_EQ(RotaryFromConfig(&spec, asked), Status::kUnknownModel);
  asked.entries = entries.data();
  asked.count = entries.size();
  EXPECT_EQ(RotaryFromConfig(nullptr, asked), Status::kNullPointer);
  for (const std::size_t size : {std::size_t{0}, sizeof(spec) / 2, std::size_t{4097}}) {
    EXPECT_EQ(posenc_rotary_spec_from_config(&spec, size, &asked, nullptr), POSENC_BAD_STRUCT_SIZE);
  }
  for (const posenc_pairing pairing : {posenc_pairing{POSENC_SAME_PAIRING}, posenc_pairing(-1)}) {
    asked.pairing = &pairing;
    EXPECT_EQ(RotaryFromConfig(&spec, asked), Status::kBadPairing);
  }
  const auto expect_with = [&](const posenc_config_entry& entry, posenc_status status) {
    std::vector<posenc_config_entry> more = entries;
    more.push_back(entry);
    const Made made = Make(more, "");
    EXPECT_EQ(NameOf(made.status), NameOf(status));
    if (status != POSENC_OK) {
      EXPECT_EQ(made.report.index, entries.size());
    }
  };
  expect_with({nullptr, POSENC_CONFIG_NUMBER, 1, nullptr, nullptr, 0}, POSENC_NULL_POINTER);
  expect_with({"rope_scaling.type", POSENC_CONFIG_STRING, 0, nullptr, nullptr, 0}, POSENC_NULL_POINTER);
  expect_with({"mrope_section", POSENC_CONFIG_NUMBERS, 0, nullptr, nullptr, 3}, POSENC_NULL_POINTER);
  expect_with({"head_dim", posenc_config_kind(6), 128, nullptr, nullptr, 0}, POSENC_BAD_CONFIG_KIND);
  expect_with({"head_dim", posenc_config_kind(-1), 128, nullptr, nullptr, 0}, POSENC_BAD_CONFIG_KIND);
  expect_with({"vocab_size", posenc_config_kind(-1), 128, nullptr, nullptr, 0}, POSENC_OK);
  expect_with({"", POSENC_CONFIG_NUMBER, 128, nullptr, nullptr, 0}, POSENC_OK);
  expect_with({".", POSENC_CONFIG_NUMBER, 128, nullptr, nullptr, 0}, POSENC_OK);
}

// The order of entries does not matter, nor does what a spec was before.
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

// Configurations with lines of others, or without some of their own, and with other values: each is refused
// with a key or without, or makes a spec that creation takes, unless frequencies or an amplitude are out of
// range.
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
    Config config;
    for (const std::string& line : lines) config.Add(line);
    const std::string asked = below(3) == 0 ? "" : "layer=" + std::to_string(below(50));
    const Made result = Make(config.entries(), below(4) == 0 ? asked + " type=full_attention" : asked);
    ++made[result.status];
    if (result.status != POSENC_OK) continue;
    posenc_rotary* rotary = nullptr;
    const posenc_status status = posenc_rotary_create(&result.spec, &rotary);
    posenc_rotary_destroy(rotary);
    ++created[status];
    const bool is_range = status == POSENC_FREQUENCY_OUT_OF_RANGE || status == POSENC_BAD_AMPLITUDE;
    EXPECT_TRUE(status == POSENC_OK || is_range) << posenc_status_message(status) << ": " << lines[0];
  }
  EXPECT_EQ(made.size(), 7u);  // all statuses of configurations, and none
  EXPECT_GT(created[POSENC_OK], 4000u);
}

}  // namespace
}  // namespace posenc
