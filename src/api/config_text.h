// Keys of configurations as texts, without allocating.
#ifndef POSENC_SRC_API_CONFIG_TEXT_H_
#define POSENC_SRC_API_CONFIG_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace posenc {
namespace internal {
namespace config {

using Text = std::string_view;

inline bool StartsWith(Text text, Text start) {
  return text.size() >= start.size() && std::memcmp(text.data(), start.data(), start.size()) == 0;
}

inline bool EndsWith(Text text, Text end) {
  return text.size() >= end.size() &&
         std::memcmp(text.data() + text.size() - end.size(), end.data(), end.size()) == 0;
}

inline bool Strip(Text start, Text* text) {
  if (!StartsWith(*text, start)) return false;
  text->remove_prefix(start.size());
  return true;
}

// Takes what is before the next of these characters, or all, and that character too.
inline Text Next(const char* separators, Text* text) {
  std::size_t size = 0;
  while (size < text->size() && std::strchr(separators, text->data()[size]) == nullptr) ++size;
  const Text part(text->data(), size);
  text->remove_prefix(size < text->size() ? size + 1 : size);
  return part;
}

// Whether a word of the key is "rope...", "...rope", "rotary..." or "yarn...".
inline bool IsAboutRotaries(Text key) {
  while (!key.empty()) {
    const Text word = Next("._", &key);
    if (StartsWith(word, "rope") || EndsWith(word, "rope") || StartsWith(word, "rotary") ||
        StartsWith(word, "yarn")) {
      return true;
    }
  }
  return false;
}

// The number that a text is, or -1.
inline std::int64_t IndexOf(Text text) {
  if (text.empty() || text.size() > 9) return -1;
  std::int64_t index = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return -1;
    index = 10 * index + (c - '0');
  }
  return index;
}

// The place of a word among words that are separated by blanks, from 1 on, or 0.
inline unsigned PlaceAmong(Text word, Text words) {
  for (unsigned place = 1; !words.empty(); ++place) {
    if (Next(" ", &words) == word) return place;
  }
  return 0;
}

}  // namespace config
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_API_CONFIG_TEXT_H_
