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

// Takes the text before the first of these characters, or all of it, and that character too.
inline Text Next(Text separators, Text* text) {
  const std::size_t found = text->find_first_of(separators);
  const Text part = text->substr(0, found);
  text->remove_prefix(found == Text::npos ? text->size() : found + 1);
  return part;
}

// Whether a list of words, which are apart by one of these separators, has a word.
inline bool HasWord(Text words, Text word, Text separators) {
  while (!words.empty()) {
    if (Next(separators, &words) == word) return true;
  }
  return false;
}

// The number that a text of digits is, or -1.
std::int64_t IndexOf(Text text);

// The number that a text of a row is, such as 1000000 or 0.25.
double NumberOf(Text text);

// Whether a key speaks about positions by its name: "rope_theta", "use_alibi", "position_embedding_type".
bool SpeaksOfPositions(Text key);

// Writes a sentence into memory of the caller's, which is cut where the memory ends. What does not print is
// written as \xNN, so that a terminal shows a hostile key as it is.
class Sentence {
 public:
  Sentence(char* to, std::size_t room);
  Sentence& operator<<(Text text);  // as it is: our own words
  Sentence& operator<<(double value);
  Sentence& Shown(Text text);  // somebody else's word, escaped and, if it is long, cut
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
