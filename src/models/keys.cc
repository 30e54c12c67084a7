// Looks up keys of configurations, and checks their values.
#include "number/exact.h"

#include "models/keys.h"

namespace posenc {
namespace internal {
namespace models {
namespace {

constexpr Key kKeys[] = {
#define POSENC_CONFIG_KEY(slot, place, kind, readers, key) {slot, place, kind, readers, key},
#include "models/keys.inc"
};

bool IsFinite(double x) { return x - x == 0.0; }

bool IsWhole(double x) {
  return x >= 0.0 && x <= 0x1p53 && x == static_cast<double>(static_cast<std::int64_t>(x));
}

// The end of the sentence "KEY is VALUE, but ..." if a number does not suit the kind, else null.
const char* WrongNumber(double x, Kind kind) {
  switch (kind) {
    case FLAG:
    case LAYER_FLAGS:
      return x == 0.0 || x == 1.0 ? nullptr : "must be true or false";
    case SIZE:
      return IsWhole(x) && x >= 1.0 ? nullptr : "must be a whole number, 1 to 2^53";
    case PATTERN:
    case WHOLE:
    case SECTIONS:
    case LAYER_SIZES:  // a layer without attention has 0
      return IsWhole(x) ? nullptr : "must be a whole number, 0 to 2^53";
    case SHARE:
    case LAYER_SHARES:
      return x > 0.0 && x <= 1.0 ? nullptr : "must be above 0 and at most 1";
    case NOT_NEGATIVE:
    case LAYER_NUMBERS:
      return x >= 0.0 && IsFinite(x) ? nullptr : "must be finite and not negative";
    default:
      return x > 0.0 && IsFinite(x) ? nullptr : "must be finite and above 0";
  }
}

}  // namespace

const Key* AllKeys::begin() const { return kKeys; }
const Key* AllKeys::end() const { return kKeys + sizeof(kKeys) / sizeof(Key); }

const Key* FindKey(Text name, unsigned places) {
  // Comparing first letters first saves time, because most keys of a configuration have no row.
  for (const Key& key : kKeys) {
    if (!name.empty() && key.name[0] == name[0] && (key.place & places) != 0 && name == key.name) return &key;
  }
  return nullptr;
}

const char* NameOf(Slot slot, unsigned places) {
  for (const Key& key : kKeys) {
    if (key.slot == slot && (key.place & places) != 0) return key.name;
  }
  return "";
}

std::size_t RankOf(const Key& key) { return static_cast<std::size_t>(&key - kKeys); }

Wrong WhatIsWrong(const posenc_config_entry& entry, Kind kind) {
  const bool takes_number =
      kind >= FLAG && kind != FACTORS && kind != SECTIONS && kind != LAYER_NUMBERS && kind != LAYER_FLAGS;
  const bool takes_list = kind >= FACTORS;
  const auto of_value = [](const char* words) {
    return words == nullptr ? Wrong{rule::ok, ""} : Wrong{rule::value_of_key, words};
  };
  const bool is_string =
      entry.kind == POSENC_CONFIG_STRING && (kind == WORD || kind == WORDS || kind == PATTERN);
  const bool is_flag = entry.kind == POSENC_CONFIG_FLAG && kind == FLAG;
  if (entry.kind == POSENC_CONFIG_NULL || kind == WHATEVER || is_string || is_flag) return {rule::ok, ""};
  if (entry.kind == POSENC_CONFIG_NUMBER && takes_number) return of_value(WrongNumber(entry.number, kind));
  const bool takes_flags = kind == LAYER_FLAGS || kind == PATTERN;
  if ((entry.kind == POSENC_CONFIG_NUMBERS && takes_list) ||
      (entry.kind == POSENC_CONFIG_FLAGS && takes_flags)) {
    for (std::size_t i = 0; i < entry.count; ++i) {
      if (const char* words = WrongNumber(entry.numbers[i], kind); words != nullptr)
        return {rule::value_of_key, words, &entry.numbers[i]};
    }
    const bool is_wrong = kind == SECTIONS && (entry.count == 0 || entry.count > POSENC_MAX_AXES);
    return of_value(is_wrong ? "must have 1 to 4 numbers" : nullptr);
  }
  const char* words = "must be a number";
  if (kind == NEVER) words = "must be a dictionary with keys, or null";
  if (kind == WORD) words = "must be a string";
  if (kind == WORDS) words = "must be a list of strings";
  if (kind == FLAG) words = "must be true or false";
  if (takes_list)
    words = takes_number ? "must be a number, or a list with a number for each layer"
                         : "must be a list of numbers";
  return {rule::kind_of_key, words};
}

}  // namespace models
}  // namespace internal
}  // namespace posenc
