#include "number/exact.h"

#include "api/config_scaling.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "number/wide.h"

namespace posenc {
namespace internal {
namespace config {
namespace {

// The list of a slot, which must have an entry per pair.
const double* Factors(ConfigSlot slot, ConfigValues* values, posenc_rotary_spec* spec) {
  const posenc_config_entry* const entry = values->Entry(slot);
  if (entry == nullptr) {
    values->Refuse(POSENC_MISSING_CONFIG_KEY, slot);
    return nullptr;
  }
  spec->factor_count = spec->rotary_dim / 2;
  const bool is_whole = values->Has(global_part) && entry->count > spec->factor_count;
  if (entry->count != spec->factor_count && !is_whole) values->Refuse(POSENC_BAD_CONFIG_VALUE, slot);
  return entry->numbers;
}

// gain * (0.1 mscale ln f + 1) / (0.1 mscale_all_dim ln f + 1)
double YarnAmplitude(double gained, const posenc_rotary_spec& spec) {
  const auto one = FromInteger<4>(1), logarithm = Log<4>(std::max(spec.factor, 1.0));
  const auto term = [&](double multiplier) {
    return Add(one, Divide(Multiply(FromDouble<4>(multiplier), logarithm), FromInteger<4>(10)));
  };
  return ToDouble(Divide(Multiply(FromDouble<4>(gained), term(spec.mscale)), term(spec.mscale_all_dim)));
}

void SetYarn(Text word, ConfigValues* values, posenc_rotary_spec* spec) {
  const bool has_length = values->Has(original_length);
  spec->original_length = has_length ? values->Number(original_length) : values->Needed(max_length);
  spec->factor = values->Has(factor) || !has_length || !values->Has(max_length)
                     ? values->Needed(factor)
                     : values->Number(max_length) / spec->original_length;
  spec->beta_fast = values->Number(beta_fast, spec->beta_fast);
  spec->beta_slow = values->Number(beta_slow, spec->beta_slow);
  spec->truncate = values->Number(truncate, 1.0) != 0.0 ? 1 : 0;
  if (spec->beta_fast < spec->beta_slow) values->Refuse(POSENC_BAD_CONFIG_VALUE, beta_fast);
  if (spec->base <= 1.0) values->Refuse(POSENC_BAD_CONFIG_VALUE, base);
  const double numerator = values->Number(mscale), denominator = values->Number(mscale_all_dim);
  const double gained = values->Number(gain, 1.0);
  const bool uses_mscales = gained == 1.0 || word == "deepseek_yarn";  // vLLM's YaRN with a gain does not
  if (word == "telechat3-yarn") spec->mscale = 0.7;
  if (values->is_gguf()) {
    if (!values->Has(scales_logits)) spec->mscale_all_dim = denominator;
  } else if (numerator != 0.0 && denominator != 0.0 && uses_mscales) {
    spec->mscale = numerator;
    spec->mscale_all_dim = denominator;
  }
  spec->amplitude = values->Number(amplitude);
  if (spec->amplitude != 0.0) return;
  if (values->Has(scales_logits)) {
    spec->amplitude = gained;
  } else if (gained != 1.0) {
    spec->amplitude = YarnAmplitude(gained, *spec);
  }
}

void SetLongRope(ConfigValues* values, posenc_rotary_spec* spec) {
  spec->factors = Factors(short_factors, values, spec);
  spec->long_factors = Factors(long_factors, values, spec);
  const bool has_length = values->Has(original_length);
  spec->original_length = spec->length =
      has_length ? values->Number(original_length) : values->Needed(max_length);
  if (values->is_gguf()) {
    spec->amplitude = values->Number(gain, 1.0);
    return;
  }
  const bool has_ratio = values->Has(max_length) && (has_length || !values->Has(factor));
  spec->factor = has_ratio ? values->Number(max_length) / spec->original_length : values->Needed(factor);
  spec->amplitude = values->Number(amplitude);
  if (values->Has(short_mscale) || values->Has(long_mscale)) {
    spec->amplitude = values->Needed(short_mscale);
    if (values->Needed(long_mscale) != spec->amplitude) values->Refuse(POSENC_BAD_CONFIG_VALUE, long_mscale);
  }
  if (spec->amplitude == 0.0 && spec->factor > 1.0 && spec->original_length <= 1.0) {
    values->Refuse(POSENC_BAD_CONFIG_VALUE, original_length);
  }
}

void SetLlama3(ConfigValues* values, posenc_rotary_spec* spec) {
  spec->factor = values->Needed(factor);
  spec->original_length = values->Number(original_length, 0.0);
  if (spec->original_length == 0.0) spec->original_length = values->Needed(max_length);
  spec->low_freq_factor = values->Needed(low_freq_factor);
  spec->high_freq_factor = values->Needed(high_freq_factor);
  if (spec->low_freq_factor > spec->high_freq_factor)
    values->Refuse(POSENC_BAD_CONFIG_VALUE, low_freq_factor);
}

}  // namespace

posenc_scaling ScalingOf(ConfigValues* values) {
  static constexpr std::uint8_t kScalings[] = {
#define POSENC_CONFIG_TYPE(scaling, word, text) scaling,
#include "spec/config_keys.inc"
  };
  static constexpr char kWords[] =
#define POSENC_CONFIG_TYPE(scaling, word, text) word " "
#include "spec/config_keys.inc"
      ;
  const bool has_lists = values->Has(short_factors) || values->Has(long_factors);
  if (values->is_gguf() && has_lists) return POSENC_LONGROPE;
  if (values->is_gguf() && values->Has(alpha)) return POSENC_NTK;
  if (values->Entry(type) == nullptr) {
    if (values->Number(dynamic) != 0.0) return POSENC_QWEN_NTK;
    if (values->is_gguf() && values->Has(factor)) return POSENC_LINEAR;
    if (values->Has(factor) || has_lists) values->Refuse(POSENC_MISSING_CONFIG_KEY, type);
    return POSENC_NO_SCALING;
  }
  const unsigned place = PlaceAmong(values->Word(type), kWords);
  if (place == 0) values->Refuse(POSENC_BAD_CONFIG_VALUE, type);
  return place == 0 ? POSENC_NO_SCALING : static_cast<posenc_scaling>(kScalings[place - 1]);
}

void SetScaling(ConfigValues* values, posenc_rotary_spec* spec) {
  if (values->Number(extrapolation, 1.0) != 1.0) values->Refuse(POSENC_BAD_CONFIG_VALUE, extrapolation);
  if (values->Has(mixed_b)) values->Refuse(POSENC_BAD_CONFIG_VALUE, mixed_b);
  switch (spec->scaling) {
    case POSENC_NTK:
      spec->factor = values->Needed(alpha);
      break;
    case POSENC_DYNAMIC_NTK:
      if (values->Has(alpha)) {
        spec->scaling = POSENC_NTK;
        spec->factor = values->Number(alpha);
        break;
      }
      spec->factor = values->Needed(factor);
      spec->length = spec->original_length = values->Needed(max_length);
      break;
    case POSENC_QWEN_NTK:
      spec->length = spec->original_length = values->Needed(dynamic_length);
      break;
    case POSENC_LINEAR:
    case POSENC_MIXED_NTK:
      spec->factor = values->Needed(factor);
      break;
    case POSENC_YARN:
      SetYarn(values->Word(type), values, spec);
      break;
    case POSENC_LONGROPE:
      SetLongRope(values, spec);
      break;
    case POSENC_LLAMA3:
      SetLlama3(values, spec);
      break;
    case POSENC_PROPORTIONAL:
      spec->factor = values->Number(factor, 1.0);
      spec->proportion = values->Number(share, 1.0);
      break;
    default:
      break;
  }
  if (values->Entry(ggml_factors) != nullptr) {
    const bool is_alone =
        spec->scaling == POSENC_NO_SCALING || (spec->scaling == POSENC_LINEAR && spec->factor == 1.0);
    if (!is_alone) values->Refuse(POSENC_BAD_CONFIG_VALUE, ggml_factors);
    spec->scaling = POSENC_FREQUENCY_FACTORS;
    spec->factors = Factors(ggml_factors, values, spec);
  }
  if (values->is_gguf() && spec->amplitude == 0.0 && spec->scaling != POSENC_YARN) {
    spec->amplitude = values->Number(gain);
  }
  if (spec->amplitude != 0.0 && !(spec->amplitude >= 0x1p-64 && spec->amplitude <= 0x1p64)) {
    values->Refuse(POSENC_BAD_CONFIG_VALUE, values->Has(gain) ? gain : amplitude);
  }
}

}  // namespace config
}  // namespace internal
}  // namespace posenc
