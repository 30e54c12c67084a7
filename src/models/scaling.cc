// Turns rope_type and the keys beside it into members of posenc_rotary_spec.
#include "number/exact.h"

#include "models/scaling.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace posenc {
namespace internal {
namespace models {
namespace {

struct ScalingWord {
  const char* word;
  posenc_scaling scaling;
  bool is_common;  // whether all models of transformers take the word, or only those whose row names it
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

// ln x, with an error of about 1e-15.
double ApproximateLog(double x) {
  constexpr double kLogOf2 = 0.69314718055994531;
  double log = 0.0;
  for (; x > 1.5; x /= 2.0) log += kLogOf2;
  for (; x < 0.75; x *= 2.0) log -= kLogOf2;
  const double ratio = (x - 1.0) / (x + 1.0);  // ln x = 2 (ratio + ratio^3 / 3 + ...), |ratio| <= 1/5
  double sum = 0.0, power = 2.0 * ratio;
  for (double n = 1.0; n < 24.0; n += 2.0, power *= ratio * ratio) sum += power / n;
  return log + sum;
}

// YaRN's amplitude, with a relative error below 1e-12. It serves to refuse an amplitude that is out of range
// with a good sentence; creation checks it exactly.
double ApproximateAmplitude(const posenc_rotary_spec& spec) {
  constexpr double kSmall = 0x1p-10;  // keeps the terms finite
  const double log = spec.factor > 1.0 ? kSmall * 0.1 * ApproximateLog(spec.factor) : 0.0;
  const auto term = [&](double multiplier) { return multiplier * log + kSmall; };
  return spec.amplitude_factor * (term(spec.mscale) / term(spec.mscale_all_dim));
}

// Refuses one of two entries for the same thing that differ, because programs differ in which one counts.
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

// The slot that has the length of the context in training. It may be beside the dictionary or in it.
Slot OriginalLengthSlot(const Configuration& configuration) {
  if (!configuration.is_by_type() && configuration.Has(original_length)) return original_length;
  return configuration.Has(length_in_dictionary) ? length_in_dictionary : max_length;
}

// The length of the context in training. If there is one beside the dictionary and one in it, they must be
// equal. In Phi 3 they may differ, because the one beside the dictionary counts (transformers,
// standardize_rope_params).
double OriginalLength(Configuration* configuration) {
  const bool has_both = configuration->Entry(original_length) != nullptr &&
                        configuration->Entry(length_in_dictionary) != nullptr;
  if (has_both && !configuration->row().Has("original_max_position_embeddings") &&
      configuration->Number(original_length) != configuration->Number(length_in_dictionary)) {
    RefuseOneOf(original_length, length_in_dictionary, configuration);
  }
  const bool has_one = configuration->Has(length_in_dictionary);
  if (configuration->IsNull(original_length) && !configuration->is_by_type() && !has_one)
    configuration->Refuse(rule::value_of_key, original_length) << ", but must be a number";
  if (configuration->IsNull(length_in_dictionary) && OriginalLengthSlot(*configuration) != original_length)
    configuration->Refuse(rule::value_of_key, length_in_dictionary) << ", but must be a number";
  return configuration->Needed(OriginalLengthSlot(*configuration));
}

void SetYarn(Text word, Configuration* configuration, posenc_rotary_spec* spec) {
  Configuration& c = *configuration;
  spec->original_length = OriginalLength(&c);
  if (!c.is_gguf() && !c.Has(factor) && !c.IsNull(factor)) {
    c.Refuse(rule::missing_key, factor)
        << ", and programs differ in what they do then: write the factor. If it is max_position_embeddings / "
           "original_max_position_embeddings, you may write null";
  }
  spec->factor = c.Has(factor) ? c.Number(factor) : c.Needed(max_length) / spec->original_length;
  if (c.is_gguf()) spec->factor = c.Number(factor) == 0.0 ? 1.0 : c.Number(factor);
  spec->beta_fast = c.Number(beta_fast, spec->beta_fast);
  spec->beta_slow = c.Number(beta_slow, spec->beta_slow);
  spec->truncate = !c.IsNull(truncate) && c.Number(truncate, 1.0) != 0.0 ? 1 : 0;  // null is false in Python
  if (spec->truncate == 0 && c.is_by_type() && !c.row().Has("reads_truncate")) {
    c.Refuse(rule::value_of_key, truncate)
        << ", which transformers does not read in a dictionary for a type of layer";
  }
  if (spec->beta_fast < spec->beta_slow) {
    if (c.Entry(beta_fast) != nullptr) {
      c.Refuse(rule::value_of_key, beta_fast) << ", but must not be below beta_slow, " << spec->beta_slow;
    } else {
      c.Refuse(rule::value_of_key, beta_slow) << ", but must not be above beta_fast, " << spec->beta_fast;
    }
  }
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
    c.Refuse(rule::value_of_key, OriginalLengthSlot(c)) << ", but must be above 1";
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

// Refuses factors that are out of range, and numbers with which a sum in the formula of the scaling would
// have terms of too different sizes. Creation refuses them, too, but cannot name a key.
void CheckFactor(const posenc_rotary_spec& spec, Configuration* configuration) {
  constexpr double kMinRatio = 0x1p-100, kMaxRatio = 0x1p100, kMostDouble = 1.7976931348623157e308;
  double most = kMostDouble;
  const char* range = nullptr;
  bool is_right = true;
  switch (spec.scaling) {
    case POSENC_YARN:
    case POSENC_LLAMA3:
      most = kMaxRatio;
      range = "2^-100 to 2^100";
      is_right = spec.factor >= kMinRatio;
      break;
    case POSENC_DYNAMIC_NTK:
      range = "at least 2^-100";
      is_right = spec.factor >= kMinRatio;
      break;
    case POSENC_LONGROPE:  // one length over another one may underflow or overflow
      range = "finite and above 0";
      is_right = spec.factor > 0.0;
      break;
    default:
      return;
  }
  if (!is_right || spec.factor > most) {
    const bool is_given = configuration->Entry(factor) != nullptr;
    const bool has_max = configuration->Entry(max_length) != nullptr;
    const Slot length = has_max ? max_length : OriginalLengthSlot(*configuration);
    Sentence& sentence = configuration->Refuse(rule::value_of_key, is_given ? factor : length);
    if (!is_given) {
      sentence << (has_max ? ", which over an original length of " : ", which under a longest context of ")
               << (has_max ? spec.original_length : configuration->Number(max_length))
               << " makes a factor of " << spec.factor;
    }
    sentence << ", but a factor must be " << range << " with this scaling";
  }
  if (spec.scaling == POSENC_LLAMA3 && spec.high_freq_factor * kMinRatio > spec.low_freq_factor) {
    configuration->Refuse(rule::value_of_key, high_freq_factor)
        << ", but must be at most 2^100 times low_freq_factor";
  }
}

bool IsPlain(const Layer& layer, const Configuration& configuration) {
  const Row& row = configuration.row();
  // In these models, layers with sliding attention have no scaling unless a dictionary for their type has
  // one.
  if (!layer.is_local || configuration.is_by_type()) return false;
  return row.Has("flat_full") || row.Has("compressed") || row.Has("local_is_plain");
}

// The slot that names the scaling.
Slot TypeSlot(const Configuration& configuration) {
  const bool is_old = configuration.Entry(rope_type) == nullptr && configuration.Entry(old_type) != nullptr;
  return is_old ? old_type : rope_type;
}

// Whether the model's code has the scaling that kWords has for a word.
bool Takes(const Row& row, const ScalingWord& known) {
  if (!known.is_common && !HasWord(row.Value("also"), known.word, ",")) return false;
  const bool is_dynamic = known.scaling == POSENC_DYNAMIC_NTK || known.scaling == POSENC_LONGROPE;
  return !(row.Has("static_lengths") && is_dynamic);
}

void RefuseType(Text word, Configuration* configuration) {
  Sentence& sentence = configuration->Refuse(rule::value_of_key, TypeSlot(*configuration));
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
    const ScalingWord* last = nullptr;  // it is written when it is clear whether another word follows
    const char* separator = "";
    for (const ScalingWord& known : kWords) {
      if (!Takes(configuration->row(), known)) continue;
      if (last != nullptr) {
        sentence << separator << last->word;
        separator = ", ";
      }
      last = &known;
    }
    sentence << " and " << last->word;
  }
}

// Whether rope_type and type mean the same scaling in this model.
bool AreSame(Text word, Text other, const Row& row) {
  if (word == other) return true;
  if (word == "default" || word == "longrope") std::swap(word, other);
  const bool takes = row.Has("longrope_only") || HasWord(row.Value("also"), word, ",");
  return takes && ((word == "mrope" && other == "default") || (word == "su" && other == "longrope"));
}

posenc_scaling GgufScaling(const Layer& layer, Configuration* configuration) {
  Configuration& c = *configuration;
  const Text word = c.Word(rope_type);
  if (word.empty() && c.Entry(rope_type) != nullptr) RefuseType(word, &c);
  if (c.Number(alpha) != 0.0) return POSENC_NTK;
  const bool has_lists = c.Entry(short_factors) != nullptr || c.Entry(long_factors) != nullptr;
  const bool takes_any = c.row().Has("factors_always");
  if (has_lists && c.row().Has("factors") && (word == "longrope" || takes_any)) return POSENC_LONGROPE;
  if (has_lists) {
    c.Refuse(rule::value_of_key, c.Entry(short_factors) != nullptr ? short_factors : long_factors)
        << (c.row().Has("factors") ? ", a tensor that llama.cpp uses with rope.scaling.type longrope only"
                                   : ", a tensor that llama.cpp does not use for this architecture");
  }
  // Metadata does not tell whether the file has the tensors. LongRoPE needs them.
  const bool is_longer = c.Entry(original_length) != nullptr && c.Entry(max_length) != nullptr &&
                         c.Number(original_length) < c.Number(max_length);
  if (!has_lists && c.row().Has("factors") &&
      (word == "longrope" || (takes_any && word.empty() && is_longer)))
    c.Refuse(rule::missing_key, short_factors)
        << ": pass the numbers of the file's tensors rope_factors_short and rope_factors_long";
  const double divisor = c.Number(factor);
  if (word == "none" && layer.is_local && divisor != 0.0 && divisor != 1.0) {
    c.Refuse(rule::value_of_key, factor)
        << ", but rope.scaling.type is none. Then llama.cpp's code divides positions in layers with sliding "
           "attention only: remove the factor, or write another type";
  }
  if (word == "none") return POSENC_NO_SCALING;
  if (word == "yarn") return POSENC_YARN;
  if (!word.empty() && word != "linear" && word != "longrope") RefuseType(word, &c);
  return divisor == 0.0 ? POSENC_NO_SCALING : POSENC_LINEAR;
}

}  // namespace

posenc_scaling ScalingOf(const Layer& layer, Configuration* configuration) {
  Configuration& c = *configuration;
  if (c.HasList(scaled_types) && !c.ListHas(scaled_types, "full_attention")) {
    c.RefuseItem(rule::value_of_key, *c.OtherWord(scaled_types, "full_attention", true))
        << ", and the list lacks full_attention: programs differ in which layers then have the scaling";
  }
  if (IsPlain(layer, c)) return POSENC_NO_SCALING;
  if (c.row().Has("plain")) return POSENC_NO_SCALING;  // the model's code reads no key about scalings
  if (c.is_gguf()) return GgufScaling(layer, &c);
  if (c.IsNull(rope_type)) c.Refuse(rule::value_of_key, rope_type) << ", but must be a string";
  if (c.Entry(rope_type) != nullptr && c.Entry(old_type) != nullptr &&
      !AreSame(c.Word(rope_type), c.Word(old_type), c.row())) {
    RefuseOneOf(old_type, rope_type, &c);
  }
  if (c.HasList(scaled_types) && !c.ListHas(scaled_types, c.layer_type())) return POSENC_NO_SCALING;
  if (c.Number(qwen_ntk) != 0.0) return POSENC_QWEN_NTK;
  const bool reads_one = c.row().Has("flat_full") || c.row().Has("flat_both");
  if (reads_one && c.Entry(rope_type) == nullptr && c.Entry(old_type) != nullptr) {
    c.Refuse(rule::unknown_key, old_type) << ", which the model's code does not read: it reads rope_type";
  }
  const Slot type = TypeSlot(c);
  const Text word = c.Word(type);
  if (word.empty() && c.Entry(type) != nullptr) RefuseType(word, &c);
  if (word.empty()) {
    const bool has_lists = c.Has(short_factors) || c.Has(long_factors);
    if (c.Has(factor) || has_lists) c.Refuse(rule::missing_key, rope_type) << ", although there is a factor";
    if (c.row().Has("scaled")) c.Refuse(rule::missing_key, rope_type) << ", and the model's code needs it";
    return POSENC_NO_SCALING;
  }
  posenc_scaling scaling = POSENC_NO_SCALING;
  bool is_known = false;
  for (const ScalingWord& known : kWords) {
    if (word != known.word || !Takes(c.row(), known)) continue;
    is_known = true;
    scaling = known.scaling;
  }
  if (c.row().Has("longrope_only")) {
    is_known = HasWord("default longrope su yarn", word, " ");
    if (word != "default") scaling = POSENC_LONGROPE;
  }
  const bool has_none = c.row().Has("unscaled") || c.row().Has("scaling_differs");
  if (!is_known || (has_none && scaling != POSENC_NO_SCALING)) RefuseType(word, &c);
  if (c.row().Has("scaled") && scaling == POSENC_NO_SCALING) {
    c.Refuse(rule::value_of_key, type) << ", with which the model's code does not work";
  }
  return scaling;
}

void SetScaling(const Layer& layer, Configuration* configuration, posenc_rotary_spec* spec) {
  Configuration& c = *configuration;
  if (c.Number(only_one, 1.0) != 1.0)
    c.Refuse(rule::value_of_key, only_one) << ", but must be 1, the only value that posenc knows";
  if (c.is_gguf() && c.Entry(only_one) != nullptr && spec->scaling != POSENC_YARN)
    c.Refuse(rule::value_of_key, only_one)
        << ", a key of YaRN, but rope.scaling.type is not yarn: remove the key, or write yarn";
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
      SetYarn(c.Word(TypeSlot(c)), &c, spec);
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
  CheckFactor(*spec, &c);
  if (c.row().Has("needs_rope_freqs") && !layer.is_local && c.Entry(ggml_factors) == nullptr) {
    c.Refuse(rule::missing_key, ggml_factors)
        << ": llama.cpp's code needs this tensor, so pass its numbers under its name";
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
  const bool is_one = c.row().Has("plain") || (layer.is_local && c.row().Has("local_amplitude_1"));
  const bool takes_gain = c.is_gguf() && !is_one;
  if (takes_gain && spec->amplitude == 0.0 && spec->scaling != POSENC_YARN) spec->amplitude = c.Number(gain);
  const bool makes_it = spec->amplitude == 0.0 && spec->scaling == POSENC_YARN;
  const double made = makes_it ? ApproximateAmplitude(*spec) : spec->amplitude;
  const double margin = makes_it ? 1.0 + 1e-12 : 1.0;
  if ((makes_it || made != 0.0) && !(made >= 0x1p-64 * margin && made <= 0x1p64 / margin)) {
    // Neither term of YaRN's amplitude is below 1: if it is too large, the numerator is, and if it is too
    // small, the denominator is too large.
    const Slot of_yarn = made > 1.0 && c.Entry(mscale) != nullptr ? mscale : mscale_all_dim;
    const double alone = makes_it ? made / spec->amplitude_factor : 1.0;
    Slot slot = alone >= 0x1p-64 && alone <= 0x1p64 ? gain : of_yarn;
    if (c.Has(amplitude)) slot = amplitude;
    if (spec->scaling == POSENC_LONGROPE && c.row().Has("short_mscale")) slot = short_mscale;
    c.Refuse(rule::value_of_key, slot)
        << (makes_it ? ", which makes an amplitude outside 2^-64 .. 2^64, or too near to a limit"
                     : ", but an amplitude must be 2^-64 to 2^64");
  }
}

}  // namespace models
}  // namespace internal
}  // namespace posenc
