#include "number/exact.h"

#include "oracle/columns.h"

#include <algorithm>

namespace posenc {
namespace oracle {

std::vector<Entry> EntriesOf(const posenc_spec& spec) {
  std::vector<Entry> entries;
  if (spec.input_first) entries.push_back({Entry::kPosition, 0});
  const std::size_t columns = spec.dim - entries.size(), whole = columns / 2;
  const bool is_odd = columns % 2 != 0, has_half = is_odd && spec.odd_column == POSENC_ODD_HALF_PAIR;
  const auto add = [&](Entry::Kind kind, std::size_t pair) { entries.push_back({kind, pair}); };
  const auto add_all = [&](Entry::Kind kind, std::size_t pairs) {
    for (std::size_t i = 0; i < pairs; ++i) add(kind, i);
  };
  const auto add_in_turns = [&](Entry::Kind first, Entry::Kind second) {
    for (std::size_t i = 0; i < whole; ++i) {
      add(first, i);
      add(second, i);
    }
    if (has_half) add(first, whole);
  };
  const auto add_middle = [&] {
    if (is_odd && spec.odd_column == POSENC_ODD_ZERO_MIDDLE) add(Entry::kZero, 0);
  };
  const std::size_t sines = whole + (has_half ? 1 : 0);
  switch (spec.layout) {
    case POSENC_INTERLEAVED:
      add_in_turns(Entry::kSine, Entry::kCosine);
      break;
    case POSENC_INTERLEAVED_COS_SIN:
      add_in_turns(Entry::kCosine, Entry::kSine);
      break;
    case POSENC_SIN_COS:
      add_all(Entry::kSine, sines);
      add_middle();
      add_all(Entry::kCosine, whole);
      break;
    case POSENC_COS_SIN:
      add_all(Entry::kCosine, whole);
      add_middle();
      add_all(Entry::kSine, sines);
      break;
  }
  if (is_odd && spec.odd_column == POSENC_ODD_ZERO_LAST) add(Entry::kZero, 0);
  if (is_odd && spec.odd_column == POSENC_ODD_COSINE_LAST) add(Entry::kCosine, 0);
  return entries;
}

std::size_t PairsOf(const posenc_spec& spec) {
  std::size_t pairs = 1;
  for (const Entry& entry : EntriesOf(spec)) pairs = std::max(pairs, entry.pair + 1);
  return pairs;
}

}  // namespace oracle
}  // namespace posenc
