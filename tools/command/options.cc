#include "command/options.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace posenc {
namespace tools {
namespace {

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// How many edits turn one word into the other. An edit inserts, removes or replaces a letter, or swaps it
// with the next one. Upper and lower case are the same.
std::size_t EditDistance(const std::string& a, const std::string& b) {
  const auto same = [&](std::size_t i, std::size_t j) {
    return std::tolower(static_cast<unsigned char>(a[i])) == std::tolower(static_cast<unsigned char>(b[j]));
  };
  // distance[i][j] is the distance of the first i letters of a from the first j letters of b.
  std::vector<std::vector<std::size_t>> distance(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::size_t least = i == 0 || j == 0 ? i + j : distance[i - 1][j - 1] + (same(i - 1, j - 1) ? 0 : 1);
      if (i > 0) least = std::min(least, distance[i - 1][j] + 1);
      if (j > 0) least = std::min(least, distance[i][j - 1] + 1);
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1)) {
        least = std::min(least, distance[i - 2][j - 2] + 1);
      }
      distance[i][j] = least;
    }
  }
  return distance[a.size()][b.size()];
}

// The name in capitals, without the signs that people put between letters and digits: "AVX512" for "avx-512".
std::string Plain(const std::string& name) {
  std::string plain;
  for (const char c : name) {
    if (c == '-' || c == '_' || c == '.' || c == ' ') continue;
    plain += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return plain;
}

std::string DigitsOf(const std::string& name) {
  std::string digits;
  for (const char c : name)
    digits += std::isdigit(static_cast<unsigned char>(c)) != 0 ? std::string(1, c) : "";
  return digits;
}

// The names that processor makers give to instruction sets, and Highway's names, which posenc uses. A name
// may have a suffix, as in AVX512F.
constexpr struct {
  const char *theirs, *ours;
} kInstructionSets[] = {{"AVX512", "AVX3"}, {"SSE4", "SSE4"}, {"ASIMD", "NEON"}, {"ADVSIMD", "NEON"}};

// "; AVX512 is called AVX3 here; did you mean 'AVX3'?". A wrong digit is not taken for a spelling mistake:
// AVX is not AVX2, and SSE2 is not SSE4.
std::string SuggestTarget(const std::string& name, const std::vector<std::string>& targets) {
  const std::string plain = Plain(name);
  for (const auto& set : kInstructionSets) {
    if (plain.rfind(set.theirs, 0) != 0) continue;
    const std::string ours = set.ours;
    if (std::find(targets.begin(), targets.end(), ours) == targets.end()) break;
    return (ours == set.theirs ? "" : "; " + std::string(set.theirs) + " is called " + ours + " here") +
           Suggestion(ours, {ours});
  }
  std::vector<std::string> alike;
  for (const std::string& target : targets) {
    if (DigitsOf(target) == DigitsOf(name)) alike.push_back(target);
  }
  return Suggestion(name, alike);
}

// Decodes the character that begins at byte `at`, and returns how many bytes it has. Returns 0 if the bytes
// are not UTF-8.
std::size_t Decode(const std::string& text, std::size_t at, char32_t* character) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned lead = byte(at);
  const std::size_t size = lead < 0x80   ? 1
                           : lead < 0xC2 ? 0
                           : lead < 0xE0 ? 2
                           : lead < 0xF0 ? 3
                           : lead < 0xF5 ? 4
                                         : 0;
  *character = size < 2 ? lead : lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
    *character = *character << 6 | (byte(at + i) & 0x3F);
  }
  const bool is_overlong = (size == 3 && *character < 0x800) || (size == 4 && *character < 0x10000);
  const bool is_none = *character > 0x10FFFF || (*character >= 0xD800 && *character < 0xE000);
  return is_overlong || is_none ? 0 : size;
}

bool IsShown(char32_t c) {
  constexpr struct {
    char32_t first, last;
  } kHidden[] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},     {0x61C, 0x61C},
                 {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
                 {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB}, {0xE0000, 0xE0FFF}};
  for (const auto& range : kHidden) {
    if (c >= range.first && c <= range.last) return false;
  }
  return true;
}

}  // namespace

std::string Printable(const std::string& text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    char32_t character = 0;
    const std::size_t size = Decode(text, at, &character);
    if (size != 0 && IsShown(character)) {
      shown.append(text, at, size);
      at += size;
      continue;
    }
    for (const std::size_t end = at + std::max<std::size_t>(size, 1); at < end; ++at) {
      char escaped[5];
      std::snprintf(escaped, sizeof(escaped), "\\x%02x", static_cast<unsigned char>(text[at]));
      shown += escaped;
    }
  }
  return shown;
}

std::string Abbreviated(const std::string& text) {
  constexpr std::size_t kLongest = 200;
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

std::string Suggestion(const std::string& text, const std::vector<std::string>& names) {
  constexpr std::size_t kLongestName = 64;
  if (text.size() > kLongestName) return "";
  const std::string* nearest = nullptr;
  std::size_t least = text.size() / 3 + 1;  // edits of more than a third of the letters make another word
  for (const std::string& name : names) {
    const std::size_t distance = EditDistance(text, name);
    if (distance >= least) continue;
    least = distance;
    nearest = &name;
  }
  return nearest == nullptr ? "" : "; did you mean '" + *nearest + "'?";
}

void Refuse(const std::string& option, const std::string& text, const std::string& wanted,
            const std::vector<std::string>& names) {
  std::string message = option;
  message.append(": '").append(Abbreviated(text)).append("' is not ").append(wanted);
  throw UsageError(message + Suggestion(text, names));
}

void RefuseInteger(const std::string& option, const std::string& text, const std::string& least,
                   const std::string& most) {
  double number = 0.0;
  const bool has_digits_only = text.find_first_not_of("-0123456789") == std::string::npos;
  const bool is_whole = internal::ReadNumber(text, &number) && std::trunc(number) == number;
  const char* const how = is_whole && !has_digits_only ? ", written in digits" : "";  // 1e3 is an integer
  Refuse(option, text, "an integer from " + least + " to " + most + how);
}

std::string Joined(const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined.append(joined.empty() ? "" : "|").append(name);
  return joined;
}

std::vector<posenc_target> CompiledTargets() {
  posenc_target targets[POSENC_MAX_TARGETS];
  return {targets, targets + Targets(targets)};
}

void Require(posenc_status status) {
  if (status != POSENC_OK) throw UsageError(posenc_status_message(status));
}

posenc_target FindTarget(const std::string& option, const std::string& name) {
  std::vector<std::string> names;
  for (const posenc_target& target : CompiledTargets()) {
    names.emplace_back(target.name);
    if (name != target.name) continue;
    if (target.runnable) return target;
    Refuse(option, name, "a target that this CPU can run");
  }
  Refuse(option, name, "a target; see 'posenc targets'" + SuggestTarget(name, names));
}

double ParseReal(const std::string& option, const std::string& text) {
  double value = 0.0;
  if (!internal::ReadNumber(text, &value)) Refuse(option, text, "a number that a double can hold");
  return value;
}

std::int32_t ParseChoice(const std::string& option, const std::string& text,
                         const std::vector<std::string>& words) {
  const auto found = std::find(words.begin(), words.end(), text);
  if (found != words.end()) return static_cast<std::int32_t>(found - words.begin());
  Refuse(option, text, "one of " + Joined(words), words);
}

std::string ReadFile(const std::string& option, const std::string& path, std::size_t most_mib) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char block[4096];
  while (file.read(block, sizeof(block)), file.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(file.gcount()));
    if (text.size() > most_mib << 20) {  // some files, such as /dev/zero, never end
      Refuse(option, path, "a file of at most " + std::to_string(most_mib) + " MiB");
    }
  }
  // A directory can be opened, but not read.
  if (!file.is_open() || file.bad()) {
    Refuse(option, path, std::string("a file that can be read: ") + std::strerror(errno));
  }
  return text;
}

std::string ListText(const std::string& option, const std::string& text) {
  if (text.substr(0, 1) != "@") return text;
  std::string list;
  bool is_after_space = false;
  for (const char c : ReadFile(option, text.substr(1))) {
    const bool is_space = IsSpace(c);
    if (is_after_space && !is_space && c != ',' && !list.empty() && list.back() != ':') list += ':';
    is_after_space = is_space;
    if (!is_space) list += c == ',' ? ':' : c;
  }
  if (list.empty()) throw UsageError(option + ": the list is empty");
  return list;
}

std::vector<double> ParseList(const std::string& option, const std::string& text, const std::string& wanted,
                              const std::function<bool(double)>& fits) {
  const std::string list = ListText(option, text);
  std::vector<double> values;
  for (std::size_t begin = 0, end = 0; begin <= list.size(); begin = end + 1) {
    end = std::min(list.find(':', begin), list.size());
    const std::string item = list.substr(begin, end - begin);
    const std::string place = option + ", item " + std::to_string(values.size() + 1);
    if (item.find(',') != std::string::npos)
      Refuse(place, item, "a number; colons separate numbers, as in 1:0.5:0.25");
    values.push_back(ParseReal(place, item));
    if (!fits(values.back())) Refuse(place, item, wanted);
  }
  return values;
}

CLI::Option* AddOption(CLI::App& app, const std::string& name, const std::string& type,
                       const std::string& help, const std::function<void(const std::string& text)>& parse) {
  return app.add_option_function<std::string>(name, parse, help)->type_name(type);
}

CLI::Option* AddChoice(CLI::App& app, const std::string& name, const std::string& help,
                       const std::vector<std::string>& words,
                       const std::function<void(std::int32_t number)>& set) {
  const auto parse = [=](const std::string& text) { set(ParseChoice(name, text, words)); };
  return AddOption(app, name, Joined(words), help, parse)->default_str(words.front());
}

}  // namespace tools
}  // namespace posenc
