// posenc config: what posenc makes of a model's configuration, one line for each group of layers with the
// same rotary embedding.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "command/commands.h"
#include "command/config.h"
#include "command/options.h"
#include "command/specs.h"
#include "posenc/rotary.h"
#include "spec/tables.h"
#ifdef POSENC_HAVE_JSON
#include "command/json_text.h"
#endif

namespace posenc {
namespace tools {
namespace {

// Reading one layer takes time in proportion to the number of keys.
constexpr std::size_t kMostWork = 50'000'000;

struct ConfigRequest {
  std::string file;
  ConfigQuestion question;
  std::int32_t format = 0;
};

// Layers with the same rotary embedding, or with the same reason for none.
struct Group {
  std::vector<std::int64_t> layers;  // empty: all of them, or those that are asked for by their type
  ConfigAnswer answer;
  double amplitude = 1.0;
  std::vector<double> radians;  // each pair's, for a step of one position

  bool rotates() const { return answer.status == POSENC_OK; }
};

struct Reading {
  std::vector<Group> groups;
  std::vector<unsigned char> read;  // of each entry, whether it was read for any layer
};

// "0-4, 6-10"
std::string Ranges(const std::vector<std::int64_t>& layers) {
  std::string text;
  for (std::size_t i = 0; i < layers.size();) {
    std::size_t last = i;
    while (last + 1 < layers.size() && layers[last + 1] == layers[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(layers[i]);
    if (last != i) text += "-" + std::to_string(layers[last]);
    i = last + 1;
  }
  return text;
}

std::string NameOfLayers(const Group& group, const ConfigQuestion& question) {
  if (group.layers.size() == 1) return "layer " + Ranges(group.layers);
  if (!group.layers.empty()) return "layers " + Ranges(group.layers);
  return question.layer_type ? "layers of the type " + Printable(Abbreviated(*question.layer_type))
                             : "all layers";
}

// The reason without the layer that it was asked for.
std::string ReasonOf(const ConfigAnswer& answer) {
  const std::string text = answer.report.text;
  const std::size_t colon = text.find(": ");
  const bool names_layer = text.compare(0, 6, "layer ") == 0 && colon != std::string::npos;
  return answer.status == POSENC_LAYER_HAS_NO_ROTARY && names_layer ? text.substr(colon + 2) : text;
}

// What tells groups apart.
std::string Fingerprint(const ConfigAnswer& answer) {
  return answer.status == POSENC_OK ? "rotates, " + Describe(answer.spec) : ReasonOf(answer);
}

std::vector<Group> Groups(const Config& config, const ConfigQuestion& question,
                          std::vector<unsigned char>* read) {
  const auto note = [&](const ConfigAnswer& answer) {
    for (std::size_t i = 0; i < read->size(); ++i) (*read)[i] = (*read)[i] | answer.read[i];
  };
  std::vector<Group> groups;
  ConfigAnswer first = Ask(config, question);
  const std::int64_t count = first.report.layers;
  if (question.layer >= 0 || question.layer_type || count <= 0) {
    note(first);
    Group& group = groups.emplace_back();
    if (question.layer >= 0) group.layers = {question.layer};
    group.answer = std::move(first);
    return groups;
  }
  if (static_cast<std::uint64_t>(count) > kMostWork / (config.entries.size() + 1)) {
    throw UsageError("the model has " + std::to_string(count) +
                     " layers, which are too many to read: name one with --layer");
  }
  std::vector<std::string> prints;
  for (std::int64_t layer = 0; layer < count; ++layer) {
    ConfigQuestion of_layer = question;
    of_layer.layer = layer;
    ConfigAnswer answer = Ask(config, of_layer);
    note(answer);
    const std::string print = Fingerprint(answer);
    const auto found = std::find(prints.begin(), prints.end(), print);
    if (found == prints.end()) {
      prints.push_back(print);
      groups.emplace_back().answer = std::move(answer);
      groups.back().layers = {layer};
    } else {
      groups[static_cast<std::size_t>(found - prints.begin())].layers.push_back(layer);
    }
  }
  return groups;
}

std::vector<std::string> KeysRead(const Config& config, const Reading& reading) {
  std::vector<std::string> keys;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < config.entries.size(); ++i) {
    if (reading.read[i] == 0) continue;
    std::string key = config.entries[i].key;
    // A list of strings is one key.
    const std::size_t dot = key.rfind('.');
    if (dot != std::string::npos && key.find_first_not_of("0123456789", dot + 1) == std::string::npos)
      key.resize(dot);
    if (seen.insert(key).second) keys.push_back(key);
  }
  return keys;
}

// Whether a group is refused decides before anything is printed.
Reading Read(const Config& config, const ConfigQuestion& question) {
  Reading reading;
  reading.read.resize(config.entries.size());
  reading.groups = Groups(config, question, &reading.read);
  for (Group& group : reading.groups) {
    const std::string layers = reading.groups.size() > 1 ? NameOfLayers(group, question) + ": " : "";
    if (!group.rotates()) {
      if (group.answer.status == POSENC_LAYER_HAS_NO_ROTARY) continue;
      const bool is_unknown = group.answer.status == POSENC_UNKNOWN_MODEL;
      throw UsageError(layers + group.answer.report.text + (is_unknown ? " (--model-type, --pairing)" : ""));
    }
    posenc_rotary* made = nullptr;
    const posenc_status status = posenc_rotary_create(&group.answer.spec, &made);
    const RotaryHandle rotary(made, posenc_rotary_destroy);
    if (status != POSENC_OK) {
      throw UsageError(layers + "its keys make " + Describe(group.answer.spec) +
                       ", which cannot be: " + posenc_status_message(status) +
                       "; keys read: " + Joined(KeysRead(config, reading), ", "));
    }
    group.amplitude = posenc_rotary_amplitude(made);
    group.radians = FrequenciesOf(made);
  }
  return reading;
}

// 500000, not 5e+05.
std::string Plain(double value) {
  return value >= 1.0 && value < 1e15 && value == std::floor(value)
             ? std::to_string(static_cast<std::int64_t>(value))
             : Shortest(value);
}

// The numbers that a scaling depends on, by the names of rotary_c.h.
struct Number {
  const char* name;
  double value;
};
std::vector<Number> NumbersOf(const posenc_rotary_spec& spec) {
  const auto is = [&](std::initializer_list<std::int32_t> scalings) {
    return std::find(scalings.begin(), scalings.end(), spec.scaling) != scalings.end();
  };
  std::vector<Number> numbers;
  const auto put = [&](const char* name, auto value) {
    numbers.push_back({name, static_cast<double>(value)});
  };
  const bool is_yarn = is({POSENC_YARN, POSENC_YARN_LOG});
  if (!is({POSENC_NO_SCALING, POSENC_QWEN_NTK, POSENC_FREQUENCY_FACTORS})) put("factor", spec.factor);
  if (is_yarn || is({POSENC_DYNAMIC_NTK, POSENC_QWEN_NTK, POSENC_LONGROPE, POSENC_LLAMA3})) {
    put("original_length", spec.original_length);
  }
  if (is({POSENC_DYNAMIC_NTK, POSENC_QWEN_NTK, POSENC_LONGROPE})) put("length", spec.length);
  if (is_yarn) {
    put("beta_fast", spec.beta_fast);
    put("beta_slow", spec.beta_slow);
    put("truncate", spec.truncate);
  }
  if (is({POSENC_YARN})) {
    put("mscale", spec.mscale);
    put("mscale_all_dim", spec.mscale_all_dim);
  }
  if (is({POSENC_LLAMA3})) {
    put("low_freq_factor", spec.low_freq_factor);
    put("high_freq_factor", spec.high_freq_factor);
  }
  if (is({POSENC_PROPORTIONAL})) put("proportion", spec.proportion);
  if (is({POSENC_LONGROPE, POSENC_FREQUENCY_FACTORS})) put("factor_count", spec.factor_count);
  return numbers;
}

const char* NameOfScaling(const posenc_rotary_spec& spec) {
  return internal::WordOf<internal::Of::scaling>(spec.scaling);
}
const char* NameOfOrder(const posenc_rotary_spec& spec) {
  return internal::WordOf<internal::Of::axis_order>(spec.axis_order);
}
const char* NameOfPairing(posenc_pairing pairing) {
  return pairing == POSENC_NEIGHBOURS ? "neighbours" : "halves";
}

posenc_pairing OutputOf(const posenc_rotary_spec& spec) {
  return spec.output_pairing == POSENC_SAME_PAIRING ? spec.pairing : spec.output_pairing;
}

std::vector<std::size_t> SectionsOf(const posenc_rotary_spec& spec) {
  const bool has_them = spec.axes > 1 && spec.axis_order != POSENC_SUMMED_AXES;
  return {spec.sections, spec.sections + (has_them ? spec.axes : 0)};
}

// What else differs from a plain rotary embedding.
std::string OthersOf(const posenc_rotary_spec& spec) {
  posenc_rotary_spec others;
  posenc_rotary_spec_init(&others, sizeof(others));
  others.exponent_dim = spec.exponent_dim;
  others.unit = spec.unit;
  others.position_scale = std::fabs(spec.position_scale);
  return Describe(others);
}

std::string TextOf(const Group& group) {
  if (!group.rotates()) return "no rotary embedding: " + ReasonOf(group.answer);
  const posenc_rotary_spec& spec = group.answer.spec;
  std::string text = "head_dim " + std::to_string(spec.head_dim) + ", ";
  const std::size_t end = spec.rotary_offset + spec.rotary_dim;
  text += spec.rotary_dim == spec.head_dim
              ? "all elements rotate"
              : "elements " + std::to_string(spec.rotary_offset) + "-" + std::to_string(end - 1) + " rotate";
  text += std::string(", pairs of ") + NameOfPairing(spec.pairing);
  text += spec.pairing == POSENC_NEIGHBOURS ? " (2i and 2i + 1)"
                                            : " (i and i + " + std::to_string(spec.rotary_dim / 2) + ")";
  if (OutputOf(spec) != spec.pairing) text += std::string(" written as ") + NameOfPairing(OutputOf(spec));
  text += std::string(", by ") + (spec.position_scale < 0.0 ? "-" : "+") + "p, base " + Plain(spec.base);
  if (const std::string others = OthersOf(spec); !others.empty()) text += ", " + others;
  if (spec.scaling == POSENC_NO_SCALING) {
    text += ", no scaling";
  } else {
    text += std::string(", scaling ") + NameOfScaling(spec) + " (";
    const char* comma = "";
    for (const Number& number : NumbersOf(spec)) {
      text.append(comma).append(number.name).append(" ").append(Plain(number.value));
      comma = ", ";
    }
    text += ")";
  }
  text += ", amplitude " + Shortest(group.amplitude);
  if (spec.axes > 1) {
    text += ", " + std::to_string(spec.axes) + " axes (" + NameOfOrder(spec);
    const char* plus = ", pairs ";
    for (const std::size_t section : SectionsOf(spec)) {
      text.append(plus).append(std::to_string(section));
      plus = " + ";
    }
    text += ")";
  }
  return text;
}

void PrintText(const Config& config, const ConfigQuestion& question, const Reading& reading) {
  const posenc_config_report& report = reading.groups.front().answer.report;
  if (*report.model_type != '\0') {
    std::printf("model: %s (%s)\n", Printable(report.model_type).c_str(), Printable(report.source).c_str());
  } else {
    std::puts(
        "model: unknown; its pairing is the one that you state, and the rest is taken for granted: it "
        "rotates by +p,");
    std::puts("  along one axis and in all layers");
  }
  for (const Group& group : reading.groups) {
    std::printf("%s: %s\n", NameOfLayers(group, question).c_str(), TextOf(group).c_str());
  }
  std::printf("keys read: %s\n", Printable(Joined(KeysRead(config, reading), ", ")).c_str());
}

#ifdef POSENC_HAVE_JSON

void PutSpec(const Group& group, JsonText* json) {
  const posenc_rotary_spec& spec = group.answer.spec;
  json->Member("head_dim", spec.head_dim);
  json->Member("rotary_offset", spec.rotary_offset);
  json->Member("rotary_dim", spec.rotary_dim);
  json->Member("pairing", NameOfPairing(spec.pairing));
  json->Member("output_pairing", NameOfPairing(OutputOf(spec)));
  json->Member("direction", spec.position_scale < 0.0 ? -1 : 1);
  json->Member("base", spec.base);
  json->ObjectMember("scaling", [&] {
    json->Member("name", NameOfScaling(spec));
    for (const Number& number : NumbersOf(spec)) json->Member(number.name, number.value);
  });
  json->Member("amplitude", group.amplitude);
  json->Member("axes", spec.axes);
  json->Member("axis_order", NameOfOrder(spec));
  json->Member("sections", SectionsOf(spec));
  json->Member("radians", group.radians);
}

void PrintJson(const Config& config, const Reading& reading) {
  JsonText json;
  json.Object([&] {
    json.Member("model_type", reading.groups.front().answer.report.model_type);
    json.Member("source", reading.groups.front().answer.report.source);
    json.ListMember("groups", reading.groups, [&](const Group& group) {
      json.Object([&] {
        json.Member("layers", group.layers);
        json.Member("rotates", group.rotates());
        json.Member("text", TextOf(group));
        if (group.rotates()) PutSpec(group, &json);
      });
    });
    json.Member("keys_read", KeysRead(config, reading));
  });
  std::puts(json.Text().c_str());
}

#else

void PrintJson(const Config& /*config*/, const Reading& /*reading*/) {
  throw UsageError("--format json: built without RapidJSON");
}

#endif

ExitStatus RunConfig(const ConfigRequest& request) {
  if (request.question.layer < POSENC_NO_LAYER) {
    Refuse("--layer", std::to_string(request.question.layer), "a number from 0 on");
  }
  Config config;
  ReadConfig("FILE", request.file, &config);
  Reading reading;
  try {
    reading = Read(config, request.question);
  } catch (const UsageError& error) {
    throw UsageError(Abbreviated(request.file) + ": " + error.what());
  }
  request.format == 0 ? PrintText(config, request.question, reading) : PrintJson(config, reading);
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
      "Prints the model, a line for each group of layers with the same rotary embedding, and the keys that\n"
      "were read. 'by +p' says that a pair turns from its first element towards its second one. posenc "
      "never\n"
      "guesses: a model or a key that it does not know is refused, and the message says what would be "
      "right.\n"
      "If you know the pairing of an unknown model, state it: --pairing. docs/models.md lists the models.\n"
      "With --format json: layers, head_dim, pairing and the like for each group, and the frequency of each\n"
      "pair in radians.\n"
      "Example: posenc config config.json --layer 3");
  command->callback([=] { *run = [=] { return RunConfig(*request); }; });
}

}  // namespace tools
}  // namespace posenc
