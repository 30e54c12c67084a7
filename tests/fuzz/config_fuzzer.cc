// Fuzzes the reading of models' configurations, from the text of a config.json to a rotary. The
// configurations are published ones, and random mixtures of known keys, values and models, changed at random.
// Nothing crashes. A refusal writes no spec and gives the reason in one printable sentence. An accepted
// configuration gives the same spec for any order of its keys.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "command/config.h"
#include "command/options.h"
#include "fuzzing.h"
#include "posenc/models_c.h"
#include "spec/rules.h"

namespace posenc {
namespace fuzz {
namespace {

using tools::Config;

const std::vector<std::string>& Words(const char* text) {
  static std::vector<std::vector<std::string>> all;
  static std::vector<const char*> texts;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i] == text) return all[i];
  }
  all.reserve(16);
  texts.push_back(text);
  std::vector<std::string>& words = all.emplace_back(1);
  for (const char* c = text; *c != '\0'; ++c) {
    if (*c != ' ') words.back() += *c;
    if (*c == ' ' && !words.back().empty()) words.emplace_back();
  }
  return words;
}

constexpr char kTypes[] =
#define POSENC_MODEL(types, words, source) types " "
#include "models/others.inc"

#define POSENC_MODEL(types, words, source) types " "
#include "models/transformers.inc"
    "a_model";
constexpr char kArchitectures[] =
#define POSENC_MODEL(types, words, source) types " "
#include "models/llama_cpp.inc"
    "an_architecture";
constexpr char kKeys[] =
#define POSENC_CONFIG_KEY(slot, place, kind, readers, key) key " "
#include "models/keys.inc"
    "rope_frobnication";
constexpr char kPlaces[] =
    "rope_scaling. rope_parameters. rope_parameters.full_attention. rope_parameters.sliding_attention. "
    "text_config. "
    "text_config.rope_parameters. text_config.rope_scaling. per_layer_config.1. vision_config.";
constexpr char kValues[] =
    "0 1 2 3 4 8 10 16 32 64 96 128 4096 1e4 5e5 1e6 0.5 0.25 1.5 -1 -0.0 1e300 1e-300 NaN Infinity "
    "-Infinity 9007199254740993 "
    "1000000000 true false null {} [] [1] [0] [1,0,1,0] [true,false,true,false] [1,true] [1,null] [[1],[2]] "
    "[{\"a\":1}] [2,2] "
    "[2,3,3] [4,2,2] [16,24,24] [1,1,1,1,1,1,1,1] [1e4,5e5,0,1] \"linear\" \"yarn\" \"llama3\" \"longrope\" "
    "\"dynamic\" "
    "\"default\" \"mrope\" \"proportional\" \"su\" \"none\" \"ntk\" \"\" \"rope\" \"absolute\" \"alibi\" "
    "\"LLLG\" "
    "\"full_attention\" \"sliding_attention\" "
    "[\"full_attention\",\"sliding_attention\",\"sliding_attention\",\"full_attention\"] "
    "[\"linear_attention\",\"full_attention\"] {\"rope_type\":\"linear\",\"factor\":4} "
    "{\"type\":\"yarn\",\"factor\":4} "
    "{\"full_attention\":{\"rope_theta\":5e5},\"sliding_attention\":{\"rope_theta\":1e4}} "
    "{\"full_attention\":null}";

// Published configurations, some with fewer layers.
const char* const kPublished[] = {
    R"({"model_type":"llama","hidden_size":4096,"num_attention_heads":32,"num_hidden_layers":4,"max_position_embeddings":131072,"rope_theta":500000.0,"rope_scaling":{"factor":8.0,"low_freq_factor":1.0,"high_freq_factor":4.0,"original_max_position_embeddings":8192,"rope_type":"llama3"}})",
    R"({"model_type":"gemma3","text_config":{"model_type":"gemma3_text","hidden_size":2560,"num_hidden_layers":7,"head_dim":256,"num_attention_heads":8,"rope_scaling":{"factor":8.0,"rope_type":"linear"},"sliding_window":1024,"sliding_window_pattern":6,"rope_theta":1000000.0,"rope_local_base_freq":10000.0},"vision_config":{"hidden_size":1152}})",
    R"({"model_type":"deepseek_v3","hidden_size":7168,"num_attention_heads":128,"num_hidden_layers":4,"qk_nope_head_dim":128,"qk_rope_head_dim":64,"max_position_embeddings":163840,"rope_theta":10000,"rope_scaling":{"beta_fast":32,"beta_slow":1,"factor":40,"mscale":1.0,"mscale_all_dim":1.0,"original_max_position_embeddings":4096,"type":"yarn"}})",
    R"({"model_type":"qwen2_vl","hidden_size":3584,"num_attention_heads":28,"num_hidden_layers":4,"rope_theta":1000000.0,"rope_scaling":{"type":"mrope","mrope_section":[16,24,24]}})",
    R"({"model_type":"llama4","text_config":{"model_type":"llama4_text","hidden_size":5120,"head_dim":128,"num_attention_heads":40,"num_hidden_layers":8,"rope_theta":500000.0,"no_rope_layers":[1,1,1,0,1,1,1,0],"rope_scaling":{"factor":16.0,"high_freq_factor":1.0,"low_freq_factor":1.0,"original_max_position_embeddings":8192,"rope_type":"llama3"}}})",
    R"({"model_type":"gemma4_text","hidden_size":2304,"num_attention_heads":8,"num_hidden_layers":6,"layer_types":["sliding_attention","full_attention","sliding_attention","full_attention","sliding_attention","full_attention"],"rope_parameters":{"full_attention":{"rope_type":"proportional","rope_theta":1000000.0,"partial_rotary_factor":0.25},"sliding_attention":{"rope_type":"default","rope_theta":10000.0}}})",
    R"({"model_type":"phi3","hidden_size":16,"num_attention_heads":2,"num_hidden_layers":2,"max_position_embeddings":131072,"original_max_position_embeddings":4096,"rope_theta":10000.0,"rope_scaling":{"type":"longrope","short_factor":[1,1.1,1.2,1.3],"long_factor":[1,2,3,4]}})",
    R"({"model_type":"modernbert","hidden_size":768,"num_attention_heads":12,"num_hidden_layers":6,"global_attn_every_n_layers":3,"global_rope_theta":160000.0,"local_rope_theta":10000.0})",
    R"({"general.architecture":"llama","llama.block_count":4,"llama.embedding_length":4096,"llama.attention.head_count":32,"llama.rope.dimension_count":128,"llama.rope.freq_base":500000.0,"rope_freqs.weight":[1,1,2,8]})",
    R"({"general.architecture":"gemma3","gemma3.block_count":6,"gemma3.embedding_length":2560,"gemma3.attention.head_count":8,"gemma3.attention.key_length":256,"gemma3.attention.sliding_window":1024,"gemma3.rope.freq_base":1000000.0,"gemma3.rope.scaling.type":"linear","gemma3.rope.scaling.factor":8.0})"};

std::string Pick(const char* words, Bytes& bytes) {
  const std::vector<std::string>& all = Words(words);
  return all[MakeSize(all.size() - 1, bytes)];
}

std::string MakeKey(bool is_gguf, Bytes& bytes) {
  std::string key = Pick(kKeys, bytes);
  if (is_gguf && bytes.ConsumeBool()) return "llama." + key;
  return Rarely(bytes, 8) ? Pick(kPlaces, bytes) + key : key;
}

std::string MakeValue(Bytes& bytes) {
  if (Rarely(bytes, 6)) return "\"" + Pick(kTypes, bytes) + "\"";
  return Pick(kValues, bytes);
}

// Makes {"model_type": ... with some keys. A dot in a key makes an object.
std::string MakeConfig(Bytes& bytes) {
  const bool is_gguf = Rarely(bytes, 4);
  std::string text = is_gguf ? R"({"general.architecture":")" + Pick(kArchitectures, bytes) + "\""
                             : R"({"model_type":")" + Pick(kTypes, bytes) + "\"";
  if (!Rarely(bytes, 4) && !is_gguf)
    text += R"(,"hidden_size":64,"num_attention_heads":4,"num_hidden_layers":4)";
  for (std::size_t count = MakeSize(8, bytes); count > 0; --count) {
    std::string key = MakeKey(is_gguf, bytes), open, close;
    for (std::size_t dot = key.find('.'); dot != std::string::npos && !is_gguf; dot = key.find('.')) {
      open += "\"" + key.substr(0, dot) + "\":{";
      close += "}";
      key.erase(0, dot + 1);
    }
    text += "," + open + "\"" + key + "\":" + MakeValue(bytes) + close;
  }
  return text + "}";
}

// Takes a published configuration, adds keys, and replaces values and characters.
std::string ChangeConfig(Bytes& bytes) {
  std::string text = kPublished[MakeSize(std::size(kPublished) - 1, bytes)];
  const bool is_gguf = text.find("general.architecture") != std::string::npos;
  for (std::size_t count = MakeSize(5, bytes); count > 0; --count) {
    const std::size_t from = MakeSize(text.size() - 1, bytes);
    const std::size_t comma = text.find(',', from), colon = text.find(':', from);
    const int how = bytes.ConsumeIntegralInRange(0, 5);
    if (how <= 2 && colon != std::string::npos) {
      const std::size_t end = text.find_first_of(",}", colon);
      text.replace(colon + 1, end == std::string::npos ? end : end - colon - 1, MakeValue(bytes));
    } else if (how <= 4 && comma != std::string::npos) {
      text.insert(comma + 1, "\"" + MakeKey(is_gguf, bytes) + "\":" + MakeValue(bytes) + ",");
    } else {
      text[from] = static_cast<char>(bytes.ConsumeIntegral<std::uint8_t>());
    }
  }
  return text;
}

struct Asked {
  std::optional<std::int64_t> layer;
  std::string layer_type, model_type;
  posenc_pairing pairing = POSENC_HALF_SPLIT;
  bool has_pairing = false;
};

struct Made {
  posenc_status status;
  posenc_rotary_spec spec;
};

Made Make(const std::vector<posenc_config_entry>& entries, const Asked& asked) {
  std::vector<unsigned char> read(entries.size(), 7);
  posenc_config config{};
  config.entries = entries.data();
  config.count = entries.size();
  config.layer = asked.layer ? &*asked.layer : nullptr;
  config.layer_type = asked.layer_type.empty() ? nullptr : asked.layer_type.c_str();
  config.model_type = asked.model_type.empty() ? nullptr : asked.model_type.c_str();
  config.pairing = asked.has_pairing ? &asked.pairing : nullptr;
  config.read = read.data();
  posenc_model_report report;
  std::memset(&report, 0x5A, sizeof(report));
  Made made;
  std::memset(&made, 0x5A, sizeof(made));
  const posenc_rotary_spec before = made.spec;
  made.status = posenc_rotary_spec_from_config(&made.spec, sizeof(made.spec), &config, &report);
  const std::size_t length = strnlen(report.text, sizeof(report.text));
  POSENC_FUZZ_CHECK(length < sizeof(report.text) - 1);  // nothing was cut off
  POSENC_FUZZ_CHECK((length == 0) == (made.status == POSENC_OK));
  for (const char c : std::string(report.text, length)) POSENC_FUZZ_CHECK(c >= ' ' && c <= '~');
  POSENC_FUZZ_CHECK(strnlen(report.model_type, sizeof(report.model_type)) < sizeof(report.model_type));
  POSENC_FUZZ_CHECK(strnlen(report.source, sizeof(report.source)) < sizeof(report.source));
  POSENC_FUZZ_CHECK(report.key != nullptr && report.index <= entries.size() && report.layers >= 0);
  for (const unsigned char flag : read) POSENC_FUZZ_CHECK(flag <= 1);
  if (made.status != POSENC_OK) POSENC_FUZZ_CHECK(std::memcmp(&made.spec, &before, sizeof(before)) == 0);
  return made;
}

bool AreUnique(const std::vector<posenc_config_entry>& entries) {
  std::vector<std::string> keys;
  for (const posenc_config_entry& entry : entries) keys.emplace_back(entry.key);
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) == keys.end();
}

void CheckConfig(const Config& config, Bytes& bytes) {
  Asked asked;
  if (bytes.ConsumeBool()) asked.layer = bytes.ConsumeIntegralInRange<std::int64_t>(-2, 9);
  if (Rarely(bytes)) asked.layer = bytes.ConsumeIntegral<std::int64_t>();
  if (Rarely(bytes, 4)) asked.layer_type = bytes.ConsumeBool() ? "full_attention" : "sliding_attention";
  if (Rarely(bytes, 8)) asked.model_type = Pick(kTypes, bytes);
  asked.has_pairing = Rarely(bytes, 4);
  if (bytes.ConsumeBool()) asked.pairing = POSENC_NEIGHBOURS;
  const Made made = Make(config.entries, asked);
  std::vector<posenc_config_entry> turned(config.entries.rbegin(), config.entries.rend());
  const Made again = Make(turned, asked);
  if (AreUnique(turned)) {
    POSENC_FUZZ_CHECK((made.status == POSENC_OK) == (again.status == POSENC_OK));
    POSENC_FUZZ_CHECK(made.status != POSENC_OK ||
                      std::memcmp(&made.spec, &again.spec, sizeof(made.spec)) == 0);
  }
  if (made.status != POSENC_OK || made.spec.head_dim > 512) return;
  posenc_rotary* rotary = nullptr;
  const posenc_status status = posenc_rotary_create(&made.spec, &rotary);
  if (status == POSENC_OK) posenc_rotary_destroy(rotary);
  if (status != POSENC_OK && status != posenc::internal::rule::frequency_range)
    Fail("a spec is right", posenc_status_message(status), status);
}

}  // namespace
}  // namespace fuzz
}  // namespace posenc

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc::fuzz;
  Bytes bytes(data, size);
  const int how = bytes.ConsumeIntegralInRange(0, 7);
  const std::string text = how < 3   ? MakeConfig(bytes)
                           : how < 7 ? ChangeConfig(bytes)
                                     : bytes.ConsumeRandomLengthString();
  posenc::tools::Config config;
  try {
    posenc::tools::ParseConfig("a file", text, &config);
  } catch (const posenc::tools::UsageError&) {
    return 0;
  }
  CheckConfig(config, bytes);
  return 0;
}
