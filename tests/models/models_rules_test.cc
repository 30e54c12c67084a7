// For every rule of models in spec/rules.inc, a mistake that breaks it.
#include "../rules_test.h"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

#include "posenc/models.h"

namespace posenc {
namespace {

namespace rule = internal::rule;

constexpr std::size_t kMaxSize = std::numeric_limits<std::size_t>::max();

void BreakRulesOfPresets(BrokenRules* rules) {
  posenc_spec spec;
  posenc_rotary_spec rotary;
  rules->Expect(rule::null_name, SpecPreset(&spec, nullptr, 8));
  rules->Expect(rule::unknown_preset, SpecPreset(&spec, "llama3", 8));
  rules->Expect(rule::preset_dim, SpecPreset(&spec, "fairseq", 0));
  rules->Expect(rule::preset_head_dim, RotaryPreset(&rotary, "llama", 1));
  rules->Expect(rule::preset_rotary_dim, RotaryPreset(&rotary, "llama", 127));
  rules->Expect(rule::preset_sections, RotaryPreset(&rotary, "qwen2_vl", 64));
}

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

void BreakRulesOfConfigurations(BrokenRules* rules) {
  posenc_rotary_spec spec;
  posenc_config config{};
  rules->Expect(rule::null_config, posenc_rotary_spec_from_config(&spec, sizeof(spec), nullptr, nullptr));
  config.count = 1;
  rules->Expect(rule::null_entries, RotaryFromConfig(&spec, config));
  EXPECT_EQ(Read({}), POSENC_OK);
  const posenc_pairing same = POSENC_SAME_PAIRING;
  rules->Expect(rule::null_entry, Read({{static_cast<const char*>(nullptr), 1}}));
  rules->Expect(rule::config_pairing, Read({}, nullptr, &same));
  rules->Expect(rule::unknown_model, Read({{"model_type", "none"}}));
  rules->Expect(rule::unknown_key, Read({{"rope_interleaved", true}}));
  rules->Expect(rule::kind_of_key, Read({{"rope_theta", "10000"}}));
  rules->Expect(rule::value_of_key, Read({{"rope_theta", -1.0}}));
  rules->Expect(rule::missing_key, Read({{"rope_scaling.rope_type", "linear"}}));
  rules->Expect(rule::model_without_spec, Read({{"model_type", "lightglue"}}));
  rules->Expect(rule::key_twice, Read({{"rope_theta", 7}, {"rope_theta", 7}}));
  for (const bool is_layer : {false, true}) {
    const ConfigEntry entries[] = {{"model_type", "llama"}, {"head_dim", 64}};
    Config empty(entries);
    (is_layer ? empty.layer_type : empty.model_type) = "";
    rules->Expect(is_layer ? rule::empty_layer_type : rule::empty_model_type, RotaryFromConfig(&spec, empty));
  }
  const std::int64_t layer = 32;
  rules->Expect(rule::bad_layer, Read({{"num_hidden_layers", layer}}, &layer));
  rules->Expect(rule::no_rotary, Read({{"model_type", "gpt2"}}));
}

void BreakRulesOfPositions(BrokenRules* rules) {
  std::int64_t ids[6] = {}, positions[6] = {};
  double y[6] = {}, x[6] = {};
  posenc_ids tokens = {POSENC_I64, ids, 3, 1};
  posenc_rows out = {POSENC_I64, positions, 3};
  posenc_mask cells = {nullptr, 2, 3};
  std::size_t batch = 2;
  std::int64_t past = 0;
  posenc_normalization normalization = POSENC_NO_NORMALIZATION;
  double scale = 1.0, offset = 0.0;
  double* columns = x;
  const posenc_ids* given_tokens = &tokens;
  const posenc_rows* given_out = &out;
  const posenc_mask* given_cells = &cells;
  const auto from_ids = [&] { return posenc_positions_from_ids(given_tokens, batch, 3, past, given_out); };
  const auto from_mask = [&] {
    return posenc_positions_from_mask(given_cells, normalization, scale, offset, y, columns);
  };
  rules->ExpectWith(&given_tokens, nullptr, rule::null_ids, from_ids);
  rules->ExpectWith(&tokens.data, nullptr, rule::null_ids_data, from_ids);
  rules->ExpectWith(&given_out, nullptr, rule::null_made_positions, from_ids);
  rules->ExpectWith(&tokens.type, POSENC_F32, rule::type_of_ids, from_ids);
  rules->ExpectWith(&tokens.stride, std::size_t{2}, rule::stride_ids, from_ids);
  rules->ExpectWith(&out.stride, std::size_t{2}, rule::stride_positions, from_ids);
  rules->ExpectWith(&tokens.stride, kMaxSize, rule::size_ids, from_ids);
  rules->ExpectWith(&out.stride, kMaxSize, rule::size_positions, from_ids);
  rules->ExpectWith(&tokens.data, positions, rule::overlap_ids_positions, from_ids);
  rules->ExpectWith(&past, -1, rule::padding_id_range, from_ids);
  rules->ExpectWith(&given_cells, nullptr, rule::null_mask, from_mask);
  rules->ExpectWith(&columns, nullptr, rule::null_cells, from_mask);
  rules->ExpectWith(&columns, y + 5, rule::overlap_cells, from_mask);
  rules->ExpectWith(&cells.width, kMaxSize, rule::size_mask, from_mask);
  rules->ExpectWith(&normalization, posenc_normalization{3}, rule::normalization, from_mask);
  normalization = POSENC_NORMALIZE_F64;
  rules->ExpectWith(&scale, 0x1p32, rule::normalization_scale, from_mask);
  rules->ExpectWith(&offset, 0x1p32, rule::normalization_offset, from_mask);
  cells = {nullptr, 1, 1};
  rules->ExpectWith(&cells.width, std::size_t{0x80000001}, rule::mask_range, from_mask);
}

TEST(RulesOfModels, EachIsBrokenByAMistake) {
  BrokenRules rules;
  BreakRulesOfPresets(&rules);
  BreakRulesOfConfigurations(&rules);
  BreakRulesOfPositions(&rules);
  rules.ExpectAll(true);
}

}  // namespace
}  // namespace posenc
