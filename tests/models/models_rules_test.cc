// For every rule about configurations in spec/rules.inc, a mistake that breaks it. refusals.inc has the other
// rules of models.
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "posenc/models.h"
#include "rules_of_configurations.h"

namespace posenc {
namespace {

// Reads a configuration that is right without `more`.
posenc_status Read(std::initializer_list<ConfigEntry> more, const std::int64_t* layer = nullptr,
                   const posenc_pairing* pairing = nullptr) {
  std::vector<posenc_config_entry> entries = {ConfigEntry("model_type", "llama"),
                                              ConfigEntry("head_dim", 64)};
  for (const ConfigEntry& entry : more) {
    if (entry.key != nullptr && std::string(entry.key) == "model_type") entries.erase(entries.begin());
  }
  entries.insert(entries.end(), more.begin(), more.end());
  posenc_config config{};
  config.entries = entries.data();
  config.count = entries.size();
  config.layer = layer;
  config.pairing = pairing;
  posenc_rotary_spec spec;
  return RotaryFromConfig(&spec, config);
}

TEST(RulesOfConfigurations, EachIsBrokenByAMistake) {
  std::set<posenc_status> broken;
  const auto expect = [&](posenc_status want, posenc_status status) {
    EXPECT_EQ(status, want) << NameOf(status) << " instead of " << NameOf(want);
    broken.insert(status);
  };
  posenc_rotary_spec spec;
  posenc_config config{};
  expect(rule::null_config, posenc_rotary_spec_from_config(&spec, sizeof(spec), nullptr, nullptr));
  config.count = 1;
  expect(rule::null_entries, RotaryFromConfig(&spec, config));
  EXPECT_EQ(Read({}), POSENC_OK);
  const posenc_pairing same = POSENC_SAME_PAIRING;
  expect(rule::null_entry, Read({{static_cast<const char*>(nullptr), 1}}));
  expect(rule::config_pairing, Read({}, nullptr, &same));
  expect(rule::unknown_model, Read({{"model_type", "none"}}));
  expect(rule::unknown_key, Read({{"rope_interleaved", true}}));
  expect(rule::kind_of_key, Read({{"rope_theta", "10000"}}));
  expect(rule::value_of_key, Read({{"rope_theta", -1.0}}));
  expect(rule::missing_key, Read({{"rope_scaling.rope_type", "linear"}}));
  expect(rule::model_without_spec, Read({{"model_type", "lightglue"}}));
  expect(rule::key_twice, Read({{"rope_theta", 7}, {"rope_theta", 7}}));
  for (const bool is_layer : {false, true}) {
    const ConfigEntry entries[] = {{"model_type", "llama"}, {"head_dim", 64}};
    Config empty(entries);
    (is_layer ? empty.layer_type : empty.model_type) = "";
    expect(is_layer ? rule::empty_layer_type : rule::empty_model_type, RotaryFromConfig(&spec, empty));
  }
  const std::int64_t layer = 32;
  expect(rule::bad_layer, Read({{"num_hidden_layers", layer}}, &layer));
  expect(rule::no_rotary, Read({{"model_type", "gpt2"}}));
  EXPECT_EQ(broken, std::set<posenc_status>(kRulesOfConfigurations.begin(), kRulesOfConfigurations.end()));
}

}  // namespace
}  // namespace posenc
