// posenc config: what posenc makes of a model's configuration, one line for each group of layers with the
// same rotary embedding.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "command/commands.h"
#include "command/config.h"
#include "command/options.h"
#include "command/specs.h"
#include "models/groups.h"
#include "posenc/rotary.h"
#include "spec/rules.h"
#ifdef POSENC_HAVE_JSON
#include "command/json_text.h"
#endif

namespace posenc {
namespace tools {
namespace {

using internal::ConfigReading;
using internal::LayerGroup;

struct ConfigRequest {
  std::string file;
  ConfigQuestion question;
  std::int32_t format = 0;
};

#ifdef POSENC_HAVE_JSON

void PutSpec(const LayerGroup& group, JsonText* json) {
  const posenc_rotary_spec& spec = group.answer.spec;
  json->Member("spec", PrintSpec(spec));
  json->Member("head_dim", spec.head_dim);
  json->Member("rotary_offset", spec.rotary_offset);
  json->Member("rotary_dim", spec.rotary_dim);
  json->Member("pairing", internal::NameOfPairing(spec.pairing));
  json->Member("output_pairing", internal::NameOfPairing(internal::OutputOf(spec)));
  json->Member("direction", spec.position_scale < 0.0 ? -1 : 1);
  json->Member("base", spec.base);
  json->ObjectMember("scaling", [&] {
    json->Member("name", internal::NameOfScaling(spec));
    for (const internal::NamedNumber& number : internal::NumbersOf(spec))
      json->Member(number.name, number.value);
  });
  json->Member("amplitude", group.rotary.amplitude());
  json->Member("axes", spec.axes);
  json->Member("axis_order", internal::NameOfOrder(spec));
  json->Member("sections", internal::SectionsOf(spec));
  json->Member("radians", FrequenciesOf(group.rotary.get()));
}

void PutNorm(const internal::NormReading& norm, JsonText* json) {
  json->Member("kind", norm.kind);
  json->Member("text", TextOf(norm));
  if (std::strcmp(norm.kind, "before") != 0) return;
  json->Member("over_heads", norm.over_heads);
  json->Member("plus_one", norm.plus_one);
  json->Member("epsilon_key", norm.epsilon_key);
  json->Member("epsilon",
               norm.epsilon.value_or(std::numeric_limits<double>::quiet_NaN()));  // null if unknown
  json->Member("condition", norm.condition);
}

void PrintJson(const Config& config, const ConfigReading& reading) {
  JsonText json;
  json.Object([&] {
    json.Member("model_type", reading.groups.front().answer.report.model_type);
    json.Member("source", reading.groups.front().answer.report.source);
    json.ListMember("groups", reading.groups, [&](const LayerGroup& group) {
      json.Object([&] {
        json.Member("layers", group.layers);
        json.Member("rotates", group.rotates());
        json.Member("text", TextOf(group));
        if (group.rotates()) PutSpec(group, &json);
      });
    });
    if (const auto norm = NormOf(config.entries, reading); norm)
      json.ObjectMember("norm", [&] { PutNorm(*norm, &json); });
    json.Member("keys_read", KeysRead(config.entries, reading));
  });
  std::puts(json.Text().c_str());
}

#else

void PrintJson(const Config& /*config*/, const ConfigReading& /*reading*/) {
  throw UsageError("--format json: built without RapidJSON");
}

#endif

ExitStatus RunConfig(const ConfigRequest& request) {
  Config config;
  ReadConfig("FILE", request.file, &config);
  ConfigReading reading;
  try {
    reading = internal::ReadLayers(config.entries, request.question);
  } catch (const internal::ConfigRefusal& error) {
    const bool is_unknown = error.status() == internal::rule::unknown_model;
    const bool takes_pairing = std::strstr(error.what(), "as pairing") != nullptr;  // not for a GGUF file
    const char* const options = takes_pairing ? " (--model-type, --pairing)" : " (--model-type)";
    throw UsageError(Abbreviated(request.file) + ": " + error.what() + (is_unknown ? options : ""));
  }
  if (request.format == 1) {
    PrintJson(config, reading);
  } else {
    for (const std::string& line : internal::LinesOf(config.entries, request.question, reading))
      std::puts(Printable(line).c_str());
  }
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
  AddChoice(*command, "--format", "Lines for people, or JSON", {"text", "json"},
            [=](std::int32_t number) { request->format = number; });
  command->footer(
      "Prints the model, what each group of layers with the same rotary embedding does, the text of its "
      "spec\n"
      "(as other programs take it: attributes of ONNX Runtime, posenc.Rotary.from_spec), how the model\n"
      "normalizes q and k, and the keys from which the rotary embedding was read. 'by +p' says that a pair\n"
      "turns from its first element towards its second one. posenc never\n"
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
