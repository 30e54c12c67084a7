#include "command/config.h"

#include "command/options.h"
#ifdef POSENC_HAVE_JSON
#include <algorithm>
#include <nlohmann/json.hpp>
#endif

namespace posenc {
namespace tools {

#ifdef POSENC_HAVE_JSON

namespace {

using Json = nlohmann::ordered_json;

const char* Keep(std::string text, Config* config) {
  return config->texts.emplace_back(std::move(text)).c_str();
}

bool IsNumber(const Json& value) { return value.is_number() || value.is_boolean(); }
double ToNumber(const Json& value) { return value.is_boolean() ? (value ? 1.0 : 0.0) : value.get<double>(); }

void Add(const std::string& key, const Json& value, Config* config) {
  const auto all = [&](const auto& is) { return std::all_of(value.begin(), value.end(), is); };
  if (value.is_null()) return;
  if (value.is_object()) {
    for (const auto& [name, inner] : value.items()) Add(key.empty() ? name : key + "." + name, inner, config);
  } else if (value.is_string()) {
    config->entries.push_back(ConfigEntry(Keep(key, config), Keep(value.get<std::string>(), config)));
  } else if (value.is_boolean()) {
    config->entries.push_back(ConfigEntry(Keep(key, config), value.get<bool>()));
  } else if (value.is_number()) {
    config->entries.push_back(ConfigEntry(Keep(key, config), value.get<double>()));
  } else if (all(IsNumber)) {
    std::vector<double>& list = config->lists.emplace_back();
    std::transform(value.begin(), value.end(), std::back_inserter(list), ToNumber);
    config->entries.push_back(ConfigEntry(Keep(key, config), list.data(), list.size()));
  } else if (all([](const Json& item) { return item.is_string(); })) {
    for (std::size_t i = 0; i < value.size(); ++i) Add(key + "." + std::to_string(i), value[i], config);
  } else {
    ConfigEntry mixed(Keep(key, config), nullptr, 0);
    mixed.kind = ConfigKind(-1);  // which no key takes
    config->entries.push_back(mixed);
  }
}

}  // namespace

void ReadConfig(const std::string& path, Config* config) {
  const Json json = Json::parse(ReadFile("--config", path), nullptr, false);
  if (!json.is_object()) Refuse("--config", path, "a file of JSON with an object");
  Add("", json, config);
}

#else

void ReadConfig(const std::string& /*path*/, Config* /*config*/) {
  throw UsageError("--config: built without nlohmann-json");
}

#endif

}  // namespace tools
}  // namespace posenc
