// Works with texts without allocating memory: names of keys, words of rows, and the sentence that says why a
// configuration is refused.
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

// Splits off the text before the first separator, or the whole text if there is no separator. Returns it, and
// removes it and the separator from *text.
inline Text Next(Text separators, Text* text) {
  const std::size_t found = text->find_first_of(separators);
  const Text part = text->substr(0, found);
  text->remove_prefix(found == Text::npos ? text->size() : found + 1);
  return part;
}

// Whether `words`, a list with these separators, contains a word.
inline bool HasWord(Text words, Text word, Text separators) {
  while (!words.empty()) {
    if (Next(separators, &words) == word) return true;
  }
  return false;
}

// The number that the digits of a text make; -1 if it has other characters than digits.
std::int64_t IndexOf(Text text);

// The value of a number in a row, such as 1000000 or 0.25.
double NumberOf(Text text);

// Whether the name of a key says that it is about positions: "rope_theta", "use_alibi", "pos_emb",
// "freq_base". Upper and lower case are the same.
bool SpeaksOfPositions(Text name);

// Whether the name of a dictionary says that it is about attention: "attn_config".
bool SpeaksOfAttention(Text name);

// Whether the name of a key says that it is about which layers have attention: "attn_layer_period",
// "block_types".
bool SpeaksOfLayers(Text key);

// Writes a sentence into the caller's memory, and cuts it off where the memory ends. Bytes that cannot be
// printed are written as \xNN, so that a malicious key cannot control a terminal.
class Sentence {
 public:
  Sentence(char* to, std::size_t room);
  Sentence& operator<<(Text text);  // posenc's words, as they are
  Sentence& operator<<(double value);
  Sentence& Shown(Text text);  // a word from the configuration: escaped, and cut after 80 characters
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
