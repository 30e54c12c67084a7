// Turns rope_type and the keys beside it into members of posenc_rotary_spec.
#include "number/exact.h"

#include "models/scaling.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace posenc {
namespace internal {
namespace models {
namespace {

struct ScalingWord {
  const char* word;
  posenc_scaling scaling;
  bool is_common;  // whether all models of transformers take the word; else only models whose row names it
};
constexpr ScalingWord kWords[] = {{"default", POSENC_NO_SCALING, true},
                                  {"linear", POSENC_LINEAR, true},
                                  {"dynamic", POSENC_DYNAMIC_NTK, true},
                                  {"yarn", POSENC_YARN, true},
                                  {"longrope", POSENC_LONGROPE, true},
                                  {"llama3", POSENC_LLAMA3, true},
                                  {"proportional", POSENC_PROPORTIONAL, true},
                                  {"none", POSENC_NO_SCALING, false},
                                  {"mrope", POSENC_NO_SCALING, false},
                                  {"xdrope", POSENC_DYNAMIC_NTK, false},
                                  {"ntk", POSENC_MIXED_NTK, false},
                                  {"su", POSENC_LONGROPE, false},
                                  {"deepseek_yarn", POSENC_YARN, false},
                                  {"telechat3-yarn", POSENC_YARN, false}};

// The list of factors for a slot. Refuses a list that does not have one factor for each pair.
const double* Factors(Slot slot, Configuration* configuration, posenc_rotary_spec* spec) {
  const posenc_config_entry* const entry = configuration->Entry(slot);
  if (entry == nullptr) {
    configuration->Refuse(rule::missing_key, slot) << ", which the scaling needs";
    return nullptr;
  }
  spec->factor_count = spec->rotary_dim / 2;
  const bool is_whole = configuration->row().Has("global_part") && entry->count > spec->factor_count;
  if (entry->count != spec->factor_count && !is_whole) {
    configuration->Refuse(rule::value_of_key, slot)
        << ", which has " << static_cast<double>(entry->count) << " numbers, but must have "
        << static_cast<double>(spec->factor_count) << ", one for each pair";
  }
  return entry->numbers;
}

// Refuses an entry that differs from one that says the same thing, because programs differ in which one
// counts.
void RefuseOneOf(Slot slot, Slot other, Configuration* configuration) {
  Sentence& sentence = configuration->Refuse(rule::value_of_key, slot);
  const posenc_config_entry& entry = *configuration->Entry(other);
  (sentence << ", but ").Shown(entry.key) << " is ";
  if (entry.kind == POSENC_CONFIG_STRING) {
    (sentence << "\"").Shown(entry.string) << "\"";
  } else {
    sentence << entry.number;
  }
  sentence << ", and programs differ in which one counts: remove the wrong one";
}

// The length of the context in training. It may be beside the dictionary or in it. Both must be the same, but
// for Phi 3: transformers' standardize_rope_params says that beside the dictionary it counts first there.
double OriginalLength(Configuration* configuration) {
  const bool has_own = configuration->is_by_type();
  const bool has_both = configuration->Entry(original_length) != nullptr &&
                        configuration->Entry(length_in_dictionary) != nullptr;
  if (has_both && !configuration->row().Has("original_max_position_embeddings") &&
      configuration->Number(original_length) != configuration->Number(length_in_dictionary)) {
    RefuseOneOf(original_length, length_in_dictionary, configuration);
  }
  if (!has_own && configuration->Has(original_length)) return configuration->Number(original_length);
  if (configuration->Has(length_in_dictionary)) return configuration->Number(length_in_dictionary);
  return configuration->Needed(max_length);
}

void SetYarn(Text word, Configuration* configuration, posenc_rotary_spec* spec) {
  Configuration& c = *configuration;
  spec->original_length = OriginalLength(&c);
  spec->factor = c.Has(factor) ? c.Number(factor) : c.Needed(max_length) / spec->original_length;
  if (c.is_gguf()) spec->factor = c.Number(factor) == 0.0 ? 1.0 : c.Number(factor);
  spec->beta_fast = c.Number(beta_fast, spec->beta_fast);
  spec->beta_slow = c.Number(beta_slow, spec->beta_slow);
  spec->truncate = !c.IsNull(truncate) && c.Number(truncate, 1.0) != 0.0 ? 1 : 0;  // null is false in Python
  if (spec->truncate == 0 && c.is_by_type() && !c.row().Has("reads_truncate")) {
    c.Refuse(rule::value_of_key, truncate)
        << ", which transformers does not read in a dictionary for a type of layer";
  }
  if (spec->beta_fast < spec->beta_slow)
    c.Refuse(rule::value_of_key, beta_fast) << ", but must not be below beta_slow";
  if (spec->base <= 1.0) c.Refuse(rule::value_of_key, base) << ", but YaRN needs a base above 1";
  const double numerator = c.Number(mscale), denominator = c.Number(mscale_all_dim),
               gained = c.Number(gain, 1.0);
  if (word == "telechat3-yarn") spec->mscale = 0.7;
  const bool scales_logits = c.row().Has("scales_logits") && denominator != 0.0;
  if (c.is_gguf()) {
    if (!scales_logits) spec->mscale_all_dim = c.row().Has("times_10") ? denominator * 10.0 : denominator;
  } else if (numerator != 0.0 && denominator != 0.0 && (gained == 1.0 || word == "deepseek_yarn")) {
    spec->mscale = numerator;
    spec->mscale_all_dim = denominator;
  }
  spec->amplitude = c.Number(amplitude);
  if (spec->amplitude != 0.0) return;
  if (scales_logits || c.row().Has("plain_amplitude")) {
    spec->amplitude = gained;
  } else {
    spec->amplitude_factor = gained;
  }
}

void SetLongRope(Configuration* configuration, posenc_rotary_spec* spec) {
  Configuration& c = *configuration;
  spec->factors = Factors(short_factors, &c, spec);
  spec->long_factors = Factors(long_factors, &c, spec);
  spec->original_length = spec->length = OriginalLength(&c);
  if (c.is_gguf()) {
    spec->amplitude = c.Number(gain, 1.0);
    if (c.Number(factor, 1.0) != 1.0 && c.Number(factor) != 0.0) {
      c.Refuse(rule::value_of_key, factor)
          << ", by which llama.cpp also divides positions, and a spec with longrope cannot do that";
    }
    return;
  }
  spec->factor = c.Has(factor) ? c.Number(factor) : c.Needed(max_length) / spec->original_length;
  if (c.row().Has("short_mscale")) {
    spec->amplitude = c.Needed(short_mscale);
    if (c.Needed(long_mscale) != spec->amplitude) {
      c.Refuse(rule::value_of_key, long_mscale)
          << ", which differs from short_mscale: a spec has one amplitude for both";
    }
    return;
  }
  spec->amplitude = c.Number(amplitude);
  if (spec->amplitude == 0.0 && spec->factor > 1.0 && spec->original_length <= 1.0) {
    c.Refuse(rule::value_of_key, c.Has(original_length) ? original_length : length_in_dictionary)
        << ", but must be above 1";
  }
}

void SetLlama3(Configuration* configuration, posenc_rotary_spec* spec) {
  spec->factor = configuration->Needed(factor);
  spec->original_length = OriginalLength(configuration);
  spec->low_freq_factor = configuration->Needed(low_freq_factor);
  spec->high_freq_factor = configuration->Needed(high_freq_factor);
  if (spec->low_freq_factor > spec->high_freq_factor) {
    configuration->Refuse(rule::value_of_key, low_freq_factor) << ", but must not be above high_freq_factor";
  }
}

bool IsPlain(const Layer& layer, const Configuration& configuration) {
  const Row& row = configuration.row();
  // In these models, layers with sliding attention have no scaling unless a dictionary for their type has
  // one.
  if (!layer.is_local || configuration.is_by_type()) return false;
  return row.Has("flat_full") || row.Has("compressed") || row.Has("local_is_plain");
}

void RefuseType(Text word, Configuration* configuration) {
  Slot slot = configuration->Entry(rope_type) != nullptr ? rope_type : old_type;
  Sentence& sentence = configuration->Refuse(rule::value_of_key, slot);
  bool is_known = false;
  for (const ScalingWord& known : kWords) is_known = is_known || word == known.word;
  is_known = is_known && !configuration->row().Has("scaling_differs");
  sentence << (is_known ? ", which the model's code does not have; it has " : ", but posenc knows ");
  if (configuration->row().Has("scaling_differs")) {
    sentence << "default only, because programs compute the scaling of this model differently";
  } else if (configuration->row().Has("unscaled")) {
    sentence << "default only";
  } else if (configuration->is_gguf()) {
    sentence << "none, linear, yarn and longrope";
  } else if (configuration->row().Has("longrope_only")) {
    sentence << "default, longrope, su and yarn, where the last two mean longrope";
  } else {
    sentence << "default, linear, dynamic, yarn, longrope, llama3 and proportional";
  }
}

// Whether rope_type and type mean the same scaling in this model.
bool AreSame(Text word, Text other, const Row& row) {
  if (word == other) return true;
  if (word == "default" || word == "longrope") std::swap(word, other);
  const bool takes = row.Has("longrope_only") || HasWord(row.Value("also"), word, ",");
  return takes && ((word == "mrope" && other == "default") || (word == "su" && other == "longrope"));
}

posenc_scaling GgufScaling(Configuration* configuration) {
  Configuration& c = *configuration;
  const Text word = c.Word(rope_type);
  if (c.Number(alpha) != 0.0) return POSENC_NTK;
  const bool has_lists = c.Entry(short_factors) != nullptr || c.Entry(long_factors) != nullptr;
  const bool takes_any = c.row().Has("factors_always");
  if (has_lists && c.row().Has("factors") && (word == "longrope" || takes_any)) return POSENC_LONGROPE;
  if (has_lists) {
    c.Refuse(rule::value_of_key, c.Entry(short_factors) != nullptr ? short_factors : long_factors)
        << (c.row().Has("factors") ? ", a tensor that llama.cpp uses with rope.scaling.type longrope only"
                                   : ", a tensor that llama.cpp does not use for this architecture");
  }
  if (word == "none") return POSENC_NO_SCALING;
  if (word == "yarn") return POSENC_YARN;
  if (!word.empty() && word != "linear" && word != "longrope") RefuseType(word, &c);
  return c.Number(factor) == 0.0 ? POSENC_NO_SCALING : POSENC_LINEAR;
}

}  // namespace

posenc_scaling ScalingOf(const Layer& layer, Configuration* configuration) {
  Configuration& c = *configuration;
  if (IsPlain(layer, c)) return POSENC_NO_SCALING;
  if (c.row().Has("plain")) return POSENC_NO_SCALING;  // the model's code reads no key about scalings
  if (c.is_gguf()) return GgufScaling(&c);
  if (c.IsNull(rope_type)) c.Refuse(rule::value_of_key, rope_type) << ", but must be a string";
  if (c.Entry(rope_type) != nullptr && c.Entry(old_type) != nullptr &&
      !AreSame(c.Word(rope_type), c.Word(old_type), c.row())) {
    RefuseOneOf(old_type, rope_type, &c);
  }
  if (c.HasList(scaled_types) && !c.ListHas(scaled_types, c.layer_type())) return POSENC_NO_SCALING;
  if (c.Number(qwen_ntk) != 0.0) return POSENC_QWEN_NTK;
  if (c.row().Has("flat_full") && c.Entry(rope_type) == nullptr && c.Entry(old_type) != nullptr) {
    c.Refuse(rule::unknown_key, old_type) << ", which the model's code does not read: it reads rope_type";
  }
  const Text word =
      c.Entry(rope_type) != nullptr || c.Entry(old_type) == nullptr ? c.Word(rope_type) : c.Word(old_type);
  if (word.empty()) {
    const bool has_lists = c.Has(short_factors) || c.Has(long_factors);
    if (c.Has(factor) || has_lists) c.Refuse(rule::missing_key, rope_type) << ", although there is a factor";
    if (c.row().Has("scaled")) c.Refuse(rule::missing_key, rope_type) << ", and the model's code needs it";
    return POSENC_NO_SCALING;
  }
  posenc_scaling scaling = POSENC_NO_SCALING;
  bool is_known = false;
  for (const ScalingWord& known : kWords) {
    const bool is_taken = known.is_common || HasWord(c.row().Value("also"), known.word, ",");
    if (word != known.word || !is_taken) continue;
    is_known = true;
    scaling = known.scaling;
  }
  if (c.row().Has("longrope_only")) {
    is_known = HasWord("default longrope su yarn", word, " ");
    if (word != "default") scaling = POSENC_LONGROPE;
  }
  const bool is_dynamic = scaling == POSENC_DYNAMIC_NTK || scaling == POSENC_LONGROPE;
  if (!is_known ||
      ((c.row().Has("unscaled") || c.row().Has("scaling_differs")) && scaling != POSENC_NO_SCALING) ||
      (c.row().Has("static_lengths") && is_dynamic)) {
    RefuseType(word, &c);
  }
  if (c.row().Has("scaled") && scaling == POSENC_NO_SCALING) {
    c.Refuse(rule::value_of_key, rope_type) << ", with which the model's code does not work";
  }
  return scaling;
}

void SetScaling(const Layer& layer, Configuration* configuration, posenc_rotary_spec* spec) {
  Configuration& c = *configuration;
  if (c.Number(only_one, 1.0) != 1.0)
    c.Refuse(rule::value_of_key, only_one) << ", but must be 1, the only value that posenc knows";
  switch (spec->scaling) {
    case POSENC_NTK:
      spec->factor = c.Needed(alpha);
      break;
    case POSENC_DYNAMIC_NTK:
      if (c.Has(alpha)) {
        spec->scaling = POSENC_NTK;
        spec->factor = c.Number(alpha);
        break;
      }
      spec->factor = c.Needed(factor);
      spec->length = spec->original_length = c.Needed(max_length);
      break;
    case POSENC_QWEN_NTK:
      spec->length = spec->original_length = c.Needed(qwen_length);
      break;
    case POSENC_LINEAR:
    case POSENC_MIXED_NTK:
      spec->factor = c.Needed(factor);
      break;
    case POSENC_YARN:
      SetYarn(c.Entry(rope_type) != nullptr || c.Entry(old_type) == nullptr ? c.Word(rope_type)
                                                                            : c.Word(old_type),
              &c, spec);
      break;
    case POSENC_LONGROPE:
      SetLongRope(&c, spec);
      break;
    case POSENC_LLAMA3:
      SetLlama3(&c, spec);
      break;
    case POSENC_PROPORTIONAL:
      if (c.IsNull(share_in_dictionary))
        c.Refuse(rule::value_of_key, share_in_dictionary) << ", but must be a number";
      spec->factor = c.Number(factor, 1.0);
      spec->proportion = c.Has(share_in_dictionary) ? c.Number(share_in_dictionary) : c.Number(share, 1.0);
      break;
    default:
      break;
  }
  if (c.Entry(ggml_factors) != nullptr) {
    const bool is_alone =
        spec->scaling == POSENC_NO_SCALING || (spec->scaling == POSENC_LINEAR && spec->factor == 1.0);
    if (!c.row().Has("rope_freqs")) {
      c.Refuse(rule::value_of_key, ggml_factors)
          << ", a tensor that llama.cpp does not use for this architecture";
    } else if (layer.is_local && c.row().Has("rope_freqs_of_global")) {
      // The tensor does not apply to layers with sliding attention.
    } else if (!is_alone) {
      c.Refuse(rule::value_of_key, ggml_factors)
          << ", a tensor of factors, beside a scaling: a spec cannot have both";
    } else {
      spec->scaling = POSENC_FREQUENCY_FACTORS;
      spec->factors = Factors(ggml_factors, &c, spec);
    }
  }
  if (c.is_gguf() && spec->amplitude == 0.0 && spec->scaling != POSENC_YARN) spec->amplitude = c.Number(gain);
}

Slot KeyAtFault(posenc_status status, const Configuration& configuration, const posenc_rotary_spec& spec) {
  const auto first_of = [&](std::initializer_list<Slot> slots, Slot otherwise) {
    for (const Slot slot : slots) {
      if (configuration.Entry(slot) != nullptr) return slot;
    }
    return otherwise;
  };
  const Slot of_base = first_of({base_in_dictionary, local_base, layer_bases}, base);
  if (status == rule::made_amplitude || status == rule::rotary_amplitude)
    return first_of({amplitude, short_mscale, gain, mscale, mscale_all_dim}, factor);
  if (status == rule::llama3_ratio) return high_freq_factor;
  // Without a scaling, frequencies are 1 to 1 / base.
  const bool is_base_right = spec.base >= 0x1p-31 && spec.base <= 0x1p126;
  if (status == rule::frequency_range && !is_base_right) return of_base;
  return first_of({factor, alpha, short_factors, ggml_factors, max_length}, of_base);
}

}  // namespace models
}  // namespace internal
}  // namespace posenc
