// Lists the settings that posenc identify tries: presets of encoders in all layouts, and presets of rotary
// embeddings in all shapes of caches.
#ifndef POSENC_TOOLS_COMMAND_TABLE_SETTINGS_H_
#define POSENC_TOOLS_COMMAND_TABLE_SETTINGS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "command/specs.h"
#include "oracle/columns.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace tools {

// The order of columns in a rotary cache: where the cosine (c) and the sine (s) of each pair are. Two tables
// count as one table, side by side.
struct CacheShape {
  const char* text;
  const char* parts;
  std::size_t copies;  // how often each number occurs
  bool are_adjacent;   // with copies 2, whether the copies are neighbours; otherwise, whether cosine and sine
                       // are

  std::size_t ColumnsAPair() const { return std::strlen(parts) * copies; }
  oracle::Entry At(std::size_t column, std::size_t pairs) const {
    const bool alternates = are_adjacent && copies == 1;
    const std::size_t part = alternates ? column % 2 : column / (pairs * copies);
    const std::size_t k = column % (pairs * copies);
    const std::size_t pair = alternates ? column / 2 : are_adjacent ? k / copies : k % pairs;
    return {parts[part] == 's' ? oracle::Entry::kSine : oracle::Entry::kCosine, pair};
  }
};
inline constexpr CacheShape kCacheShapes[] = {{"cosines, sines", "cs", 1, false},
                                              {"sines, cosines", "sc", 1, false},
                                              {"pairs of cosine and sine", "cs", 1, true},
                                              {"cosines", "c", 1, false},
                                              {"sines", "s", 1, false},
                                              {"cosines in halves twice", "c", 2, false},
                                              {"sines in halves twice", "s", 2, false},
                                              {"each cosine twice", "c", 2, true},
                                              {"each sine twice", "s", 2, true},
                                              {"cosines, sines, in halves twice", "cs", 2, false},
                                              {"cosines, sines, each twice", "cs", 2, true}};

// The settings of an encoder or a rotary embedding, and the names of all presets that have these settings.
struct Settings {
  posenc_spec spec;  // for an encoder, without padding
  std::optional<std::int64_t> padding;
  std::vector<std::string> names;
  bool has_own_layout = true;         // false if the columns are in another order than in the preset
  const CacheShape* cache = nullptr;  // this and the members below are only for rotary embeddings
  std::optional<posenc_rotary_spec> rotary = std::nullopt;
  RotaryHandle exact = nullptr;  // made from `rotary`

  bool IsRotary() const { return cache != nullptr; }
  bool HasOwnOrder() const { return IsRotary() ? cache->parts[0] == 'c' : has_own_layout; }
  double offset() const { return IsRotary() ? 0.0 : static_cast<double>(spec.position_offset); }
  double scale() const { return IsRotary() ? rotary->position_scale : spec.position_scale; }
};

// The settings of all presets for a table with this many columns: encoders, then encoders with other layouts,
// then rotary embeddings in all shapes of caches. Presets that take the caller's frequencies are left out.
std::vector<Settings> AllSettings(std::size_t columns);

// Whether rows have a single column, and it is zero.
bool IsEmpty(const posenc_spec& spec);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_TABLE_SETTINGS_H_
