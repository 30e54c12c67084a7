// What may have made a table: the presets of encoders, in all layouts, and of rotaries, in all shapes of
// caches.
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

// How the cosines (c) and sines (s) of a rotary's pairs lie in a table, or in two side by side.
struct CacheShape {
  const char* text;
  const char* parts;
  std::size_t copies;  // of each number
  bool are_adjacent;   // the copies; without copies the parts of a pair

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

// What a preset says, and the names of all that say it.
struct Settings {
  posenc_spec spec;  // of an encoder, without its padding
  std::optional<std::int64_t> padding;
  std::vector<std::string> names;
  bool has_own_layout = true;         // else the columns of the preset in another order
  const CacheShape* cache = nullptr;  // of a rotary, which all that follows is for
  std::optional<posenc_rotary_spec> rotary = std::nullopt;
  RotaryHandle exact = nullptr;  // of that spec

  bool IsRotary() const { return cache != nullptr; }
  bool HasOwnOrder() const { return IsRotary() ? cache->parts[0] == 'c' : has_own_layout; }
  double offset() const { return IsRotary() ? 0.0 : static_cast<double>(spec.position_offset); }
  double scale() const { return IsRotary() ? rotary->position_scale : spec.position_scale; }
};

// Of all presets for so many columns, but those whose frequencies are the caller's: encoders, then the same
// in other layouts, then rotaries in all shapes of caches.
std::vector<Settings> AllSettings(std::size_t columns);

// Rows of one column of zeros.
bool IsEmpty(const posenc_spec& spec);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_TABLE_SETTINGS_H_
