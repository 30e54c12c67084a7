// The list of the functions of models: positions, presets and configurations.
#include "calls.h"

#include "posenc/models_c.h"
#include "rules_of_configurations.h"

namespace posenc {
namespace rows_of {
namespace {

void PositionsFromIds(Call& c) {
  c.a.batch = 2;
  c.a.first = 1;  // the id of padding
  c.pointers.emplace_back(&c.a.list_there, Refusal(rule::null_ids));
  c.pointers.emplace_back(&c.a.rows_there,
                          Refusal(POSENC_NULL, "positions, a posenc_rows, must not be null"));
  const Refusal type(POSENC_BAD_TYPE, "types of ids and of positions must be");
  c.choices.push_back({&c.a.list_type, kIntegers, type});
  c.choices.push_back({&c.a.type, kIntegers, type});
  c.sizes.push_back({&c.a.batch, Refusal(rule::size_positions)});
  c.Add("ids", &c.a.list, Use::kRead, Values::kAny, c.a.list_type, {1, 2, c.a.rows}, nullptr,
        &c.a.list_stride);
  c.Add("positions", &c.a.data, Use::kWritten, Values::kAny, c.a.type, {1, 2, c.a.rows}, nullptr,
        &c.a.stride);
}

void PositionsFromMask(Call& c) {
  c.a.batch = 3;  // the height of the mask
  c.a.normalization = c.a.type;
  c.a.normalization_offset = -0.5;
  c.choices.push_back(
      {&c.a.normalization, {0, 1, 2}, Refusal(POSENC_BAD_ARGUMENT, "normalization must be one of")});
  c.pointers.emplace_back(&c.a.list_there, Refusal(POSENC_NULL, "mask, a posenc_mask, must not be null"));
  c.Add("mask", &c.a.list, Use::kRead, Values::kAny, kByte, {1, 1, 3 * c.a.rows}).null = POSENC_OK;
  for (void** pointer : {&c.a.data, &c.a.other}) {
    c.Add("y or x", pointer, Use::kWritten, Values::kAny, POSENC_F64, {1, 1, 3 * c.a.rows}).null =
        Refusal(POSENC_NULL, "y and x must not be null");
  }
  for (std::size_t* size : {&c.a.batch, &c.a.rows}) {
    c.sizes.push_back({size, Refusal(POSENC_BAD_SIZE, "height times width is too large")});
  }
}

template <class Spec>
void FillPreset(Call& c) {
  FillSpec<Spec>(c);
  c.a.rows = 128;  // dim or head_dim
  c.a.name = sizeof(Spec) == sizeof(posenc_spec) ? "fairseq" : "llama3";
  c.pointers.emplace_back(&c.a.name, Refusal(POSENC_NULL, "name of the preset must not be null"));
}

void SaysOfPreset(Call& c) {
  Says(c);
  c.a.name = "fairseq";
}

}  // namespace
}  // namespace rows_of

const std::size_t kFirstOfRotaries = 0, kFirstOfNeither = 0;
const char* const kSymbols = "models_symbols.txt";
std::vector<std::string> NamesFor(const Function& function) {
  if (!function.Is("_preset") || function.Is("_presets")) return {};
  const auto list = function.Is("_rotary") ? &posenc_rotary_presets : &posenc_spec_presets;
  std::vector<posenc_preset> presets(list(nullptr, 0));
  list(presets.data(), presets.size());
  std::vector<std::string> names;
  for (const posenc_preset& preset : presets) names.emplace_back(preset.name);
  return names;
}

const std::vector<RefusalRow>& RefusalRows() {
  static const std::vector<RefusalRow> rows = {
#define REFUSAL(calls, good, passing, broken, refused, told) \
  {calls, good, passing, rule::broken, refused, told},
#include "refusals.inc"
  };
  return rows;
}

// positions_test.cc has masks that are too large, which depend on the size of size_t. models_rules_test.cc
// has configurations.
const std::vector<posenc_status>& RulesTestedElsewhere() {
  static const std::vector<posenc_status> rules = [] {
    std::vector<posenc_status> all = kRulesOfConfigurations;
    all.push_back(rule::mask_range);
    return all;
  }();
  return rules;
}

const std::vector<Function>& Functions() {
  using namespace rows_of;
  using A = Arguments&;
  constexpr posenc_status kOk = POSENC_OK;
  const Types normalizations = {0, 1, 2};
  static const std::vector<Function> functions = {
      {"posenc_positions_from_ids", &PositionsFromIds, kIntegers, kIntegers,
       [](A a) {
         const posenc_ids ids = {a.list_type, a.list, a.list_stride, a.first};
         const posenc_rows positions = {a.type, a.data, a.stride};
         return posenc_positions_from_ids(a.list_there == nullptr ? nullptr : &ids, a.batch, a.rows, a.past,
                                          a.rows_there == nullptr ? nullptr : &positions);
       }},
      {"posenc_positions_from_mask", &PositionsFromMask, normalizations, kNone,
       [](A a) {
         const posenc_mask mask = {Any{a.list}, a.batch, a.rows};
         return posenc_positions_from_mask(
             a.list_there == nullptr ? nullptr : &mask, static_cast<posenc_normalization>(a.normalization),
             a.normalization_scale, a.normalization_offset, Any{a.data}, Any{a.other});
       }},
      {"posenc_spec_preset", &FillPreset<posenc_spec>, kNone, kNone,
       [](A a) { return posenc_spec_preset(Any{a.data}, a.bytes, a.name, a.rows, nullptr); }},
      {"posenc_rotary_spec_preset", &FillPreset<posenc_rotary_spec>, kNone, kNone,
       [](A a) { return posenc_rotary_spec_preset(Any{a.data}, a.bytes, a.name, a.rows, nullptr); }},
      {"posenc_rotary_spec_from_config", &FillSpec<posenc_rotary_spec>, kNone, kNone,
       [](A a) {
         static const posenc_config_entry entries[] = {
             {"model_type", POSENC_CONFIG_STRING, 0.0, "llama", nullptr, 0},
             {"head_dim", POSENC_CONFIG_NUMBER, 128.0, nullptr, nullptr, 0},
             {"rope_scaling.rope_type", POSENC_CONFIG_STRING, 0.0, "yarn", nullptr, 0},
             {"rope_scaling.factor", POSENC_CONFIG_NUMBER, 4.0, nullptr, nullptr, 0},
             {"max_position_embeddings", POSENC_CONFIG_NUMBER, 4096.0, nullptr, nullptr, 0}};
         static const posenc_config config = {entries, 5, nullptr, nullptr, nullptr, nullptr, nullptr};
         return posenc_rotary_spec_from_config(Any{a.data}, a.bytes, &config, nullptr);
       }},
      {"posenc_spec_presets", &Items<posenc_preset>, kNone, kNone,
       [](A a) { return posenc_spec_presets(Any{a.data}, a.rows), kOk; }},
      {"posenc_rotary_presets", &Items<posenc_preset>, kNone, kNone,
       [](A a) { return posenc_rotary_presets(Any{a.data}, a.rows), kOk; }},
      {"posenc_spec_preset_rounding", &SaysOfPreset, kNone, kNone, &Get<&posenc_spec_preset_rounding>},
  };
  return functions;
}

}  // namespace posenc
