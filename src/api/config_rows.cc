#include "number/exact.h"

#include "api/config_rows.h"

#include <cmath>
#include <cstring>

namespace posenc {
namespace internal {
namespace config {
namespace {

constexpr ConfigRow kRows[] = {
#define POSENC_CONFIG_KEY(slot, place, kind, key, text) {slot, place, kind},
#include "spec/config_keys.inc"
};
constexpr char kKeys[] =
#define POSENC_CONFIG_KEY(slot, place, kind, key, text) key "\0"
#include "spec/config_keys.inc"
    ;
constexpr unsigned kRowCount = sizeof(kRows) / sizeof(ConfigRow);

constexpr ModelSetting kSettings[] = {
#define POSENC_CONFIG_MODEL(place, names, ...) __VA_ARGS__, {nothing, place},
#include "spec/config_keys.inc"
};
constexpr char kModels[] =
#define POSENC_CONFIG_MODEL(place, names, ...) names "\0"
#include "spec/config_keys.inc"
    ;

bool IsWhole(double x) {
  return x >= 0.0 && x <= 0x1p53 && x == static_cast<double>(static_cast<std::int64_t>(x));
}

bool IsInRange(double x, ConfigKind kind) {
  switch (kind) {
    case FLAG:
    case LAYER_FLAGS:
      return x == 0.0 || x == 1.0;
    case SIZE:
      return IsWhole(x) && x >= 1.0;
    case PATTERN:
    case SIZE_OR_NONE:
    case SECTIONS:
    case LAYER_SIZES:  // 0 for layers without attention
      return IsWhole(x);
    case LAYER_SHARES:
      return x > 0.0 && x <= 1.0;
    case NOT_NEGATIVE:
    case LAYER_BASES_OR_0:
      return x >= 0.0 && std::isfinite(x);
    default:
      return x > 0.0 && std::isfinite(x);
  }
}

bool IsList(ConfigKind kind) { return kind >= LAYER_BASES_OR_0; }

bool Takes(ConfigKind kind, posenc_config_kind entry) {
  switch (entry) {
    case POSENC_CONFIG_NUMBER:
      return kind >= FLAG && !IsList(kind);
    case POSENC_CONFIG_FLAG:
      return kind == FLAG;
    case POSENC_CONFIG_STRING:
      return kind == WORD || kind == WORDS || kind == PATTERN;
    case POSENC_CONFIG_NUMBERS:
      return kind == PATTERN || kind >= LAYER_SIZES;
  }
  return false;
}

}  // namespace

unsigned FindConfigRow(Text key, unsigned places) {
  const char* text = kKeys;
  for (unsigned row = 0; row < kRowCount; ++row) {
    const Text name = text;
    if (name == key && (kRows[row].place & places) != 0) return kRowCount - row;
    text += name.size() + 1;
  }
  return 0;
}

ConfigRow ConfigRowOf(unsigned rank) { return kRows[kRowCount - rank]; }

const char* KeyOf(ConfigSlot slot, unsigned places) {
  const char* text = kKeys;
  for (const ConfigRow& row : kRows) {
    if (row.slot == slot && (row.place & places) != 0) return text;
    text += std::strlen(text) + 1;
  }
  return "";
}

posenc_status CheckValue(const posenc_config_entry& entry, ConfigKind kind) {
  if (kind == ANYTHING) return POSENC_OK;
  if (!Takes(kind, entry.kind)) return POSENC_BAD_CONFIG_KIND;
  if (entry.kind == POSENC_CONFIG_STRING) return entry.string == nullptr ? POSENC_NULL_POINTER : POSENC_OK;
  if (entry.kind != POSENC_CONFIG_NUMBERS) {
    return IsInRange(entry.number, kind) ? POSENC_OK : POSENC_BAD_CONFIG_VALUE;
  }
  if (entry.numbers == nullptr && entry.count != 0) return POSENC_NULL_POINTER;
  for (std::size_t i = 0; i < entry.count; ++i) {
    if (!IsInRange(entry.numbers[i], kind)) return POSENC_BAD_CONFIG_VALUE;
  }
  if (kind == SECTIONS && (entry.count == 0 || entry.count > POSENC_MAX_AXES)) return POSENC_BAD_CONFIG_VALUE;
  return POSENC_OK;
}

const ModelSetting* FindSettings(Text name, ConfigPlace place) {
  const ModelSetting* settings = kSettings;
  for (const char* names = kModels; *names != '\0'; names += std::strlen(names) + 1, ++settings) {
    const ModelSetting* const first = settings;
    while (settings->slot != nothing) ++settings;
    if (static_cast<unsigned>(settings->value) == place && PlaceAmong(name, names) != 0) return first;
  }
  return nullptr;
}

}  // namespace config
}  // namespace internal
}  // namespace posenc
