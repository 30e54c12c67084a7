// Texts without allocation: names of keys, words of rows, and the sentence that says why a configuration is
// refused.
#ifndef POSENC_SRC_MODELS_TEXT_H_
#define POSENC_SRC_MODELS_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace posenc {
namespace internal {
namespace models {

using Text = std::string_view;

inline bool StartsWith(Text text, Text start) { return text.substr(0, start.size()) == start; }

inline bool EndsWith(Text text, Text end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

inline bool Strip(Text start, Text* text) {
  if (!StartsWith(*text, start)) return false;
  text->remove_prefix(start.size());
  return true;
}

// Returns the text before the first separator, or all of it. Removes what it returns, and the separator.
inline Text Next(Text separators, Text* text) {
  const std::size_t found = text->find_first_of(separators);
  const Text part = text->substr(0, found);
  text->remove_prefix(found == Text::npos ? text->size() : found + 1);
  return part;
}

// Whether words with these separators between them include a word.
inline bool HasWord(Text words, Text word, Text separators) {
  while (!words.empty()) {
    if (Next(separators, &words) == word) return true;
  }
  return false;
}

// The number that a text of digits is; -1 if there are other characters.
std::int64_t IndexOf(Text text);

// The number that a text in a row is, such as 1000000 or 0.25.
double NumberOf(Text text);

// Whether a key speaks about positions by its name: "rope_theta", "use_alibi", "position_embedding_type".
bool SpeaksOfPositions(Text key);

// Writes a sentence into the caller's memory, and cuts it where the memory ends. Bytes that do not print are
// written as \xNN, so that a hostile key cannot control a terminal.
class Sentence {
 public:
  Sentence(char* to, std::size_t room);
  Sentence& operator<<(Text text);  // our own words, as they are
  Sentence& operator<<(double value);
  Sentence& Shown(Text text);  // a word of the configuration, escaped; a long one is cut
  bool empty() const { return size_ == 0; }

 private:
  void Put(char c);

  char* to_;
  std::size_t room_, size_ = 0;
};

}  // namespace models
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_MODELS_TEXT_H_
