// posenc_rotary_spec_from_config, which makes the spec of a rotary from a model's configuration.

#include "number/exact.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "models/calls.h"
#include "models/configuration.h"
#include "models/layers.h"
#include "models/report.h"
#include "models/scaling.h"
#include "posenc/models_c.h"

namespace posenc {
namespace internal {
namespace models {
namespace {

constexpr char kVersionsDiffer[] =
    ", and versions of the model's code have different values for it: add the base of the training";

bool IsFinite(double x) { return x - x == 0.0; }

// part * whole, rounded down as in the models' code.
double Part(double part, double whole) {
  return static_cast<double>(static_cast<std::int64_t>(part * whole));
}

// Sets the members of a spec one after another. Each step may refuse the configuration.
class SpecMaker {
 public:
  SpecMaker(Configuration* configuration, posenc_rotary_spec* spec)
      : c_(*configuration), row_(configuration->row()), spec_(*spec) {}

  void Make() {
    CheckDictionaries();
    layer_ = FindLayer(&c_);
    if (IsRefused()) return;
    spec_.scaling = ScalingOf(layer_, &c_);
    if (IsRefused()) return;
    CheckLatent();
    if (IsRefused()) return;
    SetHeadDim();
    if (IsRefused()) return;
    SetRotaryDim();
    SetBase();
    if (IsRefused()) return;
    SetScaling(layer_, &c_, &spec_);
    SetAxes();
    SetPairing();
    if (row_.Has("backwards")) spec_.position_scale = -1.0;
    if (row_.Has("turns")) spec_.unit = POSENC_TURNS;
    for (bool has_more = true; has_more && !IsRefused(); has_more = c_.NextUnread()) CheckUnread();
  }

 private:
  bool IsRefused() const { return c_.status() != POSENC_OK; }

  // Refuses dictionaries for types of layers if the model's code does not read them. If the code reads them,
  // refuses a dictionary without types, unless the row says which layers such a dictionary is for.
  void CheckDictionaries() {
    if (c_.has_types() && !c_.reads_types()) {
      c_.Refuse(rule::unknown_key)
          << (c_.is_scaling() ? "rope_scaling" : "rope_parameters")
          << " has dictionaries for types of layers, which the model's code does not read";
    }
    const bool is_flat = c_.has_dictionary() && !c_.has_types();
    const bool takes_scaling = row_.Has("flat_full") || row_.Has("flat_both");
    if (row_.Has("by_type") && is_flat && !(takes_scaling && c_.is_scaling())) {
      c_.Refuse(rule::value_of_key)
          << (c_.is_scaling() ? "rope_scaling" : "rope_parameters")
          << " must have a dictionary for each type of layer, such as full_attention";
    }
    if (takes_scaling && c_.is_scaling() && (c_.has_types() || c_.has_both_dictionaries())) {
      c_.Refuse(rule::value_of_key)
          << (c_.has_types()
                  ? "rope_scaling has dictionaries for types of layers, which the model's code reads "
                    "within rope_parameters only"
                  : "rope_scaling stands beside rope_parameters, and the model's code mixes them: keep one");
    }
    if (takes_scaling && c_.has_null_type()) {
      c_.Refuse(rule::value_of_key) << "rope_parameters has null for a type of layer, and the model's code "
                                       "puts a dictionary in its place: write this dictionary";
    }
    // Step 3.5 replaces all dictionaries for types if one is missing.
    if (row_.Has("by_first_layer") && c_.has_types() &&
        !(c_.HasDictionaryFor("full_attention") && c_.HasDictionaryFor("sliding_attention"))) {
      c_.Refuse(rule::missing_key) << "rope_parameters must have two dictionaries, full_attention and "
                                      "sliding_attention: without one, the model's code replaces the other";
    }
    if (row_.Has("by_type_needed") && !c_.has_types()) {
      c_.Refuse(rule::missing_key) << "rope_parameters must have a dictionary for each type of layer";
    }
  }

  // With latent attention, qk_rope_head_dim = 0 means that no element rotates. If qk_nope_head_dim is 0, too,
  // some models' code has ordinary attention instead.
  void CheckLatent() {
    is_latent_ = row_.Has("latent");
    if (!is_latent_ || c_.Entry(rope_dim) == nullptr || c_.Number(rope_dim) != 0.0) return;
    const bool is_plain =
        c_.Entry(nope_dim) != nullptr && c_.Number(nope_dim) == 0.0 && row_.Has("zero_is_plain");
    if (!is_plain) c_.Refuse(rule::no_rotary, rope_dim) << ", so no element rotates";
    is_latent_ = false;
  }

  void SetHeadDim() {
    if (const posenc_config_entry* const listed = c_.Entry(heads);
        c_.is_gguf() && listed != nullptr && listed->count != 0 && listed->numbers[0] == 0.0) {
      c_.Refuse(rule::value_of_key, heads)
          << ", but its first number must not be 0: then llama.cpp's code rotates nothing in any layer";
      return;
    }
    if (c_.IsNull(head_dim) && !row_.Value("head_dim").empty()) {
      c_.Refuse(rule::value_of_key, head_dim)
          << ", but must be a number; without the key the model has " << row_.Value("head_dim");
      return;
    }
    Slot slot = head_dim;
    if (layer_.is_local && c_.Has(local_head_dim)) slot = local_head_dim;
    if (layer_.is_global && c_.Has(global_head_dim)) slot = global_head_dim;
    if (c_.Entry(layer_head_dim) != nullptr) slot = layer_head_dim;
    double elements = 0.0;
    if (is_latent_) {
      elements = c_.Needed(nope_dim) + c_.Needed(rope_dim);
      slot = c_.Number(nope_dim) > POSENC_MAX_HEAD_DIM ? nope_dim : rope_dim;
    } else if (c_.Has(slot) && !(slot == head_dim && row_.Has("no_head_dim"))) {
      elements = c_.Number(slot);
    } else if (row_.Has("head_dim_needed")) {
      c_.Refuse(rule::missing_key, head_dim)
          << (c_.knows_model() ? ", and the model's code does not work without it"
                               : ", and posenc does not know whether the heads of this model then have "
                                 "hidden_size / num_attention_heads elements: add head_dim");
      return;
    } else {
      slot = c_.Entry(hidden) != nullptr || c_.Entry(heads) == nullptr ? hidden : heads;
      const double width = c_.Number(hidden), of_layer = c_.Number(heads);
      // llama.cpp's code takes the size of all heads from the first layer.
      const posenc_config_entry* const listed = c_.Entry(heads);
      const bool is_first = c_.is_gguf() && listed != nullptr && listed->count != 0;
      const double count = is_first ? listed->numbers[0] : of_layer;
      if (listed != nullptr && of_layer == 0.0) {
        c_.Refuse(rule::no_rotary, heads) << " in that layer, which has no attention";
      } else if (width == 0.0) {
        c_.Refuse(rule::missing_key, c_.is_gguf() || row_.Has("no_head_dim") ? hidden : head_dim)
            << ", so posenc does not know the size of a head";
      } else if (count == 0.0) {
        c_.Refuse(rule::missing_key, heads) << ", so posenc does not know the size of a head";
      } else {
        elements = static_cast<double>(static_cast<std::int64_t>(width / count));
      }
    }
    if (IsRefused()) return;
    if (!(elements >= 2.0 && elements <= POSENC_MAX_HEAD_DIM)) {
      c_.Refuse(rule::value_of_key, slot)
          << ", which makes heads of size " << elements << "; the size must be 2 to 65536";
      return;
    }
    spec_.head_dim = static_cast<std::size_t>(elements);
    head_slot_ = slot;
    if (row_.Has("no_head_dim") && c_.Entry(head_dim) != nullptr && c_.Number(head_dim) != elements) {
      c_.Refuse(rule::value_of_key, head_dim)
          << ", which the model's attention does not read: its heads have " << elements
          << " elements, hidden_size over num_attention_heads";
    }
    if (is_latent_ && !row_.Has("any_head_dim") && c_.Entry(head_dim) != nullptr) {
      const double given = c_.Number(head_dim);
      if (given != c_.Number(rope_dim) && given != elements) {
        c_.Refuse(rule::value_of_key, head_dim) << ", but must be qk_rope_head_dim, " << c_.Number(rope_dim);
      }
    }
  }

  // The share of a head that rotates. Engines disagree about which place counts first, in the dictionary or
  // beside it, so posenc refuses two different values.
  double Share() {
    const double inside = c_.Number(share_in_dictionary, 0.0),
                 beside = c_.Entry(share) != nullptr ? c_.Number(share) : 0.0;
    if (inside != 0.0 && beside != 0.0 && inside != beside && !c_.is_by_type()) {
      if (c_.Entry(share_in_dictionary) == nullptr) {
        c_.Refuse(rule::value_of_key, share)
            << ", but without a share in the dictionary the model's code uses " << inside
            << ": write the share into the dictionary";
      }
      c_.Refuse(rule::value_of_key, share_in_dictionary)
          << ", but the share beside the dictionary is " << beside << ": engines differ in which one counts";
    }
    if (inside != 0.0) return inside;
    if (c_.IsNull(share_in_dictionary))
      c_.Refuse(rule::value_of_key, share_in_dictionary) << ", but must be a number";
    return beside != 0.0 ? beside : c_.Number(share, 1.0);
  }

  void SetRotaryDim() {
    const auto d = static_cast<double>(spec_.head_dim);
    const bool reads_share = row_.Has("partial_rotary_factor") || c_.Has(share);
    Slot slot = head_slot_;
    double elements = d;
    if (is_latent_ || (!row_.Has("latent") && row_.Has("qk_rope_head_dim") && c_.Has(rope_dim))) {
      elements = c_.Number(slot = rope_dim);
      if (row_.Has("compressed") && c_.Entry(rope_dim) == nullptr && d != NumberOf(row_.Value("head_dim"))) {
        c_.Refuse(rule::missing_key) << "qk_rope_head_dim is missing, and for heads of " << d
                                     << " elements the model's code computes it: add it";
      }
    } else if (layer_.is_local && c_.Entry(local_rotary_dim) != nullptr) {
      elements = c_.Number(slot = local_rotary_dim);
    } else if (c_.Has(rotary_dim)) {
      elements = c_.Number(slot = rotary_dim);
    } else if (row_.Has("fixed_share")) {
      elements = Part(NumberOf(row_.Value("fixed_share")), d);
    } else if (reads_share && spec_.scaling != POSENC_PROPORTIONAL) {
      const double part = Share();
      slot = c_.Entry(share_in_dictionary) != nullptr ? share_in_dictionary : share;
      elements = Part(part, d);
    }
    if (row_.Has("thirds")) elements = 6.0 * Part(1.0, Part(1.0, d / 2.0) * 2.0 / 3.0 / 2.0);
    if (layer_.is_global && row_.Has("global_part"))
      elements = Part(NumberOf(row_.Value("global_part")), elements);
    if (row_.Has("plain") && c_.is_gguf() && elements != d)
      c_.Refuse(rule::value_of_key, slot)
          << ", but all " << d << " elements of a head rotate in this architecture";
    CheckShares(elements, d);
    if (IsRefused()) return;
    const double most = std::min(2.0 * Part(0.5, d), static_cast<double>(POSENC_MAX_ROTARY_DIM));
    if (!(elements >= 2.0 && elements <= most) || static_cast<std::size_t>(elements) % 2 != 0) {
      c_.Refuse(rule::value_of_key, slot) << ", which makes " << elements << " of " << d
                                          << " elements rotate; the number must be even, 2 to " << most;
      return;
    }
    spec_.rotary_dim = static_cast<std::size_t>(elements);
    const bool is_last = is_latent_ || row_.Has("last");
    if (is_last) spec_.rotary_offset = spec_.head_dim - spec_.rotary_dim;
  }

  // A share must agree with the number of elements that rotate, even if that number comes from another key.
  void CheckShares(double elements, double d) {
    if (spec_.scaling == POSENC_PROPORTIONAL) return;
    for (const Slot slot : {share, share_in_dictionary}) {
      const posenc_config_entry* const entry = c_.Entry(slot);
      if (entry == nullptr || entry->kind != POSENC_CONFIG_NUMBER) continue;
      const double part = entry->number;
      if (part == 1.0 || Part(part, d) == elements) continue;
      if (row_.Has("partial_rotary_factor") && Share() != part) continue;
      c_.Refuse(rule::value_of_key, slot)
          << ", but the model's code makes " << elements << " of " << d << " elements rotate";
    }
  }

  void SetBase() {
    double number = 0.0;
    Slot slot = base;
    if (row_.Has("fixed_base")) {
      number = NumberOf(row_.Value("fixed_base"));
      if (c_.Entry(base_in_dictionary) != nullptr && c_.Number(base_in_dictionary) != number) {
        c_.Refuse(rule::value_of_key, base_in_dictionary)
            << ", which the model's code does not read: its base is " << number;
      }
      if (c_.is_gguf() && c_.Entry(base) != nullptr && c_.Number(base) != number)
        c_.Refuse(rule::value_of_key, base) << ", but the base of this architecture is always " << number;
    } else if (row_.Has("compressed")) {
      slot = layer_.is_local ? base : compress_base;
      number = BaseOf(base_in_dictionary, &slot);
    } else if (row_.Has("by_type")) {
      number = BaseByType(&slot);
    } else if (c_.Entry(layer_bases) != nullptr && !row_.Has("layer_rope_theta_is_flag")) {
      number = c_.Number(slot = layer_bases);
    } else if (layer_.is_local && c_.IsNull(local_base) && !c_.Has(local_base)) {
      c_.Refuse(rule::value_of_key, local_base) << ", but must be a number";
    } else if (layer_.is_local && c_.Has(local_base)) {
      number = c_.Number(slot = local_base);
    } else {
      number = BaseOf(base_in_dictionary, &slot);
    }
    if (IsRefused()) return;
    if (number == 0.0 && c_.Entry(other_base) != nullptr) {
      c_.Refuse(rule::value_of_key, other_base) << ": vLLM rotates by it, transformers by rope_theta, "
                                                   "which is missing; add rope_theta, with the same number";
      return;
    }
    if (number == 0.0) {
      c_.Refuse(rule::missing_key, slot)
          << (row_.Has("base_needed") ? kVersionsDiffer
              : c_.knows_model()      ? ", and the model's code has no value for it"
                                      : ", and posenc does not know this model's base: add rope_theta");
      return;
    }
    if (row_.Has("attn_config.rope_theta") && c_.Entry(other_base) == nullptr && number != 10000.0) {
      c_.Refuse(rule::missing_key, other_base)
          << ", and without it older versions of the model's code rotate by the base 10000: add it, with the "
             "number of rope_theta";
    }
    if (c_.Entry(other_base) != nullptr && c_.Number(other_base) != number) {
      c_.Refuse(rule::value_of_key, other_base)
          << ": vLLM rotates by it, transformers by the other one, which is " << number
          << "; posenc needs both to be the same";
    }
    spec_.base = number * c_.Number(base_ratio, 1.0);
    if (!(spec_.base > 0.0 && IsFinite(spec_.base))) {
      c_.Refuse(rule::value_of_key, base_ratio)
          << ", which with the base " << number << " makes a base of " << spec_.base;
    }
    if (spec_.scaling == POSENC_YARN && spec_.base <= 1.0) {
      c_.Refuse(rule::value_of_key, slot) << ", but YaRN needs a base above 1";
    }
  }

  // The base in the dictionary, else beside it, else in the model's row, else 0. *slot is the slot beside the
  // dictionary; it becomes `inside` if the base is in the dictionary.
  double BaseOf(Slot inside, Slot* slot) {
    const bool counts = !row_.Has("compressed") || c_.is_by_type();
    if (counts && c_.IsNull(inside)) {
      c_.Refuse(rule::value_of_key, inside) << ", but must be a number";
      return 0.0;
    }
    if (counts && c_.Entry(inside) != nullptr) {
      CheckBaseBeside(*slot, inside, c_.Number(inside));
      return c_.Number(*slot = inside);
    }
    // Without a dictionary, some models' code uses a fixed one, whose base counts before a key beside it.
    if (!c_.has_dictionary() && !row_.Value("dict", "rope_theta").empty()) {
      const double number = NumberOf(row_.Value("dict", "rope_theta"));
      CheckBaseBeside(base, nothing, number);
      return number;
    }
    // llama.cpp's loader has a default base for all architectures.
    return c_.Number(*slot, c_.is_gguf() ? 10000.0 : 0.0);
  }

  // Refuses a base outside the dictionary that differs from the counting base in the slot `inside`, or from
  // the code's own base if this is `nothing`. Programs differ in which one counts.
  void CheckBaseBeside(Slot outside, Slot inside, double counting) {
    const posenc_config_entry* const beside = c_.Entry(outside);
    if (beside == nullptr || beside->kind != POSENC_CONFIG_NUMBER || beside->number == counting) return;
    Sentence& sentence = c_.Refuse(rule::value_of_key, outside);
    if (inside == nothing) {
      sentence << ", but the model's newest code does not read the key without rope_parameters, and uses "
               << counting << ": write rope_parameters with the right rope_theta";
    } else {
      (sentence << ", but ").Shown(c_.Entry(inside)->key)
          << " is " << counting << ", and programs differ in which one counts: remove the wrong one";
    }
  }

  // The base in the dictionary, where each type of layer may have another base.
  double BaseInside(Slot* slot) {
    const double number = c_.Number(*slot = base_in_dictionary);
    CheckBaseBeside(layer_.is_local ? local_base : global_base, base_in_dictionary, number);
    if (!layer_.is_local) CheckBaseBeside(base, base_in_dictionary, number);
    return number;
  }

  double BaseByType(Slot* slot) {
    if (c_.IsNull(base_in_dictionary)) {
      c_.Refuse(rule::value_of_key, base_in_dictionary) << ", but must be a number";
      return 0.0;
    }
    if (c_.is_by_type() && c_.Entry(base_in_dictionary) != nullptr) return BaseInside(slot);
    const bool takes_flat = row_.Has("flat_both") || (row_.Has("flat_full") && !layer_.is_local);
    if (takes_flat && !c_.has_types() && c_.Entry(base_in_dictionary) != nullptr) return BaseInside(slot);
    // Older configurations of some models have separate keys for the bases.
    const Slot own = layer_.is_local ? local_base : global_base;
    if (c_.Entry(own) != nullptr) return c_.Number(*slot = own);
    const bool is_for_all = row_.Has("by_first_layer") || !row_.Has("flat_full");
    const bool takes_base = is_for_all || !layer_.is_local;
    if (c_.Entry(base) != nullptr && takes_base) return BaseOfFirstLayer();
    if (row_.Has("base_needed") && !c_.has_types() && c_.Entry(base) == nullptr) return 0.0;
    const bool has_default = row_.Has("flat_full") || row_.Has("flat_both") || !c_.has_types();
    const Text value = has_default ? row_.Value(c_.layer_type(), "rope_theta") : Text();
    if (!value.empty()) {
      if (layer_.is_local && !c_.has_types() && row_.Has("local_base_needed"))
        CheckLocalBase(NumberOf(value));
      c_.CheckNull(own, value);
      if (takes_base) c_.CheckNull(base, value);
      return NumberOf(value);
    }
    if (is_for_all && c_.has_types() && !row_.Value("rope_theta").empty()) {
      c_.Refuse(rule::missing_key) << "rope_parameters has no rope_theta for layers of the type "
                                   << c_.layer_type() << ": add it to their dictionary";
      return 0.0;
    }
    return is_for_all ? c_.Number(base) : 0.0;
  }

  // Some versions of the model's code give layers with sliding attention the base `value`, if they have no
  // dictionary. Other versions give such layers the base of all layers, or another value.
  void CheckLocalBase(double value) {
    if (c_.Entry(base) == nullptr) {
      c_.Refuse(rule::missing_key, local_base) << kVersionsDiffer;
    } else if (c_.Number(base) != value) {
      c_.Refuse(rule::value_of_key, base)
          << ", but in newer versions of the model's code layers with sliding attention have the base "
          << value << ": write rope_parameters, with the base of each type of layer";
    }
  }

  // In Step 3.5, rope_theta is a list with an entry for each layer. The entry at the first layer of a type
  // counts for all layers of the type.
  double BaseOfFirstLayer() {
    const posenc_config_entry& entry = *c_.Entry(base);
    if (entry.kind != POSENC_CONFIG_NUMBERS) return entry.number;
    for (std::size_t i = 0; i < entry.count && c_.HasList(layer_types); ++i) {
      if (c_.Listed(layer_types, static_cast<std::int64_t>(i)) == c_.layer_type()) return entry.numbers[i];
    }
    return c_.Number(base);
  }

  // How many pairs axis k has if axes alternate: the pairs k, k + turn, k + 2 turn, ... below turn * section
  // belong to it.
  static std::size_t PairsOf(std::size_t k, std::size_t turn, double section, std::size_t pairs) {
    std::size_t count = 0;
    for (std::size_t i = k; i < pairs && static_cast<double>(i) < static_cast<double>(turn) * section;
         i += turn)
      ++count;
    return count;
  }

  void SetAxes() {
    if (const Text count = row_.Value("axes"); !count.empty())
      return SetTower(static_cast<std::size_t>(IndexOf(count)));
    if (!row_.Has("mrope_section") && !row_.Has("rope.dimension_sections")) return;
    double numbers[POSENC_MAX_AXES];
    std::size_t count = 0;
    if (const posenc_config_entry* const entry = c_.Entry(sections); entry != nullptr) {
      for (; count < entry->count; ++count) numbers[count] = std::min(entry->numbers[count], 65536.0);
    } else {
      const Text usual = c_.Default(sections);
      if (!usual.empty()) c_.CheckNull(sections, usual);
      for (Text rest = usual; !rest.empty() && count < POSENC_MAX_AXES;) {
        numbers[count++] = NumberOf(Next(",", &rest));
      }
      if (count == 0 && !row_.Has("sections_if_there")) {
        c_.Refuse(rule::missing_key, sections) << ", and the rotary embedding needs it";
      }
    }
    if (!c_.is_gguf() && count != 0 && count != 3) {
      c_.Refuse(rule::value_of_key, sections) << ", but must have 3 numbers, one for each axis of this model";
    }
    while (c_.is_gguf() && count > 0 && numbers[count - 1] == 0.0) --count;
    // Without pairs for the first two axes, llama.cpp takes one axis in some architectures, and fails in
    // others.
    const bool has_first_two = !c_.is_gguf() || count < 2 || (numbers[0] > 0.0 && numbers[1] > 0.0);
    if ((count == 0 && !row_.Has("sections_if_there")) || !has_first_two) {
      c_.Refuse(rule::value_of_key, sections) << ", but its first two numbers must be above 0";
    }
    if (count != 0 && !IsRefused()) SetSections(numbers, count);
  }

  void SetSections(const double* numbers, std::size_t count) {
    const std::size_t pairs = spec_.rotary_dim / 2;
    bool is_right = true;
    const auto section = [&](std::size_t k) { return static_cast<std::size_t>(numbers[k]); };
    for (std::size_t k = 0; k < count; ++k) spec_.sections[k] = section(k);
    spec_.axes = count;
    spec_.axis_order = POSENC_CONSECUTIVE_AXES;
    if (row_.Has("imrope")) {
      spec_.axis_order = POSENC_IMROPE_AXES;
      is_right = count == 3;
      // With fewer pairs in all sections, ggml's code begins again with the first axis.
      if (is_right && numbers[0] + numbers[1] + numbers[2] < static_cast<double>(pairs)) {
        c_.Refuse(rule::value_of_key, sections)
            << ", whose sum must be at least " << static_cast<double>(pairs) << ", the number of pairs";
      }
      spec_.axes = 4;
      spec_.sections[3] = pairs;
      for (std::size_t k = 0; k < 3 && is_right; ++k) {
        spec_.sections[k] = PairsOf(k, 3, numbers[k], pairs);
        spec_.sections[3] -= spec_.sections[k];
      }
    } else if (row_.Has("alternating")) {
      spec_.axis_order = POSENC_ALTERNATING_AXES;  // the key has the order y, x, time; the spec time, y, x
      is_right = count == 3 && section(0) == section(1);
      std::rotate(spec_.sections, spec_.sections + 2, spec_.sections + 3);
    } else if (row_.Has("in_turn")) {
      spec_.axis_order = POSENC_INTERLEAVED_AXES;
      if (c_.Entry(interleaves) != nullptr && c_.Number(interleaves) == 0.0) {
        c_.Refuse(rule::value_of_key, interleaves) << ", but the axes of this model are interleaved";
      }
      for (std::size_t k = 1; k < count; ++k) {
        const std::size_t most = PairsOf(k, count, 65536.0, pairs);
        if (section(k) <= most) continue;
        c_.Refuse(rule::value_of_key, sections)
            << ", but its item " << static_cast<double>(k) << " must be at most " << static_cast<double>(most)
            << ", because the axes take turns";
      }
    }
    std::size_t sum = 0;
    for (std::size_t k = 0; k < spec_.axes; ++k) sum += spec_.sections[k];
    if (!is_right || sum != pairs) {
      Sentence& sentence = c_.Refuse(rule::value_of_key, sections);
      if (is_right) {
        sentence << ", whose sum must be " << static_cast<double>(pairs) << ", the number of pairs";
      } else {
        sentence << ", which does not suit the order of axes in this model";
      }
    }
    if (count == 1) {
      spec_.sections[0] = 0;
      spec_.axis_order = POSENC_CONSECUTIVE_AXES;
    }
  }

  // Sets the axes of a vision tower, which divide the pairs equally.
  void SetTower(std::size_t count) {
    const std::size_t pairs = spec_.rotary_dim / 2;
    if (pairs % count != 0) {
      c_.Refuse(rule::value_of_key, head_slot_)
          << ": " << static_cast<double>(pairs) << " pairs cannot be shared by " << static_cast<double>(count)
          << " axes";
      return;
    }
    spec_.axes = count;
    spec_.axis_order = row_.Has("split") ? POSENC_SPLIT_AXES : POSENC_AXIAL_AXES;
    std::fill(spec_.sections, spec_.sections + count, pairs / count);
  }

  void SetPairing() {
    if (c_.stated_pairing() != nullptr) {
      spec_.pairing = *c_.stated_pairing();
      return;
    }
    bool pairs_neighbours = row_.Has("neighbours") && is_latent_ == row_.Has("latent");
    if (c_.Has(neighbours)) pairs_neighbours = c_.Number(neighbours) != 0.0;
    if (c_.Has(half_split)) pairs_neighbours = c_.Number(half_split) == 0.0;
    // With several axes ggml always has half-split pairs, whatever the architecture is.
    if (!pairs_neighbours || (c_.is_gguf() && spec_.axes > 1)) return;
    spec_.pairing = POSENC_NEIGHBOURS;
    if (row_.Has("to_half_split")) spec_.output_pairing = POSENC_HALF_SPLIT;
  }

  // A key that the model's code does not read must agree with what the code does without it.
  void CheckUnread() {
    const auto expect = [&](Slot slot, bool is_right, const char* words) {
      if (!c_.knows_model()) words = ", and posenc does not know what this model's code does with that key";
      if (c_.Unread(slot) != nullptr && !is_right) c_.RefuseUnread(rule::unknown_key, slot) << words;
    };
    const auto number = [&](Slot slot) {
      const posenc_config_entry* const entry = c_.Unread(slot);
      return entry != nullptr && entry->kind <= POSENC_CONFIG_FLAG ? entry->number : -1.0;
    };
    const char* const unread = ", which the model's code does not read, and which contradicts what it does";
    const bool pairs_neighbours = spec_.pairing == POSENC_NEIGHBOURS;
    expect(base, number(base) == spec_.base, unread);
    expect(beta_fast, number(beta_fast) == spec_.beta_fast || spec_.scaling != POSENC_YARN, unread);
    expect(beta_slow, number(beta_slow) == spec_.beta_slow || spec_.scaling != POSENC_YARN, unread);
    expect(mscale_all_dim, number(mscale_all_dim) == spec_.mscale_all_dim || spec_.scaling != POSENC_YARN,
           unread);
    // The code of a known model does not read this size. The code of an unknown one may read it.
    expect(head_dim, c_.knows_model() || number(head_dim) == static_cast<double>(spec_.head_dim), unread);
    // Another program's code for the same model may read one of these two sizes.
    for (const Slot slot : {global_head_dim, local_head_dim}) {
      expect(slot, c_.is_gguf() || number(slot) == static_cast<double>(spec_.head_dim),
             ", but the heads of all layers have the same size in the model's code");
    }
    if (c_.is_gguf()) CheckUnreadOfLoader();
    for (const Slot slot : {local_base, global_base, compress_base, other_base, layer_bases}) {
      expect(slot, number(slot) == spec_.base, unread);
    }
    const auto d = static_cast<double>(spec_.head_dim), turning = static_cast<double>(spec_.rotary_dim);
    for (const Slot slot : {share, share_in_dictionary}) {
      const double part = number(slot);
      // With latent attention the whole part for positions rotates, which a share of 1 agrees with.
      const bool is_whole = is_latent_ && part == 1.0;
      if (c_.Unread(slot) == nullptr || is_whole || Part(part, d) == turning ||
          spec_.scaling == POSENC_PROPORTIONAL)
        continue;
      c_.RefuseUnread(rule::value_of_key, slot)
          << ", but the model's code makes " << turning << " of " << d << " elements rotate";
    }
    expect(rotary_dim, number(rotary_dim) == static_cast<double>(spec_.rotary_dim), unread);
    expect(rope_dim, number(rope_dim) == static_cast<double>(spec_.rotary_dim), unread);
    expect(nope_dim, number(nope_dim) == static_cast<double>(spec_.head_dim - spec_.rotary_dim), unread);
    expect(neighbours, (number(neighbours) != 0.0) == pairs_neighbours, unread);
    expect(half_split, (number(half_split) == 0.0) == pairs_neighbours, unread);
    expect(interleaves, (number(interleaves) != 0.0) == row_.Has("in_turn"), unread);
    expect(several_axes, (number(several_axes) != 0.0) == (spec_.axes > 1), unread);
    expect(base_ratio, number(base_ratio) == 1.0, unread);
    expect(only_one, number(only_one) == 1.0 || c_.is_gguf(), unread);
    expect(gain, number(gain) == 1.0, unread);
    expect(qwen_ntk, number(qwen_ntk) == 0.0, unread);
    expect(qwen_length, number(qwen_ntk) <= 0.0, unread);
    for (const Slot slot :
         {alpha, short_mscale, long_mscale, sections, still_interval, compress_ratios, scaled_types}) {
      expect(slot, c_.is_gguf() && slot == alpha && number(slot) == 0.0,
             ", which the model's code does not read");
    }
    const posenc_config_entry* const listed = c_.Unread(rotating_layers);
    const bool all_rotate = listed != nullptr && std::all_of(listed->numbers, listed->numbers + listed->count,
                                                             [](double x) { return x == 1.0; });
    expect(rotating_layers, all_rotate, ", which the model's code does not read");
    // The code of a known model does not read keys that say which layers have attention.
    const posenc_config_entry* const attends = c_.Unread(attending);
    expect(attending, c_.knows_model() || (attends != nullptr && ListsAllLayers(*attends)), unread);
    const posenc_config_entry* const crosses = c_.Unread(crossing);
    const bool is_list = crosses != nullptr && crosses->kind == POSENC_CONFIG_NUMBERS;
    expect(crossing, c_.knows_model() || (is_list && crosses->count == 0), unread);
    const bool is_window = IsWindowPattern(c_.Unread(interval));
    expect(interval, c_.knows_model() || is_window || number(interval) == 1.0, unread);
    const posenc_config_entry* const type = c_.Unread(position_type);
    if (type != nullptr && !row_.Has("any_position_type")) {
      const Text word = type->kind == POSENC_CONFIG_STRING ? Text(type->string) : Text();
      expect(position_type, StartsWith(word, "rope") || HasWord("rotary ROPE RoPE", word, " "),
             ", which the model's code does not read; it rotates");
    }
  }

  // llama.cpp's loader reads these keys for every architecture, but not all code uses them in the same way.
  void CheckUnreadOfLoader() {
    const auto expect = [&](Slot slot, double usual) {
      const posenc_config_entry* const entry = c_.Unread(slot);
      if (entry == nullptr || (entry->kind == POSENC_CONFIG_NUMBER && entry->number == usual)) return;
      c_.RefuseUnread(rule::unknown_key, slot) << ", but posenc knows this architecture only with " << usual;
    };
    expect(local_head_dim, static_cast<double>(spec_.head_dim));
    expect(local_rotary_dim, static_cast<double>(spec_.rotary_dim));
    if (const Text fixed = row_.Value("full_first"); !fixed.empty()) expect(interval, NumberOf(fixed));
  }

  // Whether a list of the numbers of layers has all layers.
  bool ListsAllLayers(const posenc_config_entry& entry) {
    const auto count = static_cast<double>(c_.LayerCount());
    if (entry.kind != POSENC_CONFIG_NUMBERS || !(count > 0.0 && count <= static_cast<double>(entry.count)))
      return false;
    const double* const end = entry.numbers + entry.count;
    for (double layer = 0.0; layer < count; ++layer) {
      if (std::find(entry.numbers, end, layer) == end) return false;
    }
    return true;
  }

  // Whether a key for a pattern of layers says that the other layers have sliding attention, which rotates.
  static bool IsWindowPattern(const posenc_config_entry* entry) {
    return entry != nullptr && Text(entry->key).find("sliding_window_pattern") != Text::npos;
  }

  Configuration& c_;
  const Row& row_;
  posenc_rotary_spec& spec_;
  Layer layer_{};
  Slot head_slot_ = head_dim;  // the slot that says how many elements a head has
  bool is_latent_ = false;
};

}  // namespace
}  // namespace models
}  // namespace internal
}  // namespace posenc

using namespace posenc::internal;          // NOLINT(google-build-using-namespace)
using namespace posenc::internal::models;  // NOLINT(google-build-using-namespace)

posenc_status posenc_rotary_spec_from_config(posenc_rotary_spec* spec, size_t struct_size,
                                             const posenc_config* config, posenc_model_report* report) {
  posenc_model_report own;
  if (report == nullptr) report = &own;
  ClearReport(config == nullptr ? 0 : config->count, report);
  if (spec == nullptr) return Report(rule::null_spec, report);
  if (config == nullptr) return Report(rule::null_config, report);
  if (config->entries == nullptr && config->count != 0) return Report(rule::null_entries, report);
  if (config->pairing != nullptr && *config->pairing != POSENC_HALF_SPLIT &&
      *config->pairing != POSENC_NEIGHBOURS) {
    return Report(rule::config_pairing, report);
  }
  const auto is_empty = [](const char* name) { return name != nullptr && *name == '\0'; };
  if (is_empty(config->layer_type)) return Report(rule::empty_layer_type, report);
  if (is_empty(config->model_type)) return Report(rule::empty_model_type, report);
  return InFpState([&] {
    posenc_rotary_spec filled;
    if (const posenc_status status = Init(&filled, sizeof(filled)); status != POSENC_OK) return status;
    Configuration configuration(*config, report);
    if (configuration.status() == POSENC_OK) SpecMaker(&configuration, &filled).Make();
    if (configuration.status() != POSENC_OK) return configuration.status();
    return Report(WriteSpec(filled, struct_size, spec), report);
  });
}
