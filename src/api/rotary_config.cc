// The C function that makes a spec of a rotary from a model's configuration.

#include "number/exact.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "api/config_scaling.h"
#include "api/config_values.h"
#include "number/fp_state.h"
#include "posenc/rotary_config_c.h"
#include "spec/versioned.h"

namespace posenc {
namespace internal {
namespace config {
namespace {

// What the layer's type says.
struct Layer {
  bool is_local;   // it has sliding attention
  bool is_global;  // it has none
  bool is_scaled;  // if the model is
};

bool DoesNotRotate(const Layer& layer, ConfigValues* values) {
  if (PlaceAmong(values->LayerType(), "linear_attention conv mamba mamba2 recurrent") != 0) return true;
  if (values->Number(turns, 1.0) == 0.0 || values->Number(alibi) != 0.0) return true;
  if (values->Has(still_dim) && !values->Has(turning_dim)) return true;
  if (values->is_left_out()) return true;
  if (values->Has(finetuned_turns) && values->Number(finetuned, 1.0) == 0.0) return true;
  if (PlaceAmong(values->Word(position_type), "nope alibi") != 0) return true;
  if (layer.is_global && values->Has(global_is_still) && values->Has(window)) return true;
  if (values->layer() < 0) return false;
  if (values->Entry(layer_bases) != nullptr && values->Number(layer_bases) == 0.0) return true;
  if (values->Number(kv_heads, 1.0) == 0.0) return true;
  if (const posenc_config_entry* const attending = values->Entry(attending_layers); attending != nullptr) {
    const double* const end = attending->numbers + attending->count;
    if (std::find(attending->numbers, end, static_cast<double>(values->layer())) == end) return true;
  }
  const posenc_config_entry* const listed = values->Entry(turning_layers);
  if (listed != nullptr && listed->count != 0) return values->Number(turning_layers, 1.0) == 0.0;
  const double interval = values->Number(still_interval);
  return interval >= 1.0 && (values->layer() + 1) % static_cast<std::int64_t>(interval) == 0;
}

// Refuses a layer without a rotary, and one whose type is not known although rotaries differ by it.
Layer MakeLayer(ConfigValues* values) {
  const Text word = values->LayerType();
  const bool is_local = PlaceAmong(word, "sliding_attention main") != 0;
  Layer layer = {is_local, !word.empty() && !is_local, true};
  if (DoesNotRotate(layer, values)) values->Refuse(POSENC_LAYER_HAS_NO_ROTARY, nothing);
  if (values->is_by_type()) return layer;
  const bool differs = values->Has(local_base) || values->Has(global_base) ||
                       (values->Has(local_is_plain) && values->Has(window) && values->Has(type));
  const bool lists_scaled = values->HasList(yarn_types) && values->Has(type);
  if (word.empty()) {
    for (const ConfigSlot slot :
         {local_base, global_base, local_head_dim, global_head_dim, local_rotary_dim}) {
      if (values->Has(slot)) values->Refuse(POSENC_BAD_LAYER, slot);
    }
    if (differs || lists_scaled) values->Refuse(POSENC_BAD_LAYER, type);
  }
  layer.is_scaled = !(layer.is_local && differs) && !(lists_scaled && !values->ListHas(yarn_types, word));
  return layer;
}

// Rounded down, as sources do.
double Part(double part, double whole) {
  return static_cast<double>(static_cast<std::int64_t>(part * whole));
}

void SetHeadDim(const Layer& layer, ConfigValues* values, posenc_rotary_spec* spec) {
  ConfigSlot slot = head_dim;
  if (layer.is_local && values->Has(local_head_dim)) slot = local_head_dim;
  if (layer.is_global && values->Has(global_head_dim)) slot = global_head_dim;
  if (values->Has(layer_head_dim)) slot = layer_head_dim;
  double elements = 0.0;
  if (values->Has(still_dim) && values->Has(turning_dim)) {
    elements = values->Number(still_dim) + values->Number(slot = turning_dim);
  } else if (values->Has(slot)) {
    elements = values->Number(slot);
  } else if (!values->Has(hidden)) {
    return values->Refuse(POSENC_MISSING_CONFIG_KEY, values->is_gguf() ? hidden : head_dim);
  } else {
    const double count = values->Needed(heads);
    if (count == 0.0) return values->Refuse(POSENC_LAYER_HAS_NO_ROTARY, heads);
    elements = values->Number(slot = hidden) / count;
  }
  if (!(elements >= 2.0 && elements <= POSENC_MAX_HEAD_DIM))
    return values->Refuse(POSENC_BAD_CONFIG_VALUE, slot);
  spec->head_dim = static_cast<std::size_t>(elements);
}

// is_proportional: the share is one of the pairs.
void SetRotaryDim(const Layer& layer, bool is_proportional, ConfigValues* values, posenc_rotary_spec* spec) {
  const auto d = static_cast<double>(spec->head_dim);
  ConfigSlot slot = head_dim;
  double elements = d;
  if (values->Has(turning_dim)) {
    elements = values->Number(slot = turning_dim);
  } else if (layer.is_local && values->Has(local_rotary_dim)) {
    elements = values->Number(slot = local_rotary_dim);
  } else if (values->Has(rotary_dim)) {
    elements = values->Number(slot = rotary_dim);
  } else if (values->Has(share) && !is_proportional) {
    elements = Part(values->Number(slot = share), d);
  }
  if (layer.is_global) elements = Part(values->Number(global_part, 1.0), elements);
  const double part = is_proportional || values->Entry(share) == nullptr ? 1.0 : values->Number(share);
  const double of_head_dim = values->Entry(head_dim) == nullptr ? d : values->Number(head_dim);
  if (part != 1.0 && elements != Part(part, d) && elements != Part(part, of_head_dim)) {
    return values->Refuse(POSENC_BAD_CONFIG_VALUE, share);
  }
  const double most = std::min(d, static_cast<double>(POSENC_MAX_ROTARY_DIM));
  if (!(elements >= 2.0 && elements <= most) || static_cast<std::size_t>(elements) % 2 != 0) {
    return values->Refuse(POSENC_BAD_CONFIG_VALUE, slot);
  }
  spec->rotary_dim = static_cast<std::size_t>(elements);
  if (values->Has(turning_dim) || values->Has(is_last))
    spec->rotary_offset = spec->head_dim - spec->rotary_dim;
}

void SetBase(const Layer& layer, ConfigValues* values, posenc_rotary_spec* spec) {
  ConfigSlot slot = base;
  if (!values->is_by_type()) {
    if (layer.is_local && values->Has(local_base)) slot = local_base;
    if (layer.is_global && values->Has(global_base)) slot = global_base;
    if (values->Has(layer_bases)) slot = layer_bases;
  }
  spec->base = values->Number(slot, spec->base) * values->Number(base_ratio, 1.0);
  if (!(spec->base > 0.0 && std::isfinite(spec->base))) values->Refuse(POSENC_BAD_CONFIG_VALUE, slot);
}

// The pairs of axis k, of those in order, if axes alternate as posenc_axis_order says. Others are left over.
std::size_t PairsOf(std::size_t k, std::size_t turn, double section, std::size_t pairs) {
  std::size_t count = 0;
  for (std::size_t i = k; i < pairs && static_cast<double>(i) < static_cast<double>(turn) * section;
       i += turn)
    ++count;
  return count;
}

void SetSections(ConfigValues* values, posenc_rotary_spec* spec) {
  const posenc_config_entry& entry = *values->Entry(sections);
  const auto order = static_cast<posenc_axis_order>(values->Number(axis_order));
  const std::size_t pairs = spec->rotary_dim / 2;
  std::size_t count = entry.count;
  while (values->is_gguf() && count > 0 && entry.numbers[count - 1] == 0.0) --count;
  if (count == 0) return;
  bool is_right = !values->Has(axes);  // the model's own
  const auto section = [&](std::size_t k) {
    return static_cast<std::size_t>(std::min(entry.numbers[k], 65536.0));
  };
  for (std::size_t k = 0; k < count; ++k) spec->sections[k] = section(k);
  spec->axes = count;
  spec->axis_order = order;
  if (order == POSENC_IMROPE_AXES) {
    if (count != 3) return values->Refuse(POSENC_BAD_CONFIG_VALUE, sections);
    spec->axes = 4;
    spec->sections[3] = pairs;
    for (std::size_t k = 0; k < 3; ++k) {
      spec->sections[k] = PairsOf(k, 3, entry.numbers[k], pairs);
      spec->sections[3] -= spec->sections[k];
    }
  } else if (order == POSENC_ALTERNATING_AXES) {
    is_right = count == 3 && section(0) == section(1);
    std::rotate(spec->sections, spec->sections + 2, spec->sections + 3);
  } else if (values->Number(interleaves) != 0.0) {
    spec->axis_order = POSENC_INTERLEAVED_AXES;
    for (std::size_t k = 1; k < count; ++k)
      is_right = is_right && PairsOf(k, count, entry.numbers[k], pairs) == section(k);
  }
  std::size_t sum = 0;
  for (std::size_t k = 0; k < spec->axes; ++k) sum += spec->sections[k];
  if (!is_right || sum != pairs) values->Refuse(POSENC_BAD_CONFIG_VALUE, sections);
  if (count == 1) {
    spec->sections[0] = 0;
    spec->axis_order = POSENC_CONSECUTIVE_AXES;
  }
}

void SetAxes(ConfigValues* values, posenc_rotary_spec* spec) {
  if (values->Entry(sections) != nullptr) return SetSections(values, spec);
  if (!values->Has(axes)) return;
  spec->axes = static_cast<std::size_t>(values->Number(axes));
  spec->axis_order = static_cast<posenc_axis_order>(values->Number(axis_order));
  const std::size_t pairs = spec->rotary_dim / 2;
  if (pairs % spec->axes != 0) values->Refuse(POSENC_BAD_CONFIG_VALUE, head_dim);
  std::fill(spec->sections, spec->sections + spec->axes, pairs / spec->axes);
}

bool PairsHalves(ConfigValues* values) {
  if (values->Has(halves)) return values->Number(halves) != 0.0;
  // DeepSeek's models without latent attention have Llama's.
  if (values->Has(no_dim) && values->Entry(neighbours) == nullptr) return true;
  return values->Number(neighbours) == 0.0;
}

void SetPairing(ConfigValues* values, posenc_rotary_spec* spec) {
  // ggml's rotation by several axes pairs halves, whatever the architecture.
  if (PairsHalves(values) || (values->is_gguf() && spec->axes > 1)) return;
  spec->pairing = POSENC_NEIGHBOURS;
  if (values->Has(to_halves)) spec->output_pairing = POSENC_HALF_SPLIT;
}

void SetAll(ConfigValues* values, posenc_rotary_spec* spec) {
  const Layer layer = MakeLayer(values);
  if (values->status() != POSENC_OK) return;
  if (layer.is_scaled) spec->scaling = ScalingOf(values);
  SetHeadDim(layer, values, spec);
  if (values->status() != POSENC_OK) return;
  SetRotaryDim(layer, spec->scaling == POSENC_PROPORTIONAL, values, spec);
  SetBase(layer, values, spec);
  if (values->status() != POSENC_OK) return;
  if (layer.is_scaled) SetScaling(values, spec);
  SetAxes(values, spec);
  SetPairing(values, spec);
}

}  // namespace
}  // namespace config
}  // namespace internal
}  // namespace posenc

using namespace posenc::internal;  // NOLINT(google-build-using-namespace)

posenc_status posenc_rotary_spec_from_config(posenc_rotary_spec* spec, size_t struct_size,
                                             const posenc_config_entry* entries, size_t count, int64_t layer,
                                             const char* layer_type, const char* model_type,
                                             size_t* bad_index, const char** bad_key) {
  if (spec == nullptr || (entries == nullptr && count != 0)) return POSENC_NULL_POINTER;
  return InFpState([&] {
    config::ConfigValues values({entries, count, layer, layer_type, model_type});
    posenc_rotary_spec filled = Default<posenc_rotary_spec>();
    if (values.status() == POSENC_OK) config::SetAll(&values, &filled);
    if (values.status() == POSENC_OK) return WriteSpec(filled, struct_size, spec);
    const posenc_config_entry* const bad = values.bad_entry();
    if (bad_index != nullptr) *bad_index = bad == nullptr ? count : static_cast<std::size_t>(bad - entries);
    if (bad_key != nullptr) *bad_key = values.bad_key();
    return values.status();
  });
}
