// Decides the type of a layer (full, sliding, ... attention) and whether the layer rotates.
#include "number/exact.h"

#include "models/layers.h"

#include <cstddef>
#include <cstdint>

namespace posenc {
namespace internal {
namespace models {
namespace {

constexpr std::int64_t kMaxLayer = 0x7FFFFFFF;  // small enough that sums do not overflow
constexpr Text kFull = "full_attention", kSliding = "sliding_attention", kLinear = "linear_attention";

// Types of layers that never rotate: they have no attention, or attention without positions.
constexpr Text kWithoutAttention = "linear_attention,conv,mamba";

// Types of layers that have attention and nothing else, whatever the model is.
constexpr Text kWithAttention =
    "full_attention,sliding_attention,chunked_attention,window_attention,deepseek_sparse_attention,attention";

// The types that layers of a known model may have, unless the model's row names other types.
constexpr Text kUsualTypes = "full_attention,sliding_attention";

class LayerFinder {
 public:
  explicit LayerFinder(Configuration* configuration)
      : configuration_(*configuration), row_(configuration->row()), layer_(configuration->layer()) {}

  Layer Find() {
    CheckNumber();
    CheckTypes();
    if (configuration_.status() != POSENC_OK) return {};
    Text type = Type();
    if (configuration_.status() != POSENC_OK) return {};
    CheckAskedType(&type);
    configuration_.SetLayerType(DictionaryOf(type));
    if (configuration_.status() != POSENC_OK) return {};
    if (type.empty() && Differ()) {
      configuration_.Refuse(rule::bad_layer) << "the layers of this model have different rotary embeddings: "
                                                "name a layer, or a type of layer such as "
                                                "full_attention or sliding_attention";
    }
    if (configuration_.status() == POSENC_OK) CheckRotates(type);
    const bool is_local =
        type == kSliding || type == "main" || type == "hybrid_sliding" || type == "chunked_attention";
    return {is_local, !type.empty() && !is_local};
  }

 private:
  // The number of layers, or 0 if it is unknown.
  std::int64_t Count() { return configuration_.LayerCount(); }

  void CheckNumber() {
    const std::int64_t count = Count();
    if (!configuration_.names_layer()) return;
    if (layer_ < 0 || layer_ > kMaxLayer) {
      configuration_.Refuse(rule::bad_layer)
          << "layer is " << static_cast<double>(layer_)
          << (layer_ < 0 ? ", but must not be negative" : ", but must be at most 2147483647");
    } else if (count != 0 && layer_ >= count && configuration_.Listed(layer_types, layer_).empty()) {
      Sentence& sentence = configuration_.Refuse(rule::bad_layer);
      sentence << "layer is " << static_cast<double>(layer_) << ", but layers are 0 to "
               << static_cast<double>(count - 1);
      if (configuration_.Number(predicting) != 0.0)
        sentence << "; the layers after them only predict further tokens, and posenc does not describe them";
    } else if (configuration_.HasList(layer_types) && configuration_.Listed(layer_types, layer_).empty()) {
      configuration_.Refuse(rule::bad_layer)
          << "layer is " << static_cast<double>(layer_) << ", which layer_types does not list";
    }
  }

  // Whether layers of different types have different rotary embeddings.
  bool Differ() {
    if (!Slides()) return false;
    return configuration_.reads_types() || row_.Has("local_is_plain") || configuration_.Has(local_base) ||
           configuration_.Has(global_head_dim) || configuration_.Has(local_head_dim) ||
           configuration_.Has(local_rotary_dim) || configuration_.Has(scaled_types) ||
           configuration_.HasList(scaled_types) || configuration_.has_types();
  }

  // Whether some layers have sliding attention. In llama.cpp's code that depends on other keys.
  bool Slides() {
    if (row_.Has("if_window")) return HasWindow();
    const Text count = row_.Value("if_layers");
    return count.empty() || static_cast<double>(Count()) == NumberOf(count);
  }

  bool HasWindow() const {
    const posenc_config_entry* const entry = configuration_.Entry(window);
    if (entry == nullptr) return false;
    return entry->kind != POSENC_CONFIG_NUMBER || entry->number > 0.0;
  }

  // The type of the layer: from the list layer_types, or without it from the rule in the model's code. "" if
  // the caller asks for no layer.
  Text Type() {
    if (layer_ >= 0 && configuration_.HasList(layer_types))
      return Ended(configuration_.Listed(layer_types, layer_));
    const bool is_asked = !configuration_.asked_type().empty();
    if (configuration_.HasList(layer_types) || (is_asked && layer_ < 0)) return {};
    if (!is_asked && row_.Has("layer_types_needed") && (layer_ >= 0 || row_.Has("by_type"))) {
      configuration_.Refuse(rule::missing_key, layer_types)
          << ", and without it posenc does not know the types of the layers: add the list";
      return {};
    }
    if (const Text all = row_.Value("all"); !all.empty() && configuration_.Entry(attending) == nullptr)
      return all;
    return layer_ < 0 ? Text() : Ended(DerivedType());
  }

  // In Gemma 4's code the last layer has full attention, whatever the rule says.
  Text Ended(Text type) { return row_.Has("last_is_full") && layer_ + 1 == Count() ? kFull : type; }

  // The type of layer_ by the rule in the model's code.
  Text DerivedType() {
    if (configuration_.Entry(sliding_layers) != nullptr) {
      return configuration_.Number(sliding_layers) == 1.0 ? kSliding : kFull;
    }
    if (row_.Has("compressed")) {
      if (configuration_.Entry(compress_ratios) == nullptr) return "compress";
      const double ratio = configuration_.Number(compress_ratios);
      if (ratio != 0.0 && ratio != 4.0 && ratio != 128.0) {
        configuration_.Refuse(rule::value_of_key, compress_ratios) << ", but must be 0, 4 or 128";
      }
      return ratio == 0.0 ? kSliding : Text("compress");
    }
    if (configuration_.Entry(recurrent_layers) != nullptr) {
      return configuration_.Number(recurrent_layers) == 1.0 ? kLinear : kFull;
    }
    for (const Text shape : {Text("full_last"), Text("full_first"), Text("full_ends"),
                             Text("full_last_linear"), Text("full_first_linear"), Text("flags")}) {
      if (row_.Has(shape)) return ByPattern(shape);
    }
    return {};
  }

  Text ByPattern(Text shape) {
    const Text other = EndsWith(shape, "_linear") ? kLinear : kSliding;
    if (!Slides() || (row_.Has("still_with_window") && configuration_.IsNull(window))) return kFull;
    const Text constant = row_.Value(shape);
    const posenc_config_entry* const entry = constant.empty() ? configuration_.Entry(interval) : nullptr;
    if (entry != nullptr && entry->kind == POSENC_CONFIG_STRING) return ByLetters(entry->string);
    if (entry != nullptr && entry->kind != POSENC_CONFIG_NUMBER) return ByFlags();
    if (shape == "flags") {
      constexpr char kWords[] =
          " a list with 1 for each layer that has sliding attention, and 0 for the others";
      if (entry == nullptr) configuration_.Refuse(rule::missing_key, interval) << ", but must be" << kWords;
      configuration_.Refuse(rule::value_of_key, interval) << ", but must be" << kWords;
      return {};
    }
    if (constant.empty()) CheckUnreadPattern();
    const double length = constant.empty() ? configuration_.Number(interval) : NumberOf(constant);
    if (!(length >= 1.0)) {
      configuration_.Refuse(rule::missing_key, interval) << ", and the types of the layers depend on it";
      return {};
    }
    auto every = static_cast<std::int64_t>(length);
    std::int64_t layer = layer_;
    // In such models the first layers are dense and have another pattern; after them the pattern starts
    // again.
    if (row_.Has("first_k_dense_replace")) {
      const auto dense = static_cast<std::int64_t>(configuration_.Number(dense_layers));
      if (layer < dense) every = static_cast<std::int64_t>(configuration_.Number(dense_interval));
      if (layer >= dense) layer -= dense;
    }
    const bool is_first = layer % every == 0, is_last = (layer + 1) % every == 0;
    if (StartsWith(shape, "full_first")) return is_first ? kFull : other;
    if (shape == "full_ends") return layer == 0 || is_last ? kFull : other;
    return is_last ? kFull : other;
  }

  // A pattern such as "LLLG": a letter for each layer, L for local and G for global. The string repeats.
  Text ByLetters(Text letters) {
    if (row_.Has("letters") && !letters.empty() && letters.find_first_not_of("LG") == Text::npos) {
      return letters[static_cast<std::size_t>(layer_) % letters.size()] == 'G' ? kFull : kSliding;
    }
    configuration_.Refuse(rule::value_of_key, interval) << ", but must be a whole number for this model";
    return {};
  }

  Text ByFlags() {
    if (row_.Has("flags")) return configuration_.Number(interval) == 0.0 ? kFull : kSliding;
    // The model's code does not read the list, but has a rule. The list must agree with this rule.
    const Text shape = row_.Has("full_first") ? Text("full_first") : Text("full_last");
    const Text fixed = !row_.Value(shape).empty() ? row_.Value(shape) : configuration_.Default(interval);
    const auto every = static_cast<std::int64_t>(NumberOf(fixed));
    const bool is_full = every > 0 && (shape == "full_first" ? layer_ : layer_ + 1) % every == 0;
    if (every == 0 || is_full != (configuration_.Number(interval) == 0.0)) {
      configuration_.Refuse(rule::value_of_key, interval) << ", a list, which the model's code does not read";
    }
    return is_full ? kFull : kSliding;
  }

  // Refuses a pattern whose key only other models' code reads, because this model's code has its own pattern.
  void CheckUnreadPattern() {
    for (const Slot slot : {interval, sliding_layers}) {
      if (configuration_.Unread(slot) == nullptr || configuration_.Entry(interval) != nullptr) continue;
      configuration_.Refuse(rule::unknown_key, slot) << ", and the model's code does not read that key: add "
                                                        "layer_types, which says the type of each layer";
    }
  }

  // Checks that the type that the caller names is the type of the layer.
  void CheckAskedType(Text* type) {
    const Text asked = configuration_.asked_type();
    if (asked.empty()) return;
    // In DeepSeek V4 the caller may also name a dictionary.
    const bool is_dictionary = row_.Has("compressed") && HasWord("main,compress", asked, ",");
    if (!type->empty() && *type != asked) {
      Sentence& sentence = configuration_.Refuse(rule::bad_layer);
      sentence << "layer " << static_cast<double>(layer_) << " is of the type ";
      sentence.Shown(*type) << ", not of the type ";
      sentence.Shown(asked) << " that you name";
    } else if (!is_dictionary && !(HasWord(KnownTypes(), asked, ",") && MayHave(asked))) {
      Sentence& sentence = configuration_.Refuse(rule::bad_layer);
      (sentence << "the model has no layer of the type \"").Shown(asked) << "\": a layer is ";
      PutTypes(/*has_all=*/false, &sentence);
    }
    *type = asked;
  }

  // The types that layers of this model may have, with commas. If posenc does not know the model, all layers
  // must have attention.
  Text KnownTypes() const {
    if (!configuration_.knows_model()) return kWithAttention;
    if (const Text own = row_.Value("types"); !own.empty()) return own;
    return row_.Has("full_last_linear") ? Text("full_attention,linear_attention") : kUsualTypes;
  }

  // Whether some layer may have this type. Only a list says which layers there are.
  bool MayHave(Text type) const {
    return !configuration_.HasList(layer_types) || configuration_.ListHas(layer_types, type);
  }

  // Writes the types that layers of this model may have, or with `has_all` false only the types that are
  // listed: "full_attention or sliding_attention".
  void PutTypes(bool has_all, Sentence* sentence) const {
    constexpr std::size_t kMost = 8;
    Text shown[kMost];
    std::size_t count = 0;
    for (Text rest = KnownTypes(); !rest.empty() && count < kMost;) {
      const Text type = Next(",", &rest);
      if (has_all || MayHave(type)) shown[count++] = type;
    }
    for (std::size_t i = 0; i < count; ++i)
      *sentence << (i == 0 ? "" : i + 1 == count ? " or " : ", ") << shown[i];
  }

  // The name of the dictionary for a type of layer. In DeepSeek V4 it differs from the type's name.
  Text DictionaryOf(Text type) const {
    if (!row_.Has("compressed") || type.empty()) return type;
    return type == kSliding || type == "main" ? Text("main") : Text("compress");
  }

  // Refuses a layer that does not rotate.
  void CheckRotates(Text type) {
    CheckUnreadStillKeys();
    CheckAttending(type);
    if (const Slot slot = StillKey(); slot != nothing) {
      configuration_.Refuse(rule::no_rotary, slot, Beginning());
    } else if (const char* const reason = WhyStill(type);
               reason != nullptr && configuration_.status() == POSENC_OK) {
      configuration_.Refuse(rule::no_rotary) << Beginning() << reason;
    }
  }

  // The list of layers with attention must agree with layer_types: some code reads one of them only.
  void CheckAttending(Text type) {
    if (layer_ < 0 || type.empty() || !configuration_.HasList(layer_types)) return;
    const posenc_config_entry* const entry = configuration_.Entry(attending);
    const bool attends = !HasWord(kWithoutAttention, type, ",");
    if (entry == nullptr && row_.Has("attn_layer_indices") && attends) {
      configuration_.Refuse(rule::missing_key, attending)
          << ", and the model's code reads it, not layer_types: add it";
    } else if (entry != nullptr && attends != IsListed(*entry)) {
      configuration_.Refuse(rule::value_of_key, attending)
          << ", but layer_types says otherwise of layer " << static_cast<double>(layer_)
          << ": correct one of the two";
    }
  }

  Text Beginning() {
    if (layer_ < 0) return "there is no rotary embedding: ";
    Sentence(beginning_, sizeof(beginning_))
        << "layer " << static_cast<double>(layer_) << " has no rotary embedding: ";
    return beginning_;
  }

  // Refuses keys that say "this model does not rotate" if the model's code does not read them.
  void CheckUnreadStillKeys() {
    for (const Slot slot : {alibi, rotates}) {
      const posenc_config_entry* const entry = configuration_.Unread(slot);
      if (configuration_.Entry(slot) != nullptr || entry == nullptr) continue;
      if (entry->number != (slot == alibi ? 1.0 : 0.0)) continue;
      configuration_.Refuse(rule::unknown_key, slot) << ", which the model's code does not read: it rotates";
    }
  }

  // Refuses words in lists of types that layers of this model cannot have. If posenc does not know the model,
  // the words of all lists must say that all layers have attention. A known model's code does not read other
  // lists.
  void CheckTypes() {
    const bool is_known = configuration_.knows_model();
    for (const bool is_read : {true, false}) {
      if (!is_read && is_known) continue;
      const posenc_config_entry* const other = configuration_.OtherWord(layer_types, KnownTypes(), is_read);
      if (other == nullptr) continue;
      Sentence& sentence = configuration_.RefuseItem(rule::value_of_key, *other);
      if (!is_read) {
        sentence << ", and posenc does not know which layers of this model then rotate";
      } else if (!is_known) {
        sentence
            << ", and posenc does not know whether layers of that type rotate: pairing needs layers with "
               "attention only, such as full_attention";
      } else {
        sentence << ", but a layer of this model is ";
        PutTypes(/*has_all=*/true, &sentence);
      }
    }
    if (const auto* other = configuration_.OtherWord(scaled_types, KnownTypes(), true); other != nullptr) {
      Sentence& sentence = configuration_.RefuseItem(rule::value_of_key, *other)
                           << ", but a layer of this model is ";
      PutTypes(/*has_all=*/true, &sentence);
    }
    if (const auto* other = configuration_.OtherWord(dense_types, "dense,sparse", true); other != nullptr)
      configuration_.RefuseItem(rule::value_of_key, *other) << ", but must be dense or sparse";
  }

  // The slot whose value says that the model does not rotate, or `nothing` if there is none.
  Slot StillKey() const {
    const Configuration& c = configuration_;
    const auto says = [&](Slot slot, double number) {
      return c.Entry(slot) != nullptr && c.Entry(slot)->number == number;
    };
    if (says(alibi, 1.0)) return alibi;
    if (says(rotates, 0.0)) return rotates;
    if (const Text kind = c.Word(position_type); !kind.empty() && kind != "rope" && kind != "rotary")
      return position_type;
    if (row_.Has("null_base_is_none")) {
      if (c.IsNull(base_in_dictionary)) return base_in_dictionary;
      if (c.IsNull(base) && c.Entry(base_in_dictionary) == nullptr) return base;
    }
    return nothing;
  }

  // Why the layer does not rotate; null if it rotates.
  const char* WhyStill(Text type) {
    Configuration& c = configuration_;
    if (HasWord(kWithoutAttention, type, ",")) return "it has no attention that rotates";
    if (row_.Has("full_attn_idxs") && !type.empty() && type != kFull) return "it is a convolution";
    if (row_.Has("finetuned_rotates") && c.Number(finetuned, 1.0) == 0.0)
      return "rope.scaling.finetuned is false";
    if (c.type_is_null()) return "its type has null instead of parameters";
    if (row_.Has("by_type_needed") && c.has_types() && !c.is_by_type()) return "its type has no parameters";
    if (row_.Has("window_needed") && c.IsNull(window) && !IsDense()) return "sliding_window is null";
    if (HasWord(row_.Value("still"), type, ",") && IsStillWithWindow() && !IsDense()) {
      return "layers with full attention do not rotate in this model";
    }
    if (const Text only = row_.Value("only_layers");
        !only.empty() && static_cast<double>(Count()) != NumberOf(only)) {
      return "only the model with 32 layers rotates";
    }
    if (layer_ < 0) return nullptr;
    if (c.Has(layer_bases) && c.Entry(layer_bases) != nullptr && c.Number(layer_bases) == 0.0) {
      return "layer_rope_theta is 0 there";
    }
    if (row_.Has("still_from_end") && c.Entry(layer_bases) == nullptr) {
      const auto every = static_cast<std::int64_t>(NumberOf(row_.Value("still_from_end")));
      if (Count() == 0) c.Refuse(rule::missing_key, layers);
      if ((Count() - 1 - layer_) % every == 0) return "the number of layers after it is 0 or a multiple of 4";
    }
    if (c.Number(kv_heads, 1.0) == 0.0) return "it has no attention";
    if (c.Entry(attending) != nullptr && !IsListed(*c.Entry(attending))) return "it has no attention";
    if (IsCrossing()) return "it has cross-attention";
    const posenc_config_entry* const listed = c.Entry(rotating_layers);
    if (listed != nullptr && listed->count != 0) {
      return c.Number(rotating_layers, 1.0) == 0.0 ? "the list of layers that rotate has 0 there" : nullptr;
    }
    double every = row_.Has("step") ? NumberOf(row_.Value("step")) : c.Number(still_interval);
    if (row_.Has("step_with_window") && c.Entry(window) != nullptr && !HasWindow())
      every = static_cast<double>(Count());
    if (every >= 1.0 && (layer_ + 1) % static_cast<std::int64_t>(every) == 0) {
      Sentence(reason_, sizeof(reason_)) << "one of every " << every << " layers does not rotate";
      return reason_;
    }
    return nullptr;
  }

  bool IsStillWithWindow() {
    if (row_.Has("still_with_window")) return !configuration_.IsNull(window);
    return Slides();
  }

  // Whether the layer is dense. In Cohere 2 MoE dense layers always rotate.
  bool IsDense() {
    if (layer_ < 0) return false;
    if (row_.Has("dense_rotate")) return static_cast<double>(layer_) < configuration_.Number(dense_layers);
    if (!row_.Has("prefix_dense_sliding_window_pattern") || configuration_.Number(dense_interval) != 1.0)
      return false;
    if (configuration_.HasList(dense_types)) return configuration_.Listed(dense_types, layer_) == "dense";
    return static_cast<double>(layer_) < configuration_.Number(dense_layers);
  }

  bool IsListed(const posenc_config_entry& entry) const {
    for (std::size_t i = 0; i < entry.count; ++i) {
      if (entry.numbers[i] == static_cast<double>(layer_)) return true;
    }
    return false;
  }

  bool IsCrossing() {
    if (const posenc_config_entry* const entry = configuration_.Entry(crossing); entry != nullptr)
      return IsListed(*entry);
    const Text usual = configuration_.Default(crossing);
    if (!usual.empty()) configuration_.CheckNull(crossing, usual);
    for (Text rest = usual; !rest.empty();) {
      if (IndexOf(Next(",", &rest)) == layer_) return true;
    }
    return false;
  }

  Configuration& configuration_;
  const Row& row_;
  std::int64_t layer_;
  char beginning_[64], reason_[80];
};

}  // namespace

Layer FindLayer(Configuration* configuration) { return LayerFinder(configuration).Find(); }

}  // namespace models
}  // namespace internal
}  // namespace posenc
