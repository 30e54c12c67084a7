// Numbers in texts, and sentences.
#include "number/exact.h"

#include "models/text.h"

namespace posenc {
namespace internal {
namespace models {

std::int64_t IndexOf(Text text) {
  if (text.empty() || text.size() > 9) return -1;
  std::int64_t index = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return -1;
    index = 10 * index + (c - '0');
  }
  return index;
}

// Numbers in rows have few digits, so both doubles are exact, and their quotient is the nearest double.
double NumberOf(Text text) {
  double digits = 0.0, power = 1.0;
  bool is_behind = false;
  for (const char c : text) {
    if (c == '.') {
      is_behind = true;
      continue;
    }
    digits = 10.0 * digits + (c - '0');
    if (is_behind) power *= 10.0;
  }
  return digits / power;
}

bool SpeaksOfPositions(Text name) {
  char lower[256];
  const std::size_t size = name.copy(lower, sizeof(lower));  // the first letters say enough
  for (std::size_t i = 0; i < size; ++i) {
    if (lower[i] >= 'A' && lower[i] <= 'Z') lower[i] = static_cast<char>(lower[i] - 'A' + 'a');
  }
  Text key(lower, size), rest = key;
  for (const Text part : {Text("position_embedding"), Text("position_encoding"), Text("pos_emb"),
                          Text("positional"), Text("pos_encoding")}) {
    if (key.find(part) != Text::npos) return true;
  }
  const Text first = Next(".", &rest);
  if (StartsWith(first, "pos") && (EndsWith(first, "_config") || EndsWith(first, "_kwargs"))) return true;
  // Words such as "freq" say it only beside words such as "base": "moe_layer_freq" is about something else.
  bool has_subject = false, has_parameter = false, has_position = false, has_interpolation = false;
  while (!key.empty()) {
    const Text word = Next("._", &key);
    for (const Text start :
         {Text("rope"), Text("rotary"), Text("rotat"), Text("yarn"), Text("alibi"), Text("nope"), Text("ntk"),
          Text("theta"), Text("xpos"), Text("sinusoid"), Text("timescale"), Text("wavelen")}) {
      if (StartsWith(word, start)) return true;
    }
    if (EndsWith(word, "rope") || word == "rot") return true;
    const bool is_position = HasWord("pos position positions", word, " ");
    const bool is_interpolation = StartsWith(word, "interpol") || StartsWith(word, "extrapol");
    has_position = has_position || is_position;
    has_interpolation = has_interpolation || is_interpolation;
    has_subject = has_subject || is_position || is_interpolation || StartsWith(word, "freq");
    has_parameter =
        has_parameter || HasWord(
                             "base scale scales scaled scaling factor factors ratio offset shift divisor "
                             "multiplier inv inverse interleave interleaved",
                             word, " ");
  }
  return (has_subject && has_parameter) || (has_position && has_interpolation);
}

bool SpeaksOfAttention(Text name) {
  while (!name.empty()) {
    if (HasWord("attn attention", Next("_", &name), " ")) return true;
  }
  return false;
}

bool SpeaksOfLayers(Text key) {
  bool has_attention = false, has_layers = false;
  while (!key.empty()) {
    const Text word = Next("._", &key);
    if (HasWord("norm layernorm dropout bias", word, " ")) return false;
    if (word == "hybrid") return true;
    has_attention = has_attention || HasWord("attn attention block", word, " ");
    has_layers = has_layers || HasWord("layer layers idx idxs indices period offset types", word, " ");
  }
  return has_attention && has_layers;
}

Sentence::Sentence(char* to, std::size_t room) : to_(to), room_(room) {
  if (room_ != 0) to_[0] = '\0';
}

void Sentence::Put(char c) {
  if (size_ + 1 >= room_) return;
  to_[size_++] = c;
  to_[size_] = '\0';
}

Sentence& Sentence::operator<<(Text text) {
  for (const char c : text) Put(c);
  return *this;
}

// Writes as few digits as tell the number from its neighbours, but at most 18 after the point, and an
// exponent for very large and very small numbers. With an exponent the last digits may be wrong, because
// people read them, not programs.
Sentence& Sentence::operator<<(double value) {
  if (value != value) return *this << "NaN";
  if (value < 0.0) *this << "-";
  double size = value < 0.0 ? -value : value;
  if (size > 1.7976931348623157e308) return *this << "infinity";
  int exponent = 0;
  if (size != 0.0 && (size >= 1e15 || size < 1e-4)) {
    for (; size >= 10.0; size /= 10.0) ++exponent;
    for (; size < 1.0; size *= 10.0) --exponent;
  }
  auto whole = static_cast<std::uint64_t>(size);
  const auto before = static_cast<double>(whole);
  const double allowed = exponent == 0 ? 0.0 : 1e-12;
  std::uint64_t behind = 0, one = 1;  // behind / one is what the digits after the point say
  for (int i = 0; i < 6; ++i) {
    one *= 1000;
    const double parts = (size - before) * static_cast<double>(one);
    behind = static_cast<std::uint64_t>(parts);
    if (parts - static_cast<double>(behind) >= 0.5) ++behind;
    const double error = size - (before + static_cast<double>(behind) / static_cast<double>(one));
    if (error >= -allowed && error <= allowed) break;
  }
  if (behind == one) {
    ++whole;
    behind = 0;
  }
  if (whole == 10 && exponent != 0) {
    whole = 1;
    ++exponent;
  }
  char digits[20];
  int count = 0;
  do digits[count++] = static_cast<char>('0' + whole % 10);
  while ((whole /= 10) != 0);
  while (count > 0) Put(digits[--count]);
  if (behind != 0) {
    Put('.');
    for (std::uint64_t unit = one / 10; behind != 0; unit /= 10) {
      Put(static_cast<char>('0' + behind / unit));
      behind %= unit;
    }
  }
  if (exponent != 0) *this << "e" << static_cast<double>(exponent);
  return *this;
}

Sentence& Sentence::Shown(Text text) {
  constexpr std::size_t kMost = 80;
  constexpr char kDigits[] = "0123456789abcdef";
  std::size_t written = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte >= 0x20 && byte < 0x7F && c != '"';
    written += is_plain ? 1 : 4;
    if (written > kMost) return *this << "...";
    if (is_plain) {
      Put(c);
    } else {
      *this << "\\x";
      Put(kDigits[byte >> 4]);
      Put(kDigits[byte & 15]);
    }
  }
  return *this;
}

}  // namespace models
}  // namespace internal
}  // namespace posenc
