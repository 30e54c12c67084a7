// Looks up rows of models, and words in rows.
#include "number/exact.h"

#include "models/rows.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace posenc {
namespace internal {
namespace models {
namespace {

struct RowOfModels {
  Text types, words, source;
};

// All rows as one text, with a NUL after each part. Pointers to the parts would need as much memory as the
// parts themselves.
constexpr char kTransformers[] =
#define POSENC_MODEL(types, words, source) types "\0" words "\0" source "\0"
#include "models/transformers.inc"

#define POSENC_MODEL(types, words, source) types "\0" words "\0" source "\0"
#include "models/others.inc"
    ;
constexpr char kArchitectures[] =
#define POSENC_MODEL(types, words, source) types "\0" words "\0" source "\0"
#include "models/llama_cpp.inc"
    ;

struct SizesOfModels {
  Text types;
  Sizes sizes;
};
constexpr SizesOfModels kSizes[] = {
#define POSENC_SIZES(types, hidden, heads, layers, max_length) {types, {hidden, heads, layers, max_length}},
#include "models/sizes.inc"
};

template <class Visit>
void ForEachRow(bool is_gguf, const Visit& visit) {
  Text rest = is_gguf ? Text(kArchitectures, sizeof(kArchitectures) - 1)
                      : Text(kTransformers, sizeof(kTransformers) - 1);
  const auto next = [&] {
    const Text part = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(part.size() + 1);
    return part;
  };
  while (!rest.empty()) {
    RowOfModels row;
    row.types = next();
    row.words = next();
    row.source = next();
    visit(row);
  }
}

// The edit distance of two texts: how many letters must be inserted, deleted or replaced to turn one into the
// other. Returns 3 if it is 3 or more.
std::size_t Distance(Text a, Text b) {
  if (a.size() > 64 || b.size() > 64 || a.size() + 3 < b.size() || b.size() + 3 < a.size()) return 3;
  std::size_t row[65];
  std::iota(row, row + b.size() + 1, std::size_t{0});
  for (const char letter : a) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (letter == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return std::min(row[b.size()], std::size_t{3});
}

}  // namespace

bool Row::Has(Text name) const {
  for (Text rest = words_; !rest.empty();) {
    Text word = Next(" ", &rest);
    if (Next("=", &word) == name) return true;
  }
  return false;
}

Text Row::Value(Text group, Text name) const {
  for (Text rest = words_; !rest.empty();) {
    Text word = Next(" ", &rest);
    if (!group.empty() && !(Strip(group, &word) && Strip(":", &word))) continue;
    if (Next("=", &word) == name && !word.empty()) return word;
  }
  return {};
}

bool Row::HasGroup(Text group) const {
  for (Text rest = words_; !rest.empty();) {
    Text word = Next(" ", &rest);
    if (Strip(group, &word) && StartsWith(word, ":")) return true;
  }
  return false;
}

Model FindModel(Text type, bool is_gguf) {
  Model model;
  ForEachRow(is_gguf, [&](const RowOfModels& row) {
    if (!type.empty() && HasWord(row.types, type, " ")) model = {type, Row(row.words), row.source};
  });
  return model;
}

Sizes SizesOf(Text type) {
  for (const SizesOfModels& row : kSizes) {
    if (HasWord(row.types, type, " ")) return row.sizes;
  }
  return {};
}

Text MostLike(Text type, bool is_gguf) {
  Text best;
  // If more than a third of the letters differ, it is another word.
  std::size_t least = std::min(type.size() / 3 + 1, std::size_t{3});
  ForEachRow(is_gguf, [&](const RowOfModels& row) {
    for (Text rest = row.types; !rest.empty();) {
      const Text other = Next(" ", &rest);
      if (const std::size_t distance = Distance(type, other); distance < least) {
        least = distance;
        best = other;
      }
    }
  });
  return best;
}

}  // namespace models
}  // namespace internal
}  // namespace posenc
