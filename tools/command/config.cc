#include "command/config.h"

#include "command/options.h"
#include "models/keys.h"
#ifdef POSENC_HAVE_JSON
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>
#include <rapidjson/stream.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unordered_set>
#include <utility>
#endif

namespace posenc {
namespace tools {

#ifdef POSENC_HAVE_JSON

namespace {

// Limits for hostile files, which may have many levels, or never end. Real configurations are small: the
// metadata of a GGUF file, with all words of the tokenizer, has about 20 MiB.
constexpr std::size_t kMostLevels = 64, kMostMib = 64;

// The most keys, and the most memory for keys. A key is stored with the keys of the dictionaries around it.
constexpr std::size_t kMostKeys = 1000000, kMostKeyMib = 128;

// The most items of a list. posenc reads lists with an item for each pair or for each layer.
using internal::models::kMostItems;

using internal::models::kEmptyDictionary;
using internal::models::kLongList;
using internal::models::kNoKind;

// The text, where `character` is replaced by the six characters \u00NN.
std::string Without(char character, const char* escaped, std::string text) {
  for (std::size_t at = text.find(character); at != std::string::npos; at = text.find(character, at)) {
    text.replace(at, 1, escaped);
  }
  return text;
}

// The text as a C string: null characters are escaped.
std::string WithoutNul(std::string text) { return Without('\0', "\\u0000", std::move(text)); }

// The key with its dots escaped, so that they do not look like dots between two dictionaries.
std::string WithoutDots(std::string key) { return Without('.', "\\u002e", std::move(key)); }

// Makes entries from the events of a JSON reader. An object must not have a key twice.
class Flattener : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Flattener> {
 public:
  explicit Flattener(Config* config) : config_(*config) {}

  bool is_object() const { return is_object_; }
  bool is_too_deep() const { return levels_.size() > kMostLevels; }
  bool has_too_many_keys() const { return keys_ > kMostKeys || key_bytes_ > kMostKeyMib << 20; }
  // The first key that an object has twice, or "".
  const std::string& key_twice() const { return key_twice_; }

  // Escapes the dots in keys, unless the file is GGUF metadata.
  void Finish() {
    bool is_gguf = false;
    for (const posenc_config_entry& entry : config_.entries) {
      is_gguf = is_gguf || std::strcmp(entry.key, "general.architecture") == 0;
    }
    for (const auto& [place, size] : is_gguf ? std::vector<Dotted>() : dotted_) {
      posenc_config_entry& entry = config_.entries[place];
      const std::string key = entry.key;
      entry.key = Keep(WithoutDots(key.substr(0, size)) + key.substr(size));
    }
  }

  bool Null() { return Add(POSENC_CONFIG_NULL, 0.0); }
  bool Bool(bool value) { return Add(POSENC_CONFIG_FLAG, value ? 1.0 : 0.0); }
  bool Double(double value) { return Add(POSENC_CONFIG_NUMBER, value); }  // NaN and infinities
  bool RawNumber(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    return Add(POSENC_CONFIG_NUMBER, std::strtod(std::string(text, size).c_str(), nullptr));
  }
  bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    if (levels_.empty()) return true;
    Level& level = levels_.back();
    if (!level.is_list) {
      return Put(level.name + level.key, ConfigEntry(nullptr, Keep(WithoutNul({text, size}))));
    }
    Count(POSENC_CONFIG_STRING, &level);
    if (level.kind == POSENC_CONFIG_STRING) level.strings.push_back(WithoutNul({text, size}));
    return true;
  }
  bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    Level& level = levels_.back();
    level.key = WithoutNul({text, size});
    if (levels_.size() > 1) level.key = WithoutDots(std::move(level.key));
    if (!Spend(level.name.size() + level.key.size())) return false;
    if (level.keys.insert(level.key).second) return true;
    key_twice_ = level.name + level.key;
    return false;
  }
  bool StartObject() {
    if (levels_.empty()) is_object_ = true;
    return Begin(false);
  }
  bool EndObject(rapidjson::SizeType count) {
    levels_.pop_back();
    if (count != 0 || levels_.empty() || levels_.back().is_list) return true;
    return Put(levels_.back().name + levels_.back().key,
               {nullptr, kEmptyDictionary, 0.0, nullptr, nullptr, 0});
  }
  bool StartArray() { return Begin(true); }
  bool EndArray(rapidjson::SizeType /*count*/) {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    if (levels_.empty() || levels_.back().is_list) return true;
    if (level.kind == POSENC_CONFIG_STRING) {
      for (std::size_t i = 0; i < level.strings.size(); ++i) {
        if (!Spend(level.name.size())) return false;
        Put(level.name + "." + std::to_string(i), ConfigEntry(nullptr, Keep(std::move(level.strings[i]))));
      }
      return true;
    }
    const std::vector<double>& list = config_.lists.emplace_back(std::move(level.numbers));
    posenc_config_entry entry = ConfigEntry(nullptr, list.data(), list.size());
    if (level.kind == POSENC_CONFIG_FLAG) entry.kind = POSENC_CONFIG_FLAGS;
    if (level.kind < 0) entry.kind = level.kind;
    return Put(level.name, entry);
  }

 private:
  using Dotted = std::pair<std::size_t, std::size_t>;
  struct Level {
    bool is_list = false;
    std::string name;  // the key of the list or object; for an inner object it ends with a dot
    std::string key;
    posenc_config_kind kind =
        POSENC_CONFIG_NULL;  // of a list's items; kNoKind if they are mixed; or kLongList
    std::size_t count = 0;
    std::vector<double> numbers;
    std::vector<std::string> strings;
    std::unordered_set<std::string> keys;  // of an object
  };

  const char* Keep(std::string text) { return config_.texts.emplace_back(std::move(text)).c_str(); }

  bool Begin(bool is_list) {
    Level level;
    level.is_list = is_list;
    if (!levels_.empty() && levels_.back().is_list) {
      Count(kNoKind, &levels_.back());
      // The keys of an object in a list are not keys of the model itself; "[]." marks them.
      level.name = levels_.back().name + (is_list ? "" : "[].");
    } else if (!levels_.empty()) {
      level.name = levels_.back().name + levels_.back().key + (is_list ? "" : ".");
    }
    levels_.push_back(std::move(level));
    return !is_too_deep();
  }

  // Counts a key of this many bytes. Returns false if there are too many keys.
  bool Spend(std::size_t bytes) {
    ++keys_;
    key_bytes_ += bytes;
    return !has_too_many_keys();
  }

  // Counts an item of a list.
  static void Count(posenc_config_kind kind, Level* list) {
    const bool is_alike = list->count == 0 || list->kind == kind;
    if (list->count >= kMostItems) {
      list->kind = kLongList;
    } else {
      list->kind = is_alike && kind != POSENC_CONFIG_NULL ? kind : kNoKind;
    }
    ++list->count;
  }

  bool Add(posenc_config_kind kind, double number) {
    if (levels_.empty()) return true;
    Level& level = levels_.back();
    if (!level.is_list) return Put(level.name + level.key, {nullptr, kind, number, nullptr, nullptr, 0});
    Count(kind, &level);
    if (level.kind == kind) level.numbers.push_back(number);
    return true;
  }

  bool Put(std::string key, posenc_config_entry entry) {
    const std::string& first = levels_.front().key;
    if (first.find('.') != std::string::npos) dotted_.emplace_back(config_.entries.size(), first.size());
    entry.key = Keep(std::move(key));
    config_.entries.push_back(entry);
    return true;
  }

  Config& config_;
  std::vector<Level> levels_;
  std::vector<Dotted> dotted_;  // entries whose outermost key has a dot, and the size of this key
  std::size_t keys_ = 0, key_bytes_ = 0;
  std::string key_twice_;
  bool is_object_ = false;
};

// The place of an error, for messages: "FILE:LINE:COLUMN".
std::string PlaceIn(const std::string& path, const std::string& text, std::size_t offset) {
  const auto begin = text.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  const auto newline = std::find(std::make_reverse_iterator(end), text.rend(), '\n').base();
  const auto is_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return Abbreviated(path) + ":" + std::to_string(std::count(begin, end, '\n') + 1) + ":" +
         std::to_string(std::count_if(newline, end, is_character) + 1);
}

}  // namespace

void ParseConfig(const std::string& path, std::string text, Config* config) {
  const auto fail = [&](std::size_t offset, const std::string& what) {
    throw UsageError(PlaceIn(path, text, offset) + ": " + what);
  };
  if (text.compare(0, 3, "\xEF\xBB\xBF") == 0) text.erase(0, 3);  // a byte order mark
  if (text.compare(0, 2, "\xFF\xFE") == 0 || text.compare(0, 2, "\xFE\xFF") == 0) {
    fail(0, "the file is in UTF-16, and must be in UTF-8");
  }
  if (const std::size_t nul = text.find('\0'); nul != std::string::npos) {
    fail(nul, "a NUL byte, which JSON does not have; the file must be in UTF-8");
  }
  Flattener flattener(config);
  rapidjson::Reader reader;
  rapidjson::StringStream stream(text.c_str());
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNanAndInfFlag |
                              rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, flattener);
  if (flattener.is_too_deep()) {
    fail(result.Offset(), "more than " + std::to_string(kMostLevels) + " levels of objects and lists");
  }
  if (flattener.has_too_many_keys()) {
    fail(result.Offset(), "more than " + std::to_string(kMostKeys) + " keys, or " +
                              std::to_string(kMostKeyMib) + " MiB of them, each with the keys around it");
  }
  if (!flattener.key_twice().empty()) {
    fail(result.Offset(), "the key " + Abbreviated(flattener.key_twice()) + " is given twice: give it once");
  }
  if (result.IsError()) {
    fail(result.Offset(),
         std::string("not JSON as posenc reads it: ") + rapidjson::GetParseError_En(result.Code()));
  }
  if (!flattener.is_object()) {
    fail(text.find_first_not_of(" \t\r\n"),
         "a configuration is an object, { ... }, and this is something else");
  }
  flattener.Finish();
}

void ReadConfig(const std::string& option, const std::string& path, Config* config) {
  // A GGUF file has gigabytes. Its first bytes tell what it is.
  if (std::error_code ignored; std::filesystem::is_regular_file(path, ignored)) {
    char magic[4] = {};
    std::ifstream(path, std::ios::binary).read(magic, sizeof(magic));
    if (std::memcmp(magic, "GGUF", sizeof(magic)) == 0) {
      throw UsageError(Abbreviated(path) +
                       " is a GGUF file: write its metadata to a JSON file, as docs/models-gguf.md says");
    }
  }
  ParseConfig(path, ReadFile(option, path, kMostMib), config);
}

#else

void ReadConfig(const std::string& option, const std::string& /*path*/, Config* /*config*/) {
  throw UsageError(option + ": built without RapidJSON");
}

#endif

void AddConfigOptions(CLI::App& app, ConfigQuestion* question) {
  AddOption(
      app, "--layer", "N", "Number of the layer, if layers have different rotary embeddings",
      [=](const std::string& text) { question->layer = ParseInteger<std::int64_t>("--layer", text, 0); });
  app.add_option("--layer-type", question->layer_type,
                 "Type of the layer, instead of its number: sliding_attention")
      ->type_name("NAME");
  app.add_option("--model-type", question->model_type, "Type of the model [as in the configuration]")
      ->type_name("NAME");
  AddChoice(app, "--pairing", "Pairing of a model that posenc does not know",
            internal::WordsOf(*internal::MembersOf<posenc_rotary_spec>().Find("pairing")),
            [=](std::int32_t number) { question->pairing = static_cast<posenc_pairing>(number); });
}

}  // namespace tools
}  // namespace posenc
