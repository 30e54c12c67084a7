// Describes in words what posenc makes of a model's configuration: groups of layers that have the same rotary
// embedding. For the command and for Python; the library itself does not use this file.
#ifndef POSENC_SRC_MODELS_GROUPS_H_
#define POSENC_SRC_MODELS_GROUPS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/norms.h"
#include "posenc/models.h"
#include "spec/text.h"

namespace posenc {
namespace internal {

using ConfigEntries = std::vector<posenc_config_entry>;

// What the user asks: which layer, or type of layer, and what the user states about the model.
struct ConfigQuestion {
  std::optional<std::int64_t> layer;
  std::optional<std::string> layer_type, model_type;
  std::optional<posenc_pairing> pairing;
};

// What posenc answers to one question.
struct ConfigAnswer {
  posenc_status status = POSENC_OK;
  posenc_rotary_spec spec{};
  posenc_model_report report{};
  std::vector<unsigned char> read;  // for each entry of the configuration: whether it was read
};

inline ConfigAnswer Ask(const ConfigEntries& entries, const ConfigQuestion& question) {
  const auto or_null = [](const std::optional<std::string>& text) { return text ? text->c_str() : nullptr; };
  ConfigAnswer answer;
  answer.read.resize(entries.size());
  posenc_config asked{};
  asked.entries = entries.data();
  asked.count = entries.size();
  asked.layer = question.layer ? &*question.layer : nullptr;
  asked.layer_type = or_null(question.layer_type);
  asked.model_type = or_null(question.model_type);
  asked.pairing = question.pairing ? &*question.pairing : nullptr;
  asked.read = answer.read.data();
  answer.status = RotaryFromConfig(&answer.spec, asked, &answer.report);
  return answer;
}

// Thrown if posenc refuses the configuration, with the sentence that says why.
class ConfigRefusal : public std::runtime_error {
 public:
  ConfigRefusal(posenc_status status, const std::string& text) : std::runtime_error(text), status_(status) {}
  posenc_status status() const { return status_; }

 private:
  posenc_status status_;
};

// Layers that have the same rotary embedding, or have none for the same reason.
struct LayerGroup {
  std::vector<std::int64_t> layers;  // empty: all layers, or all layers of the type that was asked for
  ConfigAnswer answer;
  Rotary rotary;  // not created if the layers do not rotate

  bool rotates() const { return answer.status == POSENC_OK; }
};

struct ConfigReading {
  std::vector<LayerGroup> groups;
  std::vector<unsigned char> read;  // for each entry: whether it was read for any layer
};

// Numbers of layers as text: "0-4, 6-10".
inline std::string Ranges(const std::vector<std::int64_t>& layers) {
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

inline std::string NameOfLayers(const LayerGroup& group, const ConfigQuestion& question) {
  if (group.layers.size() == 1) return "layer " + Ranges(group.layers);
  if (!group.layers.empty()) return "layers " + Ranges(group.layers);
  return question.layer_type ? "layers of the type " + *question.layer_type : "all layers";
}

// Why a layer is refused or does not rotate, without the "layer N" at the beginning of the sentence.
inline std::string ReasonOf(const ConfigAnswer& answer) {
  const std::string text = answer.report.text;
  const std::size_t colon = text.find(": ");
  const bool names_layer = text.compare(0, 6, "layer ") == 0 && colon != std::string::npos;
  return answer.report.rotates == 0 && names_layer ? text.substr(colon + 2) : text;
}

// A text that is equal for two layers if and only if they belong to the same group.
inline std::string Fingerprint(const ConfigAnswer& answer) {
  if (answer.status != POSENC_OK) return ReasonOf(answer);
  // Two lists of factors are the same if they come from the same entry of the configuration.
  posenc_rotary_spec spec = answer.spec;
  SetList(*MembersOf<posenc_rotary_spec>().Find("factors"), nullptr, nullptr, 0, &spec);
  SetList(*MembersOf<posenc_rotary_spec>().Find("long_factors"), nullptr, nullptr, 0, &spec);
  const auto place = [](const double* list) {
    return " " + std::to_string(reinterpret_cast<std::uintptr_t>(list));
  };
  return "rotates, " + PrintSpec(spec) + place(answer.spec.factors) + place(answer.spec.long_factors);
}

// Limits of what is read: layers times keys, since reading one layer looks at all keys; and layers.
inline constexpr std::size_t kMostWork = 50'000'000;
inline constexpr std::int64_t kMostLayers = 4096;

inline std::vector<LayerGroup> LayerGroups(const ConfigEntries& entries, const ConfigQuestion& question,
                                           std::vector<unsigned char>* read) {
  const auto note = [&](const ConfigAnswer& answer) {
    for (std::size_t i = 0; i < read->size(); ++i) (*read)[i] = (*read)[i] | answer.read[i];
  };
  std::vector<LayerGroup> groups;
  ConfigAnswer first = Ask(entries, question);
  const std::int64_t count = first.report.layers;
  if (question.layer || question.layer_type || count <= 0) {
    note(first);
    LayerGroup& group = groups.emplace_back();
    if (question.layer) group.layers = {*question.layer};
    group.answer = std::move(first);
    return groups;
  }
  if (count > kMostLayers || static_cast<std::uint64_t>(count) > kMostWork / (entries.size() + 1)) {
    throw ConfigRefusal(POSENC_BAD_SIZE, "the model has " + std::to_string(count) +
                                             " layers, which are too many to read: name one of them");
  }
  std::vector<std::string> prints;
  for (std::int64_t layer = 0; layer < count; ++layer) {
    ConfigQuestion of_layer = question;
    of_layer.layer = layer;
    ConfigAnswer answer = Ask(entries, of_layer);
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

inline std::vector<std::string> KeysRead(const ConfigEntries& entries, const ConfigReading& reading) {
  std::vector<std::string> keys;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (reading.read[i] == 0) continue;
    std::string key = entries[i].key;
    // A list of strings is one key.
    const std::size_t dot = key.rfind('.');
    if (dot != std::string::npos && key.find_first_not_of("0123456789", dot + 1) == std::string::npos)
      key.resize(dot);
    if (seen.insert(key).second) keys.push_back(key);
  }
  return keys;
}

// The keys that were read, as text: "model_type, head_dim".
inline std::string KeysInWords(const ConfigEntries& entries, const ConfigReading& reading) {
  std::string text;
  for (const std::string& key : KeysRead(entries, reading)) text += (text.empty() ? "" : ", ") + key;
  return text;
}

// Reads the configuration for the layer or the type of layer that is asked for, or else for all layers.
// Throws a ConfigRefusal if any of these layers is refused.
inline ConfigReading ReadLayers(const ConfigEntries& entries, const ConfigQuestion& question) {
  ConfigReading reading;
  reading.read.resize(entries.size());
  reading.groups = LayerGroups(entries, question, &reading.read);
  for (LayerGroup& group : reading.groups) {
    const std::string layers = reading.groups.size() > 1 ? NameOfLayers(group, question) + ": " : "";
    if (!group.rotates()) {
      if (group.answer.report.rotates == 0) continue;
      throw ConfigRefusal(group.answer.status, layers + group.answer.report.text);
    }
    const Status status = Rotary::Create(group.answer.spec, &group.rotary);
    if (status != POSENC_OK) {
      throw ConfigRefusal(status, layers + "its keys make " + PrintSpec(group.answer.spec) +
                                      ", which cannot be: " + posenc_status_message(status) +
                                      "; keys read: " + KeysInWords(entries, reading));
    }
  }
  return reading;
}

// The numbers that the spec's scaling depends on, with their names in rotary_c.h.
struct NamedNumber {
  const char* name;
  double value;
};
inline std::vector<NamedNumber> NumbersOf(const posenc_rotary_spec& spec) {
  const auto is = [&](std::initializer_list<std::int32_t> scalings) {
    return std::find(scalings.begin(), scalings.end(), spec.scaling) != scalings.end();
  };
  std::vector<NamedNumber> numbers;
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
    if (spec.amplitude_factor != 1.0) put("amplitude_factor", spec.amplitude_factor);
  }
  if (is({POSENC_LLAMA3})) {
    put("low_freq_factor", spec.low_freq_factor);
    put("high_freq_factor", spec.high_freq_factor);
  }
  if (is({POSENC_PROPORTIONAL})) put("proportion", spec.proportion);
  if (is({POSENC_LONGROPE, POSENC_FREQUENCY_FACTORS})) put("factor_count", spec.factor_count);
  return numbers;
}

inline const char* NameOfScaling(const posenc_rotary_spec& spec) { return WordOf<Of::scaling>(spec.scaling); }
inline const char* NameOfOrder(const posenc_rotary_spec& spec) {
  return WordOf<Of::axis_order>(spec.axis_order);
}
inline const char* NameOfPairing(posenc_pairing pairing) { return WordOf<Of::pairing>(pairing); }

inline posenc_pairing OutputOf(const posenc_rotary_spec& spec) {
  return spec.output_pairing == POSENC_SAME_PAIRING ? spec.pairing : spec.output_pairing;
}

inline std::vector<std::size_t> SectionsOf(const posenc_rotary_spec& spec) {
  return {spec.sections, spec.sections + (spec.axes > 1 ? spec.axes : 0)};
}

// The other members that differ from a plain rotary embedding.
inline std::string OthersOf(const posenc_rotary_spec& spec) {
  RotarySpec others;
  others.exponent_dim = spec.exponent_dim;
  others.unit = spec.unit;
  others.position_scale = std::fabs(spec.position_scale);
  return PrintSpec(static_cast<const posenc_rotary_spec&>(others));
}

inline std::string TextOf(const LayerGroup& group) {
  if (!group.rotates()) return "no rotary embedding: " + ReasonOf(group.answer);
  const posenc_rotary_spec& spec = group.answer.spec;
  std::string text = "head_dim " + std::to_string(spec.head_dim) + ", ";
  const std::size_t end = spec.rotary_offset + spec.rotary_dim;
  text += spec.rotary_dim == spec.head_dim
              ? "all elements rotate"
              : "elements " + std::to_string(spec.rotary_offset) + "-" + std::to_string(end - 1) + " rotate";
  text += std::string(", pairing ") + NameOfPairing(spec.pairing);
  text += spec.pairing == POSENC_NEIGHBOURS ? " (2i and 2i + 1)"
                                            : " (i and i + " + std::to_string(spec.rotary_dim / 2) + ")";
  if (OutputOf(spec) != spec.pairing) text += std::string(" written as ") + NameOfPairing(OutputOf(spec));
  text +=
      std::string(", by ") + (spec.position_scale < 0.0 ? "-" : "+") + "p, base " + NumberInText(spec.base);
  if (const std::string others = OthersOf(spec); !others.empty()) text += ", " + others;
  if (spec.scaling == POSENC_NO_SCALING) {
    text += ", no scaling";
  } else {
    text += std::string(", scaling ") + NameOfScaling(spec) + " (";
    const char* comma = "";
    for (const NamedNumber& number : NumbersOf(spec)) {
      text.append(comma).append(number.name).append(" ").append(NumberInText(number.value));
      comma = ", ";
    }
    text += ")";
  }
  text += ", amplitude " + NumberInText(group.rotary.amplitude());
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

// How the model normalizes q and k. Nothing if no layer rotates.
inline std::optional<NormReading> NormOf(const ConfigEntries& entries, const ConfigReading& reading) {
  for (const LayerGroup& group : reading.groups) {
    if (group.rotates()) return NormReader(entries, reading.read).Read(group.answer.report.model_type);
  }
  return std::nullopt;
}

inline std::string TextOf(const NormReading& norm) {
  const std::string_view kind = norm.kind;
  if (kind == "before") {
    std::string text = "RMSNorm before the rotation, over ";
    text += norm.over_heads ? "all heads of a token" : "each head";
    text += norm.plus_one ? ", times 1 + weight" : ", times weight";
    text += norm.epsilon ? ", epsilon " + NumberInText(*norm.epsilon) + " (" + norm.epsilon_key + ")"
                         : ", epsilon unknown: the configuration has no number " + norm.epsilon_key;
    return text + (norm.condition.empty() ? "" : ", if " + norm.condition);
  }
  if (kind == "none") return norm.condition.empty() ? "none" : "none, because " + norm.condition;
  const std::string yourself = ", which posenc cannot do: rotate without a norm, and normalize yourself";
  if (kind == "after") return "RMSNorm after the rotation" + yourself;
  if (kind == "layer_norm") return "LayerNorm before the rotation" + yourself;
  if (kind == "lengths") return "division by the length before the rotation" + yourself;
  if (kind == "clipped")
    return "RMSNorm before the rotation, and between them a limit (" + norm.condition + ")" + yourself;
  if (!norm.condition.empty()) return "unknown, because " + norm.condition;
  return "unknown, because posenc's authors have not read this in the model's code: look there for q_norm "
         "and "
         "k_norm";
}

// The lines that the command prints: the model, the groups of layers with the texts of their specs, the norm,
// and the keys from which the rotary embeddings were read.
inline std::vector<std::string> LinesOf(const ConfigEntries& entries, const ConfigQuestion& question,
                                        const ConfigReading& reading) {
  const posenc_model_report& report = reading.groups.front().answer.report;
  std::vector<std::string> lines;
  if (*report.model_type != '\0') {
    lines.push_back(std::string("model: ") + report.model_type + " (" + report.source + ")");
  } else {
    lines = {
        "model: unknown; its pairing is the one that you state, and the rest is taken for granted: it "
        "rotates by +p,",
        "  along one axis and in all layers, and rotates whole heads unless partial_rotary_factor is given"};
  }
  for (const LayerGroup& group : reading.groups) {
    lines.push_back(NameOfLayers(group, question) + ": " + TextOf(group));
    if (group.rotates()) lines.push_back("  spec: " + PrintSpec(group.answer.spec));
  }
  if (const std::optional<NormReading> norm = NormOf(entries, reading); norm)
    lines.push_back("norm of q and k: " + TextOf(*norm));
  lines.push_back("keys read: " + KeysInWords(entries, reading));
  return lines;
}

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_MODELS_GROUPS_H_
