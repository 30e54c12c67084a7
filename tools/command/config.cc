#include "command/config.h"

#include "command/options.h"
#ifdef POSENC_HAVE_JSON
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>
#include <rapidjson/stream.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unordered_map>
#endif

namespace posenc {
namespace tools {

#ifdef POSENC_HAVE_JSON

namespace {

// Configurations have few levels. A hostile file has many.
constexpr std::size_t kMaxLevels = 64;

// A text that a C string can hold: a NUL becomes the six characters \u0000.
std::string WithoutNul(const char* text, std::size_t size) {
  std::string whole(text, size);
  for (std::size_t at = whole.find('\0'); at != std::string::npos; at = whole.find('\0', at)) {
    whole.replace(at, 1, "\\u0000");
  }
  return whole;
}

// Makes entries of the events of a reader. Of several keys of one name the last one counts, as it does in
// Python.
class Flattener : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Flattener> {
 public:
  explicit Flattener(Config* config) : config_(*config) {}

  bool is_object() const { return is_object_; }
  bool is_too_deep() const { return levels_.size() > kMaxLevels; }

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
      posenc_config_entry entry = ConfigEntry(nullptr, Keep(WithoutNul(text, size)));
      return Put(level.name + level.key, entry);
    }
    level.is_mixed = level.is_mixed || (level.count != 0 && level.kind != POSENC_CONFIG_STRING);
    level.kind = POSENC_CONFIG_STRING;
    level.strings.push_back(WithoutNul(text, size));
    ++level.count;
    return true;
  }
  bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    levels_.back().key = WithoutNul(text, size);
    return true;
  }
  bool StartObject() {
    if (levels_.empty()) is_object_ = true;
    return Begin(false);
  }
  bool EndObject(rapidjson::SizeType /*count*/) {
    levels_.pop_back();
    return true;
  }
  bool StartArray() { return Begin(true); }
  bool EndArray(rapidjson::SizeType /*count*/) {
    const Level level = std::move(levels_.back());
    levels_.pop_back();
    if (levels_.empty() || levels_.back().is_list) return true;
    if (!level.is_mixed && level.kind == POSENC_CONFIG_STRING) {
      for (std::size_t i = 0; i < level.strings.size(); ++i) {
        posenc_config_entry entry = ConfigEntry(nullptr, Keep(level.strings[i]));
        Put(level.name + "." + std::to_string(i), entry);
      }
      return true;
    }
    const std::vector<double>& list = config_.lists.emplace_back(level.numbers);
    posenc_config_entry entry = ConfigEntry(nullptr, list.data(), list.size());
    if (level.kind == POSENC_CONFIG_FLAG) entry.kind = POSENC_CONFIG_FLAGS;
    if (level.is_mixed) entry.kind = static_cast<posenc_config_kind>(-1);
    return Put(level.name, entry);
  }

 private:
  struct Level {
    bool is_list = false;
    std::string name;  // of the list; of an object with a dot behind it, except the first one
    std::string key;
    bool is_mixed = false;
    posenc_config_kind kind = POSENC_CONFIG_NULL;  // of a list's items
    std::size_t count = 0;
    std::vector<double> numbers;
    std::vector<std::string> strings;
  };

  const char* Keep(std::string text) { return config_.texts.emplace_back(std::move(text)).c_str(); }

  bool Begin(bool is_list) {
    std::string name;
    if (!levels_.empty()) {
      Level& outer = levels_.back();
      if (outer.is_list) {
        outer.is_mixed = true;
        ++outer.count;
        name =
            outer.name + (is_list ? "" : "[].");  // objects within a list are no part of the model's own keys
      } else {
        name = outer.name + outer.key + (is_list ? "" : ".");
      }
    }
    Level level;
    level.is_list = is_list;
    level.name = std::move(name);
    levels_.push_back(std::move(level));
    return !is_too_deep();
  }

  bool Add(posenc_config_kind kind, double number) {
    if (levels_.empty()) return true;
    Level& level = levels_.back();
    if (!level.is_list) return Put(level.name + level.key, {nullptr, kind, number, nullptr, nullptr, 0});
    level.is_mixed = level.is_mixed || kind == POSENC_CONFIG_NULL || (level.count != 0 && level.kind != kind);
    level.kind = kind;
    level.numbers.push_back(number);
    ++level.count;
    return true;
  }

  bool Put(std::string key, posenc_config_entry entry) {
    const auto [found, is_new] = places_.try_emplace(std::move(key), config_.entries.size());
    entry.key = found->first.c_str();
    if (is_new) {
      entry.key = Keep(found->first);
      config_.entries.push_back(entry);
    } else {
      entry.key = config_.entries[found->second].key;
      config_.entries[found->second] = entry;
    }
    return true;
  }

  Config& config_;
  std::vector<Level> levels_;
  std::unordered_map<std::string, std::size_t> places_;
  bool is_object_ = false;
};

// "FILE:LINE:COLUMN"
std::string PlaceIn(const std::string& path, const std::string& text, std::size_t offset) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  const auto line = std::count(text.begin(), end, '\n') + 1;
  const std::size_t begin = text.rfind('\n', offset == 0 ? 0 : offset - 1);
  const bool is_first = begin == std::string::npos || begin >= offset;
  return Abbreviated(path) + ":" + std::to_string(line) + ":" +
         std::to_string(offset - (is_first ? 0 : begin + 1) + 1);
}

}  // namespace

void ReadConfig(const std::string& path, Config* config) {
  std::string text = ReadFile("--config", path);
  if (text.compare(0, 3, "\xEF\xBB\xBF") == 0) text.replace(0, 3, "   ");  // a byte order mark
  const std::size_t nul = text.find('\0');
  if (nul != std::string::npos)
    throw UsageError(PlaceIn(path, text, nul) + ": a NUL byte, which JSON does not have");
  Flattener flattener(config);
  rapidjson::Reader reader;
  rapidjson::StringStream stream(text.c_str());
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNanAndInfFlag |
                              rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, flattener);
  if (result.IsError()) {
    const std::string what = flattener.is_too_deep()
                                 ? "more than " + std::to_string(kMaxLevels) + " levels of objects and lists"
                                 : rapidjson::GetParseError_En(result.Code());
    throw UsageError(PlaceIn(path, text, result.Offset()) + ": not JSON as posenc reads it: " + what);
  }
  if (!flattener.is_object()) {
    throw UsageError(PlaceIn(path, text, text.find_first_not_of(" \t\r\n")) +
                     ": a configuration is an object, { ... }, and this is something else");
  }
}

#else

void ReadConfig(const std::string& /*path*/, Config* /*config*/) {
  throw UsageError("configurations: built without RapidJSON");
}

#endif

void AddConfigOptions(CLI::App& app, ConfigQuestion* question) {
  app.add_option("--layer", question->layer, "The layer's number, if rotary embeddings differ between layers")
      ->type_name("N");
  app.add_option("--layer-type", question->layer_type, "The layer's type instead: sliding_attention")
      ->type_name("NAME");
  app.add_option("--model-type", question->model_type, "The model's type [the configuration's]")
      ->type_name("NAME");
  AddChoice(app, "--pairing", "The pairing, of a model that posenc does not know", {"halves", "neighbours"},
            {}, [=](std::int32_t number) {
              question->pairing =
                  number == 0 ? posenc_pairing{POSENC_HALF_SPLIT} : posenc_pairing{POSENC_NEIGHBOURS};
            });
}

ConfigAnswer Ask(const Config& config, const ConfigQuestion& question) {
  const auto or_null = [](const std::optional<std::string>& text) { return text ? text->c_str() : nullptr; };
  ConfigAnswer answer;
  answer.read.resize(config.entries.size());
  posenc_config asked{};
  asked.entries = config.entries.data();
  asked.count = config.entries.size();
  asked.layer = question.layer;
  asked.layer_type = or_null(question.layer_type);
  asked.model_type = or_null(question.model_type);
  asked.pairing = question.pairing ? &*question.pairing : nullptr;
  asked.read = answer.read.data();
  answer.status = static_cast<posenc_status>(RotaryFromConfig(&answer.spec, asked, &answer.report));
  return answer;
}

}  // namespace tools
}  // namespace posenc
