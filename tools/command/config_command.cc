// posenc config: what posenc makes of a model's configuration, one line for each group of layers with the
// same rotary embedding.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command/commands.h"
#include "command/config.h"
#include "command/options.h"
#include "command/specs.h"
#include "posenc/rotary.h"
#ifdef POSENC_HAVE_JSON
#include <nlohmann/json.hpp>
#endif

namespace posenc {
namespace tools {
namespace {

// Reading one layer takes time in proportion to the number of keys.
constexpr std::size_t kMostWork = 50'000'000;

// Layers with the same rotary embedding, or with the same reason for none.
struct Group {
  std::vector<std::int64_t> layers;  // empty: all of them, or those that are asked for by their type
  ConfigAnswer answer;
  double amplitude = 1.0;
  std::vector<double> radians;  // each pair's, for a step of one position
};

// "0-4,6-10"
std::string Ranges(const std::vector<std::int64_t>& layers) {
  std::string text;
  for (std::size_t i = 0; i < layers.size();) {
    std::size_t last = i;
    while (last + 1 < layers.size() && layers[last + 1] == layers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(layers[i]);
    if (last != i) text += "-" + std::to_string(layers[last]);
    i = last + 1;
  }
  return text;
}

Group MakeGroup(std::vector<std::int64_t> layers, ConfigAnswer answer) {
  Group group;
  group.layers = std::move(layers);
  group.answer = std::move(answer);
  if (group.answer.status != POSENC_OK) return group;
  const RotaryHandle rotary = Create(group.answer.spec);
  group.amplitude = posenc_rotary_amplitude(rotary.get());
  for (std::size_t i = 0; i < posenc_rotary_frequency_count(rotary.get()); ++i) {
    group.radians.push_back(posenc_rotary_radians(rotary.get(), i));
  }
  return group;
}

// What tells groups apart.
std::string Fingerprint(const ConfigAnswer& answer) {
  if (answer.status == POSENC_OK) {
    return "head " + std::to_string(answer.spec.head_dim) + Describe(answer.spec);
  }
  const std::string text = answer.report.text;
  return "! " + text.substr(std::min(text.find(':'), text.size()));
}

std::vector<Group> Groups(const Config& config, const ConfigQuestion& question) {
  ConfigAnswer first = Ask(config, question);
  const std::int64_t count = first.report.layers;
  const bool is_asked = question.layer >= 0 || question.layer_type;
  if (is_asked || count <= 0) {
    std::vector<Group> groups;
    groups.push_back(MakeGroup(
        question.layer >= 0 ? std::vector<std::int64_t>{question.layer} : std::vector<std::int64_t>(),
        std::move(first)));
    return groups;
  }
  if (static_cast<std::uint64_t>(count) > kMostWork / (config.entries.size() + 1)) {
    throw UsageError("the configuration says that there are " + std::to_string(count) +
                     " layers: name one with --layer");
  }
  std::vector<Group> groups;
  std::vector<std::string> prints;
  for (std::int64_t layer = 0; layer < count; ++layer) {
    ConfigQuestion of_layer = question;
    of_layer.layer = layer;
    ConfigAnswer answer = Ask(config, of_layer);
    const std::string print = Fingerprint(answer);
    const auto found = std::find(prints.begin(), prints.end(), print);
    if (found != prints.end()) {
      groups[static_cast<std::size_t>(found - prints.begin())].layers.push_back(layer);
      continue;
    }
    prints.push_back(print);
    groups.push_back(MakeGroup({layer}, std::move(answer)));
  }
  return groups;
}

std::string NameOfLayers(const Group& group, const ConfigQuestion& question) {
  if (group.layers.size() == 1) return "layer " + Ranges(group.layers);
  if (!group.layers.empty()) return "layers " + Ranges(group.layers);
  return question.layer_type ? "layers of the type " + Abbreviated(*question.layer_type) : "all layers";
}

// The reason without the layer that it was asked for.
std::string ReasonOf(const Group& group) {
  const std::string text = group.answer.report.text;
  const std::size_t colon = text.find(": ");
  return text.compare(0, 6, "layer ") == 0 && colon != std::string::npos ? text.substr(colon + 2) : text;
}

// 500000, not 5e+05.
std::string Plain(double value) {
  return value >= 1.0 && value < 1e15 && value == std::floor(value)
             ? std::to_string(static_cast<std::int64_t>(value))
             : Shortest(value);
}

std::string TextOf(const Group& group) {
  const posenc_rotary_spec& spec = group.answer.spec;
  if (group.answer.status == POSENC_LAYER_HAS_NO_ROTARY) return "no rotary embedding: " + ReasonOf(group);
  if (group.answer.status != POSENC_OK) return "refused: " + ReasonOf(group);
  std::string text = "head_dim " + std::to_string(spec.head_dim);
  const std::size_t end = spec.rotary_offset + spec.rotary_dim;
  text += spec.rotary_dim == spec.head_dim ? ", all elements rotate"
                                           : ", elements " + std::to_string(spec.rotary_offset) + "-" +
                                                 std::to_string(end - 1) + " rotate";
  text += std::string(", pairs of ") + (spec.pairing == POSENC_NEIGHBOURS ? "neighbours" : "halves");
  if (spec.output_pairing == POSENC_HALF_SPLIT && spec.pairing == POSENC_NEIGHBOURS)
    text += " written as halves";
  text += spec.position_scale < 0.0 ? ", by -p" : ", by +p";
  const posenc_rotary_spec plain = [&] {  // the rest of the members
    posenc_rotary_spec rest = spec;
    rest.pairing = POSENC_HALF_SPLIT;
    rest.output_pairing = POSENC_SAME_PAIRING;
    rest.rotary_dim = rest.rotary_offset = rest.head_dim = 0;
    rest.position_scale = 1.0;
    rest.base = 10000.0;
    rest.amplitude = 0.0;
    return rest;
  }();
  text += ", base " + Plain(spec.base);
  if (const std::string rest = Describe(plain); !rest.empty()) text += ", " + rest;
  if (spec.axes > 1) text += ", " + std::to_string(spec.axes) + " axes";
  return text + ", amplitude " + Shortest(group.amplitude);
}

std::vector<std::string> KeysRead(const Config& config, const std::vector<Group>& groups) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < config.entries.size(); ++i) {
    const auto is_read = [&](const Group& group) { return group.answer.read[i] != 0; };
    if (!std::any_of(groups.begin(), groups.end(), is_read)) continue;
    std::string key = config.entries[i].key;
    // A list of strings is one key.
    const std::size_t dot = key.rfind('.');
    if (dot != std::string::npos && key.find_first_not_of("0123456789", dot + 1) == std::string::npos)
      key.resize(dot);
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

bool IsAnswered(const std::vector<Group>& groups) {
  return std::any_of(groups.begin(), groups.end(), [](const Group& group) {
    return group.answer.status == POSENC_OK || group.answer.status == POSENC_LAYER_HAS_NO_ROTARY;
  });
}

void PrintText(const Config& config, const ConfigQuestion& question, const std::vector<Group>& groups) {
  const posenc_config_report& report = groups.front().answer.report;
  if (*report.model_type != '\0') {
    std::printf("model: %s (%s)\n", Abbreviated(report.model_type).c_str(),
                Abbreviated(report.source).c_str());
  }
  for (const Group& group : groups) {
    std::printf("%s: %s\n", NameOfLayers(group, question).c_str(), TextOf(group).c_str());
  }
  std::string keys;
  for (const std::string& key : KeysRead(config, groups))
    keys += (keys.empty() ? "" : ", ") + Abbreviated(key);
  std::printf("read: %s\n", keys.c_str());
}

#ifdef POSENC_HAVE_JSON

void PrintJson(const Config& config, const ConfigQuestion& question, const std::vector<Group>& groups) {
  nlohmann::ordered_json all;
  all["model_type"] = groups.front().answer.report.model_type;
  all["source"] = groups.front().answer.report.source;
  all["groups"] = nlohmann::ordered_json::array();
  for (const Group& group : groups) {
    nlohmann::ordered_json item;
    item["layers"] = group.layers;
    item["text"] = TextOf(group);
    item["rotates"] = group.answer.status == POSENC_OK;
    item["refused"] = group.answer.status != POSENC_OK && group.answer.status != POSENC_LAYER_HAS_NO_ROTARY;
    if (group.answer.status == POSENC_OK) {
      const posenc_rotary_spec& spec = group.answer.spec;
      item["pairing"] = spec.pairing == POSENC_NEIGHBOURS ? "neighbours" : "halves";
      item["output_pairing"] = spec.output_pairing == POSENC_HALF_SPLIT ? "halves" : item["pairing"];
      item["direction"] = spec.position_scale < 0.0 ? -1 : 1;
      item["head_dim"] = spec.head_dim;
      item["rotary_dim"] = spec.rotary_dim;
      item["rotary_offset"] = spec.rotary_offset;
      item["base"] = spec.base;
      item["members"] = Describe(spec);
      item["amplitude"] = group.amplitude;
      item["axes"] = spec.axes;
      std::vector<std::size_t> sections(spec.sections, spec.sections + (spec.axes > 1 ? spec.axes : 0));
      item["sections"] = sections;
      item["radians"] = group.radians;
    }
    all["groups"].push_back(std::move(item));
  }
  all["read"] = KeysRead(config, groups);
  static_cast<void>(question);
  std::puts(all.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

#else

void PrintJson(const Config& /*config*/, const ConfigQuestion& /*question*/,
               const std::vector<Group>& /*groups*/) {
  throw UsageError("--format json: built without nlohmann-json");
}

#endif

struct ConfigRequest {
  std::string file;
  ConfigQuestion question;
  std::int32_t format = 0;
};

ExitStatus RunConfig(const ConfigRequest& request) {
  if (request.question.layer < POSENC_NO_LAYER) {
    Refuse("--layer", std::to_string(request.question.layer), "a number from 0 on");
  }
  Config config;
  ReadConfig(request.file, &config);
  const std::vector<Group> groups = Groups(config, request.question);
  if (!IsAnswered(groups)) {
    throw UsageError(Abbreviated(request.file) + ": " + groups.front().answer.report.text);
  }
  request.format == 0 ? PrintText(config, request.question, groups)
                      : PrintJson(config, request.question, groups);
  return kRight;
}

}  // namespace

void AddConfigCommand(CLI::App& app, Run* run) {
  CLI::App* command =
      app.add_subcommand("config", "Show the rotary embeddings of a model by its configuration");
  const auto request = std::make_shared<ConfigRequest>();
  command->add_option("FILE", request->file, "A config.json, or the metadata of a GGUF file as JSON")
      ->required();
  AddConfigOptions(*command, &request->question);
  AddChoice(*command, "--format", "Lines for people, or JSON", {"text", "json"}, {},
            [=](std::int32_t number) { request->format = number; });
  command->footer(
      "One line for each group of layers with the same rotary embedding, or the reason why posenc refuses "
      "them,\n"
      "and the keys that were read. posenc never guesses: a model that it does not know is refused, unless "
      "you\n"
      "state its pairing. docs/models.md lists the models.\n"
      "Example: posenc config config.json --layer 3");
  command->callback([=] { *run = [=] { return RunConfig(*request); }; });
}

}  // namespace tools
}  // namespace posenc
